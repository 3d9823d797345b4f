"""Learning from a source chunk by chunk, in bounded memory, with the same result as in memory.

What a stream does not tell at its start, the learner learns as it goes: features that no row had
before get the weight that they would have had from the start. Where that cannot be right (a third
label, a start or a threshold that depends on the number of features) a source that can be read
twice is surveyed first, without learning; of a pipe it is an error that says what to do.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from novikoff.data import Chunk, Source
from novikoff.data.chunk import ReadPosition
from novikoff.data.errors import RereadError
from novikoff.data.matrices import MOST_CLASSES, Classes, Codes, are_measurements, as_matrix, encode
from novikoff.data.sparse import Matrix, csr
from novikoff.data.text.source import TextSource
from novikoff.errors import DataError, ModelError, ParameterError
from novikoff.learning.epochs import StopReason, TrainingRun, found_margin
from novikoff.learning.inseparability import NumberedRows
from novikoff.learning.rows import LearnerRows
from novikoff.learning.spec import TrainingSpec, WeightedPart
from novikoff.number_text import listed

FIRST = 512  # rows of a pipe that are looked at for labels before any is learned from
NO_LABELS = np.array([-1, 1])  # the classes of a rule that looks at no labels


class Survey(NamedTuple):
    """What one pass over all rows tells before anything is learned."""

    classes: Classes | None
    features: int
    rows: int


class RestartRequiredError(DataError):
    """The stream shows something that the learner should have known from the start."""


AfterChunk = Callable[[TrainingRun, Chunk], None]


class Stream:
    """A learner and the source that it learns from.

    classes: all labels, if they are known; otherwise rows wait until two have come. survey: what is
    known of all the rows.
    """

    def __init__(
        self,
        spec: TrainingSpec,
        source: Source,
        classes: Classes | None = None,
        survey: Survey | None = None,
    ) -> None:
        self.spec, self.source = spec, source
        self.run: TrainingRun | None = None
        self._classes = classes if spec.labels else NO_LABELS
        self.survey, self.rows = survey, 0
        self.before = 0  # rows of the data that come before the source's, for messages
        self.taken: Callable[[], None] | None = None  # called when a chunk has come
        self._waiting: list[Chunk] = []
        if survey is not None:
            self._classes = survey.classes
            self._begin(survey.features)

    @classmethod
    def resume(
        cls, spec: TrainingSpec, source: Source, run: TrainingRun, classes: Classes
    ) -> "Stream":
        """A stream that was stopped, with the learner that it had then."""
        stream = cls(spec, source, classes)
        stream.run = run
        return stream

    @property
    def classes(self) -> Classes:
        """All labels; they are known once learning has begun."""
        assert self._classes is not None
        return self._classes

    def _begin(self, features: int) -> None:
        self.run = TrainingRun(self.spec.learner_for(features, self.classes))

    def epoch(
        self, after_chunk: AfterChunk | None = None, start: ReadPosition | None = None
    ) -> TrainingRun:
        """One pass over the source, or what is left of it; `after_chunk` is called after each.

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
            for each in self._release_ready(chunk.part(skip, size) if skip else chunk):
                self._learn(each)
            skip = 0
            if after_chunk is not None and self.run is not None:
                after_chunk(self.run, chunk)
        if skip:
            raise ModelError(f"{self.source.name}: fewer rows than the checkpoint had read of it")
        for each in self._waited():
            self._learn(each)
        if self.run is None:
            raise DataError(f"{self.source.name}: there are no rows to learn from")
        self.rows = self.run.place
        return self.run

    def interrupt(self) -> None:
        """End the run in the middle of an epoch."""
        assert self.run is not None
        self.rows = max(self.rows, self.run.place)
        self.run.because = StopReason.INTERRUPTED
        if self.run.place or not self.run.past:
            self.run.end_epoch()

    def learned_rows(self) -> Iterator[tuple[LearnerRows, Codes]]:
        """The rows once more, chunk by chunk, and their class numbers."""
        for rows, codes, _ in self.numbered_rows():
            yield rows, codes

    def numbered_rows(self) -> Iterator[NumberedRows]:
        """The same, with their numbers in the data."""
        assert self.run is not None
        before = 0
        for chunk in self.source.chunks():
            part = self._part(chunk, as_matrix(chunk.X))
            matrix = widened(part.matrix, self.run.learner.features)
            kept = np.arange(chunk.X.shape[0]) if part.kept is None else part.kept
            yield NumberedRows(self.spec.rows(matrix, part.weights), part.codes, before + kept)
            before += chunk.X.shape[0]

    def found_margin(self) -> float | None:
        """The margin of the separator found, in one more pass; see `epochs.found_margin`."""
        assert self.run is not None
        learner, lowest = self.run.learner, np.inf
        for rows, codes in self.learned_rows():
            margin = found_margin(learner, rows, codes)
            if margin is None:
                return None
            lowest = min(lowest, margin)
        return lowest

    def _release_ready(self, chunk: Chunk) -> list[Chunk]:
        """The chunks to learn from now: none until the classes are known."""
        if not self.spec.labels or self.run is not None:
            return [chunk]
        if chunk.y is None:
            raise DataError(f"{self.source.name}: the rows have no labels to learn from")
        self._waiting.append(chunk)
        self.rows += chunk.X.shape[0]
        if self._classes is None:
            labels = np.unique(np.concatenate([each.y for each in self._waiting]))
            if len(labels) < 2:
                if self.source.replayable and len(self._waiting) > 1:
                    raise RestartRequiredError(
                        f"{self.source.name}: the first rows have one label only"
                    )
                return []
            if not self.source.replayable and self.rows < FIRST and self.source.ready():
                return []  # another label may be about to come
        return self._waited()

    def _waited(self) -> list[Chunk]:
        """What waited, with all labels that it has."""
        found, self._waiting = self._waiting, []
        if self._classes is None and found:
            labels = np.unique(np.concatenate([each.y for each in found]))
            refuse_classes(self.source.name, labels, self.rows)
            self._classes = labels
        return found

    def _learn(self, chunk: Chunk) -> None:
        part = self._part(chunk, as_matrix(chunk.X))
        matrix = part.matrix
        if self.run is None:
            if self.spec.needs_width:
                self._refuse_width()
            self._begin(matrix.shape[1])
        run = self.run
        assert run is not None
        if matrix.shape[1] > run.learner.features:
            if self.spec.needs_width:
                self._refuse_width()
            run.learner.resize(matrix.shape[1])
        rows = self.spec.rows(widened(matrix, run.learner.features), part.weights)
        before = self.before + run.place
        run.learner.read(rows, part.codes, measure=not run.past, before=before)
        run.place += matrix.shape[0]

    def _refuse_width(self) -> None:
        if self.source.replayable:
            raise RestartRequiredError(
                f"{self.source.name}: the number of features must be known first"
            )
        raise ParameterError(
            "the start depends on the number of features, which a stream does not tell: for Winnow"
            " set the threshold with --param theta=...; or save the rows to a file first"
        )

    def _part(self, chunk: Chunk, matrix: Matrix) -> WeightedPart:
        """The rows of a chunk that have weights, with the weights of their classes."""
        self.spec.require_known_class_weights("a stream")
        if self.source.replayable and not self.spec.weighs_only(self.classes):
            raise RestartRequiredError(f"{self.source.name}: all labels must be known first")
        return self.spec.weighted_part(matrix, self.classes, self.codes(chunk), chunk.weights)

    def codes(self, chunk: Chunk) -> Codes:
        """The class number of each row."""
        if not self.spec.labels:
            return np.ones(chunk.X.shape[0], np.uint16)
        if chunk.y is not None and (chunk.y.dtype.kind, self.classes.dtype.kind) == ("f", "i"):
            self._classes = self._as_floats(self.classes)
        try:
            return encode(chunk.y, self.classes)[1]
        except (DataError, ValueError):
            known = np.isin(np.asarray(chunk.y), self.classes)
            if known.all() or chunk.y is None:
                raise
            odd = int(np.flatnonzero(~known)[0])
            place = "" if chunk.lines is None else f":{chunk.lines[odd]}"
            raise RestartRequiredError(
                f"{self.source.name}{place}: the label {chunk.y[odd]} comes after learning began"
                f" with {listed(self.classes.tolist())}; name all labels with --classes"
            ) from None

    def _as_floats(self, classes: Classes) -> Any:
        """Where one label is written as 1.0, all labels are such numbers."""
        found = np.unique(classes.astype(np.float64))
        if len(found) != len(classes):
            raise RestartRequiredError(
                f"{self.source.name}: labels that differ are the same as doubles"
            )
        return found


