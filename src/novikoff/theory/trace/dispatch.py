"""Passes batches of updates to a theorem's checker, and the resulting table to its consumers."""

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
TOGETHER = 2**12  # updates checked at once: one by one they would cost a call for each epoch


class UpdateDispatcher:
    """Passes updates to a checker: an exact one if asked for, or if that is little work."""

    def __init__(
        self,
        theorem: Theorem,
        signed: Signed,
        exact: bool | None,
        consumers: list[Callable[[dict[str, Any]], None]],
        weights: ReplayedWeights | None = None,
    ) -> None:
        self._theorem, self._signed, self._consumers = theorem, signed, consumers
        self._weights = weights  # where the table shall have them
        self._undecided = exact is None and theorem.rational and not signed.unit_length
        self._waiting: list[UpdateBatch] = []
        self._wait, self._work, self._k = 0, 0, 0
        self._checker = None if self._undecided else theorem.checker(bool(exact))

    @property
    def checker(self) -> TheoremChecker:
        """The checker, once it is decided which."""
        assert self._checker is not None
        return self._checker

    def add(self, updates: UpdateBatch) -> None:
        """Take the next updates."""
        self._waiting.append(updates)
        self._wait += len(updates.rows)
        if self._undecided:
            self._work += len(updates.rows) * self._signed.dim * self._relative_cost(updates)
            if self._work > EXACT_WORK:
                self._decide(exact=False)
        elif self._wait >= TOGETHER:
            self._flush()

    def finish(self) -> None:
        """Check what is left: there are no more."""
        if self._undecided:
            self._decide(exact=True)
        self._flush()
        if not self._k:
            self._dispatch(NO_UPDATES)  # so that the table has its columns

    def _relative_cost(self, updates: UpdateBatch) -> int:
        """How much longer than usual a coordinate takes, by the digits of the last row."""
        if not len(updates.rows):
            return 1
        row = self._signed.row(int(updates.rows[-1]))
        digits = max((value.bit_length() for value in row.values), default=1)
        return self._theorem.cost * (1 + (digits + row.denominator.bit_length()) // 256)

    def _decide(self, exact: bool) -> None:
        self._undecided, self._checker = False, self._theorem.checker(exact)
        self._flush()

    def _flush(self) -> None:
        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            self._waiting, self._wait = [], 0
            self._dispatch(UpdateBatch(*map(np.concatenate, columns)))

    def _dispatch(self, updates: UpdateBatch) -> None:
        if not len(updates.rows) and updates is not NO_UPDATES:
            return
        each = PART // self._signed.dim + 1
        for start in range(0, max(1, len(updates.rows)), each):
            self._emit(updates.part(start, start + each))

    def _emit(self, updates: UpdateBatch) -> None:
        table = self.checker.check(updates)
        k = np.arange(self._k + 1, self._k + 1 + len(updates.rows))
        self._k += len(updates.rows)
        signed = self._signed
        table = {
            "update": k,
            "epoch": updates.epochs,
            "row": updates.rows,
            "label": signed.signs[updates.rows].astype(np.int64),
            "score": updates.scores,
            "mistake": updates.mistakes,
        } | table
        if self._weights is not None:
            table |= weight_columns(self._weights.after(updates), signed.bias)
        for consume in self._consumers:
            consume(table)
