"""Signed rows on a cluster: each shard is a piece (see `verdict.joined`) on the worker it is with.

A worker makes the piece of a shard when it is told how, and keeps it. If the shard has moved since,
its new home says that it has none, and is told again; what it then has must be the same rows with
the same signs, or nothing more is asked: files may have changed. So an answer never mixes old rows
with new ones.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.certificate import Certificate
from novikoff.cluster.crew import NUMBERS, Crew, Shared
from novikoff.cluster.layout import Layout
from novikoff.cluster.site import Site
from novikoff.errors import ClusterError, DataError, NovikoffError
from novikoff.rows import CsrRows, length, longest, make_rows
from novikoff.signed import LabelPair, Places, Signed, signs_of, signs_of_counts
from novikoff.sources.arrays import as_labels, as_matrix
from novikoff.sources.base import Chunk
from novikoff.sources.sparse import joined
from novikoff.verdict.asked import Beyond, fingerprints
from novikoff.verdict.joined import Joined
from novikoff.verdict.lines import Form
from novikoff.verdict.pieces import Pieces, Question
from novikoff.verification import signs_of as signs_as_certified

LARGE = 2**16  # bytes that are sent once to each worker rather than once for each shard
ROUNDS = 10  # times that shards may have moved between two questions

Signs = npt.NDArray[np.int8]
Signing = Callable[[Site, Layout, int], Signs]


class Terms(NamedTuple):
    """How the rows of all shards are to be judged. signing: what gives a shard's rows their signs,
    told the number of its first row.
    """

    layout: Layout
    signing: Signing
    bias: bool
    unit_length: bool
    family: str
    rational: bool = False


def by_class(chosen: int) -> Signing:
    """+1 for the class of this number, -1 for all others."""
    return partial(_by_class, chosen)


def _by_class(chosen: int, site: Site, layout: Layout, start: int) -> Signs:
    return signs_of(site.codes(layout), chosen)


def by_count(site: Site, layout: Layout, start: int) -> Signs:
    """+1 for counts above 0, -1 for 0."""
    return signs_of_counts(labels_of(site), start)


def by_certificate(certificate: Certificate) -> Signing:
    """As a certificate says; of which only that much travels."""
    return partial(
        _by_certificate, {name: certificate.fields[name] for name in ("family", "labels")}
    )


def _by_certificate(fields: dict[str, Any], site: Site, layout: Layout, start: int) -> Signs:
    labels = labels_of(site)
    if (labels.dtype.kind, layout.classes.dtype.kind) == ("i", "f"):
        labels = labels.astype(np.float64)
    return signs_as_certified(labels, Certificate(fields), start)


def labels_of(site: Site) -> npt.NDArray[Any]:
    """A shard's labels, which must be there."""
    y = site.labels()
    if y is None:
        raise DataError("there are no labels: pass y, one label for each row")
    return as_labels(y)


class Opened(NamedTuple):
    """What is known of a piece once it is made. known: a digest of its rows and signs."""

    signs: npt.NDArray[np.uint8]  # bits
    entries: int
    sparse: bool
    lined: bool  # whether its rows are lines of a file
    known: bytes
    fingerprints: npt.NDArray[np.uint64] | None  # the first time


class Shards(Pieces):
    """The pieces on the workers."""

    def __init__(self, crew: Crew, terms: Terms) -> None:
        self.crew, self.terms = crew, terms
        self.counts = np.diff(terms.layout.firsts).tolist()
        self._token = uuid.uuid4().hex
        self._known: dict[int, bytes] = {}

    def open(self) -> list[Opened]:
        """Make all pieces that have rows."""
        return self._open([k for k, count in enumerate(self.counts) if count])

    def _open(self, asked: Sequence[int]) -> list[Opened]:
        tell = not self._known
        starts = self.terms.layout.firsts
        opened = self._told(asked, _opened, (self._token, self.terms, tell), starts)
        for k, each in zip(asked, opened, strict=True):
            if self._known.setdefault(k, each.known) != each.known:
                raise DataError(
                    f"the rows of shard {k + 1} of {len(self.counts)} are not the ones that they"
                    " were before its worker was lost: leave the data alone, and begin again"
                )
        return opened

    def again(self, terms: Terms) -> None:
        """Take the rows in another way: the pieces are made anew."""
        self.terms, self._token = terms, uuid.uuid4().hex

    def answers(self, question: Question, asked: Sequence[int]) -> list[Any]:
        own = [question.own(k) for k in range(len(self.counts))]
        answers: dict[int, Any] = {}
        for _ in range(ROUNDS):
            left = [k for k in asked if k not in answers]
            args = self._token, question.function, question.args
            found = self._told(left, _answered, args, own)
            there = zip(left, found, strict=True)
            answers |= {k: answer for k, answer in there if not isinstance(answer, Absent)}
            if len(answers) == len(asked):
                return [answers[k] for k in asked]
            self._open([k for k in asked if k not in answers])
        raise ClusterError(
            f"shards have lost their workers {ROUNDS} times while one question was asked: the"
            " cluster is not stable enough"
        )

    def _told(
        self, asked: Sequence[int], function: Callable[..., Any], args: Any, each: Sequence[Any]
    ) -> list[Any]:
        """Answers of the crew; of several errors that of the first shard is raised."""
        if len(asked) > 1 and _size(args) > LARGE:
            shared = Shared(next(NUMBERS), args)
            found = self.crew.ask(_shared, function, each=each, shared=shared, only=asked)
        else:
            found = self.crew.ask(_plain, function, args, each=each, only=asked)
        for answer in found:
            if isinstance(answer, Problem):
                raise answer.error
        return found


