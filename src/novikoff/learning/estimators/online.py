"""One example at a time (the protocol of online learning): predict, see the label, learn.

Rows are arrays, or dicts of named features in which new names may appear at any time. Each call
goes to the same compiled loop as `fit`.
"""

import contextlib
import copy
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import refuse_masked_row
from novikoff.data.user_types import Label, RowLike
from novikoff.data.weights import ClassWeight, Weights, class_weights, weight_text
from novikoff.errors import DataError, ParameterError
from novikoff.learning.estimators.locks import TAKEN, Idle, LockAttribute
from novikoff.learning.estimators.row_buffer import OneArray, OneDict, RowBuffer, rows_from_dicts
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import Rule
from novikoff.number_text import listed

READOUT = 1000  # features whose readout takes less time than deciding one row by itself
ROOM = 64  # features a learner on dicts starts with; it doubles when they run out
TOGETHER = 256  # rows that others wait for at most
PLUS_MINUS = np.array([-1, 1])  # what labels are until some are seen
NO_CODES = np.empty(0, np.uint16)


def _checked_weight(weight: Any) -> float:
    known = isinstance(weight, (int, float, np.floating, np.integer))
    if not known or not 0.0 <= weight <= sys.float_info.max:
        raise ParameterError(
            f"weight is {weight_text(weight)}; the weight of a row is a number above 0, or 0 to"
            " leave it out (labels are named by classes=...)"
        )
    return float(weight)


def _refuse_unhashable(label: Any) -> None:
    try:
        hash(label)
    except TypeError:
        raise ParameterError(
            f"the label {label!r} is a {type(label).__name__}; a label is one number or text"
        ) from None


def _kind(row: Any) -> type:
    """The type of rows that go into the buffer without a look; where they may be masked, none."""
    return RowBuffer if isinstance(row, np.ma.MaskedArray) else type(row)


