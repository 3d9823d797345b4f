"""The split of many rows by row generation: a program of some of them, until all others agree.

    1. The split of some rows by a program, with its proofs (`program_split`): weights w, and
       positive multipliers of the boundary O, sum of multiplier * z = 0.
    2. All rows are held against w, exactly. Of those that contradict it, z . w < 0, or z . w != 0
       where they are pinned, some join, and it is done again.
    3. Rows with z . w = 0 that are in the span of O are on the boundary. Of those that are not,
       some join, and it is done again.
    4. The boundary rows that never joined sum to a combination of independent rows of O,
       sum of z = sum of part_j * z_j. So multiplier * t - part on O, and 1 on each of them, sum to
       zero; they are positive for t large enough.

Every round adds rows, so it ends. What the last step cannot prove, an unlucky prime's span, is not
claimed.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from novikoff.verdict.exact import margins
from novikoff.verdict.exact.basis_system import BasisSystem
from novikoff.verdict.exact.elimination import rows_outside
from novikoff.verdict.exact.row_space import eliminate, spaced
from novikoff.verdict.program.program_split import ProgramSplit, fits_program
from novikoff.verdict.program.split import Split
from novikoff.verdict.scan import Indices
from novikoff.verdict.signed import Signed, SignedRows

FIRST_ROWS = 8  # for each column, to begin with


def is_long(signed: SignedRows) -> bool:
    """Whether there are so many rows for each column that some of them will do."""
    return signed.count > 2 * FIRST_ROWS * signed.dim


class RowGeneration:
    """The computation of one split of many rows; for tick and deadline see `ProgramSplit`."""

    def __init__(
        self, signed: SignedRows, tick: Callable[[str], None], deadline: float | None
    ) -> None:
        self.signed, self._tick, self._deadline = signed, tick, deadline

    def split(self, pairs: list[tuple[int, int]]) -> Split | None:
        """The split with its proofs; None if a program's suggestion cannot be proven, or too many
        rows matter.

        pairs: identical rows of opposite labels, of which the first is the conflict to show.
        """
        rows = np.union1d(self._first_rows(), np.array(pairs[:1], np.int64).ravel())
        while True:
            part = self.signed.subset(rows)
            if not fits_program(part):
                return None
            first = [(int(i), int(j)) for i, j in np.searchsorted(rows, pairs[:1])]
            found = ProgramSplit(part, self._tick, self._deadline).split(first)
            if found is None:
                return None
            self._tick("holding all rows against it")
            more, others = self._compare(found, rows)
            if not more.size:
                return self._of_all(found, part, rows, others)
            rows = np.union1d(rows, spaced(more, len(rows)))

    def _first_rows(self) -> Indices:
        """Pinned rows that span all of them, and some of each kind."""
        pinned = self.signed.pinned
        first = spaced(np.flatnonzero(~pinned), FIRST_ROWS * self.signed.dim)
        if not pinned.any():
            return first
        rows = np.flatnonzero(pinned)
        chosen, _, elimination = eliminate(
            self.signed, rows, lambda: self._tick("finding directions")
        )
        more = spaced(rows, FIRST_ROWS * self.signed.dim)  # for a short conflict
        return np.union1d(np.union1d(first, more), chosen[elimination.rows])

    def _compare(self, found: Split, rows: Indices) -> tuple[Indices, Indices]:
        """Rows that the split of `rows` is wrong about; if there are none, those of all others that
        are on the boundary.
        """
        signs = np.zeros(self.signed.count, np.int8)
        if found.separator is not None:
            signs = margins.score_signs(self.signed, found.separator.numerators)
        signs[rows] = 1  # known
        wrong = np.flatnonzero(np.where(self.signed.pinned, signs != 0, signs < 0))
        wrong = np.setdiff1d(wrong, rows, assume_unique=True)
        if wrong.size:
            return wrong, wrong
        others = np.flatnonzero(signs == 0)
        free = others[~self.signed.pinned[others]]
        if free.size and not found.conflict:  # there is one: it has to be shown
            return free, others
        assert found.elimination is not None
        return rows_outside(self.signed, others, found.elimination), others

    def _of_all(self, found: Split, part: Signed, rows: Indices, others: Indices) -> Split | None:
        """The split of all rows, from that of some and the other boundary rows."""
        on_boundary = np.zeros(self.signed.count, np.bool_)
        on_boundary[rows] = found.on_boundary
        on_boundary[others] = True
        spanning = {int(rows[i]): multiplier for i, multiplier in found.spanning.items()}
        free = others[~self.signed.pinned[others]]
        if free.size:
            parts = self._combination(found, part, rows, free)
            if parts is None:
                return None
            pinned = self.signed.pinned
            behind = [each / spanning[i] for i, each in parts.items() if each and not pinned[i]]
            times = int(max(behind, default=Fraction(0))) + 1
            spanning = {i: max(times, 1) * multiplier for i, multiplier in spanning.items()}
            for i, each in parts.items():
                spanning[i] = spanning.get(i, Fraction(0)) - each
            spanning |= dict.fromkeys(free.tolist(), Fraction(1))
        return found._replace(
            on_boundary=on_boundary,
            conflict=[(int(rows[i]), multiplier) for i, multiplier in found.conflict],
            spanning=dict(sorted(spanning.items())),
            basis=rows[found.basis].tolist(),
            elimination=None,
        )

    def _combination(
        self, found: Split, part: Signed, rows: Indices, others: Indices
    ) -> dict[int, Fraction] | None:
        """What independent boundary rows sum to the same as the others; None if none do."""
        assert found.elimination is not None
        total = margins.combination_sum(self.signed, [(i, 1) for i in others.tolist()])
        system = BasisSystem(
            found.elimination,
            part.integers(found.basis),
            lambda: self._tick("solving exactly"),
        )
        change = system.combination(total.numerators)
        if change is None:
            return None
        bottom = change.denominator * total.denominator
        pairs = zip(rows[found.basis].tolist(), change.numerators, strict=True)
        return {i: Fraction(top, bottom) for i, top in pairs}
