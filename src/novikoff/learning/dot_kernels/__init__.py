"""Inner products with one fixed order of summation.

    lane[j mod 8] += x[j] * w[j]      for each column j, in order
    result = ((lane0 + lane4) + (lane2 + lane6)) + ((lane1 + lane5) + (lane3 + lane7))

The order is a function of the columns alone and a skipped zero changes no lane, so a dense row and
a sparse row with the same numbers give the same bits. `plain` has them in Python and NumPy, and
`codegen` for compiled code, at the memory's speed and with the same bits.
"""

from novikoff.learning.dot_kernels.plain import (
    LANES,
    Vector,
    dense_add,
    dense_dot,
    dense_dot_and_square,
    dense_dots,
    rough_columns,
    sparse_add,
    sparse_add_both,
    sparse_dot,
    sparse_dot_and_square,
    sparse_dots,
    sparse_square,
)

__all__ = [
    "LANES",
    "Vector",
    "dense_add",
    "dense_dot",
    "dense_dot_and_square",
    "dense_dots",
    "rough_columns",
    "sparse_add",
    "sparse_add_both",
    "sparse_dot",
    "sparse_dot_and_square",
    "sparse_dots",
    "sparse_square",
]
