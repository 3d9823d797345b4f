"""A conflict among the rows of a run of learning, looked for at a limited cost.

Rows at which the perceptron goes on moving for ever contain a conflict: the mean of the k rows that
it moved at so far is no longer than D / sqrt(k), so that their hull comes as near to 0 as you like,
and there are finitely many sets of rows. So a few epochs of the perceptron choose rows, the nearest
point of their hull is looked for in floating point, and if it seems to be 0, the multipliers are
solved for over the rationals. A conflict of some rows is one of all.

If the nearest point is not 0, it is a hyperplane with all those rows right, and the rows that it
has most wrong join them. If it has none wrong, there is nothing to look for.

Cost is counted in what an epoch reads: the entries of rows that are not 0, and some more for each
row and epoch. So it is the same for dense and for sparse rows, on every machine. Half of what a
question may cost goes to the epochs, the other half to the search.
"""

from fractions import Fraction

import numpy as np

from novikoff.data.matrices import Codes
from novikoff.data.sparse import scipy_sparse
from novikoff.errors import DataError
from novikoff.learning.inseparability import FIRST, Conflict, NumberedRows, RowReader
from novikoff.learning.learner import Learner
from novikoff.learning.rows import Rows, features_of, length, make_rows, matrix_of, unweighted
from novikoff.learning.rules import Perceptron
from novikoff.verdict.scan import Scan, Signs, Vector
from novikoff.verdict.search.min_norm_point import STEPS, ZERO
from novikoff.verdict.search.points import ColumnScaling, Points, Suggestion
from novikoff.verdict.search.search import (
    ALL_ROWS,
    OutOfTimeError,
    Search,
    StalledError,
    solve_seconds,
)
from novikoff.verdict.signed import Indices, IntegerRow, Signed
from novikoff.verdict.warm_start import UpdateCounts

MOST_ROWS = 4  # for each coordinate, to begin the first search with; later ones take more
PER_ROW = 8  # entries that could be read in the time that a row takes by itself
PER_EPOCH, PER_STEP = 20_000, 60_000  # likewise, of an epoch, and of a step of the search
ENTRIES_PER_SECOND = 5e8  # that an epoch reads, about: exact solves are counted as so many
MOST_STEPS = 100  # of the search over the rationals


class Allowance:
    """What a search may still cost, in entries."""

    def __init__(self, entries: float) -> None:
        self.left = entries

    def spend(self, entries: float) -> None:
        """Count what is about to be done; OutOfTimeError if it is too much."""
        self.left -= entries
        if self.left < 0.0:
            raise OutOfTimeError


