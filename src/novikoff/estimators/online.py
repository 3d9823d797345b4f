"""One example at a time (the protocol of online learning): predict, see the label, learn.

Rows are arrays, or dicts of named features in which new names may appear at any time. Each call
goes to the same compiled loop as `fit`, over a row that lies in a buffer; what would be looked up
anew at every call (the compiled code, the arguments it takes) is bound once.
"""

import struct
from collections.abc import Mapping
from typing import Any, Self

import numba
import numpy as np

from novikoff.errors import DataError, ParameterError
from novikoff.learn import AS_GIVEN, Learner, refuse_overflow, why_refused
from novikoff.loop import Reading, Silent, epoch_for
from novikoff.rows import CsrRows, DenseRows
from novikoff.rules import protocol

ROOM = 64  # features a learner on dicts starts with; it doubles when they run out
SILENT = Silent()
PLUS_MINUS = np.array([-1, 1])  # what labels are until some are seen


class OneRow:
    """A buffer for one row, and the loop bound to it and to a learner.

    Everything that does not change from row to row is looked up here, once: a call of `learn` is
    little more than a call of the compiled loop.
    """

    named = False

    def __init__(self, learner: Learner, rows: Any, codes: dict[Any, int], kind: type) -> None:
        self.learner, self.rows, self.codes, self.kind = learner, rows, codes, kind
        self.reserves = learner.reserves
        self._bind()

    def _bind(self) -> None:
        learner, several = self.learner, len(self.learner.states) > 1

        def call(k: int, code: int) -> tuple[Any, ...]:
            codes, positive = np.array([code], np.uint16), k if several else 1
            reading = Reading(self.rows, codes, positive, AS_GIVEN, 0, 1, True)
            return learner.rule, learner.states[k], reading, learner.tallies[k], SILENT

        learners = range(len(learner.states))
        # for each class that the row may be of, one call of the loop for each learner
        self.calls = [[call(k, code) for k in learners] for code in range(max(2, len(learners)))]
        self.refused = [tally.refused for tally in learner.tallies]
        loop, types = epoch_for(learner.rule, SILENT), tuple(map(numba.typeof, self.calls[0][0]))
        loop.compile(types)
        self.epoch = loop.get_overload(types)  # the code for these very types, without a look-up

    def learn(self, code: int) -> None:
        """Let every learner see the row in the buffer, which is of class number `code`."""
        if self.reserves:
            self._reserve()
        for call in self.calls[code]:
            self.epoch(*call)
        for refused in self.refused:
            if refused[0]:
                self._refuse()

    def _reserve(self) -> None:
        learner, entries = self.learner, self.rows.values.size + 1
        states = [protocol.reserve(learner.rule, state, 1, entries) for state in learner.states]
        if not all(map(same_arrays, states, learner.states)):
            learner.states = states
            self._bind()

    def _refuse(self) -> None:
        for refused, state in zip(self.refused, self.learner.states, strict=True):
            refused[0] = 0
            refuse_overflow(state)
        raise DataError(why_refused(self.learner.rule, self.rows, 0))

    def answer(self) -> Any:
        """What each learner decides for the row in the buffer."""
        return self.learner.answers(self.rows)[0]


class OneArray(OneRow):
    """The next row is an array."""

    def __init__(self, learner: Learner, codes: dict[Any, int], kind: type) -> None:
        rows = DenseRows(np.zeros((1, learner.features)), learner.bias, learner.unit_length)
        self.values, self.size = rows.values[0], learner.features
        super().__init__(learner, rows, codes, kind)

    def place(self, x: Any) -> None:
        """Put a row into the buffer."""
        if len(x) != self.size:
            raise DataError(f"the row has {len(x)} features; {self.size} were seen before")
        self.values[:] = x


class OneDict(OneRow):
    """The next row is a dict from names to values."""

    named = True

    def __init__(
        self, learner: Learner, codes: dict[Any, int], kind: type, names: dict[Any, int]
    ) -> None:
        self.names = names
        self._make_room(learner)
        super().__init__(learner, self.rows, codes, kind)

    def _make_room(self, learner: Learner) -> None:
        room = learner.features
        values, columns, starts = np.zeros(room), np.zeros(room, np.uint32), np.zeros(2, np.uint32)
        self.rows = CsrRows(values, columns, starts, room, learner.bias, learner.unit_length)
        self.keys: list[Any] = []
        self.pack = struct.Struct("0d").pack_into
        self.sorting: Any = None

    def place(self, x: Mapping[Any, Any]) -> None:
        """Put a row into the buffer."""
        keys = list(x)
        if keys != self.keys:  # rows of a stream mostly have the same names in the same order
            self._rename(keys)
        values = self.rows.values
        try:
            self.pack(values, 0, *x.values())
        except struct.error:
            bad = next(name for name, value in x.items() if not _is_number(value))
            raise DataError(f"feature {bad!r} is {x[bad]!r}; a number is needed") from None
        if self.sorting is not None:
            values[: len(keys)] = values[self.sorting]

    def _rename(self, keys: list[Any]) -> None:
        names = self.names
        columns = np.array([names.setdefault(key, len(names)) for key in keys], np.uint32)
        if len(names) > self.learner.features:
            self.learner.resize(max(2 * self.learner.features, len(names)))
            self._make_room(self.learner)
            self._bind()
        ascending = bool((columns[1:] > columns[:-1]).all())
        self.sorting = None if ascending else np.argsort(columns)
        self.rows.columns[: len(keys)] = columns if ascending else columns[self.sorting]
        self.rows.starts[1] = len(keys)
        self.keys, self.pack = keys, struct.Struct(f"{len(keys)}d").pack_into


