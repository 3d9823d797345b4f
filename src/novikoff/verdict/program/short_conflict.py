"""A conflict to read: few rows, and within one level of a factor where there is such.

Any positive combination of boundary rows that sums to zero proves the point; the one to show is
short. Rows that share a column are tried first, the shortest column first; then rows whose columns
are those that most rows use, for where rows outnumber their columns some depend on few others; then
all rows. A linear program gives a basic solution, which uses few rows; its multipliers are then
solved exactly.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import numpy as np
import scipy.sparse

from novikoff.verdict.exact.basis_system import BasisSystem
from novikoff.verdict.exact.elimination import Elimination, ResidueRows
from novikoff.verdict.program.linear_program import solve_combination
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import SignedRows, dense_values

MOST_COLUMNS = 12  # that are tried one by one
MOST_ROWS = 200  # of a column that is tried
MOST_USED = 100, 200, 500, 1000, 2000, 5000  # rows with the most used columns, that are tried
MOST_FREE = 50  # of them that are not pinned, if others are
ENOUGH = 4  # conflicts within a column, of which the shortest is taken
MOST_STEPS = 3000  # of a program for some of the rows
MOST_TRIED = 20  # pinned combinations, of which the shortest is taken
NEGLIGIBLE = 1e-9  # of the largest multiplier

Conflict = list[tuple[int, Fraction]]


def find_short_conflict(
    system: BasisSystem, signed: SignedRows, matrix: scipy.sparse.csr_array, on_boundary: Mask
) -> Conflict | None:
    """A conflict among the boundary rows; empty if all of them are pinned, None if none is found.

    system: of independent boundary rows, pinned ones first. matrix: all signed rows.
    """
    rows = np.flatnonzero(on_boundary)
    free = rows[~signed.pinned[rows]]
    if not free.size:
        return []
    zeros = free[np.diff(matrix.indptr)[free] == 0]
    if zeros.size:
        return [(int(zeros[0]), Fraction(1))]
    residues = system.elimination.residues
    matrix, pinned = matrix[rows], signed.pinned[rows]

    def conflict_within(some: Indices, steps: int | None = None) -> Conflict | None:
        return _conflict_within(signed, residues, matrix[some], rows[some], steps)

    for sets, enough in (
        (_rows_of_columns(matrix, pinned), ENOUGH),
        (_rows_of_most_used_columns(matrix, pinned), 1),
    ):
        tried = (conflict_within(some, MOST_STEPS) for some in sets)
        found = [*islice(filter(None, tried), enough)]
        if found:
            return min(found, key=len)
    return _with_pinned_rows(system, signed, free) or conflict_within(np.arange(len(rows)))


def _with_pinned_rows(system: BasisSystem, signed: SignedRows, free: Indices) -> Conflict | None:
    """A row that is a combination of pinned ones, and those."""
    elimination = system.elimination
    pinned = [signed.pinned[i] for i in elimination.rows]
    best: tuple[int, int] | None = None
    for i in free[:: max(1, len(free) // MOST_TRIED)].tolist() if any(pinned) else []:
        parts = elimination.combination(elimination.residues.dense(i))
        if parts is not None and not parts[~np.array(pinned)].any():
            best = min(best or (len(parts) + 1, i), (int((parts != 0).sum()), i))
    if best is None:
        return None
    row = signed.row(best[1])
    found = system.combination(dense_values(row, range(signed.dim)))
    if found is None:
        return None
    pairs = [
        (i, Fraction(-top, row.denominator * found.denominator))
        for i, top in zip(elimination.rows, found.numerators, strict=True)
        if top
    ]
    return sorted([*pairs, (best[1], Fraction(1))])


def _rows_of_columns(matrix: scipy.sparse.csr_array, pinned: Mask) -> Iterator[Indices]:
    """Yield the rows that use a column, for a few columns that few rows use."""
    columns = matrix.tocsc()
    lengths = np.diff(columns.indptr)
    order = np.argsort(lengths, kind="stable")
    yielded = 0
    for column in order[(lengths[order] > 1) & (lengths[order] <= MOST_ROWS)].tolist():
        part = slice(columns.indptr[column], columns.indptr[column + 1])
        some, values = columns.indices[part], columns.data[part]
        held = pinned[some]
        if not held.all() and (held.any() or values.min() < 0.0 < values.max()):
            yield np.sort(some)
            yielded += 1
        if yielded == MOST_COLUMNS:
            return


def _rows_of_most_used_columns(matrix: scipy.sparse.csr_array, pinned: Mask) -> Iterator[Indices]:
    """Yield larger and larger sets of rows, those first whose least used column is used most.

    Where rows are pinned, they are counted, and a few others join them.
    """
    counted = pinned if pinned.any() else ~pinned
    uses = np.bincount(matrix[counted].indices, minlength=matrix.shape[1])
    least = np.full(matrix.shape[0], len(counted))
    owners = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    np.minimum.at(least, owners, uses[matrix.indices])
    order = np.argsort(-least, kind="stable")
    before = np.cumsum(counted[order])
    for most in MOST_USED:
        rows = order[: np.searchsorted(before, most, side="right")]
        others = rows[~counted[rows]][:MOST_FREE]
        yield np.sort(np.concatenate([rows[counted[rows]], others]))
        if most >= before[-1]:
            return


def _conflict_within(
    signed: SignedRows,
    residues: ResidueRows,
    matrix: scipy.sparse.csr_array,
    rows: Indices,
    steps: int | None,
) -> Conflict | None:
    """A conflict among these rows, of which `matrix` consists; None if none is found."""
    pinned = signed.pinned[rows]
    suggested = solve_combination(matrix, pinned, steps=steps)
    if suggested is None:
        return None
    support = _support(suggested)
    center = int(np.argmax(np.where(pinned[support], 0.0, suggested[support])))
    shorter = solve_combination(matrix, pinned, int(support[center]), steps)
    for each in (support if shorter is None else _support(shorter), support):
        found = _proven(signed, residues, rows[each])
        if found is not None:
            return found
    return None


def _support(multipliers: Vector) -> Indices:
    sizes = np.abs(multipliers)
    return np.flatnonzero(sizes > NEGLIGIBLE * sizes.max())


def _proven(signed: SignedRows, residues: ResidueRows, rows: Indices) -> Conflict | None:
    """The multipliers of these rows that sum to zero, exactly; None unless they are a conflict."""
    elimination = Elimination(residues)
    elimination.extend(rows)
    others = sorted(set(rows.tolist()) - set(elimination.rows))
    if len(others) != 1:
        return None
    basis, row = signed.integers(elimination.rows), signed.row(others[0])
    system = BasisSystem(elimination, basis, lambda: None)
    found = system.combination(dense_values(row, range(signed.dim)))
    if found is None:
        return None
    bottom = -row.denominator * found.denominator
    parts = [Fraction(top, bottom) for top in found.numerators]
    pairs = sorted(zip([*elimination.rows, others[0]], [*parts, Fraction(1)], strict=True))
    pairs = [(i, part) for i, part in pairs if part]
    free = [part for i, part in pairs if not signed.pinned[i]]
    if free and max(free) < 0:
        pairs, free = [(i, -part) for i, part in pairs], [-part for part in free]
    return pairs if free and min(free) > 0 else None
