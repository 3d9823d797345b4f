"""Labelled rows as the bounds take them: of any two labels, or of -1 and 1 or one of these."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff import figures
from novikoff.errors import DataError, ParameterError
from novikoff.figures import REGULAR, Rational
from novikoff.learn import norm
from novikoff.scan import SMALLEST, UNIT, Vector
from novikoff.signed import Given, IntegerRow, LabelPair, Signed, dot
from novikoff.sources.arrays import as_labels
from novikoff.verdict.result import root


def signed_rows(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    positive: Any = None,
) -> Signed:
    """Signed rows of arrays, sparse matrices, frames or a source; nothing is made dense.

    A verdict needs both labels; a learner of -1 and 1 knows what one of them alone means too.
    """
    given = Given.of(X, y)
    labels = as_labels(given.y)
    if positive is None and (labels == labels[0]).all():
        signs, pair = _one_label(labels)
        return Signed.made(given, signs, pair, fit_intercept, "binary", unit_length)
    signed = Signed.of(
        given.matrix,
        labels,
        fit_intercept=fit_intercept,
        unit_length=unit_length,
        positive=positive,
    )
    # what else was read with the rows: a pipe is not read twice
    signed.exact, signed.lines, signed.feature_names = given.exact, given.lines, given.names
    return signed


def _one_label(labels: Any) -> tuple[Any, LabelPair]:
    if labels.dtype.kind not in "iuf" or abs(labels[0]) != 1:
        raise DataError(
            f"all {len(labels):,} rows have the label {labels[0]}; y must be -1 and 1 (one of them"
            " is enough), or any two labels"
        )
    return labels.astype(np.int8), LabelPair(None, labels[0].item())


def numbers(name: str, vector: Any) -> Rational:
    """A vector of numbers of any exact kind, as rationals."""
    values = vector.tolist() if isinstance(vector, np.ndarray) else list(vector)
    return figures.rational(number(name, value) for value in values)


def number(name: str, value: Any) -> Fraction:
    """One number, as the rational that it is."""
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, int | Fraction):
        known = isinstance(plain, float | Decimal) and math.isfinite(plain)
        if not known:
            raise ParameterError(f"{name} must be of finite numbers, not {value!r}")
    return Fraction(plain)


def unit_scores(signed: Signed, weights: Vector) -> tuple[Vector, float]:
    """z . w / |z| for every row, and how far off any of them can be; 0 for a row of zeros.

    |z . w - computed| <= growth |z| |w|, so that divided by |z| the error is the same for rows of
    any length. Rows whose squares leave the range of doubles are looked at exactly.
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
        exactly = figures.rational(weights.tolist())
        scores[odd] = [_unit_score(signed.row(i), exactly) for i in odd.tolist()]
    return scores, error


def _unit_score(row: IntegerRow, weights: Rational) -> float:
    score, square = dot(row, weights.numerators), sum(value * value for value in row.values)
    if score == 0:
        return 0.0
    size = root(Fraction(score * score, square * weights.denominator**2), up=False)
    return math.copysign(size, score)
