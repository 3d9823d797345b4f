"""The one compiled epoch. It knows no rule and no layout: `protocol` and `rows` choose by type."""

import functools
import hashlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.jit import compile_loop, dispatch_on_type, inline
from novikoff.learning.row_blocks import perceptron as perceptron_blocks
from novikoff.learning.rows import (
    Array,
    entries,
    length,
    rough_square,
    row_at,
    squared_norm,
    stored,
    value,
    weight_at,
)
from novikoff.learning.rules.protocol import (
    Seen,
    accepts,
    arrays_of,
    class_label,
    decide,
    learned_row,
    measured_score,
    mistaken,
    move,
    score,
    step,
)

TINY = 1e-280
NEARLY = 1.0 + 1e-6  # far more than two orders of summing squares can differ by
STEPS_PER_ROW = 40  # of plain Python, about: calls, and the overhead of NumPy
OWN_LOOPS = ("score", "move", "decide")  # methods of rules that go through rows themselves


class Counters(NamedTuple):
    """What the loop counts, in arrays of one number (Numba passes a record ten times slower)."""

    seen: Array  # rows
    mistakes: Array
    updates: Array
    amount: Array  # sum of the amounts moved by
    radius_squared: Array  # largest |row|^2


class WeightedCounters(NamedTuple):
    """The same where rows have, or once had, weights."""

    seen: Array
    mistakes: Array
    updates: Array
    amount: Array
    radius_squared: Array
    weighted_mistakes: Array  # sum of the weights of the rows that were mistakes

    def count_mistake(self, weight: float) -> None:
        self.mistakes[0] += 1
        self.weighted_mistakes[0] += weight


Tally = Counters | WeightedCounters


@dispatch_on_type
def count_mistake(self: Any, weight: float) -> Any:
    """Count a mistake on a row of this weight."""
    self.mistakes[0] += 1


def new_tally() -> Counters:
    """All zeros."""
    counts, sums = np.zeros((3, 1), np.int64), np.zeros((2, 1))
    return Counters(*counts, *sums)


class EpochInput(NamedTuple):
    """What one call of the loop reads: places start to stop of the order."""

    rows: Any
    codes: Array  # the class number of each row
    positive: int  # the class that is +1 here; the others are -1
    order: Array  # row numbers, or empty: as given
    start: int
    stop: int
    measure: bool  # first sight of the rows: refuse bad ones, find the radius


class NoLog(NamedTuple):
    """A log that keeps nothing."""

    nothing: bool = False


@dispatch_on_type
def record(self: Any, i: int, amount: float, seen: Seen) -> Any:
    """Note that row i was a mistake, or moved the weights by `amount`, or both."""


@inline
def usable(rule: Any, row: Any, size: float) -> bool:
    """Whether a row of this squared length is one that the rule can learn from.

    Where the square of a row that is not zero underflows, so would all its scores.
    """
    if size < TINY:
        for k in range(entries(row)):
            if value(row, k) != 0.0:
                return False
    return size < np.inf and accepts(rule, row)


@inline
def learn_at(
    rule: Any, state: Any, reading: Any, place: int, before: int, tally: Any, log: Any
) -> int:
    """Learn from the row at one place of the order; 0, or 1 + its number if it is refused."""
    i = reading.order[place] if reading.order.size else place
    row = row_at(reading.rows, i)
    seen_row = learned_row(rule, state, row, reading.codes[i])
    if reading.measure:
        answer, size = measured_score(rule, state, seen_row)
        if not usable(rule, row, size):
            return i + 1
        if size * NEARLY >= tally.radius_squared[0]:  # only then can it be the longest
            tally.radius_squared[0] = max(tally.radius_squared[0], squared_norm(row))
    else:
        answer = score(rule, state, seen_row)
    if not abs(answer) < np.inf:
        return i + 1
    sign = class_label(rule, reading.codes[i], reading.positive)
    wrong = mistaken(rule, answer, sign)
    seen = Seen(sign, answer, wrong, before + place)
    amount = step(rule, state, seen_row, seen)
    if amount != 0.0:
        move(rule, state, seen_row, amount, seen)
        tally.updates[0] += 1
        tally.amount[0] += amount if amount > 0.0 else np.nan  # then nothing is claimed
    if wrong:
        count_mistake(tally, weight_at(reading.rows, i))
    if wrong or amount != 0.0:
        record(log, i, amount, seen)
    return 0


def _make_epoch(sources: str) -> Any:
    def epoch(rule: Any, state: Any, reading: Any, tally: Any, log: Any) -> int:
        sources  # noqa: B018  (see `compiled`)
        before = tally.seen[0] - reading.start
        for place in range(reading.start, reading.stop):
            refused = learn_at(rule, state, reading, place, before, tally, log)
            if refused:
                return refused
        tally.seen[0] = before + reading.stop
        return 0

    return epoch


