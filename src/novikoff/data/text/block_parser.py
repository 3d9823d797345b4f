"""What the parsers of all text formats share: compiled code first, strict rules for the rest."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from novikoff.data.errors import BadRowError
from novikoff.data.files.blocks import Bytes
from novikoff.data.text.format import Parsed
from novikoff.jit import Budget


class StrictBudget(Budget):
    """For texts so short that it takes less time to parse all of their lines strictly than to
    compile what parses regular ones.
    """

    def suffices(self, text: Bytes) -> bool:
        """Whether a text can be parsed so; then it should be."""
        return self.take(2.0 * len(text))


#: Some of the rows parsed so far: all of them, or those with these numbers.
RowSelection = slice | NDArray[np.int64]


class BlockParser(ABC, Generic[Parsed]):
    """Parses one block into arrays that are large enough for whatever its text may hold.

    Compiled code takes regular lines, up to one that it does not understand. That one is parsed
    strictly, token by token, so that it can be said what is wrong where; both give the same rows.
    Labels and values of categories are checked for all rows together in the end.
    """

    def __init__(self, text: Bytes, *, skip: bool) -> None:
        self.text, self._skip = text, skip
        self.at = self.rows = 0  # parsed so far
        self.skipped: list[BadRowError] = []
        self._refused: BadRowError | None = None

    @abstractmethod
    def _parse_fast(self) -> None:
        """Parse regular lines, as far as they go."""

    @abstractmethod
    def _parse_strict(self) -> None:
        """Parse the next line, or a few. Raises a BadRowError, or leaves bad rows out."""

    @abstractmethod
    def _collect(self, selection: RowSelection) -> Parsed:
        """These of the rows, with their labels."""

    def _unusable(self, parsed: Parsed) -> Iterator[tuple[int, BadRowError]]:
        """Those of the rows whose labels or values turn out to be bad, in order."""
        return iter(())

    def parse(self) -> Parsed:
        """All rows that can be used. Raises a BadRowError at the first bad one, unless skipped."""
        self.run()
        return self.result()

    def run(self) -> None:
        """Parse all lines; none beyond a row that is to be refused."""
        try:
            while self.at < len(self.text):
                self._parse_fast()
                if self.at < len(self.text):
                    self._parse_strict()
        except BadRowError as bad:
            self._refused = bad  # raised in the end: a label before it may be bad too

    def result(self) -> Parsed:
        """The rows that can be used. Raises a BadRowError at the first bad one, unless skipped."""
        parsed, dropped = self._collect(slice(0, self.rows)), list[int]()
        for row, bad in self._unusable(parsed):
            self._leave_out(bad)
            dropped.append(row)
        if dropped:
            parsed = self._collect(np.delete(np.arange(self.rows), dropped))
        if self._refused is not None:
            raise self._refused
        self.skipped.sort(key=lambda each: each.line)
        return parsed

    def _leave_out(self, bad: BadRowError) -> None:
        if not self._skip:
            raise bad
        bad.__context__ = None  # neither that nor the frames are worth their memory
        self.skipped.append(bad.with_traceback(None))

    @cached_property
    def raw(self) -> bytes:
        """The text once more, to cut lines out of."""
        return self.text.tobytes()

    def line_at(self, place: int) -> bytes:
        """The line around a place, without its line end."""
        return line_at(self.raw, place)


def line_at(raw: bytes, place: int) -> bytes:
    """The line around a place, without its line end; the text ends in one."""
    return raw[raw.rfind(b"\n", 0, place) + 1 : raw.index(b"\n", place)]


def with_line_end(text: Bytes) -> Bytes:
    """The text, or a copy with a line end: read-only, as all blocks are."""
    if text.size and text[-1] == ord("\n"):
        return text
    return np.frombuffer(text.tobytes() + b"\n", dtype=np.uint8)
