"""The progress of a search for a verdict, on one line of standard error."""

import math
import threading
import time
from typing import TYPE_CHECKING, Self

from novikoff.cli.shared.progress.status_line import (
    StatusLine,
    StatusPart,
    moved_part,
    workers_part,
)
from novikoff.number_text import rounded_down, rounded_up

if TYPE_CHECKING:
    from novikoff.cluster.workers.shard_client import CallProgress
    from novikoff.verdict.result import Stage

DELAY = 2.0  # seconds before anything is shown
REFRESHES = 4  # a second


class SearchProgress:
    """What is being done, what is proven and the margin's bracket, on one line of standard error.

    Nothing is shown for the first moment, nor where standard error is no terminal. A clock of its
    own drives the line, so that the seconds go on while a long step takes them.
    """

    def __init__(self, quiet: bool) -> None:
        self.began = time.monotonic()
        self.doing: str | None = None
        self.stage: Stage | None = None
        self.seen: CallProgress | None = None
        self.shards = 0  # of which a question may be about some only
        self.status = StatusLine(self.parts, quiet, REFRESHES)
        self.timer = threading.Timer(DELAY, self.status.refresh)
        self.timer.daemon = True

    def __enter__(self) -> Self:
        if self.status.shown:
            self.timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Erase the line, and show no more."""
        if self.status.shown:
            self.timer.cancel()
            self.timer.join()  # it may be about to show the line
        self.status.stop()

    def begin(self, doing: str) -> None:
        """Say what is begun, where nothing is proven meanwhile."""
        self.doing, self.stage = doing, None

    def watch(self, stage: "Stage") -> None:
        """Take up what is newly known; called by whoever searches."""
        self.stage = stage

    def glance(self, seen: "CallProgress") -> None:
        """Take up how far the workers of a cluster are; called while they are waited for."""
        self.seen, self.shards = seen, max(self.shards, seen.shards)

    def parts(self) -> list[StatusPart]:
        """The parts of the line, in the order of reading."""
        from novikoff.jit import is_compiling  # the help needs no NumPy

        parts = [StatusPart(2, f"{time.monotonic() - self.began:.0f} s")]
        doing = self.doing if self.stage is None else self.stage.doing
        if doing is not None:
            parts.append(StatusPart(1, doing))
        if self.stage is not None:
            parts += known_parts(self.stage)
        if is_compiling():
            parts.append(StatusPart(3, "compiling, once"))
        return parts if self.seen is None else parts + worker_parts(self.seen, self.shards)


def worker_parts(seen: "CallProgress", shards: int) -> list[StatusPart]:
    """How far the workers of a cluster are with a question, which may be about some shards only."""
    parts = []
    if seen.shards:
        of = f" of {shards:,}" if seen.shards < shards else ""
        done = f"{seen.done:,}/{seen.shards:,}{of}"
        parts.append(StatusPart(5, f"{done} shards", done))
    parts.append(workers_part(7, seen.workers))
    if seen.moved:
        parts.append(moved_part(8, seen.moved))
    return parts


def known_parts(stage: "Stage") -> list[StatusPart]:
    """What is proven at a stage."""
    parts, lower = [], rounded_down(stage.lower)
    if stage.outcome is not None:
        parts.append(StatusPart(3, f"proven: {stage.outcome}", stage.outcome))
    if 0.0 < stage.upper < math.inf:
        upper = rounded_up(stage.upper)
        parts.append(StatusPart(4, f"margin from {lower} to {upper}", f"γ {lower} to {upper}"))
    elif stage.lower > 0.0:
        parts.append(StatusPart(4, f"margin at least {lower}", f"γ≥{lower}"))
    if stage.scans:
        parts.append(StatusPart(6, f"{stage.scans:,} scans"))
    return parts