class ConflictFinder:
    """Looks for a conflict of one class with the rest, anew at each question."""

    def __init__(self, read: RowReader, learners: int) -> None:
        self.read, self.several = read, learners > 1
        self.positives = [*range(learners)] if self.several else [1]
        sizes = [(int(length(part.rows)), _entries(part)) for part in read()]
        self.count, entries = (sum(each) for each in zip(*sizes, strict=True))
        self.cost = entries + PER_EPOCH  # of an epoch of one class
        self.dim = max(features_of(part.rows) + unweighted(part.rows).bias for part in read())

    def find(self, epochs: int) -> Conflict | None:
        """A conflict, if one shows at half the cost of so many epochs."""
        if not self.positives:  # all are known to be separable
            return None
        classes = [*self.positives]
        left = epochs / 4 * self.cost * len(classes)
        try:
            moves = self._moves(epochs // 4)
        except DataError:  # its numbers overflow
            return None
        for positive, counts in zip(classes, moves, strict=True):
            moved = np.flatnonzero(counts)
            heaviest = moved[np.argsort(-counts[moved], kind="stable")]
            most = MOST_ROWS * self.dim * epochs // FIRST
            allowance = Allowance(left / (len(classes) - classes.index(positive)))
            left -= allowance.left
            try:
                found = self._search(positive, heaviest[:most], allowance)
            except (OutOfTimeError, StalledError, DataError):
                found = None
            if found is not None:
                return found
            left += max(0.0, allowance.left)
        return None

    def _search(self, positive: int, chosen: Indices, allowance: Allowance) -> Conflict | None:
        """Look for a conflict among these rows, and more as hyperplanes have them wrong."""
        if not chosen.size:  # the perceptron was right on all rows
            self.positives.remove(positive)
            return None
        while True:
            signed, numbers = self._signed(np.sort(chosen), positive)
            search = LimitedSearch(signed, allowance)
            scaling = ColumnScaling.equalized(signed.scan.maxima)
            found = search.nearest(scaling)
            if found.status == ZERO:
                break
            allowance.spend(self.cost)
            scores = self._scores(found.weights, positive)
            if scores.min() > 0.0:
                self.positives.remove(positive)
                return None
            lowest = np.argsort(scores, kind="stable")[: self.dim]
            more = np.setdiff1d(lowest[scores[lowest] <= 0.0], chosen)
            if not more.size:
                return None
            chosen = np.concatenate([chosen, more])
        solved = search.solve_exactly(scaling, ALL_ROWS, found.rows, found.multipliers, MOST_STEPS)
        if solved.weights is not None:
            return None
        terms = sorted(zip(numbers[solved.rows].tolist(), solved.multipliers, strict=True))
        signs = {int(sign) for sign in signed.signs[solved.rows]}
        return self._conflict(positive, terms, signs)

    def _conflict(
        self, positive: int, terms: list[tuple[int, Fraction]], signs: set[int]
    ) -> Conflict:
        return Conflict(terms, signs, positive if self.several else None)

    def _moves(self, epochs: int) -> list[Indices]:
        """For each class, how often the perceptron moved at each row in the later half of so many
        epochs.
        """
        learners: list[Learner] = []
        moves = [np.zeros(self.count, np.int64) for _ in self.positives]
        for epoch in range(epochs):
            if 0 < epoch <= epochs // 2:
                moves = [np.zeros_like(counts) for counts in moves]
            before = 0
            for rows, codes, _ in self.read():
                plain, stop = unweighted(rows), before + int(length(rows))
                learners = learners or [_perceptron(plain) for _ in moves]
                for learner, positive, counts in zip(learners, self.positives, moves, strict=True):
                    log, own = UpdateCounts(counts[before:stop]), (codes == positive)
                    learner.read(plain, own.astype(np.uint16), measure=epoch == 0, log=log)
                before = stop
        return moves

    def _signed(self, chosen: Indices, positive: int) -> tuple[Signed, Indices]:
        """These rows, and their numbers in the data."""
        matrices, signs, numbers, before, bias = [], [], [], 0, False
        for rows, codes, known in self.read():
            plain, stop = unweighted(rows), before + int(length(rows))
            inside = chosen[(chosen >= before) & (chosen < stop)] - before
            matrices.append(matrix_of(plain)[inside])
            signs.append(_signs(codes[inside], positive))
            numbers.append(known[inside])
            before, bias = stop, plain.bias
        dense = isinstance(matrices[0], np.ndarray)
        matrix = np.vstack(matrices) if dense else scipy_sparse().vstack(matrices, format="csr")
        signed = Signed(make_rows(matrix, bias, False), np.concatenate(signs), None)
        return signed, np.concatenate(numbers)

    def _scores(self, weights: Vector, positive: int) -> Vector:
        """z . w of every row, as floating point sees it."""
        found = []
        for rows, codes, _ in self.read():
            plain = unweighted(rows)._replace(unit_length=False)
            found.append(Scan(plain, _signs(codes, positive), survey=False).scores(weights))
        return np.concatenate(found)


class LimitedSearch(Search):
    """A search that may cost no more than is allowed."""

    def __init__(self, signed: Signed, allowance: Allowance) -> None:
        super().__init__(signed)
        self.allowance = allowance

    def nearest(self, scaling: ColumnScaling) -> Suggestion:
        """The nearest point of all rows, in as many steps as may be had."""
        count, dim = self.signed.count, self.signed.dim
        points = Points(self.signed, scaling, [])
        if points.wide:
            self.allowance.spend(float(count) ** 3)
            dim = count
        self.allowance.spend(count * dim)
        points.add(np.arange(count))
        most = min(count, dim)
        each = PER_STEP + count * dim + 4 * most * dim + most * most
        steps = min(int(self.allowance.left // each), STEPS)
        found = points.suggest(steps)
        self.allowance.spend(each * min(points.steps, steps))
        return found

    def refuse_late_solve(self, rows: list[IntegerRow]) -> None:
        self.allowance.spend(solve_seconds(rows) * ENTRIES_PER_SECOND)


def _entries(part: NumberedRows) -> int:
    """What it costs to read these rows once."""
    rows = unweighted(part.rows)
    return int(np.count_nonzero(rows.values)) + PER_ROW * int(length(rows))


def _perceptron(rows: Rows) -> Learner:
    return Learner(Perceptron(), features_of(rows), bias=rows.bias, unit_length=rows.unit_length)


def _signs(codes: Codes, positive: int) -> Signs:
    return np.where(codes == positive, 1, -1).astype(np.int8)
