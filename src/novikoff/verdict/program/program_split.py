"""The split of all rows at once: a linear program suggests it, two exact solves prove it.

    1. Columns that separate by themselves take their rows out (`one_sided_columns`).
    2. Rows in the span of the pinned ones are on the boundary; the others go into the program
       (`linear_program`), which says of each whether it is, and suggests weights and multipliers.
    3. Independent rows of the boundary are found modulo a prime, sparsely (`elimination`).
    4. Weights: the program's values in the columns that are free, rounded, and the others so that
       w is orthogonal to the independent rows (`basis_system`). Every row is held against them,
       exactly.
    5. Multipliers: the program's, rounded; what they sum to instead of zero is small, and is solved
       away on the independent rows, exactly. There is room for that: each was at least 1.

Where a suggestion does not survive its proof, there is no split, and face by face is the way.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import scipy.sparse

from novikoff.verdict.exact import margins
from novikoff.verdict.exact.basis_system import BasisSystem
from novikoff.verdict.exact.elimination import Elimination, ResidueRows
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.program.linear_program import ProgramSolution, solve_split
from novikoff.verdict.program.one_sided_columns import OneSidedColumns
from novikoff.verdict.program.short_conflict import Conflict, find_short_conflict
from novikoff.verdict.program.split import Split
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import Signed, SignedRows

MULTIPLIER_BITS = 20  # after the point
WEIGHT_BITS = 31
LARGEST_MULTIPLIER = 2.0**40  # where the least is 1: beyond, rounding says nothing of the others
SMALL = 10_000  # numbers, which a search has decided before the program is set up
MOST_DENSE, MOST_PER_ROW = 0.25, 50  # non-zeros of a row: of its columns, and in all
MOST_NONZEROS = 5_000_000  # of all rows: they are brought to one place


def suits_program(signed: SignedRows) -> bool:
    """Whether rows are so sparse that the program is the first thing to try: dummies of factors.

    Dense rows have few faces, mostly one, and a search of them is faster.
    """
    if signed.count * signed.dim < SMALL:
        return False
    most = min(MOST_PER_ROW, MOST_DENSE * signed.dim) * signed.count
    return _nonzeros(signed) < most


def fits_program(signed: SignedRows) -> bool:
    """Whether the program is worth trying where one conflict is not all."""
    return _nonzeros(signed) < MOST_NONZEROS


def _nonzeros(signed: SignedRows) -> int:
    return sum(signed.map_pieces(nonzeros_of_piece)) + signed.bias * signed.count


def nonzeros_of_piece(piece: Signed) -> int:
    """The entries of rows in memory that are not zero, without the bias."""
    return int(np.count_nonzero(piece.rows.values))


class ProgramSplit:
    """The computation of one split.

    tick: called with what is being done; it raises when the time is over. deadline: when that is.
    """

    def __init__(
        self, signed: SignedRows, tick: Callable[[str], None], deadline: float | None
    ) -> None:
        self.signed, self._tick, self._deadline = signed, tick, deadline
        self.matrix: scipy.sparse.csr_array = self.signed.sparse(np.arange(self.signed.count))
        self.elimination = Elimination(ResidueRows(self.signed))

    def split(self, pairs: list[tuple[int, int]]) -> Split | None:
        """The split with its proofs; None if the program's suggestion cannot be proven.

        pairs: identical rows of opposite labels, of which the first is the conflict to show.
        """
        pinned = self.signed.pinned
        self._tick("looking at columns")
        columns = OneSidedColumns(self.matrix, pinned)

        def finding_directions() -> None:
            self._tick("finding directions")

        left = np.flatnonzero(columns.left)
        self.elimination.extend(np.flatnonzero(pinned), finding_directions)
        inner = left[self.elimination.outside(left)] if pinned.any() else left
        program = self._solve_program(inner)
        if program is None:
            return None
        on_boundary = pinned.copy()
        on_boundary[left] = True
        on_boundary[inner[program.strict]] = False
        self.elimination.extend(np.flatnonzero(on_boundary), finding_directions)
        rows = self.signed.integers(self.elimination.rows)
        system = BasisSystem(self.elimination, rows, lambda: self._tick("solving exactly"))
        separator = None
        if not on_boundary.all():
            separator = self._separator(system, columns, program, on_boundary)
            if separator is None:
                return None
        multipliers = self._multipliers(system, inner, program, on_boundary)
        if multipliers is None:
            return None
        if pairs:
            conflict: Conflict | None = [(i, Fraction(1)) for i in pairs[0]]
        else:
            conflict = find_short_conflict(system, self.signed, self.matrix, on_boundary)
        if conflict is None:
            return None
        basis = self.elimination.rows
        proofs = separator, conflict, multipliers, basis, None
        return Split(on_boundary, *proofs, lists_all=True, elimination=self.elimination)

    def _solve_program(self, inner: Indices) -> ProgramSolution | None:
        if not inner.size:
            none, weights = np.empty(0, np.int64), np.zeros(self.signed.dim)
            return ProgramSolution(np.empty(0, np.bool_), weights, np.empty(0), none)
        self._tick("solving a linear program")
        held = self.matrix[self.elimination.rows]
        return solve_split(self.matrix[inner], held, self._deadline)

    def _separator(
        self,
        system: BasisSystem,
        columns: OneSidedColumns,
        program: ProgramSolution,
        on_boundary: Mask,
    ) -> Rational | None:
        weights: Rational | None = Rational([0] * self.signed.dim, 1)
        if program.strict.any():
            weights = system.orthogonal_vector(self._rounded(program.weights))
        if weights is None:
            return None
        separator = columns.add_to(weights)
        if separator is None:
            return None
        signs = margins.score_signs(self.signed, separator.numerators)
        return separator if (signs == np.where(on_boundary, 0, 1)).all() else None

    def _rounded(self, weights: Vector) -> dict[int, int]:
        """The weights in the free columns as integers; the unit does not matter."""
        free = self.elimination.free_columns()
        rounded = margins.round_to_bits(weights, WEIGHT_BITS) if weights.any() else weights
        return {column: int(rounded[column]) for column in free}

    def _multipliers(
        self, system: BasisSystem, inner: Indices, program: ProgramSolution, on_boundary: Mask
    ) -> dict[int, Fraction] | None:
        """A positive multiplier for each boundary row that is not pinned; they sum to zero."""
        on = ~program.strict
        if program.multipliers.max(initial=0.0) > LARGEST_MULTIPLIER:
            return None
        whole = np.rint(np.ldexp(program.multipliers[on], MULTIPLIER_BITS)).astype(np.int64)
        powers = (program.exponents[on] - MULTIPLIER_BITS).tolist()
        free = np.flatnonzero(on_boundary & ~self.signed.pinned).tolist()
        found = dict.fromkeys(free, Fraction(1))
        for i, top, power in zip(inner[on].tolist(), whole.tolist(), powers, strict=True):
            found[i] = Fraction(top << max(power, 0), 1 << max(-power, 0))
        total = margins.combination_sum(self.signed, sorted(found.items()))
        if any(total.numerators):
            change = system.combination([-top for top in total.numerators])
            if change is None:
                return None
            bottom = change.denominator * total.denominator
            for i, top in zip(self.elimination.rows, change.numerators, strict=True):
                if top:
                    found[i] = found.get(i, Fraction(0)) + Fraction(top, bottom)
        negative = any(part <= 0 and not self.signed.pinned[i] for i, part in found.items())
        return None if negative else dict(sorted(found.items()))
