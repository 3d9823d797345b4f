"""The progress of training: the status line, the log, and what Ctrl-C does."""

import contextlib
import json
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO, cast

from novikoff.cli.shared.progress.signals import EXIT_CODES, TerminatedError
from novikoff.cli.shared.progress.status_line import (
    StatusLine,
    StatusPart,
    ceiling_part,
    left_part,
    of_bytes,
    percent,
    short,
    throughput_parts,
)
from novikoff.cli.shared.text import finite
from novikoff.errors import DataError

if TYPE_CHECKING:
    from novikoff.learning.epochs import TrainingRun
    from novikoff.learning.learner import Learner

DELAY = 0.5  # seconds before anything is shown
REFRESH = 0.1  # seconds between two refreshes of the line
LOGGED = 1.0  # seconds between two lines of the log


class ProgressTask(NamedTuple):
    """What there is to read in one epoch, as far as it is known."""

    rows: int | None = None
    bytes: int | None = None


class RunPosition(NamedTuple):
    """How far a run is; a `TrainingRun` has the same attributes."""

    learner: "Learner"
    past: Sequence[object]  # the epochs that are over
    place: int  # rows of the present one that were read

    @classmethod
    def of(cls, learner: "Learner", place: int, rows: int) -> Self:
        """The position of a learner that has read `place` of the rows in this epoch."""
        return cls(learner, range((rows_seen(learner) - place) // rows), place)


def rows_seen(learner: "Learner") -> int:
    """How many rows a learner has read, in all epochs."""
    return learner.total("seen") // len(learner.states)


class ShardProgress(NamedTuple):
    """How far the shards of a cluster are with an epoch."""

    epoch_mistakes: int  # of the shards that are done
    workers: int
    shards: int
    shards_done: int
    shards_moved: int  # after a fault
    dashboard: str | None


class ProgressRecord(NamedTuple):
    """How far training has come: a line of the log. On a cluster some figures are known only when
    an epoch is over.
    """

    seconds: float
    epoch: int  # 0 while the data are read
    rows: int | None  # of this epoch
    bytes: int | None
    mistakes: int
    recent_rows: int | None  # read since the record before
    recent_mistakes: int
    rows_per_second: float
    margin_ceiling: float | None
    seconds_left: float | None  # of this epoch
    cluster: ShardProgress | None = None

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on; those of a cluster come last."""
        fields = self._asdict()
        cluster = fields.pop("cluster")
        for name in ("seconds", "seconds_left", "rows_per_second"):
            fields[name] = None if fields[name] is None else round(fields[name], 3)
        return fields if cluster is None else fields | cluster._asdict()


class Progress:
    """Epoch, bytes, rows a second, mistakes, ceiling and time left, on one line of standard error.

    Nothing is shown for the first moment, nor where standard error is no terminal; a log is written
    in any case. Ctrl-C and SIGTERM take effect between two blocks of rows, so that what was learned
    is whole and can be saved; pressed again, at once.
    """

    def __init__(
        self, task: ProgressTask, quiet: bool, log: Path | None = None, anew: bool = True
    ) -> None:
        self.task, self.log = task, log
        self.status = StatusLine(lambda: self._parts, quiet)
        self.began = self.learning_began = time.monotonic()
        self.shown_at, self.logged_at = self.began, self.began - LOGGED
        self.file: TextIO | None = None
        self.busy, self.pressed, self.exit_code = False, False, EXIT_CODES[signal.SIGINT]
        self._seen = self._mistakes = self._from = 0
        self._mode = "w" if anew else "a"
        self._parts: Sequence[StatusPart] = ()

    def __enter__(self) -> Self:
        self.handlers = {each: signal.signal(each, self._press) for each in EXIT_CODES}
        return self

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        if self.pressed or not self.busy:
            raise self.interruption()
        self.pressed = True

    def __exit__(self, *_: object) -> None:
        for each, handler in self.handlers.items():
            signal.signal(each, handler)
        self.status.stop()
        if self.file is not None:
            with contextlib.suppress(OSError):  # each line was flushed, or its failure told
                self.file.close()

    def watch(
        self, run: "RunPosition | TrainingRun", bytes_read: int | None = None, end: bool = False
    ) -> None:
        """Show and log how far a run is; called after each block of rows, and after each epoch."""
        now = time.monotonic()
        showing, logging = self.due(now, end)
        if showing or logging:
            self.publish(self._record(run, now, bytes_read), now, showing, logging)

    def due(self, now: float, end: bool) -> tuple[bool, bool]:
        """Whether it is time to refresh the line, and to write to the log."""
        logging = self.log is not None and (end or now - self.logged_at >= LOGGED)
        return self._is_refresh_due(now), logging

    def _is_refresh_due(self, now: float) -> bool:
        waited = now - self.began >= DELAY and now - self.shown_at >= REFRESH
        return self.status.shown and waited

    def publish(self, record: ProgressRecord, now: float, showing: bool, logging: bool) -> None:
        """Show a record, and log it."""
        if logging and self.log is not None:
            self.logged_at = now
            self._write(self.log, json.dumps(record.as_json()) + "\n")
        if showing:
            self.shown_at = now
            self.show(self.parts(record))

    def show(self, parts: Sequence[StatusPart]) -> None:
        """Show parts on the line."""
        self._parts = parts
        self.status.refresh()

    def _write(self, log: Path, line: str) -> None:
        """Write a line. The file is opened for the first: a run refused before leaves it alone."""
        try:
            if self.file is None:
                self.file = cast(TextIO, log.open(self._mode, encoding="utf-8"))
            self.file.write(line)
            self.file.flush()
        except OSError as error:
            raise DataError(f"{log}: the log cannot be written: {error.strerror}") from None

    def expect(self, rows: int | None, size: int | None) -> None:
        """Take up what there is to read in one epoch; called before learning begins."""
        self.task = self.task._replace(rows=rows, bytes=size)

    def resumed(self, learner: "Learner") -> None:
        """Take up a learner that has begun before: its past counts for no speed."""
        self._from = self._seen = rows_seen(learner)
        self._mistakes = learner.total("mistakes")

    def stop_if_pressed(self) -> None:
        """Raise an interruption that came meanwhile; called where stopping leaves all whole."""
        if self.pressed:
            raise self.interruption()

    def interruption(self) -> KeyboardInterrupt:
        """The exception for the signal that came."""
        terminated = self.exit_code == EXIT_CODES[signal.SIGTERM]
        return TerminatedError() if terminated else KeyboardInterrupt()

    def started(self) -> None:
        """Start the clock of the speed; called when training begins."""
        self.learning_began = time.monotonic()

    def reading(self, done: int, total: int | None, rows: int) -> None:
        """Show how far a large file is read, before any training; called for each block of it."""
        self.stop_if_pressed()
        now = time.monotonic()
        if self._is_refresh_due(now):
            self.shown_at = now
            throughput = throughput_parts(done, total, rows, now - self.began)
            self.show([StatusPart(1, "reading"), *throughput])

    def _record(
        self, run: "RunPosition | TrainingRun", now: float, bytes_read: int | None
    ) -> ProgressRecord:
        learner = run.learner
        seen, mistakes = rows_seen(learner), learner.total("mistakes")
        recent = seen - self._seen, mistakes - self._mistakes
        self._seen, self._mistakes = seen, mistakes
        seconds = now - self.learning_began
        rate = (seen - self._from) / seconds if seconds > 0.0 else 0.0
        rows, left = self.task.rows, None
        if rows and rate > 0.0:
            left = (rows - run.place) / rate
            bytes_read = (self.task.bytes or 0) * run.place // rows if self.task.bytes else None
        elif bytes_read and self.task.bytes and rate > 0.0:
            rows_left = max(0, self.task.bytes - bytes_read) / bytes_read * run.place
            left = rows_left / rate
        return ProgressRecord(
            seconds,
            len(run.past) + 1,
            run.place,
            bytes_read,
            mistakes,
            *recent,
            rate,
            finite(float(learner.ceilings().min())),
            left,
        )

    def parts(self, record: ProgressRecord) -> list[StatusPart]:
        """The parts of the line, in the order of reading."""
        parts = [StatusPart(1, f"epoch {record.epoch:,}")]
        if record.bytes is not None:
            parts.append(StatusPart(5, of_bytes(record.bytes, self.task.bytes)))
        parts.append(StatusPart(6, f"{short(record.rows_per_second)} rows/s"))
        mistakes = f"{short(record.mistakes)} mistakes"
        recent = percent(record.recent_mistakes / max(record.recent_rows or 0, 1))
        parts.append(StatusPart(2, f"{mistakes}, {recent} now", f"{mistakes} {recent}"))
        if record.margin_ceiling is not None:
            parts.append(ceiling_part(4, record.margin_ceiling))
        if record.seconds_left is not None:
            parts.append(left_part(3, record.seconds_left))
        return parts
