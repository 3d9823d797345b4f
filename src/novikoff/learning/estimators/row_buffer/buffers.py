"""A buffer for one row, bound to the compiled loop, so that a call costs little more than the loop.

What would be looked up anew at every call (the compiled code and its arguments) is bound once.
"""

import functools
import math
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from novikoff.data.user_types import Label
from novikoff.errors import DataError
from novikoff.learning.estimators.row_buffer.dict_prediction import prediction_for
from novikoff.learning.estimators.row_buffer.dict_values import FLOAT_TYPE, READABLE, place_floats
from novikoff.learning.learner import AS_GIVEN, Learner
from novikoff.learning.loop import EpochInput, NoLog, answers_for, epoch_for
from novikoff.learning.row_errors import refuse_overflow, row_error_message
from novikoff.learning.rows import CsrRows, DenseRows, read_only, weighted
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import Rule, Vector

SILENT = NoLog()
NO_ADDRESS = np.zeros(1, np.int64)  # of a key: no row has it


class RowBuffer:
    """A buffer for one row, and the loop bound to it and to a learner.

    Everything that does not change from row to row is looked up once: to learn from a row is to
    `place` it, and to `run` the call that belongs to its label.
    """

    named = False
    weights: Vector | None
    #: The class number by an `id`; -1 for what is to be placed and answered.
    predict: Callable[[int], int] | None = None
    labels: list[Label]  # one for each class number

    def __init__(self, learner: Learner, rows: Any, codes: dict[Any, int], kind: type) -> None:
        self.learner, self.rows, self.codes, self.kind = learner, rows, codes, kind
        self.weight, self.weights = 1.0, None  # of the row; an array of it, once it is not 1
        if learner.reserves:
            self.place = self._reserve_and_place  # type: ignore[method-assign]
        self.bind()

    def expect(self, kind: type) -> None:
        """Be ready for rows of this type."""
        self.kind, self.predict = kind, None  # which reads dicts alone

    def place(self, x: Any) -> None:
        """Put a row into the buffer."""
        raise TypeError(f"{type(self).__name__} does not say how to place a row")

    def knows(self, x: Any) -> bool:
        """Whether the row has only features that came before."""
        return True

    def place_known(self, x: Any) -> bool:
        """Put a row that nothing is learned from into the buffer, if it `knows` it."""
        if not self.knows(x):
            return False
        type(self).place(self, x)  # it takes no room to learn in
        return True

    def weigh(self, weight: float) -> None:
        """Give the row in the buffer this weight, which is above 0."""
        if self.weights is None and weight != 1.0:
            self.learner.count_weights()
            self.weights = np.ones(1)
            self.bind()
        if self.weights is not None:
            self.weights[0] = weight
        self.weight = weight

    def bind(self) -> None:
        """Make ready the calls of the loop: for each label, one for each learner."""
        self.epoch = epoch_for(self.learner.rule, SILENT).bind(self._call(0, 0))
        self.decide: Any = None  # bound when it is first needed
        self.predict = None
        self.readouts = [None] * len(self.learner.states)
        rule, kind = self.learner.rule, type(self.learner.rule)
        answers_by_state = not any(hasattr(kind, name) for name in ("readout", "readout_at"))
        self.steady = [(rule, each) for each in self.learner.states] if answers_by_state else None
        self.several = self.learner.joint or len(self.learner.states) > 1
        self.zero_is_positive = bool(self.learner.positive(0.0))
        self.run = self.epoch if len(self.learner.states) == 1 else self._run_all
        self.calls: dict[Any, tuple[Any, ...]] = {}
        for label in self.codes:
            self.call_for(label)

    def call_for(self, label: Any) -> tuple[Any, ...]:
        """The arguments of `run` for a row with this label."""
        calls = [self._call(k, self.codes[label]) for k in range(len(self.learner.states))]
        self.calls[label] = calls[0] if len(calls) == 1 else (calls,)
        return self.calls[label]

    def _call(self, k: int, code: int) -> tuple[Any, ...]:
        learner, positive = self.learner, k if len(self.learner.states) > 1 else 1
        codes = read_only(np.array([code], np.uint16))
        rows = weighted(self.rows, self.weights)
        reading = EpochInput(rows, codes, positive, AS_GIVEN, 0, 1, True)
        return learner.rule, learner.states[k], reading, learner.tallies[k], SILENT

    def _run_all(self, calls: list[tuple[Any, ...]]) -> int:
        return max(int(self.epoch(*call)) for call in calls)

    def _reserve_and_place(self, x: Any) -> None:
        type(self).place(self, x)
        learner, entries = self.learner, self.rows.values.size + 1
        states = [protocol.reserve(learner.rule, state, 1, entries) for state in learner.states]
        if not all(map(_same_arrays, states, learner.states)):
            learner.states = states
            self.bind()

    def refuse(self) -> None:
        """Raise the reason why the row in the buffer was refused."""
        for state in self.learner.states:
            refuse_overflow(state)
        raise DataError(self.problem())

    def problem(self) -> str:
        """What is wrong with the row in the buffer, in words."""
        return row_error_message(self.learner.rule, weighted(self.rows, self.weights), 0)

    def columns_read(self) -> Any:
        """The columns of the row in the buffer, the bias among them, as an index."""
        return slice(None)

    def _outputs(self) -> list[tuple[Any, Any]]:
        """What answers for each class, right at least in the columns of the row in the buffer."""
        learner, columns = self.learner, self.columns_read()
        pairs = zip(learner.states, learner.tallies, strict=True)
        for k, (state, tally) in enumerate(pairs):
            seen, before = int(tally.seen[0]), self.readouts[k]
            self.readouts[k] = protocol.readout_at(learner.rule, state, seen, columns, before)
        rule, outputs = learner.rule, protocol.outputs
        return [each for readout in self.readouts for each in outputs(rule, readout)]

    def answer(self) -> list[float]:
        """What each learner decides for the row in the buffer."""
        found = []
        for rule, readout in self.steady or self._outputs():
            if self.decide is None:
                self.out = np.empty(1)
                self.decide = answers_for(rule).bind((rule, readout, self.rows, 0, self.out))
            self.decide(rule, readout, self.rows, 0, self.out)
            found.append(self.out.item())
        if not math.isfinite(sum(found)) and not all(map(math.isfinite, found)):
            raise DataError(self.problem())
        return found

    def code(self, answers: list[float]) -> int:
        """The number of the class that these answers mean."""
        if self.several:
            return answers.index(max(answers))
        return int(answers[0] > 0.0 or (answers[0] == 0.0 and self.zero_is_positive))


