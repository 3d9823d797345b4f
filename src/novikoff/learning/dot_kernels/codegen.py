"""The inner products of `dot_kernels` in LLVM's vector instructions, for compiled code.

Written so because Numba's own loops stay scalar here (a floating-point sum may not be reordered),
at half the speed. Imported when something is compiled.
"""

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import types as numba_types
from numba.core import cgutils as numba_cgutils
from numba.core.errors import TypingError

from novikoff.jit import intrinsic, register_implementation
from novikoff.learning.dot_kernels import (
    LANES,
    dense_add,
    dense_dot,
    dense_dot_and_square,
    sparse_add,
    sparse_add_both,
    sparse_dot,
    sparse_dot_and_square,
    sparse_square,
)

# Numba annotates these only in part.
cgutils: Any = numba_cgutils
types: Any = numba_types

AHEAD = 8  # products of a sparse row that are begun together
SOON = 128  # how many entries ahead the rows to come are asked for: a fifth of an epoch's time

_double = ir.DoubleType()
_int32 = ir.IntType(32)
_index = ir.IntType(64)
_lanes = ir.VectorType(_double, LANES)
_zeros = ir.Constant(_lanes, [0.0] * LANES)


def _fold(builder: Any, lanes: Any) -> Any:
    half = LANES // 2
    while half:
        low, high = (
            builder.shuffle_vector(lanes, lanes, ir.Constant(ir.VectorType(_int32, half), [*part]))
            for part in (range(half), range(half, 2 * half))
        )
        lanes, half = builder.fadd(low, high), half // 2
    return builder.extract_element(lanes, _int32(0))


def _widen(builder: Any, value: Any, to: Any) -> Any:
    return value if value.type == to else builder.fpext(value, to)


def _arrays(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """The arguments that are arrays, with their pointers and shapes at hand."""
    return [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, args, strict=True)
        if isinstance(kind, types.Array)
    ]


def _contiguous(*arrays: Any) -> None:
    for array in arrays:
        if array.layout != "C":
            raise TypingError("lanes need contiguous arrays")


def _load(builder: Any, array: Any, j: Any, allowed: Any = None) -> Any:
    """Eight values from place j on, as doubles; 0.0 where `allowed` says no, and the memory there
    is not touched.
    """
    element = array.data.type.pointee
    kind, size = ir.VectorType(element, LANES), 8 if element == _double else 4
    at = builder.bitcast(builder.gep(array.data, [j]), kind.as_pointer())
    if allowed is None:
        value = builder.load(at)
        value.align = size
    else:
        masked = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(kind, [at.type, _int32, allowed.type, kind]),
            f"llvm.masked.load.v{LANES}f{8 * size}.p0",
        )
        zeros = ir.Constant(kind, [0.0] * LANES)
        value = builder.call(masked, [at, _int32(size), allowed, zeros])
    return _widen(builder, value, _lanes)


def _spread(builder: Any, number: Any) -> Any:
    """A vector with the number in all lanes."""
    vector = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    one = builder.insert_element(vector, number, _int32(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_int32, LANES), [0] * LANES))


def _first(builder: Any, number: Any) -> Any:
    """A mask that allows the first `number` lanes."""
    places = ir.Constant(ir.VectorType(_index, LANES), [*range(LANES)])
    return builder.icmp_unsigned("<", places, _spread(builder, number))


def _dense_sums(builder: Any, x: Any, factors: list[Any]) -> list[Any]:
    """Sum of x[j] * factor[j] by lane, for each of the factors, in one pass over x."""
    length = builder.extract_value(x.shape, 0)
    whole = builder.and_(length, _index(-LANES))
    sums = [cgutils.alloca_once(builder, _lanes) for _ in factors]
    for lanes in sums:
        builder.store(_zeros, lanes)

    def add(j: Any, allowed: Any = None) -> None:
        value = _load(builder, x, j, allowed)
        for lanes, factor in zip(sums, factors, strict=True):
            other = value if factor is x else _load(builder, factor, j, allowed)
            total = builder.fadd(builder.load(lanes), builder.fmul(value, other))
            builder.store(total, lanes)

    with cgutils.for_range_slice(builder, _index(0), whole, _index(LANES)) as (j, _):
        add(j)
    with builder.if_then(builder.icmp_unsigned("<", whole, length)):
        add(whole, _first(builder, builder.sub(length, whole)))
    return [_fold(builder, builder.load(lanes)) for lanes in sums]


