"""Epochs on several cores, where that pays."""

import concurrent.futures
import contextlib
from typing import Any

import numpy as np

from novikoff.jit import Budget
from novikoff.learning.loop import EpochInput, Tally, epoch_for
from novikoff.learning.parallel.atomics import WORD
from novikoff.learning.parallel.loops import CHUNK, END, FOUND, TURN, follow_for, lead_for
from novikoff.learning.parallel.pool import pool
from novikoff.learning.rows import CsrRows, length, stored, unweighted
from novikoff.learning.rules import protocol
from novikoff.learning.rules.protocol import Rule, Vector

WORTH = 1_000_000.0  # nanoseconds that a block must take at least
ROUND, LOOK, LONGEST = 8_000.0, 1_000.0, 50_000.0  # nanoseconds: between mistakes, of a chunk
CHUNKS_EACH = 4  # for each thread, in a round
STEP = 100.0  # nanoseconds of a budget's step
#: What this process learns on one thread before it compiles or loads the loops for several.
ALONE = Budget(5_000_000.0)


class Lookahead:
    """Learns blocks of rows with the help of other threads, with the bytes of one thread.

    gap: how many rows apart the mistakes (or moves) were of late; while they are close to each
    other nobody looks ahead.
    """

    def __init__(self) -> None:
        self.gap = 0.0

    def read(
        self,
        threads: int,
        rule: Rule,
        state: Any,
        reading: EpochInput,
        tally: Tally,
        log: Any,
    ) -> int:
        """As the compiled epoch of `loop`, on up to so many threads."""
        rows, cost = reading.stop - reading.start, _row_cost(reading.rows)
        alone = threads < 2 or rows * cost < WORTH or not protocol.scores_ahead(rule)
        if alone or ALONE.take(rows * cost / STEP):
            return int(epoch_for(rule, log)(rule, state, reading, tally, log))
        if self.gap * cost < ROUND:
            before = int(tally.mistakes[0]), int(tally.updates[0])
            refused = int(epoch_for(rule, log)(rule, state, reading, tally, log))
            events = max(tally.mistakes[0] - before[0], tally.updates[0] - before[1])
            self.gap = float(rows / (events + 0.25))
            return refused
        pace = np.array([self.gap, ROUND / cost, max(1.0, LOOK / cost), max(2.0, LONGEST / cost)])
        refused = _read_ahead(threads, rule, state, reading, tally, log, pace)
        self.gap = float(pace[0])
        return refused


def _read_ahead(
    threads: int,
    rule: Rule,
    state: Any,
    reading: EpochInput,
    tally: Tally,
    log: Any,
    pace: Vector,
) -> int:
    lead, follow, chunks = lead_for(rule, log), follow_for(rule), CHUNKS_EACH * threads
    words = np.zeros((FOUND + chunks) * WORD, np.int64)
    words[TURN] = CHUNK  # nothing to take yet
    radius = np.full(threads, tally.radius_squared[0])
    before = int(tally.seen[0]) - reading.start
    others: list[concurrent.futures.Future[None]] = []
    try:
        with contextlib.suppress(RuntimeError):  # no more threads: the leader does without
            for k in range(1, threads):
                task: tuple[Any, ...] = rule, state, reading, before, radius, k, words, chunks
                others.append(pool(threads).submit(follow, *task))
        refused = int(lead(rule, state, reading, tally, log, radius, words, chunks, pace))
    finally:
        words[TURN] = END
        begun = [each for each in others if not each.cancel()]
        concurrent.futures.wait(begun)
        if reading.measure:  # even where Ctrl-C comes now: the rows were learned from
            tally.radius_squared[0] = max(tally.radius_squared[0], radius.max())
    for each in begun:
        each.result()
    return refused


def _row_cost(rows: Any) -> float:
    """About how many nanoseconds a score takes; only speed depends on it."""
    entries = stored(rows) / max(1, int(length(rows)))
    return 10.0 + 1.0 * entries if isinstance(unweighted(rows), CsrRows) else 10.0 + 0.35 * entries