class GrowingNamesAttribute:
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
    _one: RowBuffer | None = None
    _lowest: Any
    _settled_at: int
    classes_: Any
    n_iter_: int
    mistakes_per_epoch_: list[int]
    class_weight: ClassWeight = None

    _lock = LockAttribute()
    _idle: Idle = TAKEN

    # what the estimator brings along
    _rule: Callable[[], Rule]
    _new_learner: Callable[[int, npt.NDArray[Any]], Learner]

    n_features_in_ = GrowingNamesAttribute(len)
    feature_names_in_ = GrowingNamesAttribute(lambda names: np.array([*names], object))

    def learn_one(
        self, x: RowLike, y: Label, weight: float = 1.0, classes: npt.ArrayLike | None = None
    ) -> Self:
        """See one row, predict, be told its label, learn; a wrong prediction counts as a mistake.

        x is an array, or a dict of named features. Labels are -1 and 1, 0 and 1 or False and True;
        for others, the first call must name the `classes`. The row is learned from as the row times
        its weight; one of weight 0 is left out.
        """
        idle = self._idle
        try:
            del idle.free
        except AttributeError:
            return self._learn_in_turn(x, y, weight, classes)
        try:
            one = self._one
            if (
                one is None
                or type(x) is not one.kind
                or weight != one.weight
                or classes is not None
                or y not in one.calls
            ):
                return self._learn_row(x, y, weight, classes)
            one.place(x)  # before the call is looked up: it may take room, and bind anew
            if one.run(*one.calls[y]):
                one.refuse()
            return self
        except TypeError:
            _refuse_unhashable(y)
            raise
        finally:
            idle.free = None
            if idle.wanted:
                self._lock.hand_over()

    def learn_many(self, X: Iterable[RowLike], y: Iterable[Label]) -> Self:
        """Learn from rows one after another, as `learn_one` does, in less time for each.

        X: arrays or dicts. y: their labels. Where a row is refused, those before it stay learned.
        """
        rows, labels = [*X], [*y]
        if len(rows) != len(labels):
            raise DataError(f"there are {len(rows)} rows and {len(labels)} labels")
        done = 0
        while done < len(rows):
            self.learn_one(rows[done], labels[done])
            with self._lock:
                done = self._learn_alike(rows, labels, done + 1, min(done + TOGETHER, len(rows)))
        return self

    def _learn_alike(self, rows: list[RowLike], labels: list[Label], start: int, stop: int) -> int:
        """Learn from rows for which all is ready; where one begins that is of another kind."""
        one = self._one
        if one is None or one.weight != 1.0 or self._lock.in_use:
            return start
        for k in range(start, stop):
            try:
                if type(rows[k]) is not one.kind or labels[k] not in one.calls:
                    return k
            except TypeError:
                return k  # what a label may be, `learn_one` says
            one.place(rows[k])
            if one.run(*one.calls[labels[k]]):
                one.refuse()
        return stop

    def _learn_in_turn(
        self, x: RowLike, y: Label, weight: float, classes: npt.ArrayLike | None
    ) -> Self:
        """Learn from a row when others are done, and without changing what they read."""
        lock = self._lock
        with lock:
            if not any(isinstance(each, Online) for each in lock.in_use):
                self._unshare_learner()
                return self._learn_row(x, y, weight, classes)
        with lock.turn:  # a long call is learning
            return self.learn_one(x, y, weight, classes)

    def _learn_row(
        self, x: RowLike, y: Label, weight: float, classes: npt.ArrayLike | None
    ) -> Self:
        """Learn from a row, which may be the first of its kind, with its label or its weight."""
        weight = _checked_weight(weight)
        if weight == 0.0:
            return self
        self._know(y, classes)
        by_class = self.class_weight
        if by_class is not None:
            weight *= float(self._class_weights(by_class)[self._codes[y]])
            if weight == 0.0:
                return self
        one = self._bind(x)
        one.weigh(weight)
        if by_class is not None:
            one.weight = math.nan  # the next label may have another
        if y not in one.calls:
            one.call_for(y)
        one.place(x)
        if one.run(*one.calls[y]):
            one.refuse()
        return self

    def predict_one(self, x: RowLike) -> Label:
        """The label that the rule predicts for one row. Nothing is learned, not even names."""
        idle = self._idle
        try:
            del idle.free
        except AttributeError:
            return self.decide_one(x)[0]
        try:
            one = self._one
            if one is not None and type(x) is one.kind:
                if one.predict is not None and (code := one.predict(id(x))) >= 0:
                    return one.labels[code]
                if one.place_known(x):
                    return one.labels[one.code(one.answer())]
        finally:
            idle.free = None
            if idle.wanted:
                self._lock.hand_over()
        return self.decide_one(x)[0]

    def decide_one(self, x: RowLike) -> tuple[Label, list[float]]:
        """The label that the rule predicts for one row, and the score of each learner behind it."""
        with self._lock:
            one = self._one
            if one is None or type(x) is not one.kind or not one.place_known(x):
                one, x = self._bound_for_prediction(x)
                type(one).place(one, x)  # it takes no room to learn in
            answers = one.answer()
            return one.labels[one.code(answers)], answers

    def decide_many(
        self, rows: Sequence[Mapping[str, float]] | Sequence[Sequence[float]]
    ) -> list[tuple[Label, list[float]]]:
        """`decide_one` for each row, by one call of the loop; all are dicts, or all lists.

        An error says what is wrong with some row; what is decided for the others is not known then.
        """
        with self._lock:
            one, _ = self._bound_for_prediction(rows[0])
            learner = one.learner
            few = one.steady is None and learner.features > READOUT * len(rows)
            named = isinstance(one, OneDict)
            if few or (named and protocol.start(learner.rule, np.zeros(1)).weights.any()):
                return [self.decide_one(x) for x in rows]  # a new feature has a weight already
            if isinstance(one, OneDict):
                dicts = cast("Sequence[Mapping[str, float]]", rows)
                answers = learner.answers(rows_from_dicts(dicts, one.names, learner))
            else:
                matrix = np.array(rows, np.float64)
                answers = learner.answers(make_rows(matrix, learner.bias, learner.unit_length))
            codes = learner.predicted_codes(answers).tolist()
            labels = [one.labels[code] for code in codes]
            return [*zip(labels, answers.tolist(), strict=True)]

    def _class_weights(self, by_class: ClassWeight) -> Weights:
        """The weight of each class."""
        if isinstance(by_class, str):
            raise ParameterError(
                f"class_weight={by_class!r} counts all labels before learning begins, and here they"
                " come one after another: give the weights as a dict, or to each row its weight"
            )
        found = class_weights(by_class, self.classes_, NO_CODES)
        assert found is not None
        return found

    def _unshare_learner(self) -> None:
        """Have a learner that nobody reads, to change it in place."""
        if self.__dict__.get("_learner") in self._lock.in_use:
            self._learner, self._one = self._learner.fork(), None

    @contextlib.contextmanager
    def _published(self) -> Iterator[Self]:
        """The estimator as it is between two rows that it learns from, and stays for this block."""
        lock = self._lock
        with lock:
            self._leave_online()
            view = self._twin()
            if "_names" in view.__dict__:
                known = self.n_features_in_, self.feature_names_in_
                del view._names
                view.n_features_in_, view.feature_names_in_ = known
            learner = self.__dict__.get("_learner")
            lock.in_use.append(learner)
        try:
            yield view
        finally:
            with lock:
                lock.in_use.remove(learner)

    @contextlib.contextmanager
    def _learning(self) -> Iterator[Self]:
        """A copy of the estimator to learn with; what that gave is published if all went well."""
        lock = self._lock
        with lock.turn:
            with lock:
                self._leave_online()
                work = self._twin()
                before = work.__dict__.copy()
                lock.in_use.append(work)
            try:
                yield work
                with lock:
                    self._publish(before, work)
            finally:
                with lock:
                    lock.in_use.remove(work)

    def _publish(self, before: dict[str, Any], work: Self) -> None:
        """Take over the attributes in which `work` differs from what it was."""
        after = work.__dict__
        for name in before.keys() - after.keys():
            self.__dict__.pop(name, None)
        changed = {
            name: value
            for name, value in after.items()
            if name not in before or before[name] is not value
        }
        self.__dict__.update(changed, _one=None)

    def _twin(self) -> Self:
        """An estimator with the same attributes, and a lock of its own."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in ("_one", "_lock", "_idle"):
            twin.__dict__.pop(name, None)
        return twin

    def _bound_for_prediction(self, x: Any) -> tuple[RowBuffer, Any]:
        """A place for x that learns nothing from it; and x, less the names that mean nothing."""
        if not hasattr(self, "_learner"):
            return copy.deepcopy(self)._bind(x), x
        one = self._bind(x)
        if one.knows(x):
            return one, x
        if protocol.start(self._learner.rule, np.zeros(1)).weights.any():
            return copy.deepcopy(self)._bind(x), x  # a new feature has a weight already
        return one, {name: value for name, value in x.items() if name in self._names}

    def _know(self, y: Any, classes: Any) -> None:
        """Make sure that y has a number, before anything is begun."""
        _refuse_unhashable(y)
        if classes is not None and not hasattr(self, "classes_"):
            named = np.unique(np.asarray(classes))
            if len(named) < 2:
                raise ParameterError("classes must name two classes or more")
            self.classes_, self._one = named, None
            self.__dict__.pop("_codes", None)
        if self._label_numbers().get(y) is None:
            self._new_label(y)

    def _label_numbers(self) -> dict[Any, int]:
        if "_codes" not in self.__dict__:
            labels = self.classes_.tolist() if hasattr(self, "classes_") else []
            self._codes: dict[Any, int] = {label: k for k, label in enumerate(labels)}
        return self._codes

    def _bind(self, x: Any) -> RowBuffer:
        """Prepare for rows of the kind that x is."""
        if not isinstance(x, Mapping) and np.ndim(x) != 1:
            raise DataError(f"a row is an array of one dimension or a dict, not {x!r}")
        refuse_masked_row(x)
        self._label_numbers()
        if not hasattr(self, "_learner"):
            self._begin(x, getattr(self, "classes_", PLUS_MINUS))
        if self._one is not None and self._one.named is isinstance(x, Mapping):
            self._one.expect(_kind(x))  # a list after an array, say: the same buffer will do
        else:
            self._one = self._bound_to(x)
            self._one.labels = list(getattr(self, "classes_", PLUS_MINUS))
        return self._one

    def _begin(self, x: Any, classes: npt.NDArray[Any]) -> None:
        """A learner for rows like x."""
        named = isinstance(x, Mapping)
        features = max(ROOM, len(x)) if named else len(np.atleast_1d(x))
        if named and np.isnan(getattr(self._rule(), "theta", 0.0)):
            raise ParameterError("Winnow on named features needs theta: their number is not known")
        self._learner = self._new_learner(features, classes)
        self._lowest, self._settled_at = np.inf, -1
        self.n_iter_, self.mistakes_per_epoch_ = 0, []
        if named:
            self._names: dict[Any, int] = {}
        else:
            self.n_features_in_ = features

    def _bound_to(self, x: Any) -> RowBuffer:
        if not isinstance(x, Mapping):
            self._leave_online()
            return OneArray(self._learner, self._codes, _kind(x))
        if "_names" not in self.__dict__:
            if not hasattr(self, "feature_names_in_"):
                raise DataError("the features had no names when this was fitted; pass an array")
            self._names = {name: j for j, name in enumerate(self.feature_names_in_)}
            self.__dict__.pop("feature_names_in_")
        return OneDict(self._learner, self._codes, type(x), self._names)

    def _leave_online(self) -> None:
        """Give a learner on named features the exact size that they have, for use with arrays."""
        if "_names" in self.__dict__ and self._learner.features != len(self._names):
            self._unshare_learner()
            self._learner.resize(len(self._names))
            self._one = None

    def _new_label(self, y: Any) -> None:
        """Number a label that comes for the first time, where the classes were not named."""
        codes = self._codes
        if len(codes) > 1:
            known = listed(self.classes_.tolist())
            raise DataError(
                f"the label {y!r} is none of the classes {known}: name all in the first call"
                " (classes=[...]), or use MulticlassPerceptron, whose classes may come later"
            )
        self._one = None  # which has other labels
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
