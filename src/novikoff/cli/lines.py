"""One line that says how far something is: whole parts, as many as fit the terminal."""

from collections.abc import Sequence
from typing import NamedTuple

UNITS = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))
GAP = "  "


class Part(NamedTuple):
    """A piece of the line, which is shown whole or not at all."""

    importance: int  # 1 goes last
    wide: str
    narrow: str


def fitted(parts: Sequence[Part], width: int) -> str:
    """The parts on one line: without those that do not fit even in narrow words, the least
    important first; then in wide words as far as there is room, the most important first.

    >>> parts = [Part(1, "epoch 3", "epoch 3"), Part(2, "0:07 left", "-0:07")]
    >>> [fitted(parts, width) for width in (80, 15, 10)]
    ['epoch 3  0:07 left', 'epoch 3  -0:07', 'epoch 3']
    """
    kept = list(parts)
    while kept and len(GAP.join(each.narrow for each in kept)) > width:
        kept.remove(max(kept))
    words = {each: each.narrow for each in kept}
    for each in sorted(kept):
        wider = words | {each: each.wide}
        if len(GAP.join(wider.values())) <= width:
            words = wider
    return GAP.join(words.values())


def filled(done: int, total: int | None, rows: int, seconds: float) -> str:
    """Bytes, rows, the rate, and the time left where it can be known."""
    return GAP.join(each.wide for each in filled_parts(done, total, rows, seconds))


def filled_parts(done: int, total: int | None, rows: int, seconds: float) -> list[Part]:
    read = f"{rows:,} rows"
    parts = [Part(4, read, f"{short(rows)} rows")]
    if done:
        of = f" of {in_bytes(total)}" if total else ""
        speed = f"{in_bytes(done / seconds)}/s"
        parts.insert(0, Part(2, f"{in_bytes(done)}{of}", of_bytes(done, total)))
        parts.append(Part(5, speed, speed))
    if done and total:
        left = minutes(max(total - done, 0) * seconds / done)
        parts.append(Part(3, f"{left} left", f"-{left}"))
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
    """How many bytes of how many, in one unit.

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
