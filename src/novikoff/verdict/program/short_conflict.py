"""A conflict to read: few rows, and within one level of a factor where there is such.

Any positive combination of boundary rows that sums to zero proves the point; the one to show is
short. Rows that share a column are tried first, the shortest column first, then all rows. A linear
program gives a basic solution, which uses few rows; its multipliers are then solved exactly.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import scipy.sparse

from novikoff.verdict.exact.basis_system import BasisSystem
from novikoff.verdict.exact.elimination import Elimination, ResidueRows
from novikoff.verdict.program.linear_program import solve_combination
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import SignedRows, dense_values

MOST_COLUMNS = 12  # that are tried one by one
MOST_ROWS = 200  # of a column that is tried
NEIGHBOURS = 300, 1000  # rows of a neighbourhood that is tried
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
    for some in _candidate_sets(matrix[rows], signed.pinned[rows]):
        found = _conflict_within(signed, residues, matrix, rows[some], MOST_STEPS)
        if found is not None:
            return found
    found = _with_pinned_rows(system, signed, free)
    return found or _conflict_within(signed, residues, matrix, rows, None)


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


def _candidate_sets(matrix: scipy.sparse.csr_array, pinned: Mask) -> Iterator[Indices]:
    """Yield sets of rows: those that use a column, few to begin with; larger and larger
    neighbourhoods of such a column.
    """
    columns = matrix.tocsc()
    lengths = np.diff(columns.indptr)
    order = np.argsort(lengths, kind="stable")
    found = []
    for column in order[(lengths[order] > 1) & (lengths[order] <= MOST_ROWS)].tolist():
        part = slice(columns.indptr[column], columns.indptr[column + 1])
        some, values = columns.indices[part], columns.data[part]
        held = pinned[some]
        if not held.all() and (held.any() or values.min() < 0.0 < values.max()):
            found.append(np.sort(some))
        if len(found) == MOST_COLUMNS:
            break
    yield from found
    if found:
        for most in NEIGHBOURS:
            yield _neighbourhood(matrix, columns, found[-1], most)


def _neighbourhood(
    matrix: scipy.sparse.csr_array, columns: scipy.sparse.csc_array, rows: Indices, most: int
) -> Indices:
    """These rows, those that share a short column with one of them, and so on: about `most`."""
    lengths = np.diff(columns.indptr)
    while True:
        used = np.unique(matrix[rows].indices)
        more = np.unique(columns[:, used[lengths[used] <= MOST_ROWS]].indices)
        if len(more) == len(rows) or len(rows) >= most:
            return rows[:most]
        rows = more


def _conflict_within(
    signed: SignedRows,
    residues: ResidueRows,
    matrix: scipy.sparse.csr_array,
    rows: Indices,
    steps: int | None,
) -> Conflict | None:
    pinned = signed.pinned[rows]
    suggested = solve_combination(matrix[rows], pinned, steps=steps)
    if suggested is None:
        return None
    support = _support(suggested)
    center = int(np.argmax(np.where(pinned[support], 0.0, suggested[support])))
    shorter = solve_combination(matrix[rows], pinned, int(support[center]), steps)
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