class Online:
    """`learn_one` and `predict_one` for an estimator that keeps its `Learner` in `_learner`."""

    _learner: Learner
    _one: Any = None
    classes_: Any

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """See one row, predict, be told its label, learn; a wrong prediction counts as a mistake.

        x is an array, or a dict of named features. Labels are -1 and 1, 0 and 1 or False and True;
        for others, the first call must name the `classes`.
        """
        one = self._one
        if one is None or type(x) is not one.kind:
            self._know(y, classes)
            one = self._bind(x)
        code = one.codes.get(y)
        if code is None:
            code = self._new_label(y)
        one.place(x)
        one.learn(code)
        return self

    def predict_one(self, x: Any) -> Any:
        """The label that the rule predicts for one row."""
        one = self._one
        if one is None or type(x) is not one.kind:
            one = self._bind(x)
        one.place(x)
        answers = one.answer()
        classes = getattr(self, "classes_", PLUS_MINUS)
        if len(answers) > 1:
            return classes[int(answers.argmax())]
        return classes[int(self._learner.positive(answers[0]))]

    def _know(self, y: Any, classes: Any) -> None:
        """Make sure that y has a number, before anything is begun."""
        if classes is not None and not hasattr(self, "classes_"):
            named = np.unique(np.asarray(classes))
            if len(named) < 2:
                raise ParameterError("classes must name two classes or more")
            self.classes_ = named
            self.__dict__.pop("_codes", None)
        if self._label_numbers().get(y) is None:
            self._new_label(y)

    def _label_numbers(self) -> dict[Any, int]:
        if "_codes" not in self.__dict__:
            labels = self.classes_.tolist() if hasattr(self, "classes_") else []
            self._codes: dict[Any, int] = {label: k for k, label in enumerate(labels)}
        return self._codes

    def _bind(self, x: Any) -> OneRow:
        """Prepare for rows of the kind that x is."""
        self._label_numbers()
        if not hasattr(self, "_learner"):
            classes = getattr(self, "classes_", PLUS_MINUS)
            self._begin(x, 1 if len(classes) == 2 else len(classes))
        if self._one is not None and self._one.named is isinstance(x, Mapping):
            self._one.kind = type(x)  # a list after an array, say: the same buffer will do
        else:
            self._one = self._bound_to(x)
        return self._one

    def _begin(self, x: Any, outputs: int) -> None:
        """A learner for rows like x."""
        named = isinstance(x, Mapping)
        features = max(ROOM, len(x)) if named else len(np.atleast_1d(x))
        if named and np.isnan(getattr(self._rule(), "theta", 0.0)):
            raise ParameterError("Winnow on named features needs theta: their number is not known")
        self._learner = self._new_learner(features, outputs)
        self._lowest, self._settled_at = np.inf, -1
        self.n_iter_, self.mistakes_per_epoch_ = 0, []
        if named:
            self._names: dict[Any, int] = {}
        else:
            self.n_features_in_ = features

    def _bound_to(self, x: Any) -> OneRow:
        if not isinstance(x, Mapping):
            self._leave_online()
            return OneArray(self._learner, self._codes, type(x))
        if "_names" not in self.__dict__:
            if not hasattr(self, "feature_names_in_"):
                raise DataError("the features had no names when this was fitted; pass an array")
            self._names = {name: j for j, name in enumerate(self.feature_names_in_)}
            del self.feature_names_in_, self.n_features_in_  # names may come from now on
        return OneDict(self._learner, self._codes, type(x), self._names)

    def __getattr__(self, name: str) -> Any:
        """While names may still come, scikit-learn's two attributes follow them."""
        if "_names" in self.__dict__ and name == "n_features_in_":
            return len(self._names)
        if "_names" in self.__dict__ and name == "feature_names_in_":
            return np.array([*self._names], object)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _leave_online(self) -> None:
        """Give a learner on named features the exact size that they have, for use with arrays."""
        self._one = None
        if "_names" in self.__dict__ and self._learner.features != len(self._names):
            self._learner.resize(len(self._names))

    def _new_label(self, y: Any) -> int:
        """The number of a label that comes for the first time, where the classes were not named."""
        codes = self._codes
        if len(codes) > 1:
            raise DataError(f"the label {y!r} is none of the classes {self.classes_.tolist()}")
        if isinstance(y, (bool, np.bool_)):
            self.classes_ = np.array([False, True])
            codes.update({False: 0, True: 1})
        elif isinstance(y, (int, float, np.number)) and y in (-1, 0, 1):
            self.classes_ = np.array([0 if y == 0 else -1, 1])
            codes.update({1: 1} if y == 1 else {int(y): 0, 1: 1})
        else:
            raise ParameterError(
                f"the label {y!r} is not one of -1, 0, 1, False, True: name all labels in the first"
                f" call, as in learn_one(x, {y!r}, classes=[{y!r}, ...])"
            )
        return codes[y]


def same_arrays(state: Any, other: Any) -> bool:
    """Whether two states are made of the very same arrays."""
    return all(a is b for a, b in zip(state, other, strict=True))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
