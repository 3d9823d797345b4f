"""Handing a run's updates to who follows them, and their table to who keeps it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.signed import Signed
from novikoff.tracing.record import Moves
from novikoff.tracing.stories import Follower, Story
from novikoff.tracing.weights import Weights, named

WHOLE, NUMBER = np.empty(0, np.int64), np.empty(0)
NO_MOVES = Moves(WHOLE, NUMBER, np.empty(0, np.bool_), WHOLE, NUMBER)
EXACT_WORK = 2_000_000  # coordinates passed over the rationals, about two seconds' worth
PART = 2**22  # weights of a table in the making
TOGETHER = 2**12  # updates handed on at once: one by one they would cost a call for each epoch


class Following:
    """Hands updates to a follower: an exact one if asked for, or as long as that is little work."""

    def __init__(
        self,
        story: Story,
        signed: Signed,
        exact: bool | None,
        takers: list[Callable[[dict[str, Any]], None]],
        weights: Weights | None = None,
    ) -> None:
        self._story, self._signed, self._takers = story, signed, takers
        self._weights = weights  # where the table shall have them
        self._undecided = exact is None and story.rational and not signed.unit_length
        self._waiting: list[Moves] = []
        self._wait, self._work, self._k = 0, 0, 0
        self._follower = None if self._undecided else story.follower(bool(exact))

    @property
    def follower(self) -> Follower:
        """Who follows."""
        if self._follower is None:
            raise AssertionError("no follower yet")
        return self._follower

    def take(self, moves: Moves) -> None:
        """The next updates."""
        self._waiting.append(moves)
        self._wait += len(moves.rows)
        if self._undecided:
            self._work += len(moves.rows) * self._signed.dim * self._weight(moves)
            if self._work > EXACT_WORK:
                self._decide(exact=False)
        elif self._wait >= TOGETHER:
            self._hand_on_waiting()

    def end(self) -> None:
        """There are no more."""
        if self._undecided:
            self._decide(exact=True)
        self._hand_on_waiting()
        if not self._k:
            self._hand_on(NO_MOVES)  # so that a file has its columns

    def _weight(self, moves: Moves) -> int:
        """How much longer than usual a coordinate takes, by the digits of the last row."""
        if not len(moves.rows):
            return 1
        row = self._signed.row(int(moves.rows[-1]))
        digits = max((value.bit_length() for value in row.values), default=1)
        return self._story.weight * (1 + (digits + row.denominator.bit_length()) // 256)

    def _decide(self, exact: bool) -> None:
        self._undecided, self._follower = False, self._story.follower(exact)
        self._hand_on_waiting()

    def _hand_on_waiting(self) -> None:
        if self._waiting:
            columns = zip(*self._waiting, strict=True)
            self._waiting, self._wait = [], 0
            self._hand_on(Moves(*map(np.concatenate, columns)))

    def _hand_on(self, moves: Moves) -> None:
        if not len(moves.rows) and moves is not NO_MOVES:
            return
        each = PART // self._signed.dim + 1
        for start in range(0, max(1, len(moves.rows)), each):
            self._tell(moves.part(start, start + each))

    def _tell(self, moves: Moves) -> None:
        table = self.follower.follow(moves)
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
            table |= named(self._weights.after(moves), signed.bias)
        for taker in self._takers:
            taker(table)
