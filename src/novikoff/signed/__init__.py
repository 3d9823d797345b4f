"""Signed rows: labelled rows made ready for a verdict, with their entries as exact numbers.

    z = sign * (x, 1)     with a bias; sign = +1 for the positive label, -1 for the negative one
    z = sign * x          without

A double is taken as exactly the rational number it is; rows may also be given as Fractions and
Decimals. For counts (`family="poisson"`) a row with count 0 has the sign -1, and one with a count
above 0 is pinned: whatever direction a fit diverges in, its score stays as it is.

Whoever goes through rows does so by `scan`, `each`, `spread`, `chain` and `windows`, and takes few
rows by `integers`, `dense` and `sparse`: all that `SignedRows` promises. So rows in memory, which
are a `Signed`, and rows that lie in several pieces, in this process or on other machines (see
`verdict.joined`), are judged by the same code.
"""

from novikoff.scan import Places
from novikoff.signed.base import LineNumbers, SignedRows
from novikoff.signed.given import EXACT_INTEGERS, Given, as_fraction
from novikoff.signed.integers import IntegerRow, chunked, dot, unit_factor
from novikoff.signed.labels import (
    FAMILIES,
    LabelPair,
    pair_of,
    refuse_family,
    refuse_no_counts,
    signs_of,
    signs_of_counts,
)
from novikoff.signed.rows import LENGTH_BITS, Signed

__all__ = [
    "EXACT_INTEGERS",
    "FAMILIES",
    "LENGTH_BITS",
    "Given",
    "IntegerRow",
    "LabelPair",
    "LineNumbers",
    "Places",
    "Signed",
    "SignedRows",
    "as_fraction",
    "chunked",
    "dot",
    "pair_of",
    "refuse_family",
    "refuse_no_counts",
    "signs_of",
    "signs_of_counts",
    "unit_factor",
]
