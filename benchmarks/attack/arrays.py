"""Arrays of every kind into fit, partial_fit, predict, check, verify and trace.

What is taken must give the very answer that the plain array of doubles with the same meaning gives,
and what has no meaning must be refused.
"""

import contextlib
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

import novikoff as nk
from benchmarks.attack.children import rng_for
from benchmarks.attack.dense_arrays import Input, dense_input, labels_for
from benchmarks.attack.sparse_arrays import sparse_input
from benchmarks.attack.tally import DIFFERENT, EQUAL, REFUSED, Outcome, attempt
from novikoff.errors import CertificateError

#: What scikit-learn's own checks raise, and Python's where an argument cannot be what it is for, or
#: is of a size that no machine holds.
ERRORS = (ValueError, TypeError, MemoryError)
ESTIMATORS = ("Perceptron", "AveragedPerceptron", "VotedPerceptron", "Winnow",
              "SecondOrderPerceptron", "PassiveAggressive")  # fmt: skip
Answer = tuple[Any, ...]
#: With random numbers, rows, labels, and what the rows mean.
Call = Callable[[random.Random, Any, Any, np.ndarray | None], Answer]


def _estimator(rng: random.Random) -> Any:
    return getattr(nk, rng.choice(ESTIMATORS))(max_epochs=3)


def _learned(model: Any) -> Answer:
    return model.coef_.tobytes(), np.asarray(model.intercept_).tobytes(), model.mistakes_


def fit(rng: random.Random, X: Any, y: Any, _: np.ndarray | None) -> Answer:
    return _learned(_estimator(rng).fit(X, y))


def partial_fit(rng: random.Random, X: Any, y: Any, _: np.ndarray | None) -> Answer:
    classes = np.unique(np.asarray(y)) if y is not None else [0, 1]
    return _learned(_estimator(rng).partial_fit(X, y, classes))


def predict(rng: random.Random, X: Any, y: Any, meaning: np.ndarray | None) -> Answer:
    width = rng.choice([1, 2, 3, 4, 5])
    shape = getattr(X if meaning is None else meaning, "shape", ())
    if len(shape) == 2 and 0 < shape[1] < 10 and rng.random() < 0.8:
        width = shape[1]
    known = np.arange(4.0 * width).reshape(4, width) % 3
    return tuple(_estimator(rng).fit(known, [0, 1, 0, 1]).predict(X).tolist())


def check(rng: random.Random, X: Any, y: Any, _: np.ndarray | None) -> Answer:
    verdict = nk.check(X, y)
    return verdict.outcome, None if verdict.margin is None else verdict.margin.squared


def verify(rng: random.Random, X: Any, y: Any, meaning: np.ndarray | None) -> Answer:
    """Whether a certificate about the rows that were meant is valid for these."""
    if meaning is None:
        shape = getattr(X, "shape", ())
        if len(shape) != 2 or not (1 < shape[0] < 100 and 0 < shape[1] < 100):
            shape = 4, 2
        meaning = np.arange(shape[0] * shape[1]).reshape(shape) % 3.0
    known = y if np.ndim(y) == 1 and len(y) == len(meaning) else np.arange(len(meaning)) % 2
    found = nk.verify(nk.check(meaning, known).certificate, X, y)
    if not found.valid:
        raise CertificateError(found.reason)
    return (found.valid,)


def trace(rng: random.Random, X: Any, y: Any, _: np.ndarray | None) -> Answer:
    found = nk.trace(X, y, max_epochs=3)
    return found.updates, found.mistakes, found.converged, found.bound


CALLS: tuple[Call, ...] = (fit, fit, partial_fit, predict, check, verify, trace)


class ArrayAttack:
    """Cases on arrays. compiled: whether to compile what they need now, before anything forks."""

    def __init__(self, seed: int, compiled: bool = True) -> None:
        self.seed = seed
        if compiled:
            _compile()

    def __call__(self, case: int) -> Outcome:
        rng = rng_for("arrays", self.seed, case)
        given = (dense_input if rng.random() < 0.4 else sparse_input)(rng)
        call = rng.choice(CALLS)
        shape = getattr(given.X if given.meaning is None else given.meaning, "shape", ())
        rows = shape[0] if shape and 0 < shape[0] < 1000 else 4
        y, plain, name = labels_for(rng, rows)
        seed = rng.random()
        answers = Attempted(call, seed, given, y)
        outcome = attempt(answers.given, ERRORS)
        if outcome.kind == REFUSED and CertificateError.__name__ in outcome.detail:
            right = given.meaning is not None and plain is not None
            outcome = outcome._replace(kind=DIFFERENT if right else REFUSED)
        if outcome.kind != EQUAL:
            return outcome._replace(detail=f"{answers} {name}: {outcome.detail}")
        return attempt(lambda: answers.compare(plain, name))


def _compile() -> None:
    X, y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1])
    for call in dict.fromkeys(CALLS):
        for kind in (np.float64, np.float32):
            for k in range(8 * len(ESTIMATORS)):
                for layout in (np.array, sp.csr_array):
                    with contextlib.suppress(*ERRORS):
                        call(random.Random(k), layout(X.astype(kind)), y, X)


class Attempted:
    """A call with some input, and the same with what the input means."""

    def __init__(self, call: Call, seed: float, rows: Input, y: Any) -> None:
        self.call, self.seed, self.rows, self.y = call, seed, rows, y
        self.answer: Answer = ()

    def __str__(self) -> str:
        return f"{self.call.__name__}: {self.rows.name};"

    def given(self) -> Outcome:
        self.answer = self.call(random.Random(self.seed), self.rows.X, self.y, self.rows.meaning)
        return Outcome(EQUAL)

    def compare(self, labels: np.ndarray | None, name: str) -> Outcome:
        said = f"{self} labels {name}"
        meaning = self.rows.meaning
        if meaning is None or (labels is None and self.call is not predict):
            return Outcome(DIFFERENT, f"{said}: taken, though it means nothing")
        expected = self.call(random.Random(self.seed), meaning, self.y, meaning)
        if self.answer != expected:
            return Outcome(DIFFERENT, f"{said}: {str(self.answer)[:80]}, not {str(expected)[:80]}")
        return Outcome(EQUAL)
