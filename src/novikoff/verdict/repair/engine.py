"""The fewest rows whose removal leaves the rest separable: a bracket that closes from both sides.

Above: the rows that some hyperplane has on its wrong side or on itself; soft margins suggest
hyperplanes, and every separator of a part of the rows that turns up on the way is another. Below:
conflicts, each of which must lose a row (`hitting_set`). Implicit hitting sets: whatever set of
rows meets all conflicts so far, either the rest is separable, and the set is an answer, or it has
conflicts that the set misses, and these come next; disjoint ones, as many as there are.
"""

import time
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from novikoff.errors import DataError
from novikoff.verdict.certificate import Combination
from novikoff.verdict.certificate.repair_claim import Node
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.repair.hitting_set import TOLERANCE, HittingSet, Relaxation
from novikoff.verdict.repair.problem import RepairProblem
from novikoff.verdict.repair.result import RepairStage, RepairWatch
from novikoff.verdict.scan import Indices, Mask
from novikoff.verdict.search.min_norm_point import ZERO, compile_search
from novikoff.verdict.search.points import ColumnScaling, Suggestion
from novikoff.verdict.search.search import Face, OutOfTimeError, Search, as_rational
from novikoff.verdict.soft_margin import SoftMarginProblem

PENALTIES = 0.01, 1.0, 100.0
REFITS = 8
MANY_NODES, SOME_NODES = 20_000, 200  # of a proof: where it is the last step, and before
PATIENCE = 30  # searches, before it pays to compile them


