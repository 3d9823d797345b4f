"""Signed rows in several pieces, judged as if they were one: in this process or on other machines.

Each piece is a `Signed` of its own that knows how many rows come before it. Whatever goes through
rows is asked of every piece, or of one after another, and put together here so that nothing depends
on where the rows were cut: sums are over one row or exact, a lowest score is the first of the
smallest. On this side there are arrays with a few numbers for each row (signs, and masks,
multipliers and lengths where they are needed), and the few rows of an active set; never the rows.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.rows import make_rows
from novikoff.scan import NO_MASK, Mask, Scan
from novikoff.signed import IntegerRow, LabelPair, Places, Signed, SignedRows
from novikoff.sources.sparse import csr
from novikoff.verdict import asked
from novikoff.verdict.joined_scan import JoinedScan
from novikoff.verdict.lines import Form, Line, exact_of, lines_of, matrix_of
from novikoff.verdict.pieces import Followed, Here, Pieces

Result = TypeVar("Result")
State = TypeVar("State")

KEPT = 2**25  # entries of rows that were looked at one by one


class Joined(SignedRows):
    """Signed rows in pieces. form: what the rows of all of them are like."""

    def __init__(
        self,
        pieces: Pieces,
        form: Form,
        signs: npt.NDArray[np.int8],
        labels: LabelPair | None,
        *,
        family: str = "binary",
        unit_length: bool = False,
    ) -> None:
        super().__init__(signs, labels, family, unit_length)
        self.pieces, self.form = pieces, form
        self._counts = list(pieces.counts)
        self._bounds = np.cumsum([0, *self._counts])
        self._some = [k for k, count in enumerate(self._counts) if count]
        self._held: dict[int, Line] = {}
        self._integers: dict[int, IntegerRow] = {}
        self._size = 0  # of what is held

    @property
    def features(self) -> int:
        return self.form.features

    @property
    def bias(self) -> bool:
        return self.form.bias

    @property
    def rational(self) -> bool:
        return self.form.rational

    def as_rational(self, rational: bool) -> bool:
        same = all(self.each(Signed.as_rational, rational))
        self._take_as(rational)
        return same

    def _take_as(self, rational: bool) -> None:
        self.form = self.form._replace(rational=rational)
        self._forget()

    @cached_property
    def scan(self) -> Scan:
        return JoinedScan(self, self.form.entries, self.rational, self.survey)

    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        return self.each(asked.fingerprints)

    @cached_property
    def to_unit(self) -> npt.NDArray[np.float64]:
        """Each piece keeps its own as well."""
        return np.concatenate(self.each(asked.to_unit))

    # Going through rows

    def each(self, function: Callable[..., Result], *args: Any) -> list[Result]:
        return self.pieces.ask(function, *args, only=self._some)

    def masked(self, function: Callable[..., Result], mask: Mask, *args: Any) -> list[Result]:
        """function(piece, its part of the mask, *args) of each piece; it is empty if no row of the
        piece is marked.
        """
        if not mask.size or not mask.any():
            return self.each(function, NO_MASK, *args)
        parts = [mask[a:b] for a, b in pairwise(self._bounds)]
        bits = [np.packbits(part) if part.any() else None for part in parts]
        return self.pieces.ask(asked.masked, function, *args, each=bits, only=self._some)

    def spread(
        self, function: Callable[..., Result], places: Places, *args: Any, beside: Any = None
    ) -> list[Result]:
        cuts = np.searchsorted(places, self._bounds)
        some: list[Any] = [None] * len(self._counts)
        for k, count in enumerate(self._counts):
            part = slice(cuts[k], cuts[k + 1])
            if part.start < part.stop:
                here = asked.shortened(places[part] - self._bounds[k], count)
                some[k] = here, None if beside is None else beside[part]
        which = [k for k, each in enumerate(some) if each is not None]
        if not which:
            return []
        return self.pieces.ask(asked.spread, function, *args, each=some, only=which)

    def chain(
        self, function: Callable[..., tuple[State, Result]], state: State, *args: Any
    ) -> tuple[State, list[Result]]:
        results = []
        for k in self._some:
            [(state, result)] = self.pieces.ask(asked.linked, function, state, *args, only=[k])
            results.append(result)
        return state, results

    def windows(
        self,
        function: Callable[..., tuple[State, Result]],
        state: State,
        tasks: Sequence[tuple[slice, Any]],
        *args: Any,
    ) -> tuple[State, list[Result]]:
        """A window is gone through by the piece that has its first row, which gets the rows of it
        that are in later pieces once.
        """
        owners: dict[int, list[tuple[slice, Any]]] = {}
        for window, task in tasks:
            k = int(np.searchsorted(self._bounds, window.start, "right")) - 1
            owners.setdefault(k, []).append((window, task))
        results: list[Result] = []
        for k, own in owners.items():
            some = function, state, own, args
            [answer] = self.pieces.ask(asked.through, *some, None, only=[k])
            if answer is None:
                beyond = self._beyond(k, own[-1][0].stop)
                [answer] = self.pieces.ask(asked.through, *some, beyond, only=[k])
            state, done = answer
            results += done
        return state, results

    # Few rows, which are kept here

    def bring(self, places: Sequence[int]) -> None:
        self.integers(places)

    def row(self, i: int) -> IntegerRow:
        return self.integers([i])[0]

    def integers(self, places: Iterable[int]) -> list[IntegerRow]:
        wanted = list(places)
        found = {i: self._integers[i] for i in wanted if i in self._integers}
        new = [i for i in dict.fromkeys(wanted) if i not in found]
        if new:
            held = self.taken(np.array(new, np.int64))
            found |= zip(new, held.integers(range(len(new))), strict=True)
            self._integers |= found
        return [found[i] for i in wanted]

    def entries(self, i: int) -> tuple[list[int], list[Any]]:
        return self.taken(np.array([i])).entries(0)

    def dense(self, rows: Places) -> npt.NDArray[np.float64]:
        return self.taken(rows).dense(np.arange(len(rows)))

    def sparse(self, rows: Places) -> Any:
        return self.taken(rows).sparse(np.arange(len(rows)))

    def contents(self, places: Places) -> list[Any]:
        """A digest of each row that no two different ones are known to share (SHA-256)."""
        return [each for some in self.spread(asked.digests, places) for each in some]

    def taken(self, places: Places) -> Signed:
        """Some rows in memory, in this order."""
        wanted = places.tolist()
        new = sorted({i for i in wanted if i not in self._held})
        if new and self._size > KEPT:
            self._forget()
            new = sorted(set(wanted))
        if new:
            lines = self._lines(np.array(new, np.int64))
            self._held |= zip(new, lines, strict=True)
            self._size += sum(line.values.size for line in lines)
        return self._assembled([self._held[i] for i in wanted], places)

    def _forget(self) -> None:
        self._held, self._integers, self._size = {}, {}, 0

    def _beyond(self, k: int, stop: int) -> asked.Beyond:
        """Where piece k gets the rows after it, up to row `stop`: they are brought from here."""
        places = np.arange(self._bounds[k + 1], stop)
        return asked.itself, (self._assembled(self._lines(places), places),)

    def _lines(self, places: Places) -> list[Line]:
        return [line for some in self.spread(lines_of, places, self.bias) for line in some]

    def _assembled(self, lines: list[Line], places: Places) -> Signed:
        rows = make_rows(matrix_of(lines, self.form), self.bias, False)
        signed = Signed(
            rows,
            self.signs[places],
            self.labels,
            family=self.family,
            unit_length=self.unit_length,
            exact=exact_of(lines, self.form),
        )
        signed.survey = False
        return signed


def with_one_more(signed: SignedRows, row: IntegerRow, sign: int) -> Joined:
    """The rows, and sign * row: integers, without a bias. None of them is of unit length."""
    before, form = _in_pieces(signed)
    line = np.zeros((1, signed.dim))
    line[0, row.columns] = [sign * value for value in row.values]
    matrix = csr(*_sparse_line(line[0]), signed.dim) if form.sparse else line
    last = Signed(make_rows(matrix, False, False), np.ones(1, np.int8), None)
    last.start = signed.count
    entries = max(form.entries + form.bias, len(row.columns) if form.sparse else signed.dim)
    whole = form._replace(features=signed.dim, bias=False, entries=entries)
    return Joined(Followed(before, last), whole, np.append(signed.signs, np.int8(1)), None)


def _in_pieces(signed: SignedRows) -> tuple[Pieces, Form]:
    """The pieces of rows of either kind, and what they are like."""
    if isinstance(signed, Joined):
        return signed.pieces, signed.form
    assert isinstance(signed, Signed)  # there is no third kind
    return Here([signed]), Form.of(signed)


def _sparse_line(line: npt.NDArray[np.float64]) -> tuple[Any, Any, Any]:
    columns = np.flatnonzero(line)
    return np.array([0, len(columns)], np.int64), columns, line[columns]
