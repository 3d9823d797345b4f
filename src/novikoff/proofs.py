"""Certificates of what a learner found: of a separator, and of the run that led to one."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from novikoff.certificate import SEPARABLE, TRAINING_RUN, Certificate, make
from novikoff.errors import ParameterError
from novikoff.figures import Number, separation
from novikoff.replay import TIES, replay
from novikoff.signed import SignedRows


def separator(
    signed: SignedRows,
    weights: Sequence[Number],
    support: Iterable[tuple[int, Number]],
    fingerprints: Any = None,
) -> Certificate | None:
    """That these weights, the bias last, separate the rows; None if they do not, exactly.

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


def training_run(
    signed: SignedRows, start: Sequence[Number], eta: Number, tie: str, updates: Sequence[int]
) -> Certificate:
    """That the perceptron moved from `start` at these rows in this order, by eta each time."""
    if signed.unit_length:
        raise ParameterError(
            "a run on rows scaled to unit length cannot be replayed: such rows are not rational."
            " Train without unit length"
        )
    if signed.family != "binary" or tie not in TIES or not eta > 0:
        raise ParameterError(
            f"no run has the family {signed.family!r}, the tie {tie!r} and the step {eta!r}"
        )
    places = [int(i) for i in updates]
    run = replay(signed, start, eta, tie, places)
    witness = {
        "start": start,
        "eta": eta,
        "tie": tie,
        "updates": places,
        "rounded": run.rounded,
    }
    figures = {
        "weights": run.weights,
        "mistakes": len(places),
        "separates": run.separates,
        "mistake_bound": run.mistake_bound,
    }
    return make(signed, TRAINING_RUN, witness, figures)
