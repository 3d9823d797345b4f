"""The cheapest rows that meet every conflict, and proofs of what they must cost.

relaxation   maximise sum y over y >= 0 with sum of y over the conflicts that meet a row <= its
             cost: a packing. Its dual x is a fractional hitting set. HiGHS suggests, and y is
             rounded to rationals that fit exactly.
minimum      the same with x of 0 and 1: the hitting set itself, by HiGHS.
proof        branches on rows until the packing of every leaf proves the bound: see
             `certificate.repair_claim`.
"""

import math
import threading
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from flint import fmpq_mat

from novikoff.verdict.certificate.repair_claim import Node, Packing
from novikoff.verdict.exact import rank
from novikoff.verdict.repair.problem import RepairProblem
from novikoff.verdict.scan import Indices, Vector

SHARE_BITS = 30
TOLERANCE = 1e-7
LEAST_LOSS = 1e-12
MOST_EXACT = 300  # shares that are solved for exactly

NONE: frozenset[int] = frozenset()


class Relaxation(NamedTuple):
    """A packing: shares of conflicts, by their places; and the fractional hitting set x."""

    shares: Vector
    hit: Vector
    bound: float


class OutOfNodesError(Exception):
    """A proof would have too many branches."""


class CheaperSetError(Exception):
    """There is no proof: these rows are a hitting set that costs less."""

    def __init__(self, rows: Indices) -> None:
        self.rows = rows


