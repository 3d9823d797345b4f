"""Raw labels: numbers where every label is a number, words otherwise."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import LabelArray, Lines
from novikoff.data.errors import RereadError, data_error, file_error
from novikoff.data.text.label_kernel import scan_labels
from novikoff.data.text.tokens import is_number, plain, reads_as_float, shown
from novikoff.jit import Budget

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

#: An array of text is as wide as its longest word, so that one endless label could fill the memory.
LONGEST_LABEL = 200

STEPS_PER_LABEL = 10  # of plain Python

_budget = Budget()
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_MISSING = frozenset({"", "na", "nan"})


class NotALabelError(ValueError):
    """The token cannot be a label; the message says why and what to do."""


class LabelPart(NamedTuple):
    """The labels of some rows, before it is known which came before them.

    numbers: as int64 or float64; None if one of them is a word. words: as they are written, where
    that was needed. bad: the rows whose label cannot be used, each with what is wrong about it.
    """

    text: Bytes
    starts: Ints
    stops: Ints
    numbers: LabelArray | None
    words: list[str] | None = None
    bad: tuple[tuple[int, str], ...] = ()

    def as_words(self) -> list[str]:
        """The labels as they are written."""
        if self.words is not None:
            return self.words
        return [token.decode("utf-8") for token in _tokens(self.text, self.starts, self.stops)]


def parse_labels(text: Bytes, starts: Ints, stops: Ints) -> LabelPart:
    """The labels text[starts[i]:stops[i]], which are UTF-8; any thread may do that."""
    too_long = int((stops - starts).max(initial=0)) > LONGEST_LABEL
    if too_long or _budget.take(STEPS_PER_LABEL * len(starts) + len(text) / 1000):
        return _one_by_one(text, starts, stops)
    floats, integers = np.empty(len(starts)), np.empty(len(starts), dtype=np.int64)
    known, whole = scan_labels(text, starts, stops, floats, integers)
    if known:
        return LabelPart(text, starts, stops, integers if whole else floats)
    return _one_by_one(text, starts, stops)


def _one_by_one(text: Bytes, starts: Ints, stops: Ints) -> LabelPart:
    tokens = _tokens(text, starts, stops)
    values, problems = {}, {}
    for token in set(tokens):  # real data repeat themselves
        try:
            values[token] = label_value(token.decode("utf-8"))
        except UnicodeDecodeError:
            problems[token] = "the label is not UTF-8, expected UTF-8 text: save the file as UTF-8"
        except NotALabelError as problem:
            problems[token] = str(problem)
    if problems:
        bad = [(row, problems[token]) for row, token in enumerate(tokens) if token in problems]
        return LabelPart(text, starts, stops, None, [], tuple(bad))
    if any(isinstance(value, str) for value in values.values()):
        words = [token.decode("utf-8") for token in tokens]
        return LabelPart(text, starts, stops, None, words)
    kind = np.int64 if all(isinstance(value, int) for value in values.values()) else np.float64
    numbers = np.array([values[token] for token in tokens], dtype=kind)
    return LabelPart(text, starts, stops, numbers)


def _tokens(text: Bytes, starts: Ints, stops: Ints) -> list[bytes]:
    raw = text.tobytes()
    return [raw[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


def label_value(token: str) -> int | float | str:
    """The label as an integer, else a float, else as the word it is."""
    if token.lower() in _MISSING:
        raise NotALabelError(
            f"the label is missing ({shown(token)}), expected a number or a word: fill it in or"
            " drop the row"
        )
    if len(token) > LONGEST_LABEL:
        raise NotALabelError(
            f"the label {shown(token)} has {len(token)} characters, expected at most"
            f" {LONGEST_LABEL}: is this column the label?"
        )
    if _INTEGER.fullmatch(token):
        return int(token)
    if is_number(token):
        return float(token)
    if plain(token) and reads_as_float(token):
        raise NotALabelError(
            f"the label {shown(token)} is not finite, expected a number or a word: use other names"
            " for the classes"
        )
    return token


class Labels:
    """Puts the labels of a pass together, and keeps to the kind that it started with.

    A pass in blocks cannot take back that it called the labels numbers: a word after numbers is an
    error, and `always_words`, which makes words of all of them from the start, is the remedy.
    `words` is None as long as there were no labels.
    """

    def __init__(self, always_words: bool = False) -> None:
        self._always_words = always_words
        self.start_over()

    def start_over(self) -> None:
        """Forget an earlier pass."""
        self.words: bool | None = self._always_words or None

    def restore(self, words: bool | None) -> None:
        """Go on after another pass; if its labels were words, they will be in every pass."""
        self._always_words = self._always_words or bool(words)
        self.words = words

    def take(self, part: LabelPart, lines: Lines, name: str) -> LabelArray:
        """The next labels; `lines` says where they stand, `name` in which file."""
        for row, problem in part.bad:
            raise data_error(name, int(lines[row]), problem)
        if part.numbers is None and self.words is False:
            raise self._late(part.as_words(), lines, name)
        self.words = part.numbers is None or bool(self.words)
        if part.numbers is None or self.words:
            return np.array(part.as_words(), dtype=np.str_)
        return part.numbers

    def _late(self, words: Sequence[str], lines: Lines, name: str) -> RereadError:
        place = next(i for i, word in enumerate(words) if isinstance(label_value(word), str))
        late = data_error(
            name,
            int(lines[place]),
            f"found the label {shown(words[place])}, expected a number as in the rows before: pass"
            " word_labels=True, or use words for all labels",
        )
        return RereadError(str(late), late.spot, word_labels=True)


def label_array(name: str, column: NDArray[Any], first: int = 0) -> LabelArray:
    """Labels that are an array already, as int64, float64 or text. first: the number of its row."""
    check_label_type(name, column.dtype)
    if column.dtype.kind == "S":
        try:
            column = np.char.decode(column, "utf-8")
        except UnicodeDecodeError:
            raise file_error(
                name, "the labels are bytes that are not UTF-8 text: save them as text"
            ) from None
    if column.dtype.kind == "U":
        return _word_labels(name, column, first)
    if column.dtype.kind == "f":
        return _finite_labels(name, column, first)
    if column.dtype.kind == "u" and column.size and int(column.max()) > np.iinfo(np.int64).max:
        raise file_error(
            name,
            f"the label {column.max()} does not fit a 64-bit integer: use "
            "smaller numbers for the classes",
        )
    return column.astype(np.int64)


def check_label_type(name: str, kind: np.dtype[Any]) -> None:
    """Refuse an array of this type as labels."""
    if kind.kind not in "biufSU":
        raise file_error(name, f"labels of type {kind}, expected numbers or text")


def _finite_labels(name: str, column: NDArray[Any], first: int) -> LabelArray:
    with np.errstate(all="ignore"):
        values = column.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise file_error(
            name,
            f"row {first + bad[0]} (counting from 0): the label is "
            f"{values[bad[0]]}, expected a finite number: fill it in or drop the row",
        )
    return values


def _word_labels(name: str, column: NDArray[Any], first: int) -> LabelArray:
    words = column.astype(column.dtype.newbyteorder("="))
    # Four arbitrary bytes need not be a character; checked as numbers, because Python's own
    # strings break on such ones.
    codes = np.frombuffer(words.tobytes(), np.uint32)
    if ((codes > _LAST_CHARACTER) | ((codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1]))).any():
        raise file_error(name, "the labels are not valid text: save them again")
    empty = np.flatnonzero(words == "")
    if empty.size:
        raise file_error(
            name,
            f"row {first + empty[0]} (counting from 0): the label is missing "
            "(''), expected a word: fill it in or drop the row",
        )
    return words
