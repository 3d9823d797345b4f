"""An answer: fields of text, read as exact numbers, points, names, or yes and no."""

import re
from collections.abc import Mapping
from fractions import Fraction

from novikoff.errors import NovikoffError
from novikoff.number_text import count

LONGEST_NUMBER = 60  # characters; no exercise needs more, and long ones only cost time
LONGEST_LIST = 1000  # numbers in one field
SHOWN = 30  # characters of what cannot be read
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(/\d+)?")
YES, NO = ("yes", "y", "true"), ("no", "n", "false")


class AnswerError(NovikoffError):
    """An answer that cannot be read; the message names the field and says what to write."""


class Answer:
    """The fields of one answer, as texts; each method reads one of them."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        self.fields = dict(fields)

    def number(self, name: str) -> Fraction:
        """The field as one exact number: 3, -2/3 or 0.25.

        >>> Answer({"bound": "-2/4"}).number("bound")
        Fraction(-1, 2)
        """
        return _number(name, self.fields[name].strip())

    def whole(self, name: str) -> int:
        """The field as a whole number."""
        return _whole(name, self.number(name))

    def numbers(self, name: str, length: int | None = None) -> list[Fraction]:
        """The field as numbers, between commas or blanks; `length`: how many there must be.

        >>> Answer({"weights": "1, 2 (0.5)"}).numbers("weights")
        [Fraction(1, 1), Fraction(2, 1), Fraction(1, 2)]
        """
        found = [_number(name, word) for word in _words(name, self.fields[name])]
        if length is not None and len(found) != length:
            raise AnswerError(f"{name}: {count(len(found), 'number')}, expected {length}")
        return found

    def rows(self, name: str, among: int) -> list[int]:
        """The field as different row numbers from 1 to `among`, counted from 0."""
        found = [_whole(name, each) for each in self.numbers(name)]
        for row in found:
            if not 1 <= row <= among:
                raise AnswerError(f"{name}: there is no row {row}: rows are 1 to {among}")
            if found.count(row) > 1:
                raise AnswerError(f"{name}: row {row} is named more than once")
        return [row - 1 for row in found]

    def points(self, name: str) -> list[tuple[int, int]]:
        """The field as points with whole coordinates: (1, 2) (3, 4), or 1 2; 3 4."""
        parts = re.split(r"[;)\]]", self.fields[name])
        found = []
        for part in filter(None, (part.strip(" ,([\n\t") for part in parts)):
            pair = [_whole(name, _number(name, word)) for word in _words(name, part)]
            if len(pair) != 2:
                raise AnswerError(
                    f"{name}: a point is two numbers, such as (1, 2); not {_cut(part)}"
                )
            found.append((pair[0], pair[1]))
        if not found:
            raise AnswerError(f"{name}: nothing is written there")
        return found

    def names(self, name: str, known: tuple[str, ...]) -> list[str]:
        """The field as different names, each of them one of `known`."""
        found = _words(name, self.fields[name])
        for word in found:
            if word not in known:
                raise AnswerError(f"{name}: {_cut(word)} is none of {known[0]} to {known[-1]}")
            if found.count(word) > 1:
                raise AnswerError(f"{name}: {word} is named more than once")
        return found

    def flag(self, name: str) -> bool:
        """The field as yes or no."""
        word = self.fields[name].strip().lower()
        if word not in (*YES, *NO):
            raise AnswerError(f"{name}: expected yes or no, not {_cut(word)}")
        return word in YES


def _words(name: str, text: str) -> list[str]:
    words = re.sub(r"[,;()\[\]]", " ", text).split()
    if not words:
        raise AnswerError(f"{name}: nothing is written there")
    if len(words) > LONGEST_LIST:
        raise AnswerError(f"{name}: {len(words):,} entries are too many; at most {LONGEST_LIST:,}")
    return words


def _number(name: str, word: str) -> Fraction:
    word = word.replace("\N{MINUS SIGN}", "-")
    if not word:
        raise AnswerError(f"{name}: nothing is written there")
    if len(word) > LONGEST_NUMBER:
        raise AnswerError(
            f"{name}: a number of {len(word):,} characters is too long; at most {LONGEST_NUMBER}"
        )
    if not word.isascii() or not NUMBER.fullmatch(word):
        raise AnswerError(f"{name}: {_cut(word)} is not a number; write 3, -2/3 or 0.25")
    top, _, bottom = word.partition("/")
    if bottom and int(bottom) == 0:
        raise AnswerError(f"{name}: {_cut(word)} divides by zero")
    return Fraction(top) / int(bottom or 1)


def _whole(name: str, number: Fraction) -> int:
    if number.denominator != 1:
        raise AnswerError(f"{name}: {number} is not a whole number")
    return number.numerator


def _cut(word: str) -> str:
    return repr(word if len(word) <= SHOWN else f"{word[:SHOWN]}...")
