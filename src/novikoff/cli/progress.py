"""While learning goes on: what a person sees, what a log keeps, and what Ctrl-C does."""

import contextlib
import json
import math
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO, cast

from novikoff.cli.lines import Part, filled_parts, fitted, minutes, of_bytes, percent, short
from novikoff.cli.signals import EXIT_CODES, TerminatedError
from novikoff.errors import DataError

if TYPE_CHECKING:
    from novikoff.epochs import Run

DELAY = 0.5  # seconds before anything is shown
REFRESH = 0.1
LOGGED = 1.0  # seconds between two lines of the log


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
        self.began = self.learning_began = time.monotonic()
        self.shown_at, self.logged_at = self.began, self.began - LOGGED
        self.live: Any = None
        self.file: TextIO | None = None
        self.busy, self.pressed, self.exit_code = False, False, EXIT_CODES[signal.SIGINT]
        self._seen = self._mistakes = self._from = 0
        self._mode = "w" if anew else "a"

    def __enter__(self) -> Self:
        self.handlers = {each: signal.signal(each, self._press) for each in EXIT_CODES}
        return self

    def _press(self, number: int, frame: Any) -> None:
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        if self.pressed or not self.busy:
            raise self.interruption()
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
            with contextlib.suppress(OSError):  # each line was flushed, or its failure told
                self.file.close()

    def watch(self, run: "Pace | Run", bytes_read: int | None = None, end: bool = False) -> None:
        """Called after each block of rows, and at the end of each epoch."""
        now = time.monotonic()
        showing, logging = self.due(now, end)
        if showing or logging:
            self.tell(self._moment(run, now, bytes_read), now, showing, logging)

    def due(self, now: float, end: bool) -> tuple[bool, bool]:
        """Whether it is time to show something, and to log it."""
        showing = self.shown and now - self.began >= DELAY and now - self.shown_at >= REFRESH
        logging = self.log is not None and (end or now - self.logged_at >= LOGGED)
        return showing, logging

    def tell(self, moment: Any, now: float, showing: bool, logging: bool) -> None:
        """Show it, and log it."""
        if logging and self.log is not None:
            self.logged_at = now
            self._write(self.log, json.dumps(moment.as_json()) + "\n")
        if showing:
            self.shown_at = now
            self._show(self.parts(moment))

    def _write(self, log: Path, line: str) -> None:
        """The file is opened for its first line: a run refused before leaves it as it was."""
        try:
            if self.file is None:
                self.file = cast(TextIO, log.open(self._mode, encoding="utf-8"))
            self.file.write(line)
            self.file.flush()
        except OSError as error:
            raise DataError(f"{log}: the log cannot be written: {error.strerror}") from None

    def resumed(self, learner: Any) -> None:
        """Called with a learner that has begun before, so that its past counts for no speed."""
        self._from = self._seen = learner.total("seen") // len(learner.states)
        self._mistakes = learner.total("mistakes")

    def stop_if_pressed(self) -> None:
        """Called where stopping leaves everything whole."""
        if self.pressed:
            raise self.interruption()

    def interruption(self) -> KeyboardInterrupt:
        """What to raise for the signal that came."""
        terminated = self.exit_code == EXIT_CODES[signal.SIGTERM]
        return TerminatedError() if terminated else KeyboardInterrupt()

    def started(self) -> None:
        """Called when learning begins: what came before counts for no speed."""
        self.learning_began = time.monotonic()

    def reading(self, done: int, total: int | None, rows: int) -> None:
        """Called while a large file is made ready, before any learning."""
        self.stop_if_pressed()
        now = time.monotonic()
        if self.shown and now - self.began >= DELAY and now - self.shown_at >= REFRESH:
            self.shown_at = now
            told = [
                Part(1, "reading", "reading"),
                *filled_parts(done, total, rows, now - self.began),
            ]
            self._show(told)

    def _moment(self, run: "Pace | Run", now: float, bytes_read: int | None) -> Moment:
        learner = run.learner
        seen, mistakes = learner.total("seen") // len(learner.states), learner.total("mistakes")
        recent = seen - self._seen, mistakes - self._mistakes
        self._seen, self._mistakes = seen, mistakes
        seconds = now - self.learning_began
        rate = (seen - self._from) / seconds if seconds > 0.0 else 0.0
        ceiling = float(learner.ceilings().min())
        rows, left = self.task.rows, None
        if rows and rate > 0.0:
            left = (rows - run.place) / rate
            bytes_read = (self.task.bytes or 0) * run.place // rows if self.task.bytes else None
        elif bytes_read and self.task.bytes and rate > 0.0:
            rows_left = max(0, self.task.bytes - bytes_read) / bytes_read * run.place
            left = rows_left / rate
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

    def _show(self, parts: Sequence[Part]) -> None:
        if self.live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False)
            self.live = Live(console=console, transient=True, auto_refresh=False)
            self.live.start()
        self.live.update(fitted(parts, self.live.console.width - 1), refresh=True)

    def parts(self, moment: Moment) -> list[Part]:
        """What there is to say, in the order of reading."""
        from novikoff.rounding import rounded_up  # here: the help must start without Numba

        epoch = f"epoch {moment.epoch:,}"
        parts = [Part(1, epoch, epoch)]
        if moment.bytes is not None:
            bytes_read = of_bytes(moment.bytes, self.task.bytes)
            parts.append(Part(5, bytes_read, bytes_read))
        rate = f"{short(moment.rows_per_second)} rows/s"
        parts.append(Part(6, rate, rate))
        mistakes = f"{short(moment.mistakes)} mistakes"
        recent = percent(moment.recent_mistakes / max(moment.recent_rows, 1))
        parts.append(Part(2, f"{mistakes}, {recent} now", f"{mistakes} {recent}"))
        if moment.margin_ceiling is not None:
            wide, narrow = (rounded_up(moment.margin_ceiling, digits) for digits in (3, 2))
            parts.append(Part(4, f"margin < {wide}", f"γ<{narrow}"))
        if moment.seconds_left is not None:
            left = minutes(moment.seconds_left)
            parts.append(Part(3, f"{left} left", f"-{left}"))
        return parts
