"""While a verdict is sought: what a person sees."""

import sys
import threading
import time
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from novikoff.cli.lines import Part, fitted

DELAY = 2.0  # seconds before anything is shown
REFRESHES = 4  # a second


class Watching:
    """What is being done, what is proven and the margin's bracket, on one line of standard error.

    Nothing is shown for the first moment, nor where standard error is no terminal. A clock of its
    own drives the line, so that the seconds go on while a long step takes them.
    """

    def __init__(self, quiet: bool) -> None:
        self.began = time.monotonic()
        self.doing: str | None = None
        self.stage: Any = None
        self.seen: Any = None
        self.shards = 0  # of which a question may be about some only
        self.live: Any = None
        self.showing = threading.Lock()
        self.timer = threading.Timer(DELAY, self._show)
        self.timer.daemon = True
        self.shown = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self.shown:
            self.timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Show no more; what was shown goes."""
        if self.shown:
            self.timer.cancel()
            self.timer.join()  # it may be about to show the line
            self.shown = False
        if self.live is not None:
            self.live.stop()
            self.live = None

    def begin(self, doing: str) -> None:
        """Called where something is begun that has no stages."""
        self.doing = doing

    def watch(self, stage: Any) -> None:
        """Called wherever something new is known."""
        self.stage = stage

    def welcome(self, dashboard: str | None) -> None:
        """Say where a cluster can be looked at."""
        if not self.shown or dashboard is None:
            return
        with self.showing:  # the line may be there, or about to be
            self.console.print(welcome(dashboard), soft_wrap=True, markup=False)

    def glance(self, seen: Any) -> None:
        """Called on a cluster, with how far its workers are."""
        self.seen, self.shards = seen, max(self.shards, seen.parts)

    @cached_property
    def console(self) -> Any:
        """Where the line is, and what is to stay above it."""
        from rich.console import Console

        return Console(stderr=True, highlight=False)

    def _show(self) -> None:
        from rich.live import Live

        with self.showing:
            self.live = Live(
                get_renderable=self._line,
                console=self.console,
                transient=True,
                refresh_per_second=REFRESHES,
            )
            self.live.start()

    def _line(self) -> Any:
        from rich.text import Text

        parts = self.parts(time.monotonic() - self.began)
        return Text(fitted(parts, self.console.width), no_wrap=True)

    def parts(self, seconds: float) -> list[Part]:
        """What there is to say, in the order of reading."""
        parts = [Part(2, f"{seconds:.0f} s", f"{seconds:.0f} s")]
        doing = self.doing if self.stage is None else self.stage.doing
        if doing is not None:
            parts.append(Part(1, doing, doing))
        if self.stage is not None:
            parts += known_parts(self.stage)
        return parts if self.seen is None else parts + crowd(self.seen, self.shards)


def welcome(dashboard: str) -> str:
    """Where a cluster can be looked at."""
    return f"novikoff: the cluster's dashboard is at {dashboard}"


def crowd(seen: Any, shards: int) -> list[Part]:
    """How far the workers of a cluster are with a question, which may be about some shards only."""
    parts = []
    if seen.parts:
        done = f"{seen.done:,}/{seen.parts:,}"
        of = f" of {shards:,}" if seen.parts < shards else ""
        parts.append(Part(5, f"{done}{of} shards", f"{done}{of}"))
    workers = f"{seen.workers:,} worker{'s' * (seen.workers != 1)}"
    parts.append(Part(7, workers, f"{seen.workers:,}w"))
    if seen.moved:
        moved = f"{seen.moved:,} moved"
        parts.append(Part(8, f"{moved} after a fault", moved))
    return parts


def known(stage: Any) -> list[str]:
    """What is proven at a stage, in words."""
    return [part.wide for part in known_parts(stage)]


def known_parts(stage: Any) -> list[Part]:
    """The same, for a line."""
    from novikoff.rounding import (  # here: the help must start without Numba
        rounded_down,
        rounded_up,
    )

    parts, lower = [], rounded_down(stage.lower)
    if stage.outcome is not None:
        parts.append(Part(3, f"proven: {stage.outcome}", stage.outcome))
    if 0.0 < stage.upper < float("inf"):
        upper = rounded_up(stage.upper)
        parts.append(Part(4, f"margin from {lower} to {upper}", f"γ {lower} to {upper}"))
    elif stage.lower > 0.0:
        parts.append(Part(4, f"margin at least {lower}", f"γ≥{lower}"))
    if stage.scans:
        scans = f"{stage.scans:,} scans"
        parts.append(Part(6, scans, scans))
    return parts
