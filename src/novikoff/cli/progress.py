"""While learning goes on: what a person sees, what a log keeps, and what Ctrl-C does."""

import json
import math
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO, cast

if TYPE_CHECKING:
    from novikoff.epochs import Run

DELAY = 0.5  # seconds before anything is shown
REFRESH = 0.1
LOGGED = 1.0  # seconds between two lines of the log
EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


class Task(NamedTuple):
    """What there is to read in one epoch, as far as it is known."""

    rows: int | None = None
    bytes: int | None = None
    max_epochs: int | None = None


class Pace(NamedTuple):
    """How far a run is: what there is to know of one."""

    learner: Any
    past: Sequence[Any]  # the epochs that are over
    place: int  # rows of the present one that were read

    @classmethod
    def of(cls, learner: Any, place: int, rows: int) -> Self:
        """From the learner, after so many of the rows in this epoch."""
        seen = learner.total("seen") // len(learner.states)
        return cls(learner, range((seen - place) // rows), place)


class Moment(NamedTuple):
    """How far learning has come."""

    seconds: float
    epoch: int
    rows: int  # of this epoch
    bytes: int | None
    mistakes: int
    recent_rows: int  # those read since the moment before
    recent_mistakes: int
    rows_per_second: float
    margin_ceiling: float | None
    seconds_left: float | None  # of this epoch

    def as_json(self) -> dict[str, Any]:
        fields = self._asdict()
        for name in ("seconds", "seconds_left", "rows_per_second"):
            fields[name] = None if fields[name] is None else round(fields[name], 3)
        return fields


class Progress:
    """Epoch, bytes, rows a second, mistakes, ceiling and time left, on one line of standard error.

    Nothing is shown for the first moment, nor where standard error is no terminal; a log is written
    in any case. Ctrl-C and SIGTERM take effect between two blocks of rows, so that what was learned
    is whole and can be saved; pressed again, at once.
    """

    def __init__(self, task: Task, quiet: bool, log: Path | None = None, anew: bool = True) -> None:
        self.task, self.log = task, log
        self.shown = not quiet and sys.stderr.isatty()
        self.began = time.monotonic()
        self.shown_at, self.logged_at = self.began, self.began - LOGGED
        self.live: Any = None
        self.file: TextIO | None = None
        self.busy, self.pressed, self.exit_code = False, False, EXIT_CODES[signal.SIGINT]
        self._seen = self._mistakes = self._from = 0
        self._mode = "w" if anew else "a"

    def __enter__(self) -> Self:
        if self.log is not None:
            self.file = cast(TextIO, self.log.open(self._mode, encoding="utf-8"))
        self.handlers = {each: signal.signal(each, self._press) for each in EXIT_CODES}
        return self

    def _press(self, number: int, frame: Any) -> None:
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        if self.pressed or not self.busy:
            raise KeyboardInterrupt
        self.pressed = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for each, handler in self.handlers.items():
            signal.signal(each, handler)
        if self.live is not None:
            self.live.stop()
        if self.file is not None:
            self.file.close()

    def watch(self, run: "Pace | Run", bytes_read: int | None = None, end: bool = False) -> None:
        """Called after each block of rows, and at the end of each epoch."""
        now = time.monotonic()
        showing = self.shown and now - self.began >= DELAY and now - self.shown_at >= REFRESH
        logging = self.file is not None and (end or now - self.logged_at >= LOGGED)
        if not (showing or logging):
            return
        moment = self._moment(run, now, bytes_read)
        if logging and self.file is not None:
            self.logged_at = now
            self.file.write(json.dumps(moment.as_json()) + "\n")
            self.file.flush()
        if showing:
            self.shown_at = now
            self._show(self._line(moment))

    def resumed(self, learner: Any) -> None:
        """Called with a learner that has begun before, so that its past counts for no speed."""
        self._from = self._seen = learner.total("seen") // len(learner.states)
        self._mistakes = learner.total("mistakes")

    def stop_if_pressed(self) -> None:
        """Called where stopping leaves everything whole."""
        if self.pressed:
            raise KeyboardInterrupt

    def reading(self, done: int, total: int | None, rows: int) -> None:
        """Called while a large file is made ready, before any learning."""
        self.stop_if_pressed()
        now = time.monotonic()
        if self.shown and now - self.began >= DELAY and now - self.shown_at >= REFRESH:
            self.shown_at = now
            self._show(f"reading  {filled(done, total, rows, now - self.began)}")

    def _moment(self, run: "Pace | Run", now: float, bytes_read: int | None) -> Moment:
        learner = run.learner
        seen, mistakes = learner.total("seen") // len(learner.states), learner.total("mistakes")
        recent = seen - self._seen, mistakes - self._mistakes
        self._seen, self._mistakes = seen, mistakes
        seconds = now - self.began
        rate = (seen - self._from) / seconds if seconds > 0.0 else 0.0
        ceiling = float(learner.ceilings().min())
        rows, left = self.task.rows, None
        if rows and rate > 0.0:
            left = (rows - run.place) / rate
            bytes_read = (self.task.bytes or 0) * run.place // rows if self.task.bytes else None
        elif bytes_read and self.task.bytes and run.place:
            left = seconds * max(0, self.task.bytes - bytes_read) / bytes_read
        return Moment(
            seconds,
            len(run.past) + 1,
            run.place,
            bytes_read,
            mistakes,
            *recent,
            rate,
            ceiling if math.isfinite(ceiling) else None,
            left,
        )

    def _show(self, line: str) -> None:
        if self.live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False)
            self.live = Live(console=console, transient=True, auto_refresh=False)
            self.live.start()
        self.live.update(line[: self.live.console.width - 1], refresh=True)

    def _line(self, moment: Moment) -> str:
        """The most telling first: a narrow terminal shows no more than fits."""
        from novikoff.rounding import rounded_up  # here: the help must start without Numba

        parts = [f"epoch {moment.epoch:,}"]
        if moment.bytes is not None:
            whole = f" of {in_bytes(self.task.bytes)}" if self.task.bytes else ""
            parts.append(f"{in_bytes(moment.bytes)}{whole}")
        parts.append(f"{short(moment.rows_per_second)} rows/s")
        recent = moment.recent_mistakes / max(moment.recent_rows, 1)
        parts.append(f"{short(moment.mistakes)} mistakes, {recent:.2%} now")
        if moment.margin_ceiling is not None:
            parts.append(f"margin < {rounded_up(moment.margin_ceiling)}")
        if moment.seconds_left is not None:
            parts.append(_left(moment.seconds_left))
        return "  ".join(parts)


def filled(done: int, total: int | None, rows: int, seconds: float) -> str:
    """Bytes, rows, the rate, and the time left where it can be known."""
    parts = [f"{rows:,} rows"]
    if done:
        of = f" of {in_bytes(total)}" if total else ""
        parts = [f"{in_bytes(done)}{of}", *parts, f"{in_bytes(done / seconds)}/s"]
    if done and total:
        parts.append(_left(max(total - done, 0) * seconds / done))
    return "  ".join(parts)


def _left(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} left"


def in_bytes(number: float) -> str:
    """A number of bytes for people.

    >>> in_bytes(950), in_bytes(4_100_000_000)
    ('950 B', '4.1 GB')
    """
    text = short(number)
    return f"{text[:-1]} {text[-1]}B" if text[-1].isalpha() else f"{text} B"


def short(number: float) -> str:
    """A large number in three or four characters.

    >>> short(950), short(12_345), short(4_100_000)
    ('950', '12k', '4.1M')
    """
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            value = number / size
            return f"{value:.1f}{unit}" if value < 10.0 else f"{value:.0f}{unit}"
    return f"{number:.0f}"
