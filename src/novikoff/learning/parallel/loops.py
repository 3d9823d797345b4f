"""The loops of an epoch on several cores: one thread leads, the others look ahead.

Rows without a mistake leave the state alone. So whoever looks ahead with the present state sees
what the learner will see, up to the first row that moves it. The leader cuts the rows to come into
chunks; all threads take them in turn, and look for the first place at which something happens: a
mistake, a move, a refusal. The leader learns from the row at the earliest such place, as on one
core, and begins a new round behind it; what others found out beyond that place is void.

A round has a number, and whatever is found out carries it. So nobody waits for those who still look
at chunks of an old round: they read a state that may be changing under them, and what they say of
it is thrown away. Nor does the leader wait long for a chunk that somebody took: it looks itself.
"""

from typing import Any

import numpy as np

from novikoff.jit import inline
from novikoff.learning.loop import NEARLY, compiled, kinds_of, learn_at, usable
from novikoff.learning.parallel.atomics import add_to_word, give_way, load_word, store_word
from novikoff.learning.rows import row_at, squared_norm
from novikoff.learning.rules.protocol import (
    Seen,
    class_label,
    learned_row,
    measured_score,
    mistaken,
    score,
    step,
)

# Words that the threads share. TURN: round * 2^BITS + the next chunk to take; negative at the end.
# FOUND and on: round * 2^32 + where, for each chunk.
TURN, NUMBER, BEGIN, SIZE, FOUND = range(5)
BITS = 20
CHUNK, OFFSET = 2**BITS - 1, 2**32 - 1  # masks
END = -(2**62)
PATIENCE = 2_000  # looks at a chunk that another thread is at, before it is done again
ALONE = 64  # rows that are learned from without looking ahead, while mistakes are many


@inline
def _is_quiet(
    rule: Any, state: Any, reading: Any, place: int, before: int, radius: Any, k: int
) -> bool:
    """Whether the row at this place would leave everything as it is."""
    i = reading.order[place] if reading.order.size else place
    row = row_at(reading.rows, i)
    seen_row = learned_row(rule, state, row, reading.codes[i])
    if reading.measure:
        answer, size = measured_score(rule, state, seen_row)
        if not usable(rule, row, size):
            return False
        if size * NEARLY >= radius[k]:
            radius[k] = max(radius[k], squared_norm(row))
    else:
        answer = score(rule, state, seen_row)
    if not abs(answer) < np.inf:
        return False
    sign = class_label(rule, reading.codes[i], reading.positive)
    wrong = mistaken(rule, answer, sign)
    seen = Seen(sign, answer, wrong, before + place)
    return not wrong and step(rule, state, seen_row, seen) == 0.0


@inline
def _look(
    rule: Any, state: Any, reading: Any, before: int, radius: Any, k: int, words: Any, turn: int
) -> None:
    """Look through the chunk that was taken with this turn, and say where something happens."""
    number, chunk = turn >> BITS, turn & CHUNK
    size = load_word(words, SIZE)
    begin = load_word(words, BEGIN) + chunk * size
    place, stop = begin, min(begin + size, reading.stop)
    while place < stop and _is_quiet(rule, state, reading, place, before, radius, k):
        place += 1
        if load_word(words, NUMBER) != number:
            return
    store_word(words, FOUND + chunk, (number << 32) + max(place - begin, 0))


def _make_follow(sources: str) -> Any:
    def follow(
        rule: Any,
        state: Any,
        reading: Any,
        before: int,
        radius: Any,
        k: int,
        words: Any,
        chunks: int,
    ) -> None:
        sources  # noqa: B018
        idle, turn = 0, load_word(words, TURN)
        while turn >= 0:
            if turn & CHUNK < chunks:
                turn, idle = add_to_word(words, TURN, 1), 0
                if turn >= 0 and turn & CHUNK < chunks:
                    _look(rule, state, reading, before, radius, k, words, turn)
            else:
                idle += 1
                if idle > PATIENCE:  # the leader may have no core to run on
                    give_way(words)
            turn = load_word(words, TURN)

    return follow


@inline
def _next_event(
    rule: Any,
    state: Any,
    reading: Any,
    before: int,
    radius: Any,
    words: Any,
    chunks: int,
    number: int,
    place: int,
    size: int,
) -> Any:
    """The first place from `place` on at which something happens, or the end of the round."""
    store_word(words, BEGIN, place)
    store_word(words, SIZE, size)
    store_word(words, NUMBER, number)
    store_word(words, TURN, number << BITS)
    chunk, patience = 0, PATIENCE
    while chunk < chunks:
        begin = place + chunk * size
        if begin >= reading.stop:
            return reading.stop
        found = load_word(words, FOUND + chunk)
        if found >> 32 == number:
            at = begin + (found & OFFSET)
            if at < min(begin + size, reading.stop):
                return at
            chunk, patience = chunk + 1, PATIENCE
            continue
        turn = load_word(words, TURN)
        if turn & CHUNK < chunks:
            turn = add_to_word(words, TURN, 1)
            if turn & CHUNK < chunks:
                _look(rule, state, reading, before, radius, 0, words, turn)
        elif patience > 0:
            patience -= 1
        else:
            _look(rule, state, reading, before, radius, 0, words, (number << BITS) + chunk)
    return min(place + chunks * size, reading.stop)


def _make_lead(sources: str) -> Any:
    def lead(
        rule: Any,
        state: Any,
        reading: Any,
        tally: Any,
        log: Any,
        radius: Any,
        words: Any,
        chunks: int,
        pace: Any,
    ) -> int:
        sources  # noqa: B018
        place, before = reading.start, tally.seen[0] - reading.start
        number, last = 0, place
        gap, fewest, smallest, largest = pace[0], pace[1], pace[2], pace[3]
        while place < reading.stop:
            if gap < fewest:  # too many mistakes: one core is quicker
                stop, events = min(place + ALONE, reading.stop), 0
                rows = stop - place
                while place < stop:
                    moves = tally.updates[0] + tally.mistakes[0]
                    refused = learn_at(rule, state, reading, place, before, tally, log)
                    if refused:
                        return refused
                    events += tally.updates[0] + tally.mistakes[0] != moves
                    place += 1
                gap += (rows / (events + 0.25) - gap) / 4.0
                last = place
                continue
            number += 1
            size = int(min(max(gap / (2.0 * chunks), smallest), largest))
            end = min(place + chunks * size, reading.stop)
            place = _next_event(
                rule, state, reading, before, radius, words, chunks, number, place, size
            )
            if place < end:
                refused = learn_at(rule, state, reading, place, before, tally, log)
                if refused:
                    return refused
                gap += (place - last - gap) / 8.0
                place += 1
                last = place
            else:
                gap = max(gap, float(place - last))
        pace[0] = gap
        tally.seen[0] = before + reading.stop
        return 0

    return lead


def lead_for(rule: Any, log: Any) -> Any:
    """lead(rule, state, reading, tally, log, radius, words, chunks, pace): as `epoch`, but in the
    company of threads that `follow` with the same words.
    """
    kinds = (*kinds_of(rule), type(log))
    return compiled(_make_lead, kinds, None, threads=True).compiled


def follow_for(rule: Any) -> Any:
    """follow(rule, state, reading, before, radius, k, words, chunks): look ahead for a leader, as
    thread k, until it is done.
    """
    return compiled(_make_follow, kinds_of(rule), None, threads=True).compiled
