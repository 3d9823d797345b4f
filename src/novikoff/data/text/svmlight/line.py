"""One line of an SVMlight file, token by token, to say what is wrong where."""

import re
from array import array
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.errors import BadRowError, LineError
from novikoff.data.files.utf8 import decode_line
from novikoff.data.sparse import LARGEST_INDEX
from novikoff.data.text.labels import NotALabelError, label_value
from novikoff.data.text.tokens import NotANumberError, exact, number, shown

_SHOWN_LINE = 200
_TOKEN = re.compile(r"\S+")


class SvmlightRow(NamedTuple):
    """The pairs of a line in the order of their indices; `label` are the bytes where it stands."""

    label: tuple[int, int]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    exact: list[Fraction] | None


def parse_line(raw: bytes, line: int, *, labelled: bool, decimal: bool) -> SvmlightRow | None:
    """The row that a line holds, or None if it is blank or all comment.

    Without labels, one that is there all the same is passed over.
    """
    try:
        text = decode_line(raw).partition("#")[0]
        tokens = _TOKEN.finditer(text)
        first = next(tokens, None)
        if first is None:
            return None
        label = _label(first, labelled)
        if label == (0, 0):
            tokens = _TOKEN.finditer(text)
        begin, end = (len(text[:place].encode("utf-8")) for place in label)
        return _row((begin, end), tokens, decimal)
    except LineError as bad:
        shown_line = raw[: 4 * _SHOWN_LINE].decode("utf-8", "replace")[:_SHOWN_LINE]
        raise BadRowError(line, bad.column, str(bad), shown_line) from None


def first_index(raw: bytes, wrong: Callable[[int], Any]) -> tuple[int, int]:
    """The first index of a good line about which something is wrong, and its column."""
    tokens = _TOKEN.finditer(decode_line(raw).partition("#")[0])
    for token in _pairs(each for each in tokens if ":" in each[0]):
        index = _index(token)
        if wrong(index):
            return index, token.start() + 1
    raise LookupError("no such index")


def _label(token: re.Match[str], labelled: bool) -> tuple[int, int]:
    """Where the label stands, from the first token of a line; (0, 0) if there is none."""
    if ":" in token[0]:
        if labelled:
            raise LineError(
                token.start() + 1,
                f"found {shown(token[0])}, expected a label before the first index:value pair: put"
                " one there, or pass labelled=False",
            )
        return 0, 0
    try:
        if labelled:
            label_value(token[0])
    except NotALabelError as problem:
        raise LineError(token.start() + 1, str(problem)) from None
    return token.span()


def _row(label: tuple[int, int], tokens: Iterator[re.Match[str]], decimal: bool) -> SvmlightRow:
    # A line may have millions of pairs: nothing of Python's own is kept for each.
    indices, values, places = array("q"), array("d"), array("q")
    exactly: list[Fraction] = []
    for token in _pairs(tokens):
        indices.append(_index(token))
        values.append(_value(token, number))
        places.append(token.start())
        if decimal:
            exactly.append(_value(token, exact))
    columns = np.frombuffer(indices, dtype=np.int64) if indices else np.empty(0, dtype=np.int64)
    order = np.argsort(columns, kind="stable")
    again = order[1:][columns[order][1:] == columns[order][:-1]]
    if again.size:
        place = int(again.min())
        raise LineError(
            places[place] + 1,
            f"index '{columns[place]}' appears twice in this row, expected each index once: drop"
            " one of them, or add the two values",
        )
    found = np.array(values, dtype=np.float64)[order]
    return SvmlightRow(
        label, columns[order], found, [exactly[k] for k in order] if decimal else None
    )


def _pairs(tokens: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The tokens that are pairs of an index and a value; that of a query is passed over."""
    for token in tokens:
        if ":" not in token[0]:
            raise LineError(
                token.start() + 1,
                f"found {shown(token[0])}, expected index:value: a colon is missing",
            )
        if not token[0].startswith("qid:"):
            yield token


def _value(token: re.Match[str], read: Callable[[str], Any]) -> Any:
    left, _, right = token[0].partition(":")
    try:
        return read(right)
    except NotANumberError as problem:
        column = token.start() + len(left) + 2
        raise LineError(column, f"in {shown(token[0])}: {problem}") from None


def _index(token: re.Match[str]) -> int:
    left = token[0].partition(":")[0]
    # Python refuses to convert very long runs of digits, and leading zeros carry no meaning.
    digits = left.lstrip("0") or "0"
    usable = left.isascii() and left.isdigit()
    if usable and len(digits) <= len(str(LARGEST_INDEX)) and int(digits) <= LARGEST_INDEX:
        return int(digits)
    if usable:
        remedy = f" up to {LARGEST_INDEX}: renumber the features"
    elif left.startswith("-") and left[1:].isdigit():
        remedy = " that is not negative: count features from 0 or 1"
    else:
        remedy = " before the colon: number the features"
    raise LineError(
        token.start() + 1,
        f"found the index {shown(left)} in {shown(token[0])}, expected a whole number{remedy}",
    )
