"""One example at a time (the protocol of online learning): predict, see the label, learn.

Rows are arrays, or dicts of named features in which new names may appear at any time. Each call
goes to the same compiled loop as `fit`, over a row that lies in a buffer; what would be looked up
anew at every call (the compiled code, the arguments it takes) is bound once.
"""

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
    """A buffer for one row, and the loop bound to it and to a learner."""

    named = False

    def __init__(self, learner: Learner, rows: Any, codes: dict[Any, int]) -> None:
        self.learner, self.rows, self.codes = learner, rows, codes
        self.code = np.zeros(1, np.uint16)
        several = len(learner.states) > 1
        self.readings = [
            Reading(rows, self.code, k if several else 1, AS_GIVEN, 0, 1, True)
            for k in range(len(learner.states))
        ]
        self.epoch = self._bound()

    def _bound(self) -> Any:
        """The compiled loop for these very types, without Numba's look-up at each call."""
        args = (self.learner.rule, self.learner.states[0], self.readings[0])
        args = (*args, self.learner.tallies[0], SILENT)
        loop, types = epoch_for(self.learner.rule, SILENT), tuple(map(numba.typeof, args))
        loop.compile(types)
        return loop.get_overload(types)

    def learn(self, code: int) -> None:
        """Let every learner see the row in the buffer, which is of class number `code`."""
        self.code[0] = code
        learner = self.learner
        if learner.reserves:
            entries = self.rows.values.size + 1
            learner.states = [
                protocol.reserve(learner.rule, state, 1, entries) for state in learner.states
            ]
        for state, reading, tally in zip(
            learner.states, self.readings, learner.tallies, strict=True
        ):
            self.epoch(learner.rule, state, reading, tally, SILENT)
            if tally.refused[0]:
                tally.refused[0] = 0
                refuse_overflow(state)
                raise DataError(why_refused(learner.rule, self.rows, 0))

    def answer(self) -> Any:
        """What each learner decides for the row in the buffer."""
        return self.learner.answers(self.rows)[0]


class OneArray(OneRow):
    """The next row is an array."""

    def __init__(self, learner: Learner, codes: dict[Any, int]) -> None:
        rows = DenseRows(np.zeros((1, learner.features)), learner.bias, learner.unit_length)
        super().__init__(learner, rows, codes)
        self.values = rows.values[0]

    def place(self, x: Any) -> None:
        if len(x) != self.values.size:
            raise DataError(f"the row has {len(x)} features; {self.values.size} were seen before")
        self.values[:] = x


class OneDict(OneRow):
    """The next row is a dict from names to values."""

    named = True

    def __init__(self, learner: Learner, codes: dict[Any, int], names: dict[Any, int]) -> None:
        self.names = names
        self.keys: list[Any] = []
        self.sorting: Any = None
        room = learner.features
        values, columns, starts = np.zeros(room), np.zeros(room, np.uint32), np.zeros(2, np.uint32)
        rows = CsrRows(values, columns, starts, room, learner.bias, learner.unit_length)
        super().__init__(learner, rows, codes)

    def place(self, x: Mapping[Any, Any]) -> None:
        keys = list(x)
        if keys != self.keys:  # rows of a stream mostly have the same names in the same order
            self._rename(keys)
        try:
            values = np.fromiter(x.values(), np.float64, len(keys))
        except (TypeError, ValueError):
            bad = next(name for name, value in x.items() if not _is_number(value))
            raise DataError(f"feature {bad!r} is {x[bad]!r}; a number is needed") from None
        self.rows.values[: len(keys)] = values if self.sorting is None else values[self.sorting]

    def _rename(self, keys: list[Any]) -> None:
        names = self.names
        columns = np.array([names.setdefault(key, len(names)) for key in keys], np.uint32)
        if len(names) > self.learner.features:
            self.learner.resize(max(2 * self.learner.features, len(names)))
            self.__init__(self.learner, self.codes, names)  # type: ignore[misc]
        ascending = bool((columns[1:] > columns[:-1]).all())
        self.sorting = None if ascending else np.argsort(columns)
        self.rows.columns[: len(keys)] = columns if ascending else columns[self.sorting]
        self.rows.starts[1] = len(keys)
        self.keys = keys


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
        if one is None or one.named is not isinstance(x, Mapping):
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
        if one is None or one.named is not isinstance(x, Mapping):
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
            return OneArray(self._learner, self._codes)
        if "_names" not in self.__dict__:
            if not hasattr(self, "feature_names_in_"):
                raise DataError("the features had no names when this was fitted; pass an array")
            self._names = {name: j for j, name in enumerate(self.feature_names_in_)}
            del self.feature_names_in_, self.n_features_in_  # names may come from now on
        return OneDict(self._learner, self._codes, self._names)

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


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
