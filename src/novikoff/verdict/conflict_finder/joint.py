"""A conflict among the rows of a run that learns all classes together.

By Kesler's construction a row x of class y is compared with each other class j: some lines of
weights give every row's own class the highest score if and only if every (e_y - e_j) (x) x, (x)
being the Kronecker product, lies on the positive side of one hyperplane through 0. So a conflict is
one of comparisons. All lines may be moved by the same amount, which changes no comparison: the line
of the first class is 0 here, and has no columns.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from novikoff.data.sparse import csr
from novikoff.learning.inseparability import Conflict, RowReader
from novikoff.learning.learner import Learner
from novikoff.learning.rows import LearnerRows, Rows, features_of, make_rows, matrix_of, unweighted
from novikoff.learning.rules import Multiclass
from novikoff.verdict.conflict_finder.one_against_rest import PER_EPOCH, ConflictFinder
from novikoff.verdict.scan import Vector
from novikoff.verdict.signed import Indices, Signed


class JointConflictFinder(ConflictFinder):
    """Looks for a conflict of all classes together, anew at each question. Comparison k is that of
    row k // classes with the class k % classes.
    """

    def __init__(self, read: RowReader, classes: int) -> None:
        super().__init__(read, 1)
        self.classes, self.width = classes, self.dim
        self.dim = (classes - 1) * self.width
        self.cost += (classes - 1) * (self.cost - PER_EPOCH)  # of an epoch of all classes

    def _moves(self, epochs: int) -> list[Indices]:
        """How often each comparison was lost at the end of the later half of the epochs. To see
        that costs an epoch too, so there are half as many.
        """
        counts = np.zeros(self.count * self.classes, np.int64)
        learner: Learner | None = None
        rounds = max(1, epochs // 2)
        for epoch in range(rounds):
            for rows, codes, _ in self.read():
                learner = learner or self._learner(rows, unweighted(rows).unit_length)
                learner.read(unweighted(rows), codes, measure=epoch == 0)
            if learner is not None and epoch >= rounds // 2:
                counts += self._leads(learner) <= 0.0
        return [counts]

    def _scores(self, weights: Vector, positive: int) -> Vector:
        lines = np.vstack([np.zeros(self.width), weights.reshape(-1, self.width)])
        first = next(iter(self.read()))
        return self._leads(self._learner(first.rows, False, lines))

    def _learner(
        self, rows: LearnerRows, unit_length: bool, lines: npt.NDArray[np.float64] | None = None
    ) -> Learner:
        lift = {"bias": unweighted(rows).bias, "unit_length": unit_length}
        return Learner(Multiclass(), features_of(rows), self.classes, initial=lines, **lift)

    def _leads(self, learner: Learner) -> Vector:
        """For each comparison, how far ahead the row's own class is; of itself, infinite."""
        found = []
        for rows, codes, _ in self.read():
            plain = unweighted(rows)._replace(unit_length=learner.unit_length)
            scores, own = learner.answers(plain), (np.arange(len(codes)), codes)
            leads = scores[own][:, None] - scores
            leads[own] = np.inf
            found.append(leads.ravel())
        return np.concatenate(found)

    def _signed(self, chosen: Indices, positive: int) -> tuple[Signed, Indices]:
        """These comparisons, and their numbers in the data."""
        parts, numbers, before = [], [], 0
        numbered, rivals = np.divmod(chosen, self.classes)
        for rows, codes, known in self.read():
            inside = (numbered >= before) & (numbered < before + len(codes))
            places, others = numbered[inside] - before, rivals[inside]
            at, columns, values = _entries_of(unweighted(rows), places)
            own = codes[places].astype(np.int64)
            for code, sign in ((own, 1), (others, -1)):
                start = np.flatnonzero(inside)[0] if inside.any() else 0
                parts.append((start + at, (code[at] - 1) * self.width + columns, sign * values))
            numbers.append(known[places] * self.classes + others)
            before += len(codes)
        at, columns, values = (np.concatenate([part[k] for part in parts]) for k in range(3))
        kept = np.flatnonzero(columns >= 0)  # all but the line that is 0
        order = kept[np.lexsort((columns[kept], at[kept]))]
        starts = np.searchsorted(at[order], np.arange(len(chosen) + 1))
        matrix = csr(starts, columns[order], values[order], self.dim)
        rows = make_rows(matrix, False, False)
        return Signed(rows, np.ones(len(chosen), np.int8), None), np.concatenate(numbers)

    def _conflict(
        self, positive: int, terms: list[tuple[int, Fraction]], signs: set[int]
    ) -> Conflict:
        rows = [(number // self.classes, times) for number, times in terms]
        return Conflict(rows, signs, rivals=[number % self.classes for number, _ in terms])


def _entries_of(rows: Rows, places: Indices) -> tuple[Indices, Indices, Vector]:
    """The entries of these lifted rows that are not 0: place among them, column and value."""
    x = matrix_of(rows)[places]
    if isinstance(x, np.ndarray):
        at, columns = np.nonzero(x)
        values = x[at, columns]
    else:
        at, columns, values = (
            np.repeat(np.arange(len(places)), np.diff(x.indptr)),
            x.indices,
            x.data,
        )
    if rows.bias:
        count = len(places)
        ones = np.arange(count), np.full(count, features_of(rows)), np.ones(count)
        at, columns, values = map(np.concatenate, zip((at, columns, values), ones, strict=True))
    return at, columns.astype(np.int64), values.astype(np.float64)
