"""Rows, labels and numbers as the bounds take them: any two labels, or one of -1 and 1."""

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import as_labels
from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import DataError, ParameterError
from novikoff.learning.learner import norm
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.directed_rounding import root
from novikoff.verdict.exact.margins import REGULAR, Rational
from novikoff.verdict.scan import SMALLEST, UNIT, Signs, Vector
from novikoff.verdict.signed import IntegerRow, LabelPair, Signed, UserInput, dot, label_signs

ExactNumber = int | float | Fraction | Decimal | np.generic
ExactVector = Iterable[ExactNumber] | npt.NDArray[Any]


def signed_rows(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    positive: Label | None = None,
) -> Signed:
    """Signed rows of arrays, sparse matrices, frames or a source; nothing is made dense.

    A verdict needs both labels; a learner of -1 and 1 knows what one of them alone means too.
    """
    given = UserInput.of(X, y)
    labels = as_labels(given.y)
    if positive is None and (labels == labels[0]).all():
        signs, pair = _one_label(labels)
    else:
        signs, pair = label_signs(labels, positive)
    return Signed.from_signs(given, signs, pair, fit_intercept, "binary", unit_length)


def _one_label(labels: npt.NDArray[Any]) -> tuple[Signs, LabelPair]:
    if labels.dtype.kind not in "iuf" or abs(labels[0]) != 1:
        raise DataError(
            f"all {len(labels):,} rows have the label {labels[0]}; y must be -1 and 1 (one of them"
            " is enough), or any two labels"
        )
    return labels.astype(np.int8), LabelPair(None, labels[0].item())


def numbers(name: str, vector: ExactVector) -> Rational:
    """A vector of numbers of any exact kind, as rationals; `name` is for errors."""
    values = vector.tolist() if isinstance(vector, np.ndarray) else list(vector)
    return margins.rational(number(name, value) for value in values)


def number(name: str, value: ExactNumber) -> Fraction:
    """A number of any exact kind as a rational; `name` is for errors."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, int | Fraction):
        known = isinstance(plain, float | Decimal) and math.isfinite(plain)
        if not known:
            raise ParameterError(f"{name} must be of finite numbers, not {value!r}")
    return Fraction(plain)


def unit_scores(signed: Signed, weights: Vector) -> tuple[Vector, float]:
    """z . w / |z| for every row, and a bound on their errors; 0 for a row of zeros.

    |z . w - computed| <= growth |z| |w|, so that divided by |z| the error is the same for rows of
    any length. Rows whose squares leave the range of doubles are computed exactly.
    """
    scan = signed.scan
    regular = (scan.squares > REGULAR[0]) & (scan.squares < REGULAR[1])
    with np.errstate(all="ignore"):
        scores = scan.scores(weights) / np.sqrt(scan.squares)
    growth = scan.steps * UNIT / (1.0 - scan.steps * UNIT)
    lost = SMALLEST * (scan.steps + scan.total + float(np.abs(weights).sum()))
    shortest = float(scan.squares.min(where=regular, initial=REGULAR[1])) ** 0.5
    # four times each: more than enough for the roundings of squares, roots and quotients
    error = 4.0 * (growth * norm(weights) + lost / shortest)
    odd = np.flatnonzero(~regular)
    if odd.size:
        exactly = margins.rational(weights.tolist())
        scores[odd] = [_unit_score(signed.row(i), exactly) for i in odd.tolist()]
    return scores, error


def _unit_score(row: IntegerRow, weights: Rational) -> float:
    score, square = dot(row, weights.numerators), sum(value * value for value in row.values)
    if score == 0:
        return 0.0
    size = root(Fraction(score * score, square * weights.denominator**2), up=False)
    return math.copysign(size, score)