def _make_answers(sources: str) -> Any:
    def answers(rule: Any, state: Any, rows: Any, start: int, out: Any) -> None:
        sources  # noqa: B018
        for k in range(out.shape[0]):
            row = row_at(rows, start + k)
            known = usable(rule, row, rough_square(row))
            out[k] = decide(rule, state, row) if known else np.nan

    return answers


def _make_first_refused(sources: str) -> Any:
    def first_refused(rule: Any, rows: Any) -> int:
        sources  # noqa: B018
        for i in range(length(rows)):
            row = row_at(rows, i)
            if not usable(rule, row, rough_square(row)):
                return i
        return -1

    return first_refused


def first_refused_for(rule: Any) -> Any:
    """first_refused(rule, rows): the first row that cannot be learned from, or -1."""
    return compiled(_make_first_refused, kinds_of(rule), _refusal_work)


def epoch_for(rule: Any, log: Any) -> Any:
    """The loop, compiled for such a rule and log: epoch(rule, state, reading, tally, log).

    It returns 0, or 1 + the number of the row that it stopped at and could not learn from. Other
    threads can run meanwhile.
    """
    kinds = *kinds_of(rule), type(log)
    return compiled(_make_epoch, kinds, _epoch_work, plain=_uncompiled_epoch, threads=True)


def answers_for(rule: Any) -> Any:
    """answers(rule, readout, rows, start, out): fill `out` with what the rule decides,
    NaN where it does not accept the row. Other threads can run meanwhile."""
    return compiled(_make_answers, kinds_of(rule), _answers_work, threads=True)


plain_epoch = _make_epoch("")
"""The loop as plain Python: the reference that the compiled one must equal."""


def _uncompiled_epoch(rule: Any, state: Any, reading: Any, tally: Any, log: Any) -> int:
    if perceptron_blocks.suits(rule, reading, tally):
        return perceptron_blocks.epoch(rule, state, reading, tally, log, learn_at)
    return int(plain_epoch(rule, state, reading, tally, log))


def row_steps(rule: Any, state: Any, rows: Any) -> float:
    """About how many steps of plain Python a rule takes for a row: most for calls and, where it has
    an arithmetic of its own, for going through the row's entries or all of its state.
    """
    entries = stored(rows) / max(1, int(length(rows)))
    if not any(hasattr(kind, name) for kind in kinds_of(rule) for name in OWN_LOOPS):
        return STEPS_PER_ROW + entries / 2
    return STEPS_PER_ROW + 4 * (entries + sum(each.size for each in arrays_of(state)))


def _epoch_work(rule: Any, state: Any, reading: EpochInput, tally: Tally, log: Any) -> float:
    if perceptron_blocks.suits(rule, reading, tally):
        return perceptron_blocks.steps(reading, tally)
    return (reading.stop - reading.start) * row_steps(rule, state, reading.rows)


def _answers_work(rule: Any, state: Any, rows: Any, start: int, out: Array) -> float:
    return len(out) * row_steps(rule, state, rows)


def _refusal_work(rule: Any, rows: Any) -> float:
    return int(length(rows)) * row_steps(rule, (), rows)


def kinds_of(rule: Any) -> tuple[type, ...]:
    """The rule's class and those of the rules within it."""
    kinds = [type(rule)]
    for field in rule:
        if isinstance(field, tuple) and hasattr(field, "_fields"):
            kinds += kinds_of(field)
    return tuple(kinds)


@functools.cache
def compiled(
    make: Any, kinds: tuple[type, ...], work: Any, *, plain: Any = None, threads: bool = False
) -> Any:
    """Compile with a disk cache that is right even though these functions choose by type.

    work, plain: see `jit.Loop`.

    Numba's cache does not notice when the code of such a choice changes, and would serve the old
    one; it does notice a changed closure, so the sources' digest is one. And it keeps all types of
    a function in one index, unreadable wherever one of them cannot be imported; so code that uses
    classes from outside of this package goes under a name of its own.
    """
    files = _sources(kinds)
    if files is not None:
        function = make(_digest(tuple(files)))
        foreign = [kind for kind in kinds if not kind.__module__.startswith("novikoff.")]
        if foreign:
            names = " ".join(f"{kind.__module__}.{kind.__qualname__}" for kind in foreign)
            function.__qualname__ += f".{hashlib.sha256(names.encode()).hexdigest()[:16]}"
        return compile_loop(function, work=work, plain=plain, threads=threads)
    return compile_loop(make(""), work=work, plain=plain, cache=False, threads=threads)


def _sources(kinds: tuple[type, ...]) -> list[Path] | None:
    """The files whose code can end up in the loop; None if some of it is in no importable file."""
    here = Path(__file__).parent
    parts = ("*.py", "rules/*.py", "dot_kernels/*.py", "parallel/*.py")
    files = sorted([*(file for part in parts for file in here.glob(part)), here.parent / "jit.py"])
    for kind in kinds:
        file = getattr(sys.modules.get(kind.__module__), "__file__", None)
        if kind.__module__ == "__main__" or file is None:
            return None
        files.append(Path(file))
    return files


@functools.cache
def _digest(files: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()
