"""Handing a run's updates to who follows them, and their table to who keeps it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.theory.trace.theorems.theorems import Theorem, TheoremChecker
from novikoff.theory.trace.update_log import UpdateBatch
from novikoff.theory.trace.weights import ReplayedWeights, weight_columns
from novikoff.verdict.signed import Signed

WHOLE, NUMBER = np.empty(0, np.int64), np.empty(0)
NO_UPDATES = UpdateBatch(WHOLE, NUMBER, np.empty(0, np.bool_), WHOLE, NUMBER)
EXACT_WORK = 2_000_000  # coordinates passed over the rationals, about two seconds' worth
PART = 2**22  # weights of a table in the making
TOGETHER = 2**12  # updates handed on at once: one by one they would cost a call for each epoch


class UpdateDispatcher:
    """Hands updates to a follower: an exact one if asked for, or as long as that is little work."""

    def __init__(
        self,
        story: Theorem,
        signed: Signed,
        exact: bool | None,
        takers: list[Callable[[dict[str, Any]], None]],
        weights: ReplayedWeights | None = None,
    ) -> None:
        self._theorem, self._signed, self._consumers = story, signed, takers
        self._weights = weights  # where the table shall have them
        self._undecided = exact is None and story.rational and not signed.unit_length
        self._waiting: list[UpdateBatch] = []
        self._wait, self._work, self._k = 0, 0, 0
        self._checker = None if self._undecided else story.follower(bool(exact))

    @property
    def checker(self) -> TheoremChecker:
        """Who follows."""
        if self._checker is None:
            raise AssertionError("no follower yet")
        return self._checker

    def add(self, moves: UpdateBatch) -> None:
        """The next updates."""
        self._waiting.append(moves)
        self._wait += len(moves.rows)
        if self._undecided:
            self._work += len(moves.rows) * self._signed.dim * self._relative_cost(moves)
            if self._work > EXACT_WORK:
                self._decide(exact=False)
        elif self._wait >= TOGETHER:
            self._flush()

    def finish(self) -> None:
        """There are no more."""
        if self._undecided:
            self._decide(exact=True)
        self._flush()
        if not self._k:
            self._dispatch(NO_UPDATES)  # so that a file has its columns

    def _relative_cost(self, moves: UpdateBatch) -> int:
        """How much longer than usual a coordinate takes, by the digits of the last row."""
        if not len(moves.rows):
            return 1
        row = self._signed.row(int(moves.rows[-1]))
        digits = max((value.bit_length() for value in row.values), default=1)
        return self._theorem.weight * (1 + (digits + row.denominator.bit_length()) // 256)

    def _decide(self, exact: bool) -> None:
        self._undecided, self._checker = False, self._theorem.follower(exact)
        self._flush()

    def _flush(self) -> None:
        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            self._waiting, self._wait = [], 0
            self._dispatch(UpdateBatch(*map(np.concatenate, columns)))

    def _dispatch(self, moves: UpdateBatch) -> None:
        if not len(moves.rows) and moves is not NO_UPDATES:
            return
        each = PART // self._signed.dim + 1
        for start in range(0, max(1, len(moves.rows)), each):
            self._emit(moves.part(start, start + each))

    def _emit(self, moves: UpdateBatch) -> None:
        table = self.checker.follow(moves)
        k = np.arange(self._k + 1, self._k + 1 + len(moves.rows))
        self._k += len(moves.rows)
        signed = self._signed
        table = {
            "update": k,
            "epoch": moves.epochs,
            "row": moves.rows,
            "label": signed.signs[moves.rows].astype(np.int64),
            "score": moves.scores,
            "mistake": moves.mistakes,
        } | table
        if self._weights is not None:
            table |= weight_columns(self._weights.after(moves), signed.bias)
        for taker in self._consumers:
            taker(table)
