"""Where files can be cut into parts of about the same size, as far as possible unread.

Text is cut where a line begins, which a look at a few bytes after each cut tells. A line end inside
of quotes ends no record of a table; where that matters, the text is gone through once. Compressed
text is cut between files only, files of columns between row groups or record batches.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import ReadPosition
from novikoff.data.files.blocks import Block, delimiter_byte
from novikoff.data.files.inputs import Input
from novikoff.data.files.storage import Ranges
from novikoff.data.text.source import TextSource

_LOOK = 2**12  # bytes after a cut that are looked at first
_LF = ord("\n")
Places = NDArray[np.int64]


def evenly_spaced(candidates: Places, total: int, parts: int) -> list[int]:
    """The parts - 1 candidates that cut 0..total most evenly: each the next one to where it should
    be, as far as those after it keep room. There must be enough of them, ascending.
    """
    chosen, least = list[int](), 0
    for k in range(1, parts):
        wanted = int(np.searchsorted(candidates, total * k // parts))
        place = min(max(wanted, least), len(candidates) - (parts - k))
        chosen.append(int(candidates[place]))
        least = place + 1
    return chosen


class RowCuts:
    """Places in files of rows. groups: how many rows the groups of each file have that must stay
    whole; None for the rows of a file where each may be by itself.
    """

    def __init__(self, counts: Sequence[int], groups: Sequence[Sequence[int]] | None) -> None:
        self._starts, self._groups = [0, *accumulate(counts)], groups
        self.total = self._starts[-1]

    def nearest(self, parts: int) -> list[int] | None:
        """The most even cuts; None if there are not so many."""
        if self._groups is None:
            cuts = [self.total * k // parts for k in range(1, parts)]
            return cuts if parts <= self.total else None
        candidates = self.candidates()
        return (
            evenly_spaced(candidates, self.total, parts) if parts <= len(candidates) + 1 else None
        )

    def candidates(self) -> Places:
        """Between two rows or groups; groups without rows do not count."""
        if self._groups is None:
            return np.arange(1, self.total)
        ends = np.cumsum([rows for file in self._groups for rows in file], dtype=np.int64)
        return np.unique(ends[(ends > 0) & (ends < self.total)])

    def place(self, cut: int) -> ReadPosition:
        """The file of a cut, the rows before it there, and the groups."""
        file = bisect_right(self._starts, cut, hi=len(self._starts) - 1) - 1
        rows = cut - self._starts[file]
        groups = [] if self._groups is None else list(accumulate(self._groups[file]))
        return ReadPosition(file, rows, bisect_right(groups, rows) if rows else 0)


class TextCuts:
    """Places in the text of several files, counted in bytes from the start of the first.

    quoted: whether to find where records begin rather than lines, by going through it all.
    """

    def __init__(self, source: TextSource, quoted: bool) -> None:
        self._inputs = source.inputs
        self._quoted = source.text_format.quoted if quoted else ""
        self._starts = [0, *accumulate(given.size or 0 for given in self._inputs)]
        self.total = self._starts[-1]
        # Not right after the header: that would be a part without rows.
        self._least = [_header_end(source, k) + 1 for k in range(len(self._inputs))]

    def nearest(self, parts: int) -> list[int] | None:
        """For each cut the first possible place from where it should be; None if two are one."""
        wanted: dict[int, list[int]] = {}
        for k in range(1, parts):
            target = self.total * k // parts
            wanted.setdefault(self._file(target), []).append(target)
        found = [cut for file, targets in wanted.items() for cut in self._near(file, targets)]
        return found if all(a < b for a, b in pairwise([0, *found, self.total])) else None

    def candidates(self) -> Places:
        """All places where a cut can be. All that can be cut is read."""
        found = [np.array(self._starts[1:-1], np.int64)]
        for k, given in enumerate(self._inputs):
            if given.compression is None:
                for block in given.blocks(k, quoted=self._quoted):
                    ends = self._ends(block)
                    found.append(ends[ends >= self._least[k]] + self._starts[k])
        places = np.unique(np.concatenate(found))
        return places[(places > 0) & (places < self.total)]

    def place(self, cut: int) -> ReadPosition:
        """The file of a cut, and the bytes before it there."""
        file = self._file(cut)
        return ReadPosition(file, cut - self._starts[file])

    def _file(self, place: int) -> int:
        """The last file that begins there or before."""
        return bisect_right(self._starts, place, hi=len(self._starts) - 1) - 1

    def _near(self, file: int, targets: list[int]) -> Iterator[int]:
        """The nearest possible cuts from some places of a file on."""
        given, first, end = self._inputs[file], self._starts[file], self._starts[file + 1]
        if given.compression is not None:
            yield from (first if target == first else end for target in targets)
            return
        least = self._least[file]
        later = [target - first for target in targets if file == 0 or target - first >= least]
        yield from (first for _ in targets[len(later) :])
        places = [max(place, least) for place in later]
        starts = self._records if self._quoted else _line_starts
        yield from (first + min(cut, end - first) for cut in starts(given, places))

    def _records(self, given: Input, places: list[int]) -> Iterator[int]:
        """For each of the places the first record start there or after it."""
        waiting = iter([*places, None])
        place = next(waiting)
        for block in given.blocks(quoted=self._quoted):
            ends = self._ends(block)
            while place is not None and len(ends) and place <= ends[-1]:
                yield int(ends[np.searchsorted(ends, place)])
                place = next(waiting)
        while place is not None:
            yield given.size or 0
            place = next(waiting)

    def _ends(self, block: Block) -> Places:
        """Where lines or records of a block end."""
        lines = np.flatnonzero(block.text == _LF) + 1
        if not self._quoted:
            return lines + block.offset
        from novikoff.data.files.quote_kernel import ends  # Numba is slow to import

        count = ends(block.text, delimiter_byte(self._quoted), lines)
        return lines[:count] + block.offset


#: Places in several files, counted from the start of the first one up to `total`.
SplitPoints = RowCuts | TextCuts


def _line_starts(given: Input, places: list[int]) -> Iterator[int]:
    """For each of the places the first line start there or after it."""
    with given.ranges() as file:
        for place in places:
            yield _line_start(file, place, given.size or 0)


def _line_start(file: Ranges, at: int, size: int) -> int:
    look = _LOOK
    while at < size:
        piece = file.read(look, at - 1)  # a line begins after a line end
        found = piece.find(b"\n")
        if found >= 0:
            return at + found
        at, look = at + max(len(piece), 1), 2 * look
    return size


def _header_end(source: TextSource, file: int) -> int:
    """How many bytes a table's header has, with what comes before it."""
    lines = source.text_format.header_lines(file)
    return source.inputs[file].first_lines_size(lines) if lines else 0
