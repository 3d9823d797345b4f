"""The lines of an SVMlight file as numbers: quickly where they are regular, carefully elsewhere.

`parse` tries the quick way first, which works on many lines at once and gives up on anything out
of the ordinary; the careful way takes one token at a time, so that it can say what is wrong where.
Both give the same numbers, those of float(token), and beside them the exact ones if asked to.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.base import LARGEST_INDEX, Exact, Lines, data_error
from novikoff.sources.decimals import BadTokenError, fractions, joined_exact, numbers, tokens
from novikoff.sources.tokens import NotANumberError, exact, number, shown

#: Nothing but index:value pairs. A value takes every digit it can and gives none back, so that only
#: a blank can come between it and the next index.
_REGULAR = re.compile(r"(?:[0-9]++:[-+.0-9eE]++ ?+)*+")


class Line(NamedTuple):
    """A line that holds a row: its number in the file, and its text without the comment."""

    number: int
    text: str


class Pairs(NamedTuple):
    """Some rows as written: row i has the pairs from starts[i] up to starts[i + 1]."""

    labels: list[str]
    starts: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    exact: Exact | None
    lines: Lines


def parse(name: str, batch: Sequence[Line], labelled: bool, decimal: bool) -> Pairs:
    """The rows of some lines; `name` is the file's, for complaints."""
    cut = [_cut(name, line, labelled) for line in batch]
    labels, rests = [label for label, _ in cut], [rest for _, rest in cut]
    parsed = _quick(rests, decimal) or _careful(name, batch, rests, decimal)
    starts = np.concatenate(([0], np.cumsum(parsed.counts, dtype=np.int64)))
    lines = np.array([line.number for line in batch], dtype=np.int64)
    return Pairs(labels, starts, parsed.indices, parsed.values, parsed.exact, lines)


def joined(parts: Sequence[Pairs]) -> Pairs:
    """One run of rows out of several."""
    counts = np.concatenate([np.diff(part.starts) for part in parts])
    return Pairs(
        [label for part in parts for label in part.labels],
        np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.values for part in parts]),
        joined_exact([part.exact for part in parts]),
        np.concatenate([part.lines for part in parts]),
    )


class _Numbers(NamedTuple):
    counts: Sequence[int]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    exact: Exact | None


def _cut(name: str, line: Line, labelled: bool) -> tuple[str, str]:
    """The line's label and the rest. Without labels, one that is there all the same is dropped."""
    label, *rest = line.text.split(None, 1)
    if ":" not in label:
        return label, rest[0] if rest else ""
    if labelled:
        raise data_error(
            name,
            line.number,
            f"found {shown(label)}, expected a label before the "
            "first index:value pair: put one there, or pass labelled=False",
        )
    return "", line.text


def _quick(rests: Sequence[str], decimal: bool) -> _Numbers | None:
    """All pairs at once, or None if something about them is unusual."""
    text = " ".join(filter(None, rests))
    if not _REGULAR.fullmatch(text):
        text = " ".join(text.split())  # perhaps it is only the blanks
        if not _REGULAR.fullmatch(text):
            return None
    found = tokens(f"{text} ".encode().replace(b":", b" ") if text else b"", b" ")
    indices, places = found.values[::2], np.arange(1, len(found.ends), 2)
    if not found.known[::2].all() or indices.max(initial=0) > LARGEST_INDEX:
        return None
    try:
        values = numbers(found, places)
        exactly = fractions(found, places) if decimal else None
    except BadTokenError:
        return None
    return _Numbers([rest.count(":") for rest in rests], indices.astype(np.int64), values, exactly)


def _careful(name: str, batch: Sequence[Line], rests: Sequence[str], decimal: bool) -> _Numbers:
    """The pairs one by one, with a complaint that names the first bad one."""
    rows = [
        list(_row(name, line.number, rest, decimal))
        for line, rest in zip(batch, rests, strict=True)
    ]
    pairs = [pair for row in rows for pair in row]
    return _Numbers(
        [len(row) for row in rows],
        np.array([pair.feature for pair in pairs], dtype=np.int64),
        np.array([pair.value for pair in pairs], dtype=np.float64),
        np.array([pair.exact for pair in pairs], dtype=object) if decimal else None,
    )


class _Pair(NamedTuple):
    feature: int
    value: float
    exact: Fraction | None


def _row(name: str, line: int, rest: str, decimal: bool) -> Iterator[_Pair]:
    for token in rest.split():
        left, colon, right = token.partition(":")
        if not colon:
            raise data_error(
                name, line, f"found {shown(token)}, expected index:value: a colon is missing"
            )
        if left == "qid":
            continue
        try:
            value, exactly = number(right), exact(right) if decimal else None
        except NotANumberError as problem:
            raise data_error(name, line, f"in {shown(token)}: {problem}") from None
        yield _Pair(_index(name, line, left, token), value, exactly)


def _index(name: str, line: int, left: str, token: str) -> int:
    problem = f"found the index {shown(left)} in {shown(token)}, expected a whole number"
    if left.startswith("-") and left[1:].isdigit():
        raise data_error(name, line, f"{problem} that is not negative: count features from 0 or 1")
    if not (left.isascii() and left.isdigit()):
        raise data_error(name, line, f"{problem} before the colon: number the features")
    # Python refuses to convert very long runs of digits, and leading zeros carry no meaning.
    digits = left.lstrip("0") or "0"
    if len(digits) > len(str(LARGEST_INDEX)) or int(digits) > LARGEST_INDEX:
        raise data_error(name, line, f"{problem} up to {LARGEST_INDEX}: renumber the features")
    return int(digits)
