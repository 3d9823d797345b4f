"""What all the estimators share: scikit-learn's face on a `Learner`."""

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from novikoff import notebook
from novikoff.data import Source, matrices
from novikoff.data.loader import load_rows
from novikoff.data.matrices import Classes, Codes
from novikoff.data.sparse import Matrix
from novikoff.data.user_types import ArrayRows, Init, Order, RandomState, RowsLike, Stop
from novikoff.data.weights import Weights, as_weights
from novikoff.errors import DataError, ParameterError, UnknownParameterError
from novikoff.learning import training
from novikoff.learning.epochs import Outcome, StopReason
from novikoff.learning.estimators.held_out import early_stopping
from novikoff.learning.estimators.online import Online
from novikoff.learning.estimators.parameter_hints import parameter_hint
from novikoff.learning.inseparability import PATIENCE
from novikoff.learning.learner import Learner
from novikoff.learning.parallel.pool import thread_count
from novikoff.learning.rows import LearnerRows, Rows, length, make_rows, stored
from novikoff.learning.rules import protocol, registry
from novikoff.learning.rules.protocol import Rule, Vector
from novikoff.learning.spec import OWN, TrainingSpec
from novikoff.learning.streaming import widened
from novikoff.learning.training import TrainingData, TrainingResult
from novikoff.number_text import listed, rounded_up

SMALL_BATCH = 2**10, 2**18  # rows and values that predictions may wait for
MATRICES = {
    "accept_sparse": "csr",
    "dtype": (np.float64, np.float32),
    "order": "C",
    "ensure_all_finite": False,  # the first epoch checks as it goes, and names the place
}


def keep_parameters(estimator: Any, given: dict[str, Any]) -> None:
    """Set each parameter of a constructor, called with its `locals()`, as it was given."""
    for name in given.keys() - {"self", "__class__"}:
        setattr(estimator, name, given[name])


