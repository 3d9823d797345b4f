"""Signed rows on a cluster: each shard is a piece (see `verdict.sharded`), on its worker.

A worker makes the piece of a shard on request, and keeps it. If the shard has moved since, its new
worker responds that it has none, and is sent the request again; what it then has must be the same
rows with the same signs, or nothing more is asked: files may have changed. So responses never mix
old rows with new ones.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.cluster.data.layout import Layout
from novikoff.cluster.data.shard import ShardAddress, WorkerShard
from novikoff.cluster.workers.dataset import locate_row
from novikoff.cluster.workers.shard_client import BROADCAST_VERSIONS, Broadcast, ShardClient
from novikoff.data.chunk import Chunk, LabelArray, concatenate
from novikoff.data.matrices import as_labels, as_matrix
from novikoff.errors import ClusterError, DataError, NovikoffError
from novikoff.learning.rows import CsrRows, length, longest, make_rows
from novikoff.verdict.certificate import Certificate
from novikoff.verdict.certificate.verify import signs_of as signs_as_certified
from novikoff.verdict.sharded.pieces import Pieces, RemoteCall
from novikoff.verdict.sharded.remote_calls import RowsAfter, fingerprints
from novikoff.verdict.sharded.row_transfer import RowLayout
from novikoff.verdict.sharded.rows import ShardedRows
from novikoff.verdict.signed import LabelPair, Signed, signs_of, signs_of_counts

BROADCAST_BYTES = 2**16  # arguments beyond are sent once to each worker, not once for each shard
MAX_ROUNDS = 10  # times that shards may lose their pieces during one request

Signs = npt.NDArray[np.int8]
#: The signs of a shard's rows. The last argument is the number of its first row.
SignFunction = Callable[[WorkerShard, Layout, int], Signs]
T = TypeVar("T")


class SigningSpec(NamedTuple):
    """How the rows of all shards get their signs, and are to be judged."""

    layout: Layout
    sign: SignFunction
    bias: bool
    unit_length: bool
    family: str
    rational: bool = False


def sign_by_class(chosen: int, shard: WorkerShard, layout: Layout, start: int) -> Signs:
    """+1 for the class of this number, -1 for all others."""
    return signs_of(shard.codes(layout), chosen)


def sign_by_count(shard: WorkerShard, layout: Layout, start: int) -> Signs:
    """+1 for counts above 0, -1 for 0."""
    return signs_of_counts(required_labels(shard), start)


def sign_by_certificate(
    fields: dict[str, Any], shard: WorkerShard, layout: Layout, start: int
) -> Signs:
    """As a certificate with these fields says: "family" and "labels" are enough."""
    labels = required_labels(shard)
    if (labels.dtype.kind, layout.classes.dtype.kind) == ("i", "f"):
        labels = labels.astype(np.float64)
    return signs_as_certified(labels, Certificate(fields), start)


def required_labels(shard: WorkerShard) -> LabelArray:
    """The labels of a shard; an error if it has none."""
    y = shard.labels()
    if y is None:
        raise DataError("there are no labels: pass y, one label for each row")
    return as_labels(y)


class PieceSummary(NamedTuple):
    """What is known of a piece once it is made."""

    signs: npt.NDArray[np.uint8]  # bits
    entries: int  # of the longest row
    sparse: bool
    has_lines: bool  # whether its rows are lines of a file
    digest: bytes  # of its rows and signs
    fingerprints: npt.NDArray[np.uint64] | None  # the first time


class ShardPieces(Pieces):
    """The pieces on the workers."""

    def __init__(self, shard_client: ShardClient, spec: SigningSpec) -> None:
        self.shard_client, self.spec = shard_client, spec
        self.counts = np.diff(spec.layout.offsets).tolist()
        self._token = uuid.uuid4().hex
        self._digests: dict[int, bytes] = {}

    def make_all(self) -> list[PieceSummary]:
        """Make all pieces that have rows."""
        return self._make([k for k, count in enumerate(self.counts) if count])

    def _make(self, numbers: Sequence[int]) -> list[PieceSummary]:
        args = self._token, self.spec, not self._digests
        pieces = self._map_shards(_make_piece, args, self.spec.layout.offsets, numbers)
        for k, piece in zip(numbers, pieces, strict=True):
            if self._digests.setdefault(k, piece.digest) != piece.digest:
                raise DataError(
                    f"the rows of shard {k + 1} of {len(self.counts)} are not the ones that they"
                    " were before its worker was lost: leave the data alone, and begin again"
                )
        return pieces

    def respecify(self, spec: SigningSpec) -> None:
        """Have the pieces made anew, in another way, when they are next needed."""
        self.spec, self._token = spec, uuid.uuid4().hex

    def call(self, call: RemoteCall[T], pieces: Sequence[int]) -> list[T]:
        own = [call.own_args(k) for k in range(len(self.counts))]
        responses: dict[int, Any] = {}
        for _ in range(MAX_ROUNDS):
            left = [k for k in pieces if k not in responses]
            args = self._token, call.function, call.args
            found = zip(left, self._map_shards(_call_piece, args, own, left), strict=True)
            responses |= {k: each for k, each in found if not isinstance(each, MissingPiece)}
            if len(responses) == len(pieces):
                return [responses[k] for k in pieces]
            self._make([k for k in pieces if k not in responses])
        raise ClusterError(
            f"shards have lost their workers {MAX_ROUNDS} times while one question was asked: the"
            " cluster is not stable enough"
        )

    def _map_shards(
        self,
        function: Callable[..., T],
        args: tuple[object, ...],
        each: Sequence[object],
        numbers: Sequence[int],
    ) -> list[T]:
        """Call function(shard, each[k], *args) on these shards; of several errors, the first
        shard's is raised.
        """
        if len(numbers) > 1 and _bytes_of(args) > BROADCAST_BYTES:
            broadcast = Broadcast(next(BROADCAST_VERSIONS), args)
            found: list[T | PieceError] = self.shard_client.map_shards(
                _call_broadcast, function, each=each, broadcast=broadcast, only=numbers
            )
        else:
            found = self.shard_client.map_shards(_call, function, args, each=each, only=numbers)
        return [_unwrap(response) for response in found]


class ShardedSigned(ShardedRows):
    """Signed rows on a cluster."""

    pieces: ShardPieces

    def __init__(self, pieces: ShardPieces, labels: LabelPair | None) -> None:
        made, spec = pieces.make_all(), pieces.spec
        layout = RowLayout(
            spec.layout.features,
            spec.bias,
            made[0].sparse,
            max(each.entries for each in made),
            spec.rational,
        )
        if len({each.sparse for each in made}) > 1:
            raise DataError("some of the rows are dense and some sparse: make all of them the same")
        counts = [count for count in pieces.counts if count]
        signs = [
            np.unpackbits(each.signs, count=count).view(np.int8) * 2 - 1
            for each, count in zip(made, counts, strict=True)
        ]
        super().__init__(
            pieces,
            layout,
            np.concatenate(signs).astype(np.int8),
            labels,
            family=spec.family,
            unit_length=spec.unit_length,
        )
        self.feature_names = spec.layout.names
        self.lines = LazyLines(pieces.shard_client, spec.layout) if made[0].has_lines else None
        found = (each.fingerprints for each in made)
        self._fingerprints = [each for each in found if each is not None]

    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        return self._fingerprints

    def as_rational(self, rational: bool) -> bool:
        if rational != self.layout.rational:
            self.pieces.respecify(self.pieces.spec._replace(rational=rational))
            self._set_rational(rational)
        return True

    def _rows_after(self, k: int, stop: int) -> RowsAfter:
        """The rows after shard k, for its worker to read: they do not pass through the client."""
        offsets = self.pieces.spec.layout.offsets
        after = [j for j in range(k + 1, len(offsets) - 1) if offsets[j] < stop]
        # plain tuples: within them Dask sees that the rows of a partition are needed
        shards = [tuple(self.pieces.shard_client.shards[j]) for j in after]
        counts = [min(stop, offsets[j + 1]) - offsets[j] for j in after]
        signs = self.signs[offsets[k + 1] : stop]
        return _first_rows, (shards, counts, signs, self.pieces.spec)


class LazyLines:
    """The line of each row in its file, fetched on demand."""

    def __init__(self, shard_client: ShardClient, layout: Layout) -> None:
        self._shard_client, self._layout = shard_client, layout

    def __len__(self) -> int:
        return self._layout.rows

    def __getitem__(self, row: int) -> int:
        if not 0 <= row < len(self):
            raise IndexError(row)
        location = locate_row(self._shard_client, self._layout, int(row))
        return 0 if location is None else location[1]


# On a worker


class MissingPiece(NamedTuple):
    """The response of a worker that has no piece of the shard, or one made in another way."""

    token: str


class PieceError(NamedTuple):
    """An error that is to be raised on the client."""

    error: NovikoffError


def _unwrap(response: T | PieceError) -> T:
    """The response of a shard, or its error raised."""
    if isinstance(response, PieceError):
        raise response.error
    return response


def _call(
    shard: WorkerShard, own: object, function: Callable[..., T], args: tuple[object, ...]
) -> T | PieceError:
    try:
        return function(shard, own, *args)
    except NovikoffError as error:
        return PieceError(error)


def _call_broadcast(
    shard: WorkerShard, args: tuple[object, ...], own: object, function: Callable[..., T]
) -> T | PieceError:
    return _call(shard, own, function, args)


def _make_piece(
    shard: WorkerShard, start: int, token: str, spec: SigningSpec, first_time: bool
) -> PieceSummary:
    rows = make_rows(as_matrix(shard.matrix(spec.layout)), spec.bias, False)
    signs = spec.sign(shard, spec.layout, start)
    signed = Signed(rows, signs, None, family=spec.family, unit_length=spec.unit_length)
    signed.start, signed.survey = start, False
    prints, bits = fingerprints(signed), np.packbits(signs > 0)
    digest = hashlib.sha256(prints.tobytes() + bits.tobytes()).digest()
    signed.as_rational(spec.rational)
    shard.memo["signed"] = token, signed
    has_lines = shard.lines(np.empty(0, np.int64)) is not None
    sparse, kept = isinstance(rows, CsrRows), prints if first_time else None
    return PieceSummary(bits, longest(rows), sparse, has_lines, digest, kept)


def _first_rows(
    shards: Sequence[tuple[ShardAddress, Any]],
    counts: Sequence[int],
    signs: Signs,
    spec: SigningSpec,
) -> Signed:
    """The first rows of some other shards, as many of each as `counts` says."""
    chunks = []
    for (address, data), count in zip(shards, counts, strict=True):
        left = count
        for X, _, _ in WorkerShard(address, data).chunks(spec.layout) if left else ():
            chunks.append(Chunk(X[:left], None, None))
            left -= min(left, X.shape[0])
            if not left:
                break
    rows = make_rows(as_matrix(concatenate(chunks).X), spec.bias, False)
    if length(rows) != len(signs):
        raise DataError("there are fewer rows than there were: leave the data alone, begin again")
    return Signed(rows, signs, None)


def _call_piece(
    shard: WorkerShard,
    own: tuple[object, ...],
    token: str,
    function: Callable[..., T],
    args: tuple[object, ...],
) -> T | MissingPiece:
    held, signed = shard.memo.get("signed", ("", None))
    return function(signed, *own, *args) if held == token else MissingPiece(token)


def _bytes_of(value: object) -> int:
    """The size of the arrays in arguments, about."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list) and value:
        return len(value) * max(8, _bytes_of(value[0]))
    if isinstance(value, tuple):
        return sum(map(_bytes_of, value))
    return 8
