"""The rows of an SVMlight block: quickly where they are regular, carefully elsewhere.

`parse` leaves all lines to the compiled loop of `svmlight_kernel` that it takes. What it does not
take goes the careful way of `svmlight_line`, one token at a time, which says what is wrong where.
Both give the same numbers, those of float(token); it also gives the exact ones if asked to.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sources import labels
from novikoff.sources.base import BadRowError, Exact
from novikoff.sources.blocks import Bytes
from novikoff.sources.svmlight_line import Row, careful_row, first_index

if TYPE_CHECKING:
    from novikoff.sources.svmlight_kernel import Into

#: What Python takes for blanks besides those that the compiled loop knows.
_ODD_BLANKS = re.compile(r"[^\S\x00-\x7f]")


class Pairs(NamedTuple):
    """The rows of a block: row i has the pairs from starts[i] up to starts[i + 1], in order.

    Both are int32. lines: those of the rows, from 0 at the block's first; begins: some place in
    each of them.
    """

    text: Bytes
    labels: labels.LabelPart
    starts: NDArray[Any]
    indices: NDArray[Any]
    values: NDArray[np.float64]
    exact: Exact | None
    lines: NDArray[np.int64]
    begins: NDArray[np.int64]
    line_ends: int
    skipped: list[BadRowError]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.lines)

    def find(self, wrong: Callable[[Any], Any]) -> tuple[int, int, int]:
        """The first index about which something is wrong, its line, and its column there."""
        pair = int(np.flatnonzero(wrong(self.indices))[0])
        row = int(np.searchsorted(self.starts, pair, side="right")) - 1
        raw = _line_at(self.text.tobytes(), int(self.begins[row]))
        index, column = first_index(raw, wrong)
        return index, int(self.lines[row]), column


def parse(text: Bytes, *, labelled: bool, decimal: bool, skip: bool) -> Pairs:
    """The rows of whole lines.

    Raises a BadRowError at the first row that is bad, or, if they are to be skipped, lists them.
    """
    ended = text if text.size and text[-1] == ord("\n") else _ended(text)
    reading = _Reading(ended, labelled, decimal, skip)
    reading.run(quick=not decimal)
    if not reading.scan.plain and not _plain(ended):
        reading = _Reading(ended, labelled, decimal, skip)
        reading.run(quick=False)
    return reading.result(line_ends=reading.ends - (ended is not text))


class _Reading:
    """One block being read: the arrays, how far they are filled, and the bad rows so far."""

    def __init__(self, text: Bytes, labelled: bool, decimal: bool, skip: bool) -> None:
        from novikoff.sources.svmlight_kernel import Scan, count_marks  # Numba is slow to import

        self.text, self.labelled, self.decimal, self.skip = text, labelled, decimal, skip
        colons, self.ends = count_marks(text)
        self.into, self.scan = _room(colons, self.ends), Scan()
        self.exact: list[Fraction] = []
        self.bad: list[BadRowError] = []
        self._raw = b""

    @property
    def raw(self) -> bytes:
        """The text once more, to cut lines out of."""
        if not self._raw:
            self._raw = self.text.tobytes()
        return self._raw

    def run(self, *, quick: bool) -> None:
        """Go through all lines, or up to the first bad one if they are not to be skipped."""
        from novikoff.sources.svmlight_kernel import scan_rows

        while self.scan.at < len(self.text) and (self.skip or not self.bad):
            if quick:
                self.scan = scan_rows(self.text, self.scan, self.into, self.labelled)
            if self.scan.at < len(self.text):
                self._take_line()

    def _take_line(self) -> None:
        """The next line, the careful way."""
        scan = self.scan
        raw = _line_at(self.raw, scan.at)
        after = scan._replace(at=scan.at + len(raw) + 1, line=scan.line + 1)
        try:
            row = careful_row(raw, scan.line, labelled=self.labelled, decimal=self.decimal)
        except BadRowError as bad:
            self.bad.append(bad)
            self.scan = after
            return
        if row is not None:
            after = after._replace(rows=scan.rows + 1, pairs=scan.pairs + len(row.values))
            self._put(row)
        self.scan = after

    def _put(self, row: Row) -> None:
        scan, into = self.scan, self.into
        part = slice(scan.pairs, scan.pairs + len(row.values))
        into.columns[part], into.values[part] = row.indices, row.values
        self.exact += row.exact or []
        into.starts[scan.rows : scan.rows + 2] = part.start, part.stop
        into.lines[scan.rows] = scan.line
        into.label_starts[scan.rows] = scan.at + row.label[0]
        into.label_stops[scan.rows] = scan.at + row.label[1]

    def result(self, line_ends: int) -> Pairs:
        """The rows. Bad labels are found out only now, of all rows together."""
        into, rows = self.into, self.scan.rows
        begins, ends = into.label_starts[:rows], into.label_stops[:rows]
        part = labels.parsed(self.text, begins, ends) if self.labelled else _NO_LABELS
        for row, _ in part.bad:
            self._refuse_label(row)
            if not self.skip:
                break
        self.bad.sort(key=lambda bad: bad.line)
        if self.bad and not self.skip:
            raise self.bad[0]
        pairs = Pairs(
            self.text,
            part,
            into.starts[: rows + 1],
            into.columns[: self.scan.pairs],
            into.values[: self.scan.pairs],
            np.array(self.exact, dtype=object) if self.decimal else None,
            into.lines[:rows],
            begins,
            line_ends,
            self.bad,
        )
        return _without(pairs, {row for row, _ in part.bad}) if part.bad else pairs

    def _refuse_label(self, row: int) -> None:
        raw = _line_at(self.raw, int(self.into.label_starts[row]))
        try:
            careful_row(raw, int(self.into.lines[row]), labelled=True, decimal=self.decimal)
        except BadRowError as bad:
            self.bad.append(bad)


_NOWHERE = np.empty(0, dtype=np.int64)
_NO_LABELS = labels.LabelPart(np.empty(0, dtype=np.uint8), _NOWHERE, _NOWHERE, None)


def _room(pairs: int, rows: int) -> "Into":
    from novikoff.sources.svmlight_kernel import Into

    return Into(
        np.zeros(rows + 2, dtype=np.int32),
        np.empty(pairs, dtype=np.int32),
        np.empty(pairs),
        *(np.empty(rows, dtype=np.int64) for _ in range(3)),
    )


def _without(pairs: Pairs, bad: set[int]) -> Pairs:
    """The same without some rows."""
    keep = np.array([row not in bad for row in range(pairs.rows)], dtype=np.bool_)
    counts = np.diff(pairs.starts)
    kept = np.repeat(keep, counts)
    starts = np.zeros(int(keep.sum()) + 1, dtype=np.int32)
    np.cumsum(counts[keep], out=starts[1:])
    part = pairs.labels
    return pairs._replace(
        labels=labels.parsed(pairs.text, part.starts[keep], part.stops[keep]),
        starts=starts,
        indices=pairs.indices[kept],
        values=pairs.values[kept],
        exact=None if pairs.exact is None else pairs.exact[kept],
        lines=pairs.lines[keep],
        begins=pairs.begins[keep],
    )


def _ended(text: Bytes) -> Bytes:
    """A copy with a line end, and read-only as all blocks are."""
    return np.frombuffer(text.tobytes() + b"\n", dtype=np.uint8)


def _plain(text: Bytes) -> bool:
    """Whether it is UTF-8, and Python takes nothing for a blank that the compiled loop does not."""
    try:
        return _ODD_BLANKS.search(text.tobytes().decode("utf-8")) is None
    except UnicodeDecodeError:
        return False


def _line_at(raw: bytes, place: int) -> bytes:
    """The line around a place, without its line end."""
    return raw[raw.rfind(b"\n", 0, place) + 1 : raw.index(b"\n", place)]