class HittingSet:
    """The conflicts so far, each a set of merged rows that cost something."""

    def __init__(self, problem: RepairProblem) -> None:
        self.problem = problem
        self.conflicts: list[frozenset[int]] = []
        self.dropped: set[int] = set()
        self.degrees = np.zeros(len(problem.owners))  # how many conflicts meet each row
        self._costs = [problem.exact.costs.get(i) for i in problem.owners.tolist()]

    @property
    def places(self) -> list[int]:
        """The places of the conflicts that are not dropped."""
        return [k for k in range(len(self.conflicts)) if k not in self.dropped]

    def add(self, rows: Sequence[int]) -> None:
        """Add a conflict of merged rows; those that must stay do not count."""
        self.conflicts.append(frozenset(k for k in rows if self._costs[k] is not None))
        self.degrees[list(self.conflicts[-1])] += 1

    def drop(self, places: set[int]) -> None:
        """Forget conflicts that are none; the places of the others stay as they are."""
        for place in places:
            self.degrees[list(self.conflicts[place])] -= 1
            self.dropped.add(place)

    def relax(
        self, removed: frozenset[int] = NONE, kept: frozenset[int] = NONE
    ) -> Relaxation | None:
        """The best packing of the conflicts that no removed row meets; None if it has no bound:
        then all rows of some conflict are kept.
        """
        from scipy.optimize import linprog

        left = [k for k in self.places if not self.conflicts[k] & removed]
        shares, hit = np.zeros(len(self.conflicts)), np.zeros(len(self._costs))
        if not left:
            return Relaxation(shares, hit, 0.0)
        if any(self.conflicts[k] <= kept for k in left):
            return None
        rows, table = self._incidence(left, kept)
        costs = self.problem.costs[rows]
        found = linprog(-np.ones(len(left)), A_ub=table, b_ub=costs, method="highs")
        if found.status != 0:
            return Relaxation(shares, hit, 0.0)
        shares[left], hit[rows] = found.x, -found.ineqlin.marginals
        return Relaxation(shares, hit, float(-found.fun))

    def _incidence(self, left: list[int], kept: frozenset[int]) -> tuple[Indices, Any]:
        """The rows that conflicts meet, and a matrix with a column for each conflict."""
        parts = [sorted(self.conflicts[k] - kept) for k in left]
        sizes = [len(part) for part in parts]
        flat = np.array([row for part in parts for row in part], np.int64)
        rows, places = np.unique(flat, return_inverse=True)
        columns = np.repeat(np.arange(len(left)), sizes)
        table = (np.ones(len(flat)), (places, columns))
        return rows, scipy.sparse.csr_array(table, shape=(len(rows), len(left)))

    def packing(self, shares: Vector, kept: frozenset[int] = NONE) -> tuple[Packing, Fraction]:
        """An exact packing near these shares, and its sum."""
        whole = [int(each) for each in np.floor(np.ldexp(np.maximum(shares, 0.0), SHARE_BITS))]
        loads = self._loads(whole, kept)
        factor = Fraction(1)
        for row, load in loads.items():
            cost = self._costs[row]
            if cost is not None and load > cost * 2**SHARE_BITS:
                factor = min(factor, cost * 2**SHARE_BITS / load)
        found = [Fraction(math.floor(each * factor), 2**SHARE_BITS) for each in whole]
        if self._falls_short(sum(found, Fraction(0)), float(shares.sum())):
            found = self._vertex(shares, kept) or found
        packing = [(k, share) for k, share in enumerate(found) if share]
        return packing, sum(found, Fraction(0))

    def _falls_short(self, total: Fraction, suggested: float) -> bool:
        """Whether rounding lost what no rounding up to a possible cost brings back."""
        return float(self.problem.exact.rounded_up(total)) < suggested * (1.0 - LEAST_LOSS)

    def _loads(self, shares: Sequence[Any], kept: frozenset[int]) -> dict[int, Any]:
        loads: dict[int, Any] = {}
        for rows, share in zip(self.conflicts, shares, strict=True):
            if share:
                for row in rows - kept:
                    loads[row] = loads.get(row, 0) + share
        return loads

    def _vertex(self, shares: Vector, kept: frozenset[int]) -> list[Fraction] | None:
        """The shares exactly, as the solution of those limits that they reach; None if they are
        not, or there are too many.
        """
        used = np.flatnonzero(shares > TOLERANCE * shares.max(initial=0.0)).tolist()
        loads = self._loads(shares.tolist(), kept)
        costs = self.problem.costs
        tight = [row for row, load in loads.items() if load > costs[row] * (1.0 - TOLERANCE)]
        lines = [[int(row in self.conflicts[k] - kept) for k in used] for row in tight]
        if not used or not tight or len(used) > MOST_EXACT:
            return None
        chosen = rank.pivots(rank.modulo(lines).transpose())
        if len(chosen) != len(used):
            return None
        exact = [self._costs[tight[k]] or Fraction(0) for k in chosen]
        right = fmpq_mat(len(used), 1, [_flint(each) for each in exact])
        solved = fmpq_mat([[*lines[k]] for k in chosen]).solve(right)
        found = [Fraction(0)] * len(self.conflicts)
        for k, place in enumerate(used):
            found[place] = Fraction(int(solved[k, 0].p), int(solved[k, 0].q))
        loads = self._loads(found, kept)
        fits = all(load <= (self._costs[row] or 0) for row, load in loads.items())
        return found if fits and min(found) >= 0 else None

    def minimum(self, seconds: float | None) -> Indices | None:
        """A cheapest hitting set, as HiGHS finds it; None if it finds none in time."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        rows, table = self._incidence(self.places, NONE)
        options = {} if seconds is None else {"time_limit": max(0.01, seconds)}
        found: list[Any] = []

        def solve() -> None:
            solved = milp(
                self.problem.costs[rows],
                constraints=LinearConstraint(table.T.tocsr(), 1.0, np.inf),
                integrality=np.ones(len(rows)),
                bounds=Bounds(0.0, 1.0),
                options={**options, "mip_rel_gap": 0.0},
            )
            found.append(solved.x)

        solver = threading.Thread(target=solve, daemon=True)
        solver.start()
        while solver.is_alive():  # HiGHS does not hear Ctrl-C; whoever waits for it does
            solver.join(0.1)
        return rows[found[0] > 0.5] if found and found[0] is not None else None

    def prove(
        self, target: Fraction, deadline: float | None, most: int
    ) -> list[Node] | Indices | None:
        """A proof, in merged rows, that every hitting set costs at least the target; or a hitting
        set that costs less; None if it would take more nodes than this, or longer.
        """
        self._left, self._deadline = most, deadline
        try:
            return self._prove(target, NONE, NONE)
        except CheaperSetError as found:
            return found.rows
        except OutOfNodesError:
            return None

    def _prove(self, target: Fraction, removed: frozenset[int], kept: frozenset[int]) -> list[Node]:
        self._left -= 1
        late = self._deadline is not None and time.monotonic() > self._deadline
        if self._left < 0 or late:
            raise OutOfNodesError
        spent = self.problem.cost(np.array(sorted(removed), np.int64))
        relaxed = self.relax(removed, kept)
        if relaxed is None:  # a conflict without a limit
            k = next(k for k in self.places if self.conflicts[k] <= kept)
            return [[(k, max(target - spent, Fraction(1)))]]
        packing, total = self.packing(relaxed.shares, kept)
        if self.problem.exact.rounded_up(spent + total) >= target:
            return [packing]
        middle = np.abs(relaxed.hit - 0.5)
        row = int(np.argmin(middle))
        if middle[row] > 0.5 - TOLERANCE:
            raise CheaperSetError(np.union1d(np.flatnonzero(relaxed.hit > 0.5), sorted(removed)))
        first = self._prove(target, removed | {row}, kept)
        return [row, *first, *self._prove(target, removed, kept | {row})]


def _flint(value: Fraction) -> Any:
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)
