"""One line on standard error that says how far something is: as many parts as fit the terminal."""

import sys
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from novikoff.number_text import count, rounded_up

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

UNITS = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))
GAP = "  "


class StatusPart(NamedTuple):
    """A piece of the line, which is shown whole or not at all."""

    importance: int  # 1 goes last
    wide: str
    narrow: str = ""  # shorter words, if there are some

    @property
    def shortest(self) -> str:
        return self.narrow or self.wide


class StatusLine:
    """The line, made anew of its parts at each refresh; none if standard error is no terminal.

    refreshes: how many a second, by a thread of its own; 0 leaves them to `refresh`.
    """

    def __init__(
        self, parts: Callable[[], Sequence[StatusPart]], quiet: bool, refreshes: float = 0
    ) -> None:
        self.shown = not quiet and sys.stderr.isatty()
        self._parts, self._refreshes = parts, refreshes
        self._live: Live | None = None
        self._lock = threading.Lock()

    def refresh(self) -> None:
        """Show the line as it is now."""
        if not self.shown:
            return
        with self._lock:
            if self._live is None:
                self._live = self._started()
        self._live.refresh()

    def print_above(self, text: str) -> None:
        """Print a text that stays; the line, if there is one, goes on below it."""
        if self.shown:
            with self._lock:  # the line may be about to start
                self._console.print(text, soft_wrap=True, markup=False)

    def welcome(self, dashboard: str | None) -> None:
        """Say where a cluster's dashboard is, if it has one."""
        if dashboard is not None:
            self.print_above(f"novikoff: the cluster's dashboard is at {dashboard}")

    def stop(self) -> None:
        """Erase the line for good."""
        self.shown = False
        if self._live is not None:
            self._live.stop()
            self._live = None

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console

        return Console(stderr=True, highlight=False)

    def _started(self) -> "Live":
        from rich.live import Live

        live = Live(
            get_renderable=self._line,
            console=self._console,
            transient=True,
            auto_refresh=self._refreshes > 0,
            refresh_per_second=self._refreshes or 1,
        )
        live.start()
        return live

    def _line(self) -> "Text":
        from rich.text import Text

        return Text(fit_to_width(self._parts(), self._console.width), no_wrap=True)


def fit_to_width(parts: Sequence[StatusPart], width: int) -> str:
    """Join the parts on one line. What does not fit even in narrow words is left out, the least
    important first; the others get wide words as far as there is room, the most important first.

    >>> parts = [StatusPart(1, "epoch 3"), StatusPart(2, "0:07 left", "-0:07")]
    >>> [fit_to_width(parts, width) for width in (80, 15, 10)]
    ['epoch 3  0:07 left', 'epoch 3  -0:07', 'epoch 3']
    """
    kept = list(parts)
    while kept and len(GAP.join(each.shortest for each in kept)) > width:
        kept.remove(max(kept))
    words = {each: each.shortest for each in kept}
    for each in sorted(kept):
        wider = words | {each: each.wide}
        if len(GAP.join(wider.values())) <= width:
            words = wider
    return GAP.join(words.values())


def workers_part(importance: int, workers: int) -> StatusPart:
    """How many workers a cluster has."""
    return StatusPart(importance, count(workers, "worker"), f"{workers:,}w")


def moved_part(importance: int, moved: int) -> StatusPart:
    """How many shards lost their worker."""
    return StatusPart(importance, f"{moved:,} moved after a fault", f"{moved:,} moved")


def ceiling_part(importance: int, ceiling: float) -> StatusPart:
    """The margin that no separator exceeds."""
    return StatusPart(importance, f"margin < {rounded_up(ceiling)}", f"γ<{rounded_up(ceiling, 2)}")


def left_part(importance: int, seconds: float) -> StatusPart:
    """The time left."""
    left = minutes(seconds)
    return StatusPart(importance, f"{left} left", f"-{left}")


def throughput_parts(done: int, total: int | None, rows: int, seconds: float) -> list[StatusPart]:
    """Bytes, rows, the rate, and the time left where it can be known."""
    parts = [StatusPart(4, f"{rows:,} rows", f"{short(rows)} rows")]
    if done:
        of = f" of {in_bytes(total)}" if total else ""
        parts.insert(0, StatusPart(2, f"{in_bytes(done)}{of}", of_bytes(done, total)))
        parts.append(StatusPart(5, f"{in_bytes(done / seconds)}/s"))
    if done and total:
        parts.append(left_part(3, max(total - done, 0) * seconds / done))
    return parts


def minutes(seconds: float) -> str:
    """Minutes and seconds.

    >>> minutes(754.2)
    '12:34'
    """
    whole, rest = divmod(round(seconds), 60)
    return f"{whole}:{rest:02}"


def percent(share: float) -> str:
    """A share in two digits, and no finer than hundredths of a percent.

    >>> percent(0.0018), percent(0.025), percent(0.5), percent(1.0)
    ('0.18%', '2.5%', '50%', '100%')
    """
    return f"{share:.{2 if share < 0.01 else 1 if share < 0.1 else 0}%}"


def of_bytes(done: float, total: int | None) -> str:
    """Bytes done of all bytes, in one unit.

    >>> of_bytes(42_300_000, 127_000_000), of_bytes(42_300_000, 4_100_000_000), of_bytes(950, None)
    ('42/127 MB', '0.0/4.1 GB', '950 B')
    """
    if not total:
        return in_bytes(done)
    whole, unit = in_bytes(total).split()
    size = dict(UNITS).get(unit[0], 1.0)
    return f"{done / size:.{1 if '.' in whole else 0}f}/{whole} {unit}"


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
    for unit, size in UNITS:
        if number >= size:
            value = number / size
            return f"{value:.1f}{unit}" if value < 10.0 else f"{value:.0f}{unit}"
    return f"{number:.0f}"
