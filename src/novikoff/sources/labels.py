"""Raw labels: numbers where every label is a number, words otherwise."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.base import LabelArray, Lines, data_error
from novikoff.sources.tokens import is_number, plain, reads_as_float, shown

#: An array of text is as wide as its longest word, so that one endless label could fill the memory.
LONGEST_LABEL = 200

_LAST_CHARACTER = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
_MISSING = frozenset({"", "na", "nan"})


class Labels:
    """Turns the label tokens of one pass into arrays, and keeps to the kind it started with.

    A pass in chunks cannot take back that it called the labels numbers, so a word after numbers
    is an error then; a pass over everything at once sees all tokens first and has no such trouble.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._words: bool | None = None

    def convert(self, tokens: Sequence[str], lines: Lines) -> LabelArray:
        """The labels of some rows; `lines` says where they stand."""
        values: dict[str, int | float | str] = {}
        for token, line in zip(tokens, lines, strict=True):
            if token not in values:
                values[token] = self._value(token, int(line))
        words = any(isinstance(value, str) for value in values.values())
        if words and self._words is False:
            self._refuse_word(tokens, lines, values)
        self._words = words or bool(self._words)
        if self._words:
            return np.array(tokens, dtype=np.str_)
        kind = np.int64 if all(isinstance(v, int) for v in values.values()) else np.float64
        return np.array([values[token] for token in tokens], dtype=kind)

    def _value(self, token: str, line: int) -> int | float | str:
        """The label as an integer, else a float, else as the word it is."""
        if token.lower() in _MISSING:
            raise data_error(
                self._name,
                line,
                f"the label is missing ({shown(token)}), expected "
                "a number or a word: fill it in or drop the row",
            )
        if len(token) > LONGEST_LABEL:
            raise data_error(
                self._name,
                line,
                f"the label {shown(token)} has {len(token)} "
                f"characters, expected at most {LONGEST_LABEL}: is this column the "
                "label?",
            )
        if _INTEGER.fullmatch(token):
            return int(token)
        if is_number(token):
            return float(token)
        if plain(token) and reads_as_float(token):
            raise data_error(
                self._name,
                line,
                f"the label {shown(token)} is not finite, expected "
                "a number or a word: use other names for the classes",
            )
        return token

    def _refuse_word(
        self, tokens: Sequence[str], lines: Lines, values: dict[str, int | float | str]
    ) -> None:
        place = next(i for i, token in enumerate(tokens) if isinstance(values[token], str))
        raise data_error(
            self._name,
            int(lines[place]),
            f"found the label {shown(tokens[place])}, "
            "expected a number as in the rows before: use words for all labels, or "
            "read the file whole instead of in chunks",
        )


def label_array(name: str, column: NDArray[Any]) -> LabelArray:
    """Labels that are an array already, as int64, float64 or text."""
    if column.dtype.kind == "S":
        try:
            column = np.char.decode(column, "utf-8")
        except UnicodeDecodeError:
            raise data_error(
                name, None, "the labels are bytes that are not UTF-8 text: save them as text"
            ) from None
    if column.dtype.kind == "U":
        return _word_labels(name, column)
    if column.dtype.kind not in "biuf":
        raise data_error(name, None, f"labels of type {column.dtype}, expected numbers or text")
    if column.dtype.kind == "f":
        return _finite_labels(name, column)
    if column.dtype.kind == "u" and column.size and int(column.max()) > np.iinfo(np.int64).max:
        raise data_error(
            name,
            None,
            f"the label {column.max()} does not fit a 64-bit integer: use "
            "smaller numbers for the classes",
        )
    return column.astype(np.int64)


def _finite_labels(name: str, column: NDArray[Any]) -> LabelArray:
    with np.errstate(all="ignore"):
        values = column.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise data_error(
            name,
            None,
            f"row {bad[0]} (counting from 0): the label is "
            f"{values[bad[0]]}, expected a finite number: fill it in or drop the row",
        )
    return values


def _word_labels(name: str, column: NDArray[Any]) -> LabelArray:
    words = column.astype(column.dtype.newbyteorder("="))
    # Four arbitrary bytes need not be a character; checked as numbers, because Python's own
    # strings break on such ones.
    codes = np.frombuffer(words.tobytes(), np.uint32)
    if ((codes > _LAST_CHARACTER) | ((codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1]))).any():
        raise data_error(name, None, "the labels are not valid text: save them again")
    empty = np.flatnonzero(words == "")
    if empty.size:
        raise data_error(
            name,
            None,
            f"row {empty[0]} (counting from 0): the label is missing "
            "(''), expected a word: fill it in or drop the row",
        )
    return words