@intrinsic
def _dense_dot(typing_context: Any, x: Any, w: Any) -> Any:
    _contiguous(x, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, ws = _arrays(context, builder, signature, args)
        return _dense_sums(builder, xs, [ws])[0]

    return types.float64(x, w), codegen


@intrinsic
def _dense_dot_and_square(typing_context: Any, x: Any, w: Any) -> Any:
    _contiguous(x, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, ws = _arrays(context, builder, signature, args)
        return context.make_tuple(
            builder, signature.return_type, _dense_sums(builder, xs, [ws, xs])
        )

    return types.UniTuple(types.float64, 2)(x, w), codegen


def _sparse_sum(builder: Any, values: Any, columns: Any, factor: Any, beside: Any = None) -> Any:
    """Sum of values[k] * factor(k, j) by lane, j being columns[k].

    Eight products are begun before the first is added: the weights come from all over memory.
    `beside(k, n)` may do something with values k to k + n while they are at hand.
    """
    lanes = cgutils.alloca_once(builder, _lanes)
    builder.store(_zeros, lanes)
    first = builder.bitcast(lanes, _double.as_pointer())

    block = builder.bitcast(cgutils.alloca_once(builder, _lanes), _double.as_pointer())
    narrow = values.data.type.pointee != _double

    def begin(k: Any, ahead: int, step: int) -> tuple[Any, Any]:
        at = builder.add(k, _index(ahead))
        j = _column(builder, columns, at)
        lane = builder.gep(first, [builder.and_(j, _index(LANES - 1))])
        widened = narrow and step == AHEAD
        value = builder.load(builder.gep(block, [_index(ahead)])) if widened else None
        return lane, builder.fmul(value or _one(builder, values, at), factor(at, j))

    for k, step in _ahead(builder, builder.extract_value(values.shape, 0)):
        if step == AHEAD:
            _prefetch(builder, values, builder.add(k, _index(SOON)))
            _prefetch(builder, columns, builder.add(k, _index(SOON)))
            if narrow:  # eight at once are widened faster than one by one
                eight = builder.bitcast(block, _lanes.as_pointer())
                builder.store(_load(builder, values, k), eight)
        if beside:
            beside(k, step)
        for lane, product in [begin(k, ahead, step) for ahead in range(step)]:
            builder.store(builder.fadd(builder.load(lane), product), lane)
    # one by one: a vector load would have to wait until the single stores have left the core
    parts = [builder.load(builder.gep(first, [_index(lane)])) for lane in range(LANES)]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [builder.fadd(parts[k], parts[k + half]) for k in range(half)]
    return parts[0]


def _ahead(builder: Any, number: Any, stride: int = AHEAD) -> Iterator[tuple[Any, int]]:
    """Two loops over 0..number: in steps of `stride`, and over what is left one by one."""
    whole = builder.and_(number, _index(-stride))
    for start, stop, step in ((_index(0), whole, stride), (whole, number, 1)):
        with cgutils.for_range_slice(builder, start, stop, _index(step)) as (k, _):
            yield k, step


def _prefetch(builder: Any, array: Any, k: Any) -> None:
    """Ask for entry k of an array, which may lie past its end: that is no fault.

    For the rows to come: among the weights from all over memory, the processor does not see by
    itself that these are read in order.
    """
    byte = ir.IntType(8).as_pointer()
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.VoidType(), [byte, _int32, _int32, _int32]),
        "llvm.prefetch.p0",
    )
    at = builder.bitcast(builder.gep(array.data, [k]), byte)
    builder.call(function, [at, _int32(0), _int32(3), _int32(1)])  # to read, soon, as data


def _column(builder: Any, columns: Any, k: Any) -> Any:
    j = builder.load(builder.gep(columns.data, [k]))
    return j if j.type.width == _index.width else builder.zext(j, _index)


def _one(builder: Any, array: Any, at: Any) -> Any:
    return _widen(builder, builder.load(builder.gep(array.data, [at])), _double)


