"""While a verdict is sought: what a person sees."""

import sys
import threading
import time
from types import TracebackType
from typing import Any, Self

import typer

DELAY = 2.0  # seconds before anything is shown
REFRESHES = 4  # a second


class Watching:
    """What is being done, what is proven and the margin's bracket, on one line of standard error.

    Nothing is shown for the first moment, nor where standard error is no terminal. A clock of its
    own drives the line, so that the seconds go on while a long step takes them.
    """

    def __init__(self, quiet: bool) -> None:
        self.began = time.monotonic()
        self.stage: Any = None
        self.seen: Any = None
        self.live: Any = None
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

    def watch(self, stage: Any) -> None:
        """Called wherever something new is known."""
        self.stage = stage

    def welcome(self, dashboard: str | None) -> None:
        """Say where a cluster can be looked at."""
        if self.shown and dashboard is not None:
            typer.echo(f"novikoff: the cluster's dashboard is at {dashboard}", err=True)

    def glance(self, seen: Any) -> None:
        """Called on a cluster, with how far its workers are."""
        self.seen = seen

    def _show(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self.live = Live(
            get_renderable=self._line,
            console=Console(stderr=True),
            transient=True,
            refresh_per_second=REFRESHES,
        )
        self.live.start()

    def _line(self) -> Any:
        from rich.text import Text

        parts = [f"{time.monotonic() - self.began:.0f} s"]
        if self.stage is not None:
            parts += [self.stage.doing, *known(self.stage)]
        if self.seen is not None:
            parts += crowd(self.seen)
        return Text("  ".join(parts), no_wrap=True, overflow="ellipsis")


def crowd(seen: Any) -> list[str]:
    """How far the workers of a cluster are, in words."""
    words = [f"{seen.workers:,} worker{'s' * (seen.workers != 1)}"]
    if seen.parts:
        words.append(f"{seen.done:,}/{seen.parts:,} shards")
    return [*words, f"{seen.moved:,} moved after a fault"] if seen.moved else words


def known(stage: Any) -> list[str]:
    """What is proven at a stage, in words."""
    from novikoff.rounding import (  # here: the help must start without Numba
        rounded_down,
        rounded_up,
    )

    words = []
    if stage.outcome is not None:
        words.append(f"proven: {stage.outcome}")
    if 0.0 < stage.upper < float("inf"):
        words.append(f"margin from {rounded_down(stage.lower)} to {rounded_up(stage.upper)}")
    elif stage.lower > 0.0:
        words.append(f"margin at least {rounded_down(stage.lower)}")
    if stage.scans:
        words.append(f"{stage.scans:,} scans")
    return words