class ShardedSigned(Joined):
    """Signed rows on a cluster."""

    pieces: Shards

    def __init__(self, pieces: Shards, labels: LabelPair | None) -> None:
        opened, terms = pieces.open(), pieces.terms
        form = Form(
            terms.layout.features,
            terms.bias,
            opened[0].sparse,
            max(each.entries for each in opened),
            terms.rational,
        )
        if len({each.sparse for each in opened}) > 1:
            raise DataError("some of the rows are dense and some sparse: make all of them the same")
        counts = [count for count in pieces.counts if count]
        signs = [
            np.unpackbits(each.signs, count=count).view(np.int8) * 2 - 1
            for each, count in zip(opened, counts, strict=True)
        ]
        super().__init__(
            pieces,
            form,
            np.concatenate(signs).astype(np.int8),
            labels,
            family=terms.family,
            unit_length=terms.unit_length,
        )
        self.feature_names = terms.layout.names
        self.lines = Lines(self) if opened[0].lined else None
        told = (each.fingerprints for each in opened)
        self._fingerprints = [each for each in told if each is not None]

    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        return self._fingerprints

    def as_rational(self, rational: bool) -> bool:
        if rational != self.form.rational:
            self.pieces.again(self.pieces.terms._replace(rational=rational))
            self._take_as(rational)
        return True

    def _beyond(self, k: int, stop: int) -> Beyond:
        """Its worker reads them from where they are: through the client no rows are passed on."""
        firsts = self.pieces.terms.layout.firsts
        after = [j for j in range(k + 1, len(firsts) - 1) if firsts[j] < stop]
        # plain tuples: within them Dask sees that the rows of a partition are needed
        parts = [tuple(self.pieces.crew.parts[j]) for j in after]
        counts = [min(stop, firsts[j + 1]) - firsts[j] for j in after]
        signs = self.signs[firsts[k + 1] : stop]
        return _first_rows, (parts, counts, signs, self.pieces.terms)

    def places(self, rows: Sequence[int]) -> list[tuple[str, int]] | None:
        """The file and the line of some rows; None if they come from no lines."""
        if self.lines is None:
            return None
        order = np.unique(np.asarray(rows, np.int64))
        found = [place for some in self._places(order) for place in some]
        return [found[int(np.searchsorted(order, row))] for row in rows]

    def _places(self, rows: Places) -> list[list[tuple[str, int]]]:
        bounds = np.asarray(self.pieces.terms.layout.firsts)
        cuts = np.searchsorted(rows, bounds)
        asked = [k for k in range(len(self.pieces.counts)) if cuts[k] < cuts[k + 1]]
        parts = zip(pairwise(cuts), bounds[:-1], strict=True)
        each = [rows[a:b] - first for (a, b), first in parts]
        return self.pieces.crew.ask(Site.lines, each=each, only=asked)


class Lines:
    """The line of each row in its file, asked for when it is wanted."""

    def __init__(self, signed: ShardedSigned) -> None:
        self._signed = signed

    def __len__(self) -> int:
        return self._signed.count

    def __getitem__(self, row: int) -> int:
        if not 0 <= row < len(self):
            raise IndexError(row)
        [(_, line)] = self._signed.places([int(row)]) or [("", 0)]
        return line


# On a worker


class Absent(NamedTuple):
    """There is no piece here, or another one."""

    token: str


class Problem(NamedTuple):
    """An error that is raised where it was asked from."""

    error: NovikoffError


def _plain(site: Site, own: Any, function: Callable[..., Any], args: Any) -> Any:
    try:
        return function(site, own, *args)
    except NovikoffError as error:
        return Problem(error)


def _shared(site: Site, args: Any, own: Any, function: Callable[..., Any]) -> Any:
    return _plain(site, own, function, args)


def _opened(site: Site, start: int, token: str, terms: Terms, tell: bool) -> Opened:
    rows = make_rows(as_matrix(site.matrix(terms.layout)), terms.bias, False)
    signs = terms.signing(site, terms.layout, start)
    signed = Signed(rows, signs, None, family=terms.family, unit_length=terms.unit_length)
    signed.start, signed.survey = start, False
    found, bits = fingerprints(signed), np.packbits(signs > 0)
    known = hashlib.sha256(found.tobytes() + bits.tobytes()).digest()
    signed.as_rational(terms.rational)
    site.memo["signed"] = token, signed
    lined = site.lines(np.empty(0, np.int64)) is not None
    sparse = isinstance(rows, CsrRows)
    return Opened(bits, longest(rows), sparse, lined, known, found if tell else None)


def _first_rows(parts: Sequence[Any], counts: Sequence[int], signs: Signs, terms: Terms) -> Signed:
    """So many rows of some other shards, each from its start."""
    found = []
    for (address, data), count in zip(parts, counts, strict=True):
        left = count
        for X, _ in Site(address, data).chunks(terms.layout) if left else ():
            found.append(Chunk(X[:left], None, None))
            left -= min(left, X.shape[0])
            if not left:
                break
    rows = make_rows(as_matrix(joined(found).X), terms.bias, False)
    if length(rows) != len(signs):
        raise DataError("there are fewer rows than there were: leave the data alone, begin again")
    return Signed(rows, signs, None)


def _answered(
    site: Site, own: tuple[Any, ...], token: str, function: Callable[..., Any], args: Any
) -> Any:
    held, signed = site.memo.get("signed", ("", None))
    return function(signed, *own, *args) if held == token else Absent(token)


def _size(value: Any) -> int:
    """Of the arrays in arguments, in bytes, about."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list) and value:
        return len(value) * max(8, _size(value[0]))
    if isinstance(value, tuple):
        return sum(map(_size, value))
    return 8
