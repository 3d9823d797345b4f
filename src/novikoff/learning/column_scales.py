"""Advice about columns of very different sizes, where learning did not converge.

A move adds a whole row to the weights, so that a column of large entries drowns the others: the
bound (D/gamma)^2 grows with the square of the ratio.
"""

import numpy as np

from novikoff.learning.rows import (
    Array,
    CsrRows,
    LearnerRows,
    features_of,
    length,
    release,
    unweighted,
)

RATIO = 100.0  # of the columns' largest entries
BLOCK = 2**12  # rows


def scale_advice(rows: LearnerRows) -> str | None:
    """A sentence about columns whose largest entries differ much; None if they do not."""
    largest = _largest_entries(rows)
    sizes = largest[largest > 0.0]
    if not sizes.size or sizes.max() < RATIO * sizes.min():
        return None
    return (
        f"the largest entries of columns differ by a factor of {sizes.max() / sizes.min():,.0f},"
        " and large columns drown small ones: scale the columns to about the same size"
    )


def _largest_entries(rows: LearnerRows) -> Array:
    """The largest absolute value in each column, without a copy of the rows."""
    plain, largest = unweighted(rows), np.zeros(features_of(rows))
    for start in range(0, length(rows), BLOCK):
        stop = min(start + BLOCK, length(rows))
        if isinstance(plain, CsrRows):
            entries = slice(int(plain.starts[start]), int(plain.starts[stop]))
            np.maximum.at(largest, plain.columns[entries], np.abs(plain.values[entries]))
        else:
            largest = np.maximum(largest, np.abs(plain.values[start:stop]).max(axis=0, initial=0.0))
        release(rows)
    return largest
