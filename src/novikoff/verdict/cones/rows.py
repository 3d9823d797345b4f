"""Rows of cones, made of a table's rows: signed ones, differences, and blocks of columns."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.data.sparse import csr, scipy_sparse
from novikoff.errors import DataError
from novikoff.verdict.scan import Indices, Mask, Signs, Vector
from novikoff.verdict.signed import Cone, Table
from novikoff.verdict.signed.user_input import ExactArray, UserInput


def signed_cone(
    table: Table, positive: Mask, held: Mask, tell: Callable[[int], str] | None = None
) -> Cone:
    """The cone of z = x or -x for each row that is kept. positive, held: for each of those."""
    kept, given = table.kept, table.given
    matrix, exact = given.matrix, given.exact
    if len(kept) < table.size:
        matrix, exact = _taken(matrix, exact, kept)
    signs: Signs = np.where(positive, 1, -1).astype(np.int8)

    def row_name(k: int) -> str:
        i = int(kept[k])
        named = table.class_name(table.outcome[i]) if table.labels else f"{table.outcome[i]:g}"
        return f"{table.where(i)} ({named})"

    return Cone(
        table=table,
        matrix=matrix,
        exact=exact,
        bias=table.bias,
        signs=signs,
        held=held,
        owners=kept,
        others=np.full(len(kept), -1),
        names=given.names,
        tell=tell or row_name,
    )


def _taken(matrix: Any, exact: ExactArray | None, rows: Indices) -> tuple[Any, ExactArray | None]:
    """These rows of a matrix, with their exact entries."""
    if isinstance(matrix, np.ndarray):
        return matrix[rows], None if exact is None else exact[rows]
    if exact is None:
        return matrix[rows], None
    places = matrix.copy()  # SciPy knows no array of Fractions: it takes the places of entries
    places.data = np.arange(len(places.data), dtype=np.float64)
    return matrix[rows], exact[places[rows].data.astype(np.int64)]


def difference_cone(
    table: Table,
    owners: Indices,
    others: Indices,
    held: Mask,
    tell: Callable[[int], str],
    spread: Callable[[Mask, list[int]], Mask] | None = None,
) -> Cone:
    """The cone of z = row of the owner - row of the other; there is no intercept."""
    matrix, exact = _differences(table, owners, others)
    return Cone(
        table=table,
        matrix=matrix,
        exact=exact,
        bias=False,
        signs=np.ones(len(owners), np.int8),
        held=held,
        owners=owners,
        others=others,
        names=table.given.names,
        tell=tell,
        spread=spread,
    )


def _differences(table: Table, owners: Indices, others: Indices) -> tuple[Any, ExactArray | None]:
    """Differences of rows; with exact entries where those of doubles are no doubles."""
    matrix, exact = table.given.matrix, table.given.exact
    if isinstance(matrix, np.ndarray):
        a, b = matrix[owners].astype(np.float64), matrix[others].astype(np.float64)
        if exact is None:
            return _subtract(a, b)
        found = exact[owners] - exact[others]
        return found.astype(np.float64), found
    rows, columns, values, fractions = _merged(matrix, exact, owners, others)
    first = np.ones(len(values), np.bool_)  # of the one or two entries in a cell
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    cell, second = np.cumsum(first) - 1, np.flatnonzero(~first)
    b = np.zeros(int(first.sum()))
    b[cell[second]] = -values[second]
    data, entries = _subtract(values[first], b)
    if fractions is not None:
        entries = fractions[first]
        entries[cell[second]] += fractions[second]
        data = entries.astype(np.float64)
    starts = np.searchsorted(rows[first], np.arange(len(owners) + 1))
    return csr(starts, columns[first], data, table.features), entries


def stacked(parts: list[UserInput]) -> UserInput:
    """The rows of several tables, one below the other."""
    if len(parts) == 1:
        return parts[0]
    rational = any(part.exact is not None for part in parts)
    if all(isinstance(part.matrix, np.ndarray) for part in parts):
        matrix: Any = np.concatenate([part.matrix.astype(np.float64) for part in parts])
        exact = [part.matrix.astype(object) if part.exact is None else part.exact for part in parts]
    else:
        sparse = [_sparse(part) for part in parts]
        matrix = scipy_sparse().vstack([each for each, _ in sparse], format="csr")
        exact = [each.data.astype(object) if kept is None else kept for each, kept in sparse]
    y = np.concatenate([part.y for part in parts])
    return UserInput(matrix, y, np.concatenate(exact) if rational else None, None, parts[0].names)


def _sparse(given: UserInput) -> tuple[Any, ExactArray | None]:
    """The table as a canonical CSR matrix of its own, and the exact entries in its order."""
    matrix, exact = given.matrix, given.exact
    if not isinstance(matrix, np.ndarray):
        found = scipy_sparse().csr_array(matrix, dtype=np.float64, copy=True)
        found.sum_duplicates()
        return found, exact
    rows, columns = np.nonzero(matrix if exact is None else exact)
    starts = np.searchsorted(rows, np.arange(len(matrix) + 1))
    values = matrix[rows, columns].astype(np.float64)
    kept = None if exact is None else exact[rows, columns]
    return csr(starts, columns, values, matrix.shape[1]), kept


def _merged(
    matrix: Any, exact: ExactArray | None, owners: Indices, others: Indices
) -> tuple[Indices, Indices, Vector, ExactArray | None]:
    """The entries of both rows of each difference, those of the other negative, in order."""
    places = scipy_sparse().csr_array(matrix, dtype=np.float64, copy=True)
    places.sum_duplicates()
    values = places.data
    places.data = np.arange(float(len(values)))
    both = places[owners], places[others]
    columns = np.concatenate([each.indices for each in both]).astype(np.int64)
    numbers = np.arange(len(owners))
    rows = np.concatenate([np.repeat(numbers, np.diff(each.indptr)) for each in both])
    at = np.concatenate([each.data for each in both]).astype(np.int64)
    signs = np.repeat([1, -1], [len(each.data) for each in both])
    order = np.lexsort((columns, rows))
    at, signs = at[order], signs[order]
    fractions = None if exact is None else exact[at] * signs
    return rows[order], columns[order], values[at] * signs, fractions


def _subtract(a: Vector, b: Vector) -> tuple[Vector, ExactArray | None]:
    """a - b as doubles, and exactly where some of them are rounded (Knuth's two-sum)."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = a - b
        back = found - a
        error = (a - (found - back)) - (b + back)
    if not np.isfinite(found).all():
        if np.isfinite(a).all() and np.isfinite(b).all():
            raise DataError("X has numbers whose difference is too large for a double; scale them")
        return found, None  # the scan refuses such rows by their numbers
    if not error.any():
        return found, None
    exact = found.astype(object)
    for index in zip(*np.nonzero(error), strict=True):
        exact[index] = Fraction(a[index]) - Fraction(b[index])
    return found, exact


class BlockRows:
    """Rows of a cone that hold several signed copies of a table's rows, each in columns of its own,
    as a CSR matrix; put together from parts.
    """

    def __init__(self, table: Table) -> None:
        self._matrix, self._exact = _sparse(table.given)
        self._parts: list[tuple[Indices, Indices, Vector, Any]] = []

    def add(self, at: Indices, rows: Indices, sign: int, offsets: Indices) -> None:
        """Add sign * x of these rows of the table to these rows of the cone, from these columns."""
        starts = self._matrix.indptr.astype(np.int64)
        lengths = starts[rows + 1] - starts[rows]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
            starts[rows] - (ends - lengths), lengths
        )
        columns = self._matrix.indices[places] + np.repeat(offsets, lengths)
        exact = None if self._exact is None else self._exact[places] * sign
        self._parts.append(
            (np.repeat(at, lengths), columns, self._matrix.data[places] * sign, exact)
        )

    def add_ones(self, at: Indices, sign: int, columns: Indices) -> None:
        """Add `sign` to these rows of the cone, in these columns."""
        values = np.full(len(at), float(sign))
        exact = None if self._exact is None else np.full(len(at), Fraction(sign), object)
        self._parts.append((at, columns, values, exact))

    def matrix(self, count: int, width: int) -> tuple[Any, ExactArray | None]:
        """All rows of the cone, and their exact entries if the table has such."""
        rows, columns, values = (
            np.concatenate([part[k] for part in self._parts]) for k in range(3)
        )
        order = np.lexsort((columns, rows))
        starts = np.searchsorted(rows[order], np.arange(count + 1))
        exact = None
        if self._exact is not None:
            exact = np.concatenate([part[3] for part in self._parts])[order]
        return csr(starts, columns[order], values[order], width), exact