class OneArray(RowBuffer):
    """The next row is an array."""

    def __init__(self, learner: Learner, codes: dict[Any, int], kind: type) -> None:
        values = np.zeros((1, learner.features))
        rows = DenseRows(read_only(values), learner.bias, learner.unit_length)
        self.values, self.size = values[0], learner.features
        super().__init__(learner, rows, codes, kind)

    def place(self, x: Any) -> None:
        if len(x) != self.size:
            raise DataError(f"the row has {len(x)} features; {self.size} were seen before")
        try:
            self.values[...] = x
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"the row is not one of {self.size} numbers: {error}") from None


class OneDict(RowBuffer):
    """The next row is a dict from names to values."""

    named = True

    def __init__(
        self, learner: Learner, codes: dict[Any, int], kind: type, names: dict[Any, int]
    ) -> None:
        self.names = names
        args = 0, NO_ADDRESS, np.empty(0), FLOAT_TYPE
        self.place_floats = place_floats.bind(args) if READABLE else lambda *_: False
        self._make_room(learner)
        super().__init__(learner, self.rows, codes, kind)

    def _make_room(self, learner: Learner) -> None:
        self.known = len(self.names)
        room = learner.features
        self.values: Any = np.zeros(room)
        self.columns: Any = np.zeros(room, np.uint32)
        self.starts: Any = np.zeros(2, np.uint32)
        values, columns, starts = map(read_only, (self.values, self.columns, self.starts))
        self.rows = CsrRows(values, columns, starts, room, learner.bias, learner.unit_length)
        self.keys: list[Any] | None = []  # None: what the buffer holds is to be forgotten
        self.sorting: Any = None
        self.read: Any = None  # what `columns_read` said last, and of which keys
        self.read_for: Any = None
        self._pack(0)

    def _pack(self, number: int) -> None:
        """Make `fill(*values)` write so many values to the buffer: the fastest way in Python."""
        self.fill = functools.partial(struct.Struct(f"{number}d").pack_into, self.values, 0)
        addresses = [*map(id, self.keys or ())]
        self.addresses = np.array(addresses, np.int64) if READABLE else NO_ADDRESS
        self.predict = None

    def place(self, x: Mapping[Any, Any]) -> None:
        self.known = len(self.names)
        if type(x) is not dict or not self.place_floats(
            id(x), self.addresses, self.values, FLOAT_TYPE
        ):
            self._place_any(x)
        if self.sorting is not None:
            number = len(self.sorting)
            self.values[:number] = self.values[self.sorting]

    def _place_any(self, x: Mapping[Any, Any]) -> None:
        keys = [*x]
        if keys != self.keys:  # rows of a stream mostly have the same names in the same order
            self._rename(keys)
        try:
            self.fill(*x.values())
        except (struct.error, OverflowError):
            bad = next(name for name, value in x.items() if not _is_number(value))
            self._forget()
            if isinstance(x[bad], int):  # it may have more digits than Python writes
                raise DataError(f"feature {bad!r} is an integer too large for a double") from None
            raise DataError(f"feature {bad!r} is {x[bad]!r}; a number is needed") from None

    def problem(self) -> str:
        known = {self.names[key]: key for key in self.keys or ()}
        for column, value in zip(self.columns[: len(known)], self.values, strict=False):
            if not math.isfinite(value):
                name = known[int(column)]
                text = "NaN" if math.isnan(value) else "infinity"
                return f"feature {name!r} is {text}; every value must be a number"
        return super().problem()

    def columns_read(self) -> Any:
        if self.keys is None or self.keys is not self.read_for:
            bias = [self.learner.features] * self.learner.bias
            self.read = np.append(self.columns[: int(self.starts[1])], bias).astype(np.intp)
            self.read_for = self.keys
        return self.read

    def knows(self, x: Mapping[Any, Any]) -> bool:
        return [*x] == self.keys or x.keys() <= self.names.keys()

    def place_known(self, x: Mapping[Any, Any]) -> bool:
        plain = type(x) is dict and self.sorting is None
        if plain and self.place_floats(id(x), self.addresses, self.values, FLOAT_TYPE):
            if self.predict is None and self.steady and not self.several:
                self._bind_prediction(*self.steady[0])
            return True
        return super().place_known(x)

    def _bind_prediction(self, rule: Rule, state: Any) -> None:
        """Have `predict` for rows like the one in the buffer, until it is bound anew."""
        known = self.zero_is_positive, self.addresses, self.values, FLOAT_TYPE
        args = rule, state, self.rows, *known
        self.predict = functools.partial(prediction_for(rule).bind((*args, 0)), *args)

    def refuse(self) -> None:
        try:
            super().refuse()
        finally:
            self._forget()

    def _forget(self) -> None:
        """The names that came with a refused row never came."""
        while len(self.names) > self.known:
            self.names.popitem()
            self.keys, self.addresses, self.predict = None, NO_ADDRESS, None

    def _rename(self, keys: list[Any]) -> None:
        names = self.names
        columns = np.array([names.setdefault(key, len(names)) for key in keys], np.uint32)
        if len(names) > self.learner.features:
            self.learner.resize(max(2 * self.learner.features, len(names)))
            self._make_room(self.learner)
            self.bind()
        ascending = bool((columns[1:] > columns[:-1]).all())
        self.sorting = None if ascending else np.argsort(columns)
        self.columns[: len(keys)] = columns if ascending else columns[self.sorting]
        self.starts[1] = len(keys)
        self.keys = keys
        self._pack(len(keys))


def _same_arrays(state: Any, other: Any) -> bool:
    """Whether two states are made of the very same arrays."""
    return all(a is b for a, b in zip(state, other, strict=True))


def _is_number(value: Any) -> bool:
    try:
        struct.pack("d", value)  # as `fill` does: float() would also take text
    except (struct.error, OverflowError):
        return False
    return True
