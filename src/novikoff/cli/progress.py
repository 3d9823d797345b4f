"""What a person sees while learning goes on: nothing for the first moment, nothing without a terminal."""

import sys
import time
from types import TracebackType
from typing import Any, Self

DELAY = 0.5  # seconds before anything is shown
REFRESH = 0.1


class Progress:
    """Epoch, mistakes, ceiling and rows a second, on one line of standard error."""

    def __init__(self, max_epochs: int | None, rows: int | None, quiet: bool) -> None:
        self.max_epochs, self.rows = max_epochs, rows
        self.shown = not quiet and sys.stderr.isatty()
        self.began = self.last = time.monotonic()
        self.live: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live is not None:
            self.live.stop()

    def watch(self, learner: Any, _: int) -> None:
        """Called after each block of rows."""
        now = time.monotonic()
        if not self.shown or now - self.began < DELAY or now - self.last < REFRESH:
            return
        self.last = now
        if self.live is None:
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
            self.live.start()
        self.live.update(self._line(learner, now - self.began), refresh=True)

    def _line(self, learner: Any, seconds: float) -> str:
        seen = learner.total("seen") // len(learner.states)
        parts = [f"{seen:,} rows"]
        if self.rows:
            of = f" of {self.max_epochs:,}" if self.max_epochs else ""
            parts = [f"epoch {-(-seen // self.rows):,}{of}"]
        parts.append(f"{learner.total('mistakes'):,} mistakes")
        ceiling = learner.ceilings().min()
        if ceiling < float("inf"):
            parts.append(f"margin below {ceiling:.3g}")
        parts.append(f"{seen / seconds:,.0f} rows/s")
        return "  ".join(parts)
