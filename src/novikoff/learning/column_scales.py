"""Advice about columns of very different sizes, where learning did not converge.

A move adds a whole row to the weights, so that a column of large entries drowns the others: the
bound (D/gamma)^2 grows with the square of the ratio.
"""

import numpy as np

from novikoff.learning.rows import CsrRows, LearnerRows, length, stored, unweighted

RATIO = 100.0  # of the columns' largest entries
FEW = 2**18  # values, those of the first rows: more would take longer than an epoch


def scale_advice(rows: LearnerRows) -> str | None:
    """A sentence about columns whose largest entries differ much; None if they do not."""
    plain, count = unweighted(rows), int(length(rows))
    some = min(count, max(1, FEW * count // max(1, stored(rows))))
    if isinstance(plain, CsrRows):
        stop, largest = int(plain.starts[some]), np.zeros(plain.features)
        np.maximum.at(largest, plain.columns[:stop], np.abs(plain.values[:stop]))
    else:
        largest = np.abs(plain.values[:some]).max(axis=0, initial=0.0)
    sizes = largest[largest > 0.0]
    if not sizes.size or sizes.max() < RATIO * sizes.min():
        return None
    where = "" if some == count else f" in the first {some:,} rows"
    return (
        f"the largest entries of columns differ by a factor of {sizes.max() / sizes.min():,.0f}"
        f"{where}, and large columns drown small ones: scale the columns to about the same size"
    )