class RepairEngine:
    """The computation of one bracket: `lower` with its proof, `upper` with rows and separator."""

    def __init__(
        self, problem: RepairProblem, deadline: float | None, watch: RepairWatch | None = None
    ) -> None:
        self.problem, self.deadline, self.watch = problem, deadline, watch
        self.search = Search(problem.merged, deadline, self._report)
        self.hitting = HittingSet(problem)
        self._suggested: list[Suggestion] = []
        self._proven: dict[int, Combination | None] = {}
        self._scaling = ColumnScaling.equalized(problem.merged.scan.maxima)
        self._careful = False  # once floating point was wrong, nothing is left to it
        self._decisions = 0
        self.lower = Fraction(0)
        self.proof: list[Node] = [[]]
        self.upper: Fraction | None = None
        self.removed: Indices = np.flatnonzero(problem.movable)
        self.separator = Rational([0] * problem.merged.dim, 1)
        self.free = problem.costs == 0.0  # these are never missed

    def _report(self, doing: str) -> None:
        if self.watch is not None:
            self.watch(RepairStage(doing, self.lower, self.upper, len(self._suggested)))

    @property
    def closed(self) -> bool:
        return self.lower == self.upper

    def run(self) -> None:
        """Narrow the bracket until it is closed; OutOfTimeError after the deadline."""
        self._start()
        if not self.closed:
            self._try_soft_margins()
        self._price_rows(self.hitting.relax())
        while not self.closed:
            self._narrow()

    # Above

    def offer(self, weights: Rational) -> bool:
        """Take up the rows that these weights leave on the wrong side, if they cost less."""
        signs = margins.score_signs(self.problem.merged, weights.numerators)
        removed = np.flatnonzero(signs <= 0)
        if not self.problem.movable[removed].all():
            return False
        cost = self.problem.cost(removed)
        if self.upper is not None and cost >= self.upper:
            return False
        self.upper, self.removed, self.separator = cost, removed, weights
        self._report("a better hyperplane")
        return True

    def settle(self) -> None:
        """Some upper bound, where there was no time for any: without it, all rows but trusted ones
        go.
        """
        self.deadline = self.search.deadline = None
        found = self._separator_of_trusted()
        self.offer(found)

    def _start(self) -> None:
        """Some upper bound, whatever the time; and conflicts that need no search."""
        self.offer(self._separator_of_trusted())
        merged = self.problem.merged
        if merged.bias and not self.problem.trusted:
            for side in (1, -1):
                self.offer(Rational([0] * merged.features + [side], 1))
        self._add_identical_rows()

    def _separator_of_trusted(self) -> Rational:
        self._careful = bool(self.problem.trusted)
        found = self._decide(self.problem.movable)
        self._careful = False
        if not isinstance(found, Rational):
            rows = ", ".join(str(i) for i in self.problem.owners[np.sort(found.rows)])
            raise DataError(
                f"the trusted rows contradict each other: no hyperplane separates rows {rows}."
                " Trust fewer rows"
            )
        return found

    def _add_identical_rows(self) -> None:
        """Add the conflicts of equal rows with opposite labels, all of them."""
        merged, seen = self.problem.merged, dict[object, int]()
        prints = np.concatenate([*merged.fingerprints_in_parts()])
        _, inverse, counts = np.unique(prints, return_inverse=True, return_counts=True)
        shared = np.flatnonzero((counts[inverse] > 1) & ~self.free)
        for k, key in zip(shared.tolist(), merged.row_keys(shared), strict=True):
            other = seen.setdefault(key, k)
            if other != k:
                pair = np.array([other, k])
                self._add(Suggestion(pair, np.ones(2), np.zeros(merged.dim), 0.0, ZERO))

    def _try_soft_margins(self) -> None:
        """Fit soft margins; then again without the rows that they leave on the wrong side."""
        problem = SoftMarginProblem(self.problem.merged)
        largest = self.problem.costs[self.problem.movable].max(initial=1.0)
        costs = np.where(self.problem.movable, self.problem.costs / (largest or 1.0), 100.0)
        for penalty in PENALTIES:
            left = costs
            for _ in range(REFITS):
                self.search.tick("fitting soft margins")
                found = problem.fit(penalty, left)
                if found is None or not np.isfinite(found.weights).all():
                    break
                better = self.offer(as_rational(found.weights))
                again = np.where(found.scores <= 0.0, 0.0, costs)
                if not better and (again == left).all():
                    break
                left = again

    # Below

    def _decide(self, excluded: Mask) -> Rational | Suggestion:
        """A separator of all rows but the excluded ones, exactly; or what floating point takes for
        a conflict among them, which is proven when a bound rests on it.
        """
        if excluded.all():
            return Rational([0] * self.problem.merged.dim, 1)
        search, face = self.search, Face([], excluded)
        self._decisions += 1
        if self._decisions == PATIENCE:
            compile_search()
        found = search.suggest(search.points(self._scaling, face), face)
        if found.weights.any() and search.separates(found.weights, face):
            return as_rational(found.weights)
        if self._careful or found.status != ZERO:
            solved = search.solve_exactly(self._scaling, face, found.rows, found.multipliers)
            if solved.weights is not None:
                return solved.weights
            parts = np.array([float(each) for each in solved.multipliers])
            return found._replace(rows=np.array(solved.rows, np.int64), multipliers=parts)
        return found

    def _add(self, conflict: Suggestion) -> None:
        self._suggested.append(conflict)
        self.hitting.add(conflict.rows.tolist())

    def conflict(self, place: int) -> Combination | None:
        """A conflict exactly; None if floating point was wrong about it."""
        if place not in self._proven:
            found, others = self._suggested[place], np.ones(self.problem.merged.count, np.bool_)
            others[found.rows] = False
            solved = self.search.solve_exactly(
                self._scaling, Face([], others), found.rows, found.multipliers
            )
            terms = sorted(zip(solved.rows, solved.multipliers, strict=True))
            self._proven[place] = terms if solved.weights is None else None
        return self._proven[place]

    def _are_proven(self, proof: list[Node]) -> bool:
        """Prove all conflicts that a proof rests on; where one is none, the proof is void."""
        places = {place for node in proof if isinstance(node, list) for place, _ in node}
        false = {place for place in places if self.conflict(place) is None}
        self._careful = self._careful or bool(false)
        self.hitting.drop(false)
        return not false

    def _complete(self, hitting: Indices) -> int:
        """Remove these rows, and from every conflict that is left the row that most conflicts
        have, until the rest is separable; how many conflicts were new.
        """
        used, added = self._mask(hitting) | self.free, 0
        while isinstance(found := self._decide(used), Suggestion):
            self._add(found)
            added += 1
            movable = [k for k in found.rows.tolist() if self.problem.movable[k]]
            used[max(movable, key=self._suspicion)] = True
        self.offer(found)
        return added

    def _suspicion(self, k: int) -> float:
        return float(self.hitting.degrees[k] / self.problem.costs[k])

    def _greedy(self) -> Indices:
        """A hitting set: rows that meet the most conflicts that are left, one by one."""
        left, chosen = [self.hitting.conflicts[k] for k in self.hitting.places], list[int]()
        while left:
            degrees: dict[int, int] = {}
            for rows in left:
                for k in rows:
                    degrees[k] = degrees.get(k, 0) + 1
            costs = self.problem.costs
            chosen.append(max(degrees, key=lambda k: (degrees[k] / costs[k], self._suspicion(k))))
            left = [rows for rows in left if chosen[-1] not in rows]
        return np.array(chosen, np.int64)

    def _price_rows(self, relaxed: Relaxation | None) -> int:
        """For each removed row, add a conflict with rows that are still free of charge.

        Were all of them disjoint, there would be one for each removed row, and the bracket closed.
        """
        if relaxed is None or self.closed:
            return 0
        removed = self._mask(self.removed)
        used = removed | (relaxed.hit > TOLERANCE) | self.free
        added = 0
        for k in sorted(self.removed.tolist(), key=lambda k: relaxed.hit[k]):
            if relaxed.hit[k] > 1.0 - TOLERANCE or self.free[k]:
                continue
            used[k] = False
            found = self._decide(used)
            used[k] = True
            if isinstance(found, Rational):
                if self.offer(found):
                    return added + 1
                continue
            self._add(found)
            added += 1
            used[found.rows] = True
            used[~self.problem.movable] = False
        return added

    def _narrow(self) -> None:
        """One round: the packing, then conflicts that it, or the cheapest hitting set, misses."""
        relaxed = self.hitting.relax()
        assert relaxed is not None  # no conflict consists of trusted rows
        packing, total = self.hitting.packing(relaxed.shares)
        self._raise(self.problem.exact.rounded_up(total), [packing])
        if self.closed or self._price_rows(relaxed):
            return
        if self._complete(self._greedy()):
            return
        self.search.tick("proving the bound")
        assert self.upper is not None
        found = self.hitting.prove(self.upper, self.deadline, SOME_NODES)
        if isinstance(found, list):
            self._raise(self.upper, found)
        else:
            self._close(self._minimum() if found is None else found, found is None)

    def _minimum(self) -> Indices:
        self.search.tick("looking for a smaller hitting set")
        left = None if self.deadline is None else self.deadline - time.monotonic()
        found = self.hitting.minimum(left)
        if found is None:
            raise OutOfTimeError
        return found

    def _close(self, hitting: Indices, is_minimum: bool) -> None:
        """Add the conflicts that a hitting set misses; if there are none and it is a cheapest one,
        prove that.
        """
        if self._complete(hitting) or not is_minimum:
            return
        cost = self.problem.cost(hitting)
        self.search.tick("proving the bound")
        proof = self.hitting.prove(cost, self.deadline, MANY_NODES)
        if not isinstance(proof, list):
            raise OutOfTimeError  # it cannot be proven within reason
        self._raise(cost, proof)

    def _raise(self, bound: Fraction, proof: list[Node]) -> None:
        if bound > self.lower and self._are_proven(proof):
            self.lower, self.proof = bound, proof
            self._report("a better bound")

    def _mask(self, rows: Iterable[int]) -> Mask:
        mask = np.zeros(self.problem.merged.count, np.bool_)
        mask[np.asarray(rows, np.int64)] = True
        return mask
