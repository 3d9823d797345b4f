"""Signed rows in several pieces, judged as if they were one: in this process or on other machines.

Each piece is a `Signed` of its own that knows how many rows come before it. Functions are called on
every piece, or on one after another, and their results merged here so that nothing depends on where
the rows were cut: sums are over one row or exact, a lowest score is the first of the smallest. This
process holds arrays with a few numbers for each row (signs, and masks, multipliers and lengths
where they are needed), and the few rows of an active set; never all rows.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data.sparse import csr
from novikoff.learning.rows import make_rows
from novikoff.verdict.scan import NO_MASK, Mask, Scan, Signs, Vector
from novikoff.verdict.sharded import remote_calls
from novikoff.verdict.sharded.pieces import LocalPieces, Pieces, PiecesPlusOne
from novikoff.verdict.sharded.row_transfer import (
    RowLayout,
    RowRecord,
    exact_entries,
    row_records,
    to_matrix,
)
from novikoff.verdict.sharded.scan import ShardedScan
from novikoff.verdict.signed import Indices, IntegerRow, LabelPair, Number, Signed, SignedRows
from novikoff.verdict.signed.base import Args, Item, Result, State, Task

CACHED_ENTRIES = 2**25  # of rows that were fetched one by one


class ShardedRows(SignedRows):
    """Signed rows in pieces, all of one layout."""

    def __init__(
        self,
        pieces: Pieces,
        layout: RowLayout,
        signs: Signs,
        labels: LabelPair | None,
        *,
        family: str = "binary",
        unit_length: bool = False,
        pinned: Mask | None = None,
    ) -> None:
        super().__init__(signs, labels, family, unit_length, pinned)
        self.pieces, self.layout = pieces, layout
        self._counts = list(pieces.counts)
        self._bounds = np.cumsum([0, *self._counts])
        self._nonempty = [k for k, count in enumerate(self._counts) if count]
        self._records: dict[int, RowRecord] = {}  # caches, by row
        self._integers: dict[int, IntegerRow] = {}
        self._cached_entries = 0

    @property
    def features(self) -> int:
        return self.layout.features

    @property
    def bias(self) -> bool:
        return self.layout.bias

    @property
    def rational(self) -> bool:
        return self.layout.rational

    def as_rational(self, rational: bool) -> bool:
        same = all(self.map_pieces(Signed.as_rational, rational))
        self._set_rational(rational)
        return same

    def _set_rational(self, rational: bool) -> None:
        self.layout = self.layout._replace(rational=rational)
        self._clear_cache()

    @cached_property
    def scan(self) -> Scan:
        return ShardedScan(self, self.layout.entries, self.rational, self.survey)

    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        return self.map_pieces(remote_calls.fingerprints)

    @cached_property
    def inverse_lengths(self) -> Vector:
        """See `SignedRows`; each piece caches its own as well."""
        return np.concatenate(self.map_pieces(remote_calls.inverse_lengths))

    # Iteration

    def map_pieces(self, function: Callable[[Signed, *Args], Result], *args: *Args) -> list[Result]:
        return self.pieces.map(function, *args, only=self._nonempty)

    def map_masked(
        self, function: Callable[[Signed, Mask, *Args], Result], mask: Mask, *args: *Args
    ) -> list[Result]:
        """Call function(piece, local_mask, *args) on every piece; an empty mask excludes no row."""
        if not mask.size or not mask.any():
            return self.map_pieces(function, NO_MASK, *args)
        parts = [mask[a:b] for a, b in pairwise(self._bounds)]
        bits = [np.packbits(part) if part.any() else None for part in parts]
        call = remote_calls.apply_masked
        return self.pieces.map(call, function, *args, each=bits, only=self._nonempty)

    def map_subset(
        self, function: Callable[[Signed, Indices, *Args], Result], rows: Indices, *args: *Args
    ) -> list[Result]:
        return self._map_subset(function, rows, None, *args)

    def map_paired(
        self,
        function: Callable[[Signed, Indices, Sequence[Item]], Result],
        rows: Indices,
        items: Sequence[Item],
    ) -> list[Result]:
        return self._map_subset(function, rows, items)

    def _map_subset(
        self,
        function: Callable[..., Result],
        rows: Indices,
        items: Sequence[Item] | None,
        *args: Any,
    ) -> list[Result]:
        cuts = np.searchsorted(rows, self._bounds)
        each: list[Any] = [None] * len(self._counts)
        for k, count in enumerate(self._counts):
            part = slice(cuts[k], cuts[k + 1])
            if part.start < part.stop:
                local = remote_calls.encode_rows(rows[part] - self._bounds[k], count)
                each[k] = (local,) if items is None else (local, items[part])
        only = [k for k, own in enumerate(each) if own is not None]
        if not only:
            return []
        return self.pieces.map(remote_calls.apply_subset, function, *args, each=each, only=only)

    def fold_pieces(
        self,
        function: Callable[[Signed, State, *Args], tuple[State, Result]],
        state: State,
        *args: *Args,
    ) -> tuple[State, list[Result]]:
        results = []
        for k in self._nonempty:
            [(state, result)] = self.pieces.map(
                remote_calls.apply_fold, function, state, *args, only=[k]
            )
            results.append(result)
        return state, results

    def fold_windows(
        self,
        function: Callable[[Signed, State, Task, *Args], tuple[State, Result]],
        state: State,
        tasks: Sequence[tuple[slice, Task]],
        *args: *Args,
    ) -> tuple[State, list[Result]]:
        """See `SignedRows`. A window is processed by the piece that has its first row, to which the
        window's rows in later pieces are sent once.
        """
        owners: dict[int, list[tuple[slice, Task]]] = {}
        for window, task in tasks:
            k = int(np.searchsorted(self._bounds, window.start, "right")) - 1
            owners.setdefault(k, []).append((window, task))
        results: list[Result] = []
        for k, own in owners.items():
            call = function, state, own, args
            [answer] = self.pieces.map(remote_calls.apply_windows, *call, None, only=[k])
            if answer is None:
                after = self._rows_after(k, own[-1][0].stop)
                [answer] = self.pieces.map(remote_calls.apply_windows, *call, after, only=[k])
            assert answer is not None  # with those rows nothing is missing
            state, done = answer
            results += done
        return state, results

    # Single rows, which are cached here

    def prefetch(self, rows: Sequence[int]) -> None:
        self.integers(rows)

    def row(self, i: int) -> IntegerRow:
        return self.integers([i])[0]

    def integers(self, rows: Iterable[int]) -> list[IntegerRow]:
        wanted = list(rows)
        found = {i: self._integers[i] for i in wanted if i in self._integers}
        new = [i for i in dict.fromkeys(wanted) if i not in found]
        if new:
            fetched = self.subset(np.array(new, np.int64))
            found |= zip(new, fetched.integers(range(len(new))), strict=True)
            self._integers |= found
        return [found[i] for i in wanted]

    def entries(self, i: int) -> tuple[list[int], list[Number]]:
        return self.subset(np.array([i])).entries(0)

    def dense(self, rows: Indices) -> Vector:
        return self.subset(rows).dense(np.arange(len(rows)))

    def sparse(self, rows: Indices) -> Any:
        return self.subset(rows).sparse(np.arange(len(rows)))

    def in_one_place(self) -> Signed:
        signed = self.subset(np.arange(self.count))
        self._clear_cache()
        signed.survey = True
        return signed

    def row_keys(self, rows: Indices) -> Sequence[Hashable]:
        """A digest of each row that no two different ones are known to share (SHA-256)."""
        return [each for some in self.map_subset(remote_calls.row_digests, rows) for each in some]

    def subset(self, rows: Indices) -> Signed:
        wanted = rows.tolist()
        new = sorted({i for i in wanted if i not in self._records})
        if new and self._cached_entries > CACHED_ENTRIES:
            self._clear_cache()
            new = sorted(set(wanted))
        if new:
            records = self._fetch_records(np.array(new, np.int64))
            self._records |= zip(new, records, strict=True)
            self._cached_entries += sum(record.values.size for record in records)
        return self._in_memory([self._records[i] for i in wanted], rows)

    def _clear_cache(self) -> None:
        self._records, self._integers, self._cached_entries = {}, {}, 0

    def _rows_after(self, k: int, stop: int) -> remote_calls.RowsAfter:
        """How piece k gets the rows after it, up to row `stop`: they are sent from here."""
        rows = np.arange(self._bounds[k + 1], stop)
        return remote_calls.identity, (self._in_memory(self._fetch_records(rows), rows),)

    def _fetch_records(self, rows: Indices) -> list[RowRecord]:
        return [record for some in self.map_subset(row_records, rows, self.bias) for record in some]

    def _in_memory(self, records: list[RowRecord], numbers: Indices) -> Signed:
        rows = make_rows(to_matrix(records, self.layout), self.bias, False)
        signed = Signed(
            rows,
            self.signs[numbers],
            self.labels,
            family=self.family,
            unit_length=self.unit_length,
            exact=exact_entries(records, self.layout),
            pinned=self.pinned[numbers],
        )
        signed.survey = False
        return signed


def with_extra_rows(signed: SignedRows, rows: Sequence[IntegerRow]) -> ShardedRows:
    """The rows, and after them some of integers, without a bias. None of them is of unit length."""
    before, layout = _in_pieces(signed)
    lines = np.zeros((len(rows), signed.dim))
    for line, row in zip(lines, rows, strict=True):
        line[row.columns] = row.values
    starts = np.cumsum([0, *np.count_nonzero(lines, axis=1)], dtype=np.int64)
    _, columns = np.nonzero(lines)
    matrix = csr(starts, columns, lines[lines != 0], signed.dim) if layout.sparse else lines
    last = Signed(make_rows(matrix, False, False), np.ones(len(rows), np.int8), None)
    last.start = signed.count
    most = max(len(row.columns) for row in rows) if layout.sparse else signed.dim
    whole = layout._replace(
        features=signed.dim, bias=False, entries=max(layout.entries + layout.bias, most)
    )
    signs = np.append(signed.signs, np.ones(len(rows), np.int8))
    return ShardedRows(PiecesPlusOne(before, last), whole, signs, None)


def _in_pieces(signed: SignedRows) -> tuple[Pieces, RowLayout]:
    """The pieces of signed rows of either kind, and their layout."""
    if isinstance(signed, ShardedRows):
        return signed.pieces, signed.layout
    assert isinstance(signed, Signed)  # there is no third kind
    return LocalPieces([signed]), RowLayout.of(signed)