def fit_stream(
    spec: TrainingSpec, source: Source, go: Callable[[Stream], None], classes: Classes | None = None
) -> Stream:
    """What go(stream) makes of a new stream, begun again where the data surprise and can be reread.

    go: learns, by one or more epochs of the stream.
    """
    known = None
    if spec.needs_width and source.replayable:
        source, known = survey(source, spec.labels)
    while True:
        stream = Stream(spec, source, classes, known)
        try:
            go(stream)
        except RereadError as late:
            if not source.replayable:
                raise
            source = source.reopen(**late.remedy)
        except RestartRequiredError:
            if not source.replayable or known is not None:
                raise
            source, known = survey(source, spec.labels)
        else:
            return stream


def widened(matrix: Matrix, features: int) -> Matrix:
    """The same sparse rows with room for features that none of them has."""
    if matrix.shape[1] == features or isinstance(matrix, np.ndarray):
        return matrix
    return csr(matrix.indptr, matrix.indices, matrix.data, features)


def survey(
    source: Source, labels: bool, after_chunk: Callable[[Chunk], None] | None = None
) -> tuple[Source, Survey]:
    """One pass over all rows without learning; and the source, opened anew if it had to be."""
    while True:
        try:
            found = survey_once(source, labels, after_chunk)
        except RereadError as late:
            source = source.reopen(**late.remedy)
            continue
        if not labels:
            return source, found._replace(classes=NO_LABELS)
        if found.classes is not None:
            refuse_classes(source.name, found.classes, found.rows)
        return source, found


def refuse_classes(name: str, classes: Classes, rows: int) -> None:
    """Refuse labels that are no classes: a single one, or plainly measurements."""
    if len(classes) < 2:
        raise DataError(
            f"{name}: all {rows:,} rows have the label {classes[0]}; a separator needs two"
        )
    if are_measurements(classes):
        raise DataError(
            f"{name}: the labels are {len(classes):,} different numbers such as {classes[0]:g}: are"
            " they numbers to predict rather than classes? Name the column of labels (--target),"
            " or use words for classes"
        )


def survey_once(
    source: Source, labels: bool, after_chunk: Callable[[Chunk], None] | None = None
) -> Survey:
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
        if after_chunk is not None:
            after_chunk(chunk)
    return Survey(classes, features, rows)
