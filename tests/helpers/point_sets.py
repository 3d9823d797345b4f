"""Points for the tests of what hyperplanes realise."""

from fractions import Fraction

from hypothesis import strategies as st

#: Numbers that are far apart, not what they seem, or no doubles.
AWKWARD = [0, 1, -1, 2, 3, 0.1, 0.2, 0.3, 1e300, -1e-300, 5e-324, Fraction(1, 3), 2**60 + 1]


def lifted(X, affine):
    """The rows as Fractions, with a 1 appended if the hyperplanes may miss the origin."""
    return [[Fraction(v) for v in [*row, 1][: len(row) + affine]] for row in X]


def matrices(entries, most_rows, most_columns):
    """Lists of rows, all of the same length."""

    def of(columns):
        row = st.lists(entries, min_size=columns, max_size=columns)
        return st.lists(row, min_size=1, max_size=most_rows)

    return st.integers(1, most_columns).flatmap(of)
