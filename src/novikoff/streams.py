"""Learning from a source chunk by chunk, in bounded memory, with the same result as in memory.

What a stream does not tell at its start, the learner learns as it goes: features that no row had
before get the weight that they would have had from the start. Where that cannot be right (a third
label, a start or a threshold that depends on the number of features) a source that can be read
twice is surveyed first, without learning; of a pipe it is an error that says what to do.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from novikoff.epochs import Outcome, Run
from novikoff.errors import DataError, ParameterError
from novikoff.learn import Learner, outputs_for
from novikoff.rows import Rows
from novikoff.rules import protocol
from novikoff.sources import Chunk, Source
from novikoff.sources.arrays import MOST_CLASSES, as_matrix, encode
from novikoff.sources.base import LateError, Place
from novikoff.sources.sparse import scipy_sparse
from novikoff.sources.text import TextSource

FIRST = 512  # rows of a pipe that are looked at for labels before any is learned from
NO_LABELS = np.array([-1, 1])  # the classes of a rule that looks at no labels


class Plan(Protocol):
    """How to learn, as far as a stream has to know."""

    @property
    def labels(self) -> bool:
        """Whether the rule looks at them."""

    @property
    def needs_width(self) -> bool:
        """Whether the start depends on the number of features."""

    def learner(self, features: int, outputs: int) -> Learner:
        """A learner at its start."""

    def rows(self, matrix: Any) -> Rows:
        """Rows as it sees them."""


class Survey(NamedTuple):
    """What one pass over all rows tells before anything is learned."""

    classes: Any
    features: int
    rows: int


class SurpriseError(DataError):
    """The stream shows something that the learner should have known from the start."""


Told = Callable[[Run, Chunk], None]


class Stream:
    """A learner and the source that it learns from.

    classes: all labels, if they are known; otherwise rows wait until two have come. survey: what is
    known of all the rows.
    """

    def __init__(
        self, plan: Plan, source: Source, classes: Any = None, survey: Survey | None = None
    ) -> None:
        self.plan, self.source = plan, source
        self.run: Run | None = None
        self.classes = classes if plan.labels else NO_LABELS
        self.survey, self.rows = survey, 0
        self.before = 0  # rows of the data that come before the source's, for messages
        self.taken: Callable[[], None] | None = None  # called when a chunk has come
        self._waiting: list[Chunk] = []
        if survey is not None:
            self.classes = survey.classes
            self._begin(survey.features)

    @classmethod
    def going_on(cls, plan: Plan, source: Source, run: Run, classes: Any) -> "Stream":
        """A stream that was stopped, with the learner that it had then."""
        stream = cls(plan, source, classes)
        stream.run = run
        return stream

    def _begin(self, features: int) -> None:
        self.run = Run(self.plan.learner(features, outputs_for(self.classes)))

    def epoch(self, told: Told | None = None, start: Place | None = None) -> Run:
        """One pass over the source, or what is left of it; `told` is called after each chunk.

        start: where to read on; without it, rows that the run has read already are left out.
        """
        skip = 0
        if start is not None and isinstance(self.source, TextSource):
            chunks = self.source.chunks(start=start)
        else:
            chunks, skip = self.source.chunks(), 0 if self.run is None else self.run.place
        for chunk in chunks:
            if self.taken is not None:
                self.taken()
            size = chunk.X.shape[0]
            if skip >= size:
                skip -= size
                continue
            for each in self._with_waiting(chunk.part(skip, size) if skip else chunk):
                self._learn(each)
            skip = 0
            if told is not None and self.run is not None:
                told(self.run, chunk)
        for each in self._waited():
            self._learn(each)
        if self.run is None:
            raise DataError(f"{self.source.name}: there are no rows to learn from")
        self.rows = self.run.place
        return self.run

    @property
    def learner(self) -> Learner:
        """Who learned; after the first epoch there is one."""
        assert self.run is not None
        return self.run.learner

    def outcome(self) -> Outcome:
        """What is known after the last epoch."""
        assert self.run is not None
        return self.run.outcome()

    def _with_waiting(self, chunk: Chunk) -> list[Chunk]:
        """The chunks to learn from now: none until the classes are known."""
        if not self.plan.labels or self.run is not None:
            return [chunk]
        if chunk.y is None:
            raise DataError(f"{self.source.name}: the rows have no labels to learn from")
        self._waiting.append(chunk)
        self.rows += chunk.X.shape[0]
        if self.classes is None:
            labels = np.unique(np.concatenate([each.y for each in self._waiting]))
            if len(labels) < 2:
                if self.source.replayable and len(self._waiting) > 1:
                    raise SurpriseError(f"{self.source.name}: the first rows have one label only")
                return []
            if not self.source.replayable and self.rows < FIRST and self.source.ready():
                return []  # another label may be about to come
        return self._waited()

    def _waited(self) -> list[Chunk]:
        """What waited, with all labels that it has."""
        found, self._waiting = self._waiting, []
        if self.classes is None and found:
            labels = np.unique(np.concatenate([each.y for each in found]))
            if len(labels) < 2:
                raise DataError(
                    f"{self.source.name}: all {self.rows:,} rows have the label {labels[0]};"
                    " a separator needs two"
                )
            self.classes = labels
        return found

    def _learn(self, chunk: Chunk) -> None:
        matrix = as_matrix(chunk.X)
        if self.run is None:
            if self.plan.needs_width:
                self._refuse_width()
            self._begin(matrix.shape[1])
        run = self.run
        assert run is not None
        if matrix.shape[1] > run.learner.features:
            if self.plan.needs_width:
                self._refuse_width()
            run.learner.resize(matrix.shape[1])
        rows = self.plan.rows(widened(matrix, run.learner.features))
        before = self.before + run.place
        run.learner.read(rows, self.codes(chunk), measure=not run.past, before=before)
        run.place += matrix.shape[0]

    def _refuse_width(self) -> None:
        if self.source.replayable:
            raise SurpriseError(f"{self.source.name}: the number of features must be known first")
        raise ParameterError(
            "the start depends on the number of features, which a stream does not tell: for Winnow"
            " set the threshold with --param theta=...; or save the rows to a file first"
        )

    def codes(self, chunk: Chunk) -> Any:
        """The class number of each row."""
        if not self.plan.labels:
            return np.ones(chunk.X.shape[0], np.uint16)
        if chunk.y is not None and (chunk.y.dtype.kind, self.classes.dtype.kind) == ("f", "i"):
            self.classes = self._as_floats(self.classes)
        try:
            return encode(chunk.y, self.classes)[1]
        except (DataError, ValueError):
            known = np.isin(np.asarray(chunk.y), self.classes)
            if known.all() or chunk.y is None:
                raise
            odd = int(np.flatnonzero(~known)[0])
            place = "" if chunk.lines is None else f":{chunk.lines[odd]}"
            raise SurpriseError(
                f"{self.source.name}{place}: the label {chunk.y[odd]} comes after learning began"
                f" with {', '.join(map(str, self.classes))}; name all labels with --classes"
            ) from None

    def _as_floats(self, classes: Any) -> Any:
        """Where one label is written as 1.0, all labels are such numbers."""
        found = np.unique(classes.astype(np.float64))
        if len(found) != len(classes):
            raise SurpriseError(f"{self.source.name}: labels that differ are the same as doubles")
        return found


def learned(
    plan: Plan, source: Source, go: Callable[[Stream], None], classes: Any = None
) -> Stream:
    """What go(stream) makes of a new stream, begun again where the data surprise and can be reread.

    go: learns, by one or more epochs of the stream.
    """
    known = None
    if plan.needs_width and source.replayable:
        source, known = survey(source, plan.labels)
    while True:
        stream = Stream(plan, source, classes, known)
        try:
            go(stream)
        except LateError as late:
            if not source.replayable:
                raise
            source = source.again(**late.remedy)
        except SurpriseError:
            if not source.replayable or known is not None:
                raise
            source, known = survey(source, plan.labels)
        else:
            return stream


def widened(matrix: Any, features: int) -> Any:
    """The same sparse rows with room for features that none of them has."""
    if matrix.shape[1] == features or not hasattr(matrix, "indptr"):
        return matrix
    parts = matrix.data, matrix.indices, matrix.indptr
    wide = scipy_sparse().csr_array(parts, shape=(matrix.shape[0], features))
    wide.has_canonical_format = True
    return wide


def survey(
    source: Source, labels: bool, told: Callable[[Chunk], None] | None = None
) -> tuple[Source, Survey]:
    """One pass over all rows without learning; and the source, opened anew if it had to be."""
    while True:
        try:
            found = surveyed(source, labels, told)
        except LateError as late:
            source = source.again(**late.remedy)
            continue
        if not labels:
            return source, found._replace(classes=NO_LABELS)
        if found.classes is not None and len(found.classes) < 2:
            raise DataError(
                f"{source.name}: all {found.rows:,} rows have the label {found.classes[0]};"
                " a separator needs two"
            )
        return source, found


def surveyed(source: Source, labels: bool, told: Callable[[Chunk], None] | None = None) -> Survey:
    """What one pass shows; no classes without rows, or where labels do not matter."""
    classes, features, rows = None, 0, 0
    for chunk in source.chunks():
        rows, features = rows + chunk.X.shape[0], max(features, chunk.X.shape[1])
        if labels:
            if chunk.y is None:
                raise DataError(f"{source.name}: the rows have no labels to learn from")
            new = np.unique(chunk.y)
            classes = new if classes is None else np.union1d(classes, new)
            if len(classes) > MOST_CLASSES:
                encode(classes)  # refuses that many
        if told is not None:
            told(chunk)
    return Survey(classes, features, rows)


def depends_on_width(rule: Any) -> bool:
    """Whether a rule is not the same for every number of features."""
    return bool(protocol.for_features(rule, 1) != protocol.for_features(rule, 2))