class BaseLearner(Online, BaseEstimator):  # type: ignore[misc]
    """A rule with scikit-learn's methods; subclasses say in `kind` which one of the catalogue.

    Everything learned is in one `Learner`; the fitted attributes read it.
    """

    kind: str
    max_epochs: int
    order: Order = "given"
    random_state: RandomState = None
    fit_intercept: bool = False
    unit_length: bool = False
    init: Init = "zeros"
    n_jobs: int | None = None
    stop: Stop = "budget"
    n_iter_no_change: int = PATIENCE
    validation_fraction: float | None = None
    warm_start: bool = False

    def __new__(cls, *args: Any, **parameters: Any) -> Self:
        """A new estimator; a parameter that it does not have is refused with a hint."""
        cls._refuse_unknown(parameters)
        return object.__new__(cls)

    @classmethod
    def _refuse_unknown(cls, parameters: dict[str, Any]) -> None:
        known = cls._get_param_names()
        for name in sorted(parameters.keys() - set(known)):
            raise UnknownParameterError(parameter_hint(cls.__name__, name, known))

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name; one that the estimator does not have is refused with a hint."""
        self._refuse_unknown(parameters)
        super().set_params(**parameters)
        return self

    def _rule(self) -> Rule:
        return registry.build(self.kind, self._own_parameters())

    def _own_parameters(self) -> dict[str, Any]:
        """Those that belong to the rule."""
        own = registry.lookup(self.kind).parameters() if hasattr(self, "kind") else ()
        return {name: getattr(self, name) for name in own}

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The weights: one line for each learner (a single one for two classes)."""
        with self._fitted("coef_") as learner:
            return learner.linear()[0][:, : self.n_features_in_]

    @property
    def intercept_(self) -> npt.NDArray[np.float64]:
        """What is added to the weighted sum, one number for each learner."""
        with self._fitted("intercept_") as learner:
            return learner.linear()[1]

    @property
    def mistakes_(self) -> int:
        """Wrong predictions made while learning, all epochs together."""
        with self._fitted("mistakes_") as learner:
            return learner.total("mistakes")

    @property
    def weighted_mistakes_(self) -> float:
        """The weights of the rows that were mistakes, each as often as it was one."""
        with self._fitted("weighted_mistakes_") as learner:
            return learner.weighted_mistakes

    @property
    def n_samples_seen_(self) -> int:
        """How many rows were learned from, all epochs together."""
        with self._fitted("n_samples_seen_") as learner:
            return int(learner.tallies[0].seen[0])

    @property
    def updates_(self) -> int:
        """How often the weights moved."""
        with self._fitted("updates_") as learner:
            return learner.total("updates")

    @property
    def radius_(self) -> float:
        """D, the length of the longest row, as the rule saw it."""
        with self._fitted("radius_") as learner:
            return learner.radius

    @property
    def margin_ceiling_(self) -> float | Vector:
        """No separator of the rows seen has a larger margin; infinite if nothing is known."""
        with self._fitted("margin_ceiling_") as learner:
            ceilings = np.minimum(learner.ceilings(), self._lowest)
        return float(ceilings[0]) if len(ceilings) == 1 else ceilings

    @property
    def converged_(self) -> bool:
        """Whether a full epoch of `fit` passed without a mistake, and nothing moved since.

        `partial_fit` never makes it true: what it is given need not be all the rows.
        """
        with self._fitted("converged_") as learner:
            return learner.total("updates") == self._settled_at

    @property
    def conflict_class_(self) -> Any:
        """Of more than two classes, the one that `conflict_` shows not to be told from the rest."""
        with self._fitted("conflict_class_"):
            code = getattr(self, "_conflict_code", None)
            return None if code is None else self.classes_.tolist()[code]

    @property
    def conflict_rivals_(self) -> list[Any] | None:
        """Where all classes are learned together: for each row of `conflict_`, the class that it is
        compared with.
        """
        with self._fitted("conflict_rivals_"):
            codes = getattr(self, "_rival_codes", None)
            return None if codes is None else [self.classes_.tolist()[code] for code in codes]

    def plot(
        self,
        X: RowsLike | None = None,
        y: npt.ArrayLike | None = None,
        *,
        backend: str | None = None,
    ) -> object:
        """The mistakes of `fit` so far, epoch by epoch; of rows X with labels y, the plane with the
        hyperplane learned. Needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        rows = {} if X is None else {"X": X, "y": y}
        return notebook.plot(self, backend, **rows)

    @contextlib.contextmanager
    def _fitted(self, attribute: str) -> Iterator[Learner]:
        """The learner between two rows that it learns from, to read an attribute off it."""
        with self._lock:
            if not self.__sklearn_is_fitted__():
                raise AttributeError(
                    f"{type(self).__name__} has no {attribute!r} before it has learned"
                )
            yield self._learner

    def __sklearn_is_fitted__(self) -> bool:
        return "_learner" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state = self._twin().__dict__
            for name in state.keys() & {"_names", "_codes"}:
                state[name] = state[name].copy()
            if "_learner" in state:
                state["_learner"] = self._learner.fork()
        return state

    def _matrix(self, X: Any, y: Any = None, *, reset: bool) -> Any:
        """X (and y) checked as scikit-learn does, and X fit for the loop."""
        if reset:
            for name in ("_names", "_codes"):
                self.__dict__.pop(name, None)
        matrices.refuse_unreadable(X)
        try:
            if y is None:
                return matrices.as_matrix(validate_data(self, X, reset=reset, **MATRICES))
            X, y = validate_data(self, X, y, reset=reset, **MATRICES)
        except OverflowError:
            raise DataError("X holds a number too large for a double") from None
        return matrices.as_matrix(X), y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _answers(self, X: ArrayRows) -> npt.NDArray[np.float64]:
        """What each learner decides for each row."""
        self._learner.threads = thread_count(self.n_jobs)
        return self._learner.answers(rows_for(self._learner, self._matrix(X, reset=False)))

    def _spec(self, order: str | None = None) -> TrainingSpec:
        """The parameters as a description of training; order: instead of the estimator's own.

        A seed is drawn from random_state only where it matters.
        """
        named = hasattr(self, "kind")
        spec = TrainingSpec(
            self.kind if named else OWN,
            self._own_parameters(),
            self.init,
            bool(self.fit_intercept),
            bool(self.unit_length),
            max_epochs=self.max_epochs,
            order=self.order if order is None else order,
            own_rule=None if named else self._rule(),
            class_weight=self.class_weight,
            threads=thread_count(self.n_jobs),
            stop=self.stop,
            patience=self._patience(),
        )
        random = spec.is_random or self.validation_fraction is not None
        return spec._replace(seed=self._seed()) if random else spec

    def _patience(self) -> int:
        known = isinstance(self.n_iter_no_change, (int, np.integer)) and self.n_iter_no_change > 0
        if not known:
            raise ParameterError(
                f"n_iter_no_change must be a whole number above 0, not {self.n_iter_no_change!r}"
            )
        return int(self.n_iter_no_change)

    def _new_learner(self, features: int, classes: Classes) -> Learner:
        self._learned_with = self._own_parameters()
        return self._spec(order="given").learner_for(features, classes)

    def _seed(self) -> int:
        """One number from random_state, the same each time within one fit."""
        if isinstance(self.random_state, (int, np.integer)):
            if self.random_state < 0:
                raise ParameterError(
                    f"random_state must not be negative, but is {self.random_state}"
                )
            return int(self.random_state)
        if "_drawn" not in self.__dict__:
            self._drawn = int(check_random_state(self.random_state).randint(2**31))
        return self._drawn

    def _fit_source(self, source: Source) -> npt.NDArray[Any]:
        """Learn from a source, and from now on know its columns; returns the classes."""
        with self._fresh_seed():
            spec = self._spec()
            if self.warm_start or self.validation_fraction is not None:
                data = training.load(spec, source, training.NoObserver())
                found = self._fit_data(spec, data)
            else:
                found = training.fit(spec, source)
        assert found.source is not None
        self._know_columns(found.source.feature_names, found.learner.features)
        self._learned(found.learner, found.outcome, found.wrong_rows(), found.advice())
        return found.classes

    def _fit_matrix(
        self, matrix: Matrix, classes: Classes, codes: Codes, weights: Weights | None = None
    ) -> Self:
        """Learn from rows in memory."""
        with self._fresh_seed():
            spec = self._spec()
            part = spec.weighted_rows(matrix, classes, codes, weights)
            rows = spec.rows(part.matrix, part.weights)
            data = TrainingData(None, part.matrix, rows, classes, part.codes, part.kept)
            found = self._fit_data(spec, data)
        return self._learned(found.learner, found.outcome, found.wrong_rows(), found.advice())

    def _fit_data(self, spec: TrainingSpec, data: TrainingData) -> TrainingResult:
        """Learn from rows at rest, of which some may be held out."""
        learner, hooks = self._warm_learner(spec, data), training.Hooks()
        if self.validation_fraction is not None:
            data, watch = early_stopping(spec, data, self.validation_fraction)
            hooks = training.Hooks(watch=watch)
        return training.fit_data(spec, data, hooks, learner)

    def _warm_learner(self, spec: TrainingSpec, data: TrainingData) -> Learner | None:
        """The learner of the last fit, to go on from; None where learning begins anew."""
        if not self.warm_start or not self.__sklearn_is_fitted__():
            return None
        learner = self._learner.fork()
        fresh = spec.learner_for(data.matrix.shape[1], data.classes)
        known = getattr(self, "classes_", data.classes)
        if not np.array_equal(known, data.classes) or _shape(learner) != _shape(fresh):
            raise ParameterError(
                "warm_start goes on from the last fit, which had other features or classes; set"
                " warm_start=False to begin anew"
            )
        learner.rule, learner.threads = fresh.rule, fresh.threads
        return learner

    @contextlib.contextmanager
    def _fresh_seed(self) -> Iterator[None]:
        """Draw a seed anew for one fit, if one has to be drawn, and forget it."""
        self.__dict__.pop("_drawn", None)
        yield
        self.__dict__.pop("_drawn", None)

    def _know_columns(self, names: list[str] | None, features: int) -> None:
        """Set what scikit-learn wants to be known of the columns; what an earlier fit left goes."""
        for name in ("_names", "_codes", "feature_names_in_"):
            self.__dict__.pop(name, None)
        self.n_features_in_ = features
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _learned(
        self,
        learner: Learner,
        outcome: Outcome,
        wrong_rows: int | None = None,
        advice: str | None = None,
    ) -> Self:
        """Keep what a run of learning gave."""
        self.training_mistakes_ = wrong_rows
        self._learned_with = self._own_parameters()
        self._learner, self._lowest = learner, outcome.ceilings
        self._settled_at = learner.total("updates") if outcome.converged else -1
        self.n_iter_ = outcome.epochs
        self.mistakes_per_epoch_ = outcome.mistakes_per_epoch
        self.stopped_because_ = outcome.because.value
        conflict = outcome.conflict
        self.conflict_ = None if conflict is None else conflict.rows
        self._conflict_code = None if conflict is None else conflict.positive
        self._rival_codes = None if conflict is None else conflict.rivals
        if outcome.because is StopReason.BUDGET:
            warnings.warn(budget_spent(outcome, advice), ConvergenceWarning, stacklevel=4)
        return self

    def _learn_batch(
        self,
        work: Self,
        matrix: Matrix,
        classes: Classes,
        codes: Codes,
        weights: Weights | None = None,
    ) -> None:
        """One pass more, by a copy of this estimator; nothing changes if a row is refused."""
        begun = work.__sklearn_is_fitted__()
        if not begun:
            work._learner = work._new_learner(matrix.shape[1], classes)
            work._lowest, work._settled_at = np.inf, -1
            work.n_iter_, work.mistakes_per_epoch_ = 0, []
        rows, codes = work._batch(matrix, classes, codes, weights)
        if not begun:
            work._read_once(rows, codes)
            return
        if not _is_small(rows, work._learner):
            work._learner = work._learner.fork()
            work._read_once(rows, codes)
            return
        work._learner.refuse_any(rows)
        with self._lock:
            before = work.__dict__.copy()
            self._unshare_learner()
            work._learner = self._learner
            work._read_once(rows, codes)
            self._publish(before, work)

    def _batch(
        self, matrix: Matrix, classes: Classes, codes: Codes, weights: Weights | None
    ) -> tuple[LearnerRows, Codes]:
        """Rows of a batch as the learner sees them, without those of weight 0."""
        learner = self._learner
        if weights is None and self.class_weight is None:
            return rows_for(learner, matrix), codes
        if self.class_weight is not None:
            self._class_weights(self.class_weight)
        lift = learner.bias, learner.unit_length
        spec = TrainingSpec(OWN, {}, "zeros", *lift, own_rule=learner.rule)
        spec = spec._replace(class_weight=self.class_weight)
        part = spec.weighted_part(matrix, classes, codes, weights)
        return spec.rows(part.matrix, part.weights), part.codes

    def _read_once(self, rows: LearnerRows, codes: Codes) -> None:
        """A pass over the rows, counted as an epoch."""
        learner, before = self._learner, self._learner.total("mistakes")
        learner.read(rows, codes)
        self.n_iter_ += 1
        self.mistakes_per_epoch_ = [
            *self.mistakes_per_epoch_,
            learner.total("mistakes") - before,
        ]
        self._lowest = np.minimum(self._lowest, learner.ceilings())


class Classifier(ClassifierMixin, BaseLearner):  # type: ignore[misc]
    """A rule that tells classes apart: one learner for two, one-vs-rest beyond."""

    def fit(
        self,
        X: RowsLike,
        y: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from the start, epoch by epoch, until one passes without a mistake.

        X may be an array, a sparse matrix, a frame, or what `nk.open` returned (y is then its own).
        A row is learned from as the row times its weight; one of weight 0 is left out.
        """
        with self._learning() as work:
            if isinstance(X, Source):
                if y is not None or sample_weight is not None:
                    raise ParameterError(
                        "a source brings its own labels and weights: leave y and sample_weight out"
                    )
                work.classes_ = work._fit_source(X)
                return self
            matrix, classes, codes = work._labelled(X, y, reset=True)
            if len(classes) < 2:
                only = classes.tolist()[0]
                raise DataError(f"y has one class only, {only!r}; a separator needs two classes")
            weights = as_weights(sample_weight, matrix.shape[0])
            work._fit_matrix(matrix, classes, codes, weights)
            work.classes_ = classes
            return self

    def partial_fit(
        self,
        X: RowsLike,
        y: npt.ArrayLike | None = None,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """One pass over these rows, on from where learning stands.

        The first call must name all the classes that will ever come. Weights as in `fit`.
        """
        if isinstance(X, Source):
            if sample_weight is not None:
                raise ParameterError("a source brings its own weights: leave sample_weight out")
            loaded = load_rows(X)
            sample_weight = loaded.weights
            assert loaded.classes is not None  # labels were asked for
            rows: ArrayRows = loaded.matrix
            y = loaded.classes[loaded.codes]
        else:
            rows = X
        named = None if classes is None else np.unique(np.asarray(classes))
        with self._learning() as work:
            first = not work.__sklearn_is_fitted__()
            if first:
                if named is None or len(named) < 2:
                    raise ParameterError(
                        "the first call of partial_fit must name the classes, two or more"
                    )
                work.classes_ = named
            elif named is not None and not np.array_equal(named, work.classes_):
                raise ParameterError(
                    f"classes has been {listed(work.classes_.tolist())} since the first call"
                )
            matrix, known, codes = work._labelled(rows, y, reset=first, classes=work.classes_)
            weights = as_weights(sample_weight, matrix.shape[0])
            self._learn_batch(work, matrix, known, codes, weights)
        return self

    def decision_function(self, X: RowsLike) -> npt.NDArray[np.float64]:
        """What the rule decides for each row, and for each class if there are more than two.

        Above 0 means the second class. Where the rule calls an exact 0 positive, as Winnow does,
        the smallest number above 0 stands for it.
        """
        check_is_fitted(self)
        with self._published() as view:
            if isinstance(X, Source):
                parts = (_at_least(chunk.X, view.n_features_in_) for chunk in X.chunks())
                return np.concatenate([view.decision_function(part) for part in parts])
            answers = view._answers(X)
        if answers.shape[1] == 2:  # of all classes at once: the second against the first
            return answers[:, 1] - answers[:, 0]
        if answers.shape[1] > 1 or view._learner.joint:
            return answers
        positive = view._learner.positive(answers[:, 0])
        return np.where(positive, np.maximum(answers[:, 0], 5e-324), answers[:, 0])

    def predict(self, X: RowsLike) -> npt.NDArray[Any]:
        """The class of each row."""
        check_is_fitted(self)
        with self._published() as view:
            answers = view.decision_function(X)
        codes = answers.argmax(axis=1) if answers.ndim > 1 else (answers > 0.0).astype(int)
        return view.classes_[codes]  # type: ignore[no-any-return]

    def _labelled(
        self,
        X: ArrayRows,
        y: npt.ArrayLike | None,
        *,
        reset: bool,
        classes: Classes | None = None,
    ) -> tuple[Matrix, Classes, Codes]:
        """X as a matrix, the classes, and the class number of each row."""
        if y is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        matrix, labels = self._matrix(X, matrices.unmasked_labels(y), reset=reset)
        matrices.refuse_mismatch(matrix.shape[0], len(labels))
        found, codes = matrices.encode(labels, classes)
        if len(found) > 2:
            check_classification_targets(labels)  # slow; two values are two classes
        return matrix, found, codes


def _shape(learner: Learner) -> tuple[object, ...]:
    """What two learners must share for one to go on where the other stopped."""
    kinds = tuple(type(state) for state in learner.states)
    return kinds, learner.features, learner.bias, learner.unit_length, type(learner.rule)


def _at_least(matrix: Matrix, features: int) -> Matrix:
    """Rows as wide as a model; wider ones as they are, to be refused."""
    return widened(matrix, features) if matrix.shape[1] < features else matrix


def _is_small(rows: LearnerRows, learner: Learner) -> bool:
    """Whether to learn from the rows is quick, and quicker than to copy the learner first."""
    numbers = sum(array.size for state in learner.states for array in protocol.arrays_of(state))
    return length(rows) <= SMALL_BATCH[0] and stored(rows) <= min(SMALL_BATCH[1], numbers)


def rows_for(learner: Learner, matrix: Matrix) -> Rows:
    """The rows as this learner sees them, whatever the parameters have been set to since."""
    return make_rows(matrix, learner.bias, learner.unit_length)


def budget_spent(outcome: Outcome, advice: str | None = None) -> str:
    """What is known when the epochs ran out, in a sentence."""
    mistakes, updates = outcome.mistakes_per_epoch[-1], outcome.updates_per_epoch[-1]
    if outcome.converged:
        return (
            f"still {updates} update(s) in the last of {outcome.epochs} epoch(s), though no"
            " mistake: not every row has its margin yet"
        )
    known = ""
    finite = outcome.ceilings[np.isfinite(outcome.ceilings)]
    if len(outcome.ceilings) == 1 and len(finite):
        known = f"; no separator has a margin above {rounded_up(finite[0], 2)}"
    elif len(finite):
        known = f"; some class has no separator with a margin above {rounded_up(finite.min(), 2)}"
    ran = f"{outcome.epochs} epoch(s), {mistakes} mistake(s) in the last one"
    return f"not converged after {ran}{known}{'' if advice is None else f'; {advice}'}"
