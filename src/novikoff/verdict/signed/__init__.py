"""Signed rows: labelled rows prepared for a verdict, with their entries as exact numbers.

    z = sign * (x, 1)     with a bias; sign = +1 for the positive label, -1 for the negative one
    z = sign * x          without

A double is taken as exactly the rational number it is; rows may also be given as Fractions and
Decimals. For counts (`family="poisson"`) a row with count 0 has the sign -1, and one with a count
above 0 is pinned: whatever direction a fit diverges in, its score stays as it is.

`SignedRows` is the interface: rows are iterated over by `scan`, `map_pieces`, `map_subset`,
`fold_pieces` and `fold_windows`, and single ones are taken by `integers`, `dense` and `sparse`. So
the same code judges rows in memory, which are a `Signed`, and rows in several pieces, in this
process or on other machines (see `verdict.sharded`).
"""

from novikoff.verdict.scan import Indices
from novikoff.verdict.signed.base import LineNumbers, SignedRows
from novikoff.verdict.signed.cone import INTERCEPT, ROLES, Classes, Cone, Table
from novikoff.verdict.signed.in_memory import LENGTH_BITS, Signed
from novikoff.verdict.signed.integer_row import (
    IntegerRow,
    Number,
    chunked,
    dense_values,
    dot,
    unit_factor,
    used_columns,
)
from novikoff.verdict.signed.labels import (
    FAMILIES,
    LabelPair,
    label_pair,
    label_signs,
    refuse_family,
    refuse_no_counts,
    signs_of,
    signs_of_counts,
)
from novikoff.verdict.signed.user_input import EXACT_INTEGERS, UserInput, as_fraction

__all__ = [
    "EXACT_INTEGERS",
    "FAMILIES",
    "INTERCEPT",
    "LENGTH_BITS",
    "ROLES",
    "Classes",
    "Cone",
    "Indices",
    "IntegerRow",
    "LabelPair",
    "LineNumbers",
    "Number",
    "Signed",
    "SignedRows",
    "Table",
    "UserInput",
    "as_fraction",
    "chunked",
    "dense_values",
    "dot",
    "label_pair",
    "label_signs",
    "refuse_family",
    "refuse_no_counts",
    "signs_of",
    "signs_of_counts",
    "unit_factor",
    "used_columns",
]
