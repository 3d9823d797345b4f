"""Inner products with one fixed order of summation.

    lane[j mod 8] += x[j] * w[j]      for each column j, in order
    result = ((lane0 + lane4) + (lane2 + lane6)) + ((lane1 + lane5) + (lane3 + lane7))

The order is a function of the columns alone and a skipped zero changes no lane, so a dense row and
a sparse row with the same numbers give the same bits. Here they are in Python and NumPy, of
one row and, for scans, of many rows at once; `codegen` has them for compiled code, at the memory's
speed and with the same bits.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.jit import register_module

LANES = 8

Vector = npt.NDArray[np.float64]


def dense_dot(x: Any, w: Any) -> float:
    """Sum of x[j] * w[j] over the columns j of x; w may be longer."""
    return _sum_by_lane(range(len(x)), x.tolist(), w[: len(x)].tolist())


def sparse_dot(values: Any, columns: Any, w: Any) -> float:
    """Sum of values[k] * w[columns[k]]; the columns ascend."""
    return _sum_by_lane(columns.tolist(), values.tolist(), w[columns].tolist())


def sparse_square(values: Any, columns: Any) -> float:
    """Sum of values[k]^2, in the same order."""
    factors = values.tolist()
    return _sum_by_lane(columns.tolist(), factors, factors)


def dense_dot_and_square(x: Any, w: Any) -> tuple[float, float]:
    """Sum of x[j] * w[j] and sum of x[j]^2, in one pass."""
    return dense_dot(x, w), dense_dot(x, x)


def sparse_dot_and_square(values: Any, columns: Any, w: Any) -> tuple[float, float]:
    """As `sparse_dot`, and beside it the sum of values[k]^2, by the lanes of k: near what a dense
    row gives, but not the same bits. The last few, fewer than there are lanes, go to the first.
    """
    factors = values.tolist()
    return sparse_dot(values, columns, w), _sum_by_lane(_rough_lanes(len(values)), factors, factors)


def _rough_lanes(number: int) -> list[int]:
    last = number % LANES
    return [*range(number - last)] + [0] * last


def dense_add(x: Any, amount: float, w: Any) -> None:
    """w[j] += amount * x[j] for the columns j of x; w may be longer."""
    w[: len(x)] += amount * x.astype(np.float64)


def sparse_add(values: Any, columns: Any, amount: float, w: Any) -> None:
    """w[columns[k]] += amount * values[k]; no column comes twice."""
    w[columns] += amount * values.astype(np.float64)


def sparse_add_both(values: Any, columns: Any, a: float, w: Any, b: float, m: Any) -> None:
    """w[columns[k]] += a * values[k] and m[columns[k]] += b * values[k]; no column comes twice."""
    sparse_add(values, columns, a, w)
    sparse_add(values, columns, b, m)


def _sum_by_lane(columns: Iterable[int], xs: list[float], ws: list[float]) -> float:
    lanes = [0.0] * LANES
    for j, x, w in zip(columns, xs, ws, strict=True):
        lanes[j % LANES] += x * w
    a, b, c, d, e, f, g, h = lanes
    return ((a + e) + (c + g)) + ((b + f) + (d + h))


def dense_dots(X: Any, w: Any) -> Vector:
    """`dense_dot(x, w)` for each row x of X; w may have a line for each of them."""
    lanes, width = np.zeros((len(X), LANES)), X.shape[1]
    for j in range(0, width, LANES):
        part = X[:, j : j + LANES] * w[..., j : min(j + LANES, width)].astype(np.float64)
        lanes[:, : part.shape[1]] += part
    return _fold(lanes)


def sparse_dots(products: Any, starts: Any, columns: Any) -> Vector:
    """The sums of products, entry by entry, of rows that begin at `starts` and at those places."""
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    lanes = rows * LANES + columns.astype(np.int64) % LANES
    sums = np.bincount(lanes, products, LANES * (len(starts) - 1))  # adds in order
    return _fold(sums.reshape(-1, LANES).astype(np.float64, copy=False))  # whole ones of nothing


def rough_columns(starts: Any) -> npt.NDArray[np.int64]:
    """The places by which `sparse_dot_and_square` sums up squares, for rows from `starts` on."""
    lengths = np.diff(starts)
    places = np.arange(starts[0], starts[-1]) - np.repeat(starts[:-1], lengths)
    return np.where(places < np.repeat(lengths // LANES * LANES, lengths), places, 0)


def _fold(lanes: Vector) -> Vector:
    while lanes.shape[1] > 1:
        half = lanes.shape[1] // 2
        lanes = lanes[:, :half] + lanes[:, half:]
    return np.ascontiguousarray(lanes[:, 0])


register_module("novikoff.learning.dot_kernels.codegen")