@intrinsic
def _sparse_dot(typing_context: Any, values: Any, columns: Any, w: Any) -> Any:
    _contiguous(values, columns, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js, ws = _arrays(context, builder, signature, args)
        return _sparse_sum(builder, xs, js, lambda _, j: _one(builder, ws, j))

    return types.float64(values, columns, w), codegen


@intrinsic
def _sparse_dot_and_square(typing_context: Any, values: Any, columns: Any, w: Any) -> Any:
    _contiguous(values, columns, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js, ws = _arrays(context, builder, signature, args)
        squares = cgutils.alloca_once(builder, _lanes)
        builder.store(_zeros, squares)

        def square(k: Any, number: int) -> None:
            allowed = None if number == LANES else _first(builder, _index(number))
            value = _load(builder, xs, k, allowed)
            total = builder.fadd(builder.load(squares), builder.fmul(value, value))
            builder.store(total, squares)

        dot = _sparse_sum(builder, xs, js, lambda _, j: _one(builder, ws, j), square)
        total = _fold(builder, builder.load(squares))
        return context.make_tuple(builder, signature.return_type, [dot, total])

    return types.UniTuple(types.float64, 2)(values, columns, w), codegen


@intrinsic
def _sparse_square(typing_context: Any, values: Any, columns: Any) -> Any:
    _contiguous(values, columns)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js = _arrays(context, builder, signature, args)
        return _sparse_sum(builder, xs, js, lambda k, _: _one(builder, xs, k))

    return types.float64(values, columns), codegen


def _scatter(builder: Any, values: Any, columns: Any, targets: list[tuple[Any, Any]]) -> None:
    """array[columns[k]] += amount * values[k] for each of the targets (amount, array).

    Eight sums (more would not fit the registers) are begun before the first is written: no column
    comes twice.
    """

    def begin(k: Any) -> list[tuple[Any, Any]]:
        value, j = _one(builder, values, k), _column(builder, columns, k)
        places = [(amount, builder.gep(array.data, [j])) for amount, array in targets]
        return [
            (at, builder.fadd(builder.load(at), builder.fmul(amount, value)))
            for amount, at in places
        ]

    number = builder.extract_value(values.shape, 0)
    for k, step in _ahead(builder, number, AHEAD // len(targets)):
        for sums in [begin(builder.add(k, _index(ahead))) for ahead in range(step)]:
            for at, total in sums:
                builder.store(total, at)


@intrinsic
def _sparse_add(typing_context: Any, values: Any, columns: Any, amount: Any, w: Any) -> Any:
    _contiguous(values, columns, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js, ws = _arrays(context, builder, signature, args)
        _scatter(builder, xs, js, [(args[2], ws)])
        return context.get_dummy_value()

    return types.none(values, columns, types.float64, w), codegen


@intrinsic
def _sparse_add_both(
    typing_context: Any, values: Any, columns: Any, a: Any, w: Any, b: Any, m: Any
) -> Any:
    _contiguous(values, columns, w, m)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js, ws, ms = _arrays(context, builder, signature, args)
        _scatter(builder, xs, js, [(args[2], ws), (args[4], ms)])
        return context.get_dummy_value()

    return types.none(values, columns, types.float64, w, types.float64, m), codegen


def _dense_add(x: Any, amount: float, w: Any) -> None:
    for j in range(x.shape[0]):
        w[j] += amount * float(x[j])


for _function, _implementation in (
    (dense_add, _dense_add),
    (dense_dot, lambda x, w: _dense_dot(x, w)),
    (dense_dot_and_square, lambda x, w: _dense_dot_and_square(x, w)),
    (sparse_dot, lambda values, columns, w: _sparse_dot(values, columns, w)),
    (sparse_dot_and_square, lambda values, columns, w: _sparse_dot_and_square(values, columns, w)),
    (sparse_square, lambda values, columns: _sparse_square(values, columns)),
    (
        sparse_add_both,
        lambda values, columns, a, w, b, m: _sparse_add_both(values, columns, a, w, b, m),
    ),
    (sparse_add, lambda values, columns, amount, w: _sparse_add(values, columns, amount, w)),
):
    register_implementation(_function, _implementation)
