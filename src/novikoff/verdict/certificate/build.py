"""Certificates of a learner's separator, and of the run that led to it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.learning.rules import TIES
from novikoff.verdict.certificate import SEPARABLE, TRAINING_RUN, Certificate, make
from novikoff.verdict.certificate.replay import replay
from novikoff.verdict.exact.margins import separation
from novikoff.verdict.signed import Number, SignedRows


def certify_separator(
    signed: SignedRows,
    weights: Sequence[Number],
    support: Iterable[tuple[int, Number]],
    fingerprints: npt.NDArray[np.uint64] | None = None,
) -> Certificate | None:
    """Certify that these weights, the bias last, separate the rows; None if they do not, exactly.

    support: rows and positive multipliers that bound the margin from above: for all w,
    min z.w / |w| <= |sum of multiplier * z| / sum of multipliers. A row may come several times.
    """
    merged: dict[int, Fraction] = {}
    for row, multiplier in support:
        merged[int(row)] = merged.get(int(row), Fraction(0)) + Fraction(multiplier)
    terms = sorted(merged.items())
    if not terms or any(multiplier <= 0 for _, multiplier in terms):
        raise ParameterError(
            "a bound on the margin needs at least one row, with multipliers above 0"
        )
    found = separation(signed, weights, terms)
    if found is None:
        return None
    witness = {"weights": weights, "support": terms}
    return make(signed, SEPARABLE, witness, found.figures(), fingerprints)


def certify_run(
    signed: SignedRows, start: Sequence[Number], eta: Number, tie: str, updates: Sequence[int]
) -> Certificate:
    """Certify that the perceptron moved from `start` at these rows, in order, by eta each time."""
    if signed.unit_length:
        raise ParameterError(
            "a run on rows scaled to unit length cannot be replayed: such rows are not rational."
            " Train without unit length"
        )
    if signed.family != "binary" or tie not in TIES or not eta > 0:
        raise ParameterError(
            f"no run has the family {signed.family!r}, the tie {tie!r} and the step {eta!r}"
        )
    rows = [int(i) for i in updates]
    run = replay(signed, start, eta, tie, rows)
    witness = {
        "start": start,
        "eta": eta,
        "tie": tie,
        "updates": rows,
        "rounded": run.rounded,
    }
    figures = {
        "weights": run.weights,
        "mistakes": len(rows),
        "separates": run.separates,
        "mistake_bound": run.mistake_bound,
    }
    return make(signed, TRAINING_RUN, witness, figures)
