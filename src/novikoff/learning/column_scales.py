"""Advice about columns of very different sizes, where learning did not converge.

A move adds a whole row to the weights, so that a column of large entries drowns the others: the
bound (D/gamma)^2 grows with the square of the ratio.
"""

import numpy as np

from novikoff.learning.rows import CsrRows, LearnerRows, unweighted

RATIO = 100.0  # of the columns' largest entries


def scale_advice(rows: LearnerRows) -> str | None:
    """A sentence about columns whose largest entries differ much; None if they do not."""
    plain = unweighted(rows)
    if isinstance(plain, CsrRows):
        largest = np.zeros(plain.features)
        np.maximum.at(largest, plain.columns, np.abs(plain.values))
    else:
        largest = np.abs(plain.values).max(axis=0, initial=0.0)
    sizes = largest[largest > 0.0]
    if not sizes.size or sizes.max() < RATIO * sizes.min():
        return None
    return (
        f"the largest entries of columns differ by a factor of {sizes.max() / sizes.min():,.0f},"
        " and large columns drown small ones: scale the columns to about the same size"
    )
