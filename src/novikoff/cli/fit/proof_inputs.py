"""The inputs of the proofs of `fit`: the rows, and how far each of them moved the weights."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from novikoff.data.matrices import Classes
from novikoff.errors import ParameterError
from novikoff.learning.rows import Array, WeightedRows
from novikoff.learning.spec import TrainingSpec
from novikoff.learning.training import TrainingData
from novikoff.verdict.signed import Signed, SignedRows


class UpdateTotals(NamedTuple):
    """A log of how far each row has moved the weights in all."""

    amounts: Array

    def record(self, i: int, amount: float, seen: Any) -> None:
        self.amounts[i] += amount


class ProofInputs(NamedTuple):
    """What proofs of a run are made from.

    signed(fit_intercept=..., unit_length=...): the rows with their signs. moved: what each of them
    moved the weights by, and data: rows to learn from again; unknown where shards were mixed.
    """

    signed: Callable[..., SignedRows]
    moved: Array | None = None
    data: TrainingData | None = None

    @classmethod
    def of(cls, data: TrainingData, totals: UpdateTotals) -> Self:
        """The inputs of proofs about rows at rest."""
        signed = partial(Signed.of, data.matrix, data.classes[data.codes])
        weights = data.rows.weights if isinstance(data.rows, WeightedRows) else 1.0
        return cls(signed, totals.amounts * weights, data)


def update_totals(data: TrainingData) -> UpdateTotals:
    """A log for rows that a proof will be about."""
    require_two_classes(data.classes)
    return UpdateTotals(np.zeros(data.matrix.shape[0]))


def require_provable(spec: TrainingSpec, run: bool) -> None:
    """Refuse a proof that cannot be had, before anything is learned. run: one of the run itself."""
    if spec.rule == "one-sided":
        raise ParameterError(
            "--certificate: the one-sided rule looks at no labels: there is no claim"
        )
    if spec.rule == "multiclass":
        raise ParameterError(
            "--certificate: a run's certificate is about one hyperplane, and the rule multiclass"
            " has scores for each class; novikoff check --certificate is about all classes"
        )
    if run and spec.rule != "perceptron":
        raise ParameterError(f"--run-certificate is for the rule perceptron, not {spec.rule}")
    if run and spec.unit_length:
        raise ParameterError(
            "--run-certificate: rows of unit length are not rational, so that no run on them can be"
            " replayed exactly; leave --unit-length out"
        )


def require_two_classes(classes: Classes) -> None:
    """Refuse a proof about more than two classes."""
    if len(classes) > 2:
        raise ParameterError(
            f"--certificate: a certificate is about two classes, and there are {len(classes)};"
            " novikoff check --positive proves one against the others"
        )
