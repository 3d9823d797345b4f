"""While learning goes on: what a person sees, and what Ctrl-C does."""

import signal
import sys
import time
from types import TracebackType
from typing import Any, Self

DELAY = 0.5  # seconds before anything is shown
REFRESH = 0.1


class Progress:
    """Epoch, mistakes, ceiling and rows a second, on one line of standard error.

    Nothing is shown for the first moment, nor where standard error is no terminal. Ctrl-C takes
    effect between two blocks of rows, so that what was learned is whole; pressed again, at once.
    """

    def __init__(self, max_epochs: int | None, rows: int | None, quiet: bool) -> None:
        self.max_epochs, self.rows = max_epochs, rows
        self.shown = not quiet and sys.stderr.isatty()
        self.began = self.last = time.monotonic()
        self.live: Any = None
        self.busy = self.pressed = False

    def __enter__(self) -> Self:
        self.handler = signal.signal(signal.SIGINT, self._press)
        return self

    def _press(self, number: int, frame: Any) -> None:
        if self.pressed or not self.busy:
            raise KeyboardInterrupt
        self.pressed = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self.handler)
        if self.live is not None:
            self.live.stop()

    def watch(self, learner: Any, _: int) -> None:
        """Called after each block of rows."""
        if self.pressed:
            raise KeyboardInterrupt
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
        from novikoff.rounding import rounded_up  # here: the help must start without Numba

        ceiling = float(learner.ceilings().min())
        if ceiling < float("inf"):
            parts.append(f"margin below {rounded_up(ceiling)}")
        parts.append(f"{seen / seconds:,.0f} rows/s")
        return "  ".join(parts)
