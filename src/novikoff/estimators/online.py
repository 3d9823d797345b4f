"""One example at a time (the protocol of online learning): predict, see the label, learn.

Rows are arrays, or dicts of named features in which new names may appear at any time. Each call
goes to the same compiled loop as `fit`, over a row that lies in a buffer; what would be looked up
anew at every call (the compiled code, the arguments it takes) is bound once.
"""

import copy
import functools
import struct
from collections.abc import Callable, Mapping
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

    Everything that does not change from row to row is looked up once: to learn from a row is to
    `place` it, and to `run` the call that belongs to its label.
    """

    named = False

    def __init__(self, learner: Learner, rows: Any, codes: dict[Any, int], kind: type) -> None:
        self.learner, self.rows, self.codes, self.kind = learner, rows, codes, kind
        self.refused = learner.refused
        if learner.reserves:
            self.place = self._reserve_and_place  # type: ignore[method-assign]
        self.bind()

    def place(self, x: Any) -> None:
        """Put a row into the buffer."""
        raise TypeError(f"{type(self).__name__} does not say how to place a row")

    def bind(self) -> None:
        """Make ready the calls of the loop: for each label, one for each learner."""
        loop, sample = epoch_for(self.learner.rule, SILENT), self._call(0, 0)
        types = tuple(map(numba.typeof, sample))
        loop.compile(types)
        self.epoch = loop.get_overload(types)  # the code for these very types, without a look-up
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
        codes = np.array([code], np.uint16)
        reading = Reading(self.rows, codes, positive, AS_GIVEN, 0, 1, True)
        return learner.rule, learner.states[k], reading, learner.tallies[k], SILENT

    def _run_all(self, calls: list[tuple[Any, ...]]) -> None:
        for call in calls:
            self.epoch(*call)

    def _reserve_and_place(self, x: Any) -> None:
        type(self).place(self, x)
        learner, entries = self.learner, self.rows.values.size + 1
        states = [protocol.reserve(learner.rule, state, 1, entries) for state in learner.states]
        if not all(map(_same_arrays, states, learner.states)):
            learner.states = states
            self.bind()

    def refuse(self) -> None:
        """Raise the reason why the row in the buffer was refused."""
        self.refused[0] = 0
        for state in self.learner.states:
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
        if len(x) != self.size:
            raise DataError(f"the row has {len(x)} features; {self.size} were seen before")
        self.values[...] = x


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
        self.known = len(self.names)
        room = learner.features
        values, columns, starts = np.zeros(room), np.zeros(room, np.uint32), np.zeros(2, np.uint32)
        self.rows = CsrRows(values, columns, starts, room, learner.bias, learner.unit_length)
        self.keys: list[Any] = []
        self.sorting: Any = None
        self._pack(0)

    def _pack(self, number: int) -> None:
        """Make `fill(*values)` write so many values to the buffer: the fastest way there is."""
        self.fill = functools.partial(struct.Struct(f"{number}d").pack_into, self.rows.values, 0)

    def place(self, x: Mapping[Any, Any]) -> None:
        keys, self.known = [*x], len(self.names)
        if keys != self.keys:  # rows of a stream mostly have the same names in the same order
            self._rename(keys)
        try:
            self.fill(*x.values())
        except struct.error:
            bad = next(name for name, value in x.items() if not _is_number(value))
            self._forget()
            raise DataError(f"feature {bad!r} is {x[bad]!r}; a number is needed") from None
        if self.sorting is not None:
            self.rows.values[: len(keys)] = self.rows.values[self.sorting]

    def refuse(self) -> None:
        self._forget()
        super().refuse()

    def _forget(self) -> None:
        """The names that came with a refused row never came."""
        while len(self.names) > self.known:
            self.names.popitem()
            self.keys = []

    def _rename(self, keys: list[Any]) -> None:
        names = self.names
        columns = np.array([names.setdefault(key, len(names)) for key in keys], np.uint32)
        if len(names) > self.learner.features:
            self.learner.resize(max(2 * self.learner.features, len(names)))
            self._make_room(self.learner)
            self.bind()
        ascending = bool((columns[1:] > columns[:-1]).all())
        self.sorting = None if ascending else np.argsort(columns)
        self.rows.columns[: len(keys)] = columns if ascending else columns[self.sorting]
        self.rows.starts[1] = len(keys)
        self.keys = keys
        self._pack(len(keys))


class FollowsNames:
    """An attribute of scikit-learn's that follows the names for as long as new ones may come.

    (A `__getattr__` would do the same, and make every other attribute slower.)
    """

    def __init__(self, compute: Callable[[dict[Any, int]], Any]) -> None:
        self.compute = compute

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, estimator: Any, owner: type) -> Any:
        if estimator is None:
            return self
        if "_names" in estimator.__dict__:
            return self.compute(estimator.__dict__["_names"])
        if self.name not in estimator.__dict__:
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}")
        return estimator.__dict__[self.name]

    def __set__(self, estimator: Any, value: Any) -> None:
        estimator.__dict__[self.name] = value

    def __delete__(self, estimator: Any) -> None:
        estimator.__dict__.pop(self.name, None)


class Online:
    """`learn_one` and `predict_one` for an estimator that keeps its `Learner` in `_learner`."""

    _learner: Learner
    _one: OneRow | None = None
    _lowest: Any
    _settled_at: int
    classes_: Any
    n_iter_: int
    mistakes_per_epoch_: list[int]

    # what the estimator brings along
    _rule: Callable[[], Any]
    _new_learner: Callable[[int, int], Learner]

    n_features_in_ = FollowsNames(len)
    feature_names_in_ = FollowsNames(lambda names: np.array([*names], object))

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> Self:
        """See one row, predict, be told its label, learn; a wrong prediction counts as a mistake.

        x is an array, or a dict of named features. Labels are -1 and 1, 0 and 1 or False and True;
        for others, the first call must name the `classes`.
        """
        one = self._one
        if one is None or type(x) is not one.kind or classes is not None:
            self._know(y, classes)
            one = self._bind(x)
        one.place(x)
        call = one.calls.get(y)
        if call is None:
            self._new_label(y)
            call = one.call_for(y)
        one.run(*call)
        if one.refused:
            one.refuse()
        return self

    def predict_one(self, x: Any) -> Any:
        """The label that the rule predicts for one row. Nothing is learned, not even names."""
        one = self._one
        if isinstance(x, Mapping) and self._unheard_of(x) and self._starts_at_zero():
            x = {name: value for name, value in x.items() if name in self._names}
        if not hasattr(self, "_learner") or (isinstance(x, Mapping) and self._unheard_of(x)):
            one = copy.deepcopy(self)._bind(x)  # what would be begun or named is forgotten again
        elif one is None or type(x) is not one.kind:
            one = self._bind(x)
        one.place(x)
        answers = one.answer()
        classes = getattr(self, "classes_", PLUS_MINUS)
        if len(answers) > 1:
            return classes[int(answers.argmax())]
        return classes[int(one.learner.positive(answers[0]))]

    def _starts_at_zero(self) -> bool:
        """Whether a feature that nothing is known about counts for nothing."""
        return not protocol.start(self._learner.rule, np.zeros(1)).weights.any()

    def _unheard_of(self, x: Mapping[Any, Any]) -> bool:
        names = self.__dict__.get("_names")
        return names is not None and not x.keys() <= names.keys()

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
            self.__dict__.pop("feature_names_in_")
        return OneDict(self._learner, self._codes, type(x), self._names)

    def _leave_online(self) -> None:
        """Give a learner on named features the exact size that they have, for use with arrays."""
        self._one = None
        if "_names" in self.__dict__ and self._learner.features != len(self._names):
            self._learner.resize(len(self._names))

    def _new_label(self, y: Any) -> None:
        """Number a label that comes for the first time, where the classes were not named."""
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


def _same_arrays(state: Any, other: Any) -> bool:
    """Whether two states are made of the very same arrays."""
    return all(a is b for a, b in zip(state, other, strict=True))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
