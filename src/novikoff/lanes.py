"""Inner products with one fixed order of summation, at the memory's speed.

    lane[j mod 8] += x[j] * w[j]      for each column j, in order
    result = ((lane0 + lane4) + (lane2 + lane6)) + ((lane1 + lane5) + (lane3 + lane7))

The order is a function of the columns alone and a skipped zero changes no lane, so a dense row and
a sparse row with the same numbers give the same bits. Written as LLVM vector code because Numba's
own loops stay scalar here (a floating-point sum may not be reordered), at half the speed.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

from novikoff.generic import COMPILED

LANES = 8

_double = ir.DoubleType()
_int32 = ir.IntType(32)
_index = ir.IntType(64)
_lanes = ir.VectorType(_double, LANES)
_zeros = ir.Constant(_lanes, [0.0] * LANES)


def dense_dot(x: Any, w: Any) -> float:
    """Sum of x[j] * w[j] over the columns j of x; w may be longer."""
    return sparse_dot(x, range(len(x)), w)


def sparse_dot(values: Any, columns: Any, w: Any) -> float:
    """Sum of values[k] * w[columns[k]]; the columns ascend."""
    return _sum_by_lane(columns, ((values[k], w[j]) for k, j in enumerate(columns)))


def sparse_square(values: Any, columns: Any) -> float:
    """Sum of values[k]^2, in the same order."""
    return _sum_by_lane(columns, zip(values, values, strict=True))


def _sum_by_lane(columns: Any, factors: Any) -> float:
    lanes = [0.0] * LANES
    for j, (a, b) in zip(columns, factors, strict=True):
        lanes[int(j) % LANES] += float(a) * float(b)
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [lanes[k] + lanes[k + half] for k in range(half)]
    return lanes[0]


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
    return [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, args, strict=True)
    ]


def _contiguous(*arrays: Any) -> None:
    for array in arrays:
        if array.layout != "C":
            raise TypingError("lanes need contiguous arrays")


def _load(builder: Any, array: Any, j: Any, allowed: Any = None) -> Any:
    """Eight values from column j on; where `allowed` says no, 0.0, and the memory is not touched."""
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


def _first(builder: Any, number: Any) -> Any:
    """A mask that allows the first `number` lanes."""
    counts = ir.VectorType(_index, LANES)
    one = builder.insert_element(ir.Constant(counts, ir.Undefined), number, _int32(0))
    spread = ir.Constant(ir.VectorType(_int32, LANES), [0] * LANES)
    return builder.icmp_unsigned(
        "<", ir.Constant(counts, [*range(LANES)]), builder.shuffle_vector(one, one, spread)
    )


@intrinsic  # type: ignore[untyped-decorator]
def _dense_dot(typing_context: Any, x: Any, w: Any) -> Any:
    _contiguous(x, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, ws = _arrays(context, builder, signature, args)
        length = builder.extract_value(xs.shape, 0)
        whole = builder.and_(length, _index(-LANES))
        lanes = cgutils.alloca_once(builder, _lanes)
        builder.store(_zeros, lanes)

        def add(j: Any, allowed: Any = None) -> None:
            product = builder.fmul(*(_load(builder, array, j, allowed) for array in (xs, ws)))
            builder.store(builder.fadd(builder.load(lanes), product), lanes)

        with cgutils.for_range_slice(builder, _index(0), whole, _index(LANES)) as (j, _):
            add(j)
        with builder.if_then(builder.icmp_unsigned("<", whole, length)):
            add(whole, _first(builder, builder.sub(length, whole)))
        return _fold(builder, builder.load(lanes))

    return types.float64(x, w), codegen


def _sparse_sum(builder: Any, values: Any, columns: Any, factor: Any) -> Any:
    """Sum of values[k] * factor(k, j) by lane, j being columns[k]."""
    lanes = cgutils.alloca_once(builder, _lanes)
    builder.store(_zeros, lanes)
    first = builder.bitcast(lanes, _double.as_pointer())
    number = builder.extract_value(values.shape, 0)
    with cgutils.for_range_slice(builder, _index(0), number, _index(1)) as (k, _):
        j = builder.load(builder.gep(columns.data, [k]))
        if j.type.width < _index.width:
            j = builder.zext(j, _index)
        lane = builder.gep(first, [builder.and_(j, _index(LANES - 1))])
        product = builder.fmul(_one(builder, values, k), factor(k, j))
        builder.store(builder.fadd(builder.load(lane), product), lane)
    return _fold(builder, builder.load(lanes))


def _one(builder: Any, array: Any, at: Any) -> Any:
    return _widen(builder, builder.load(builder.gep(array.data, [at])), _double)


@intrinsic  # type: ignore[untyped-decorator]
def _sparse_dot(typing_context: Any, values: Any, columns: Any, w: Any) -> Any:
    _contiguous(values, columns, w)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js, ws = _arrays(context, builder, signature, args)
        return _sparse_sum(builder, xs, js, lambda _, j: _one(builder, ws, j))

    return types.float64(values, columns, w), codegen


@intrinsic  # type: ignore[untyped-decorator]
def _sparse_square(typing_context: Any, values: Any, columns: Any) -> Any:
    _contiguous(values, columns)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        xs, js = _arrays(context, builder, signature, args)
        return _sparse_sum(builder, xs, js, lambda k, _: _one(builder, xs, k))

    return types.float64(values, columns), codegen


@overload(dense_dot, strict=False, jit_options=COMPILED)  # type: ignore[untyped-decorator]
def _compiled_dense_dot(x: Any, w: Any) -> Any:
    return lambda x, w: _dense_dot(x, w)


@overload(sparse_dot, strict=False, jit_options=COMPILED)  # type: ignore[untyped-decorator]
def _compiled_sparse_dot(values: Any, columns: Any, w: Any) -> Any:
    return lambda values, columns, w: _sparse_dot(values, columns, w)


@overload(sparse_square, strict=False, jit_options=COMPILED)  # type: ignore[untyped-decorator]
def _compiled_sparse_square(values: Any, columns: Any) -> Any:
    return lambda values, columns: _sparse_square(values, columns)
