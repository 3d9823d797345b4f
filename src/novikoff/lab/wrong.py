"""Which rows would be mistakes for the weights of each step: the loop's own scores, many at once.

    score = row . w      summed in the order that `lanes` fixes, so that these are the same bits
    wrong = the score's sign is not the label's; where it is exactly 0, the rule's tie decides

With unit length a score is scaled as `rows` scales it. Winnow's is the sum of the weights whose
variables are 1, less its threshold.
"""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.lanes import LANES
from novikoff.learn import tie_of
from novikoff.rows import CsrRows, as_csr
from novikoff.rules import Winnow
from novikoff.signed import Signed

Numbers = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]

PART = 2**20  # scores that are computed together


def wrong(signed: Signed, rule: Any, weights: Numbers) -> Bits:
    """A line for each weight vector, a place for each row."""
    tie, positive = tie_of(rule), signed.signs > 0
    at_zero = np.where(positive, tie.positive_loses, tie.negative_loses)
    out = np.empty((len(weights), signed.count), np.bool_)
    scored = _winnow(signed, rule, weights) if isinstance(rule, Winnow) else _dots(signed, weights)
    for part, scores in scored:
        out[part] = np.where(scores == 0.0, at_zero, (scores > 0.0) != positive)
    return out


def packed(bits: Bits) -> str:
    """Bits as text: each line in whole bytes, the lowest bit first."""
    return base64.b64encode(np.packbits(bits, axis=1, bitorder="little").tobytes()).decode()


def dense(signed: Signed) -> Numbers:
    """The rows as doubles, without bias and scale."""
    rows = signed.rows
    matrix = as_csr(rows).toarray() if isinstance(rows, CsrRows) else rows.values
    return np.asarray(matrix, np.float64)


def _parts(signed: Signed, weights: Numbers) -> Iterator[slice]:
    each = max(1, PART // signed.count)
    for start in range(0, len(weights), each):
        yield slice(start, start + each)


def _dots(signed: Signed, weights: Numbers) -> Iterator[tuple[slice, Numbers]]:
    values = dense(signed)
    scales = _scales(values, signed.bias) if signed.unit_length else None
    for part in _parts(signed, weights):
        some = weights[part]
        scores = _summed(values[None, :, :], some[:, None, :])
        if signed.bias:
            scores += some[:, -1:]
        if scales is not None:
            scores *= scales
        yield part, scores


def _scales(values: Numbers, bias: bool) -> Numbers:
    squares = _summed(values, values) + (1.0 if bias else 0.0)
    roots = np.sqrt(np.where(squares > 0.0, squares, 1.0))
    scales: Numbers = 1.0 / roots
    return scales


def _summed(a: Numbers, b: Numbers) -> Numbers:
    """Sums of a[..., j] * b[..., j] over the columns j of a, lane by lane as `lanes` has it."""
    lanes: list[Any] = [0.0] * LANES
    for j in range(a.shape[-1]):
        lanes[j % LANES] = lanes[j % LANES] + a[..., j] * b[..., j]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [lanes[k] + lanes[k + half] for k in range(half)]
    total: Numbers = lanes[0]
    return total


def _winnow(signed: Signed, rule: Winnow, weights: Numbers) -> Iterator[tuple[slice, Numbers]]:
    on = dense(signed) > rule.binarize
    for part in _parts(signed, weights):
        some = weights[part]
        total = np.zeros((len(some), signed.count))
        for j in range(on.shape[1]):
            total += np.where(on[:, j], some[:, j : j + 1], 0.0)
        yield part, total - rule.theta
