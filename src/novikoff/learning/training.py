"""Training, decided in one place: from rows in memory, mapped from a cache, or as they are read.

    fit(spec, source, hooks)

Few rows are read into memory. Many are mapped from a cache, which is written first if there is none
that is good. A single epoch over many rows learns from them as they are read and keeps none, and so
does every epoch where no cache may be kept (`reread`). All ways give the same bytes, and a run that
was stopped and is resumed from its checkpoint gives them too.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.data import Chunk, ReadPosition, Source
from novikoff.data.errors import RereadError
from novikoff.data.files.storage import size_of
from novikoff.data.loader import bytes_of, load_rows, should_stream
from novikoff.data.matrices import Classes, Codes
from novikoff.data.source_factory import identity_of
from novikoff.errors import ModelError, ParameterError
from novikoff.learning.column_scales import scale_advice
from novikoff.learning.epochs import Outcome, StopReason, TrainingRun, found_margin
from novikoff.learning.files.checkpoint_file import Checkpoint, CheckpointManager
from novikoff.learning.inseparability import NumberedRows, ProvenStop, RowReader
from novikoff.learning.learner import Learner, Watch
from novikoff.learning.loop import NoLog
from novikoff.learning.pocket_check import check_pockets
from novikoff.learning.rows import LearnerRows, length
from novikoff.learning.rules.protocol import answers_otherwise, combination
from novikoff.learning.spec import TrainingSpec
from novikoff.learning.streaming import (
    NO_LABELS,
    RestartRequiredError,
    Stream,
    fit_stream,
    refuse_classes,
)

MOST_VOTES = 2**32  # products of a count of wrong rows: some seconds


class Observer(Protocol):
    """Is told how a run goes on. `busy`: an interruption waits for the end of the block that is
    being learned from; `pressed`: one is waiting.
    """

    busy: bool
    pressed: bool

    def reading(self, done: int, total: int | None, rows: int) -> None:
        """While a large file is made ready: bytes read, of how many, and rows."""

    def expect(self, rows: int | None, size: int | None) -> None:
        """Before learning: how many rows and bytes there are in an epoch, if that is known."""

    def resumed(self, learner: Learner) -> None:
        """Before learning: the learner of a checkpoint."""

    def started(self) -> None:
        """When learning begins."""

    def watch(self, run: TrainingRun, bytes_read: int | None = None, end: bool = False) -> None:
        """After each block of rows. end: whether it was the last one of an epoch."""

    def stop_if_pressed(self) -> None:
        """Raise the interruption that is waiting, where stopping leaves everything whole."""

    def interruption(self) -> KeyboardInterrupt:
        """The exception for the signal that came."""


class NoObserver:
    """An observer that wants to know nothing."""

    busy = pressed = False

    def reading(self, done: int, total: int | None, rows: int) -> None: ...

    def expect(self, rows: int | None, size: int | None) -> None: ...

    def resumed(self, learner: Learner) -> None: ...

    def started(self) -> None: ...

    def watch(self, run: TrainingRun, bytes_read: int | None = None, end: bool = False) -> None: ...

    def stop_if_pressed(self) -> None: ...

    def interruption(self) -> KeyboardInterrupt:
        return KeyboardInterrupt()


class TrainingData(NamedTuple):
    """Rows that can be gone through again and again, as the learner sees them. kept: their
    numbers in the data, None where they are all of them.
    """

    source: Source | None  # None for arrays of the caller's
    matrix: Any
    rows: LearnerRows
    classes: Classes
    codes: Codes
    kept: npt.NDArray[np.int64] | None = None

    def numbered(self) -> Iterator[NumberedRows]:
        """All of them, for whoever asks about them."""
        numbers = np.arange(length(self.rows)) if self.kept is None else self.kept
        yield NumberedRows(self.rows, self.codes, numbers)


class Hooks(NamedTuple):
    """What goes along with a run.

    log: makes what updates are recorded in, once the rows are known. watch: called after each block
    of rows at rest. interruptible: Ctrl-C ends the run as its budget does, instead of raising.
    """

    observer: Observer = NoObserver()
    checkpoint: CheckpointManager | None = None
    log: Callable[[TrainingData], Any] | None = None
    watch: Watch | None = None
    interruptible: bool = False

    @property
    def found(self) -> Checkpoint | None:
        """The checkpoint to go on from."""
        return None if self.checkpoint is None else self.checkpoint.found

    def after_block(
        self,
        run: TrainingRun,
        classes: Classes,
        source: Source | None,
        position: ReadPosition | None = None,
    ) -> None:
        """Keep a checkpoint if it is time, and stop if that was asked for."""
        pressed = self.observer.pressed  # a signal may come in between; the next block sees it
        if self.checkpoint is not None and (pressed or self.checkpoint.due):
            self.keep(run, classes, source, position)
        if pressed:
            self.observer.stop_if_pressed()

    def keep(
        self,
        run: TrainingRun,
        classes: Classes,
        source: Source | None,
        position: ReadPosition | None = None,
    ) -> None:
        """Write the checkpoint, if there is to be one."""
        if self.checkpoint is not None and source is not None:
            self.checkpoint.save(run, classes, source, position, source.state_dict())


class TrainingResult(NamedTuple):
    """What a run did. data: the rows, where they were kept; else stream: what they were read by."""

    source: Source | None
    learner: Learner
    classes: Classes
    outcome: Outcome
    rows: int
    seconds: float
    data: TrainingData | None = None
    stream: Stream | None = None
    log: Any = None
    checkpoint: Path | None = None

    def found_margin(self) -> float | None:
        """The margin of the separator found, in one more pass; None if the run did not converge,
        or found none (see `epochs.found_margin`).
        """
        if not self.outcome.converged:
            return None
        if self.data is not None:
            return found_margin(self.learner, self.data.rows, self.data.codes)
        assert self.stream is not None
        return self.stream.found_margin()

    def advice(self) -> str | None:
        """What would help, of rows at rest that an additive rule still makes mistakes on."""
        rule, outcome = self.learner.rule, self.outcome
        if self.data is None or outcome.converged or len(self.classes) < 2:
            return None
        if not outcome.mistakes_per_epoch[-1] or combination(rule, self.learner.states[0]) is None:
            return None
        return scale_advice(self.data.rows)

    def wrong_rows(self) -> int | None:
        """How many of the rows the finished rule puts into the wrong class.

        Of a rule that predicts with other weights than it learned with, one more pass shows it;
        None where there is none: for a stream that cannot be read again, after an interruption, and
        where so many weights vote that it would take far longer than learning did. Of other rules
        it is known if they converged.
        """
        learner = self.learner
        if not needs_scoring(learner, self.outcome, self.rows):
            return 0 if self.outcome.converged and not answers_otherwise(learner.rule) else None
        if self.data is not None:
            return learner.wrong_rows(self.data.rows, self.data.codes)
        if self.stream is None or not self.stream.source.replayable:
            return None
        return sum(learner.wrong_rows(rows, codes) for rows, codes in self.stream.learned_rows())


def fit(
    spec: TrainingSpec,
    source: Source,
    hooks: Hooks = Hooks(),  # noqa: B008  (immutable)
    *,
    classes: Classes | None = None,
    reread: bool = False,
    keep: bool = False,
) -> TrainingResult:
    """Learn from a source, epoch by epoch.

    classes: all labels of a stream, if they are known. reread: rows may be read anew for each
    epoch, and a pipe is learned from as it comes. keep: the rows have to be there in the end.
    """
    if hooks.checkpoint is not None:
        hooks.checkpoint.begin(identity_of(source))
    if not keep and _is_streamed(spec, source, reread):
        return _fit_as_read(spec, source, hooks, classes)
    return fit_data(spec, load(spec, source, hooks.observer), hooks)


def _is_streamed(spec: TrainingSpec, source: Source, reread: bool) -> bool:
    if not source.replayable:
        return reread
    if spec.weighs_all_at_once:
        return False
    large = should_stream(spec, source.format, source.opening.cache, bytes_of(source))
    return large and (reread or spec.budget == 1)


# Rows at rest


def load(spec: TrainingSpec, source: Source, observer: Observer) -> TrainingData:
    """All rows of a source, in memory or mapped from its cache."""
    size = bytes_of(source)
    found = load_rows(source, labels=spec.labels, watch=observer.reading)
    source, classes = found.source, NO_LABELS if found.classes is None else found.classes
    part = spec.weighted_rows(found.matrix, classes, found.codes, found.weights)
    refuse_classes(source.name, classes, found.matrix.shape[0])
    rows = spec.rows(part.matrix, part.weights)
    observer.expect(length(rows), size or None)
    return TrainingData(source, part.matrix, rows, classes, part.codes, part.kept)


def fit_data(
    spec: TrainingSpec,
    data: TrainingData,
    hooks: Hooks = Hooks(),  # noqa: B008
    learner: Learner | None = None,
) -> TrainingResult:
    """Learn from rows at rest, epoch by epoch; learner: one that goes on from where it is."""
    budget, observer = spec.budget, hooks.observer
    log = NoLog() if hooks.log is None else hooks.log(data)
    features = data.matrix.shape[1]
    run = _resumed_run(spec, hooks, data.classes, *data.matrix.shape)
    if run is None:
        run = TrainingRun(learner or spec.learner_for(features, data.classes))
    if spec.seeks_proof:
        run.proof = _proven_stop(spec, run, data.numbered)

    def after(learner: Learner, stop: int) -> None:
        if hooks.watch is not None:
            hooks.watch(learner, stop)
        observer.watch(run, end=stop == length(data.rows))
        hooks.after_block(run, data.classes, data.source)

    began = time.perf_counter()
    observer.started()
    observer.busy = True
    outcome = run.train(
        data.rows,
        data.codes,
        max_epochs=budget,
        order=spec.order,
        seed=spec.seed,
        watch=after,
        interruptible=hooks.interruptible,
        log=log,
    )
    observer.busy = False
    seconds = time.perf_counter() - began
    if run.because is not StopReason.INTERRUPTED:
        hooks.keep(run, data.classes, data.source)
    known = data.source, run.learner, data.classes, outcome, length(data.rows)
    return _result(hooks, TrainingResult(*known, seconds, data, log=log))


def _proven_stop(spec: TrainingSpec, run: TrainingRun, read: RowReader) -> ProvenStop:
    return ProvenStop(run.learner, read, spec.patience)


def _resumed_run(
    spec: TrainingSpec, hooks: Hooks, classes: Classes, rows: int, features: int
) -> TrainingRun | None:
    """The run of a checkpoint; None if there is none, or if it was a stream's that did not know yet
    what has to be known from the start.
    """
    if hooks.found is None:
        return None
    run, model = hooks.found.run, hooks.found.model
    if run.place > rows:
        raise ModelError(f"a damaged checkpoint: it stopped at row {run.place:,} of {rows:,}")
    narrow = run.learner.features < features
    if not np.array_equal(model.classes, classes) or (narrow and spec.needs_width):
        return None
    if narrow:
        run.learner.resize(features)
    hooks.observer.resumed(run.learner)
    return run


def _result(hooks: Hooks, result: TrainingResult) -> TrainingResult:
    """The result of a run, which may have been resumed."""
    if hooks.checkpoint is None:
        return result
    return result._replace(seconds=hooks.checkpoint.seconds, checkpoint=hooks.checkpoint.path)


# Rows as they are read


def _fit_as_read(
    spec: TrainingSpec, source: Source, hooks: Hooks, classes: Classes | None
) -> TrainingResult:
    """Learn from each chunk as it comes, in bounded memory."""
    began = time.perf_counter()
    hooks.observer.expect(None, bytes_of(source) or None)
    hooks.observer.started()
    stream = _resumed_stream(spec, source, hooks)
    if stream is None:
        stream = fit_stream(spec, source, lambda stream: _epochs(stream, hooks), classes)
    run = stream.run
    if run is None:
        raise hooks.observer.interruption()
    if run.because is not StopReason.INTERRUPTED:
        hooks.keep(run, stream.classes, stream.source)
    known = stream.source, run.learner, stream.classes, run.outcome(), stream.rows
    seconds = time.perf_counter() - began
    return _result(hooks, TrainingResult(*known, seconds, stream=stream))


def _resumed_stream(spec: TrainingSpec, source: Source, hooks: Hooks) -> Stream | None:
    """The stream of a checkpoint, learned to its end; None if there is none, or if the data now
    show what takes another beginning, as they would have without a stop.
    """
    found = hooks.found
    if found is None:
        return None
    if found.run.because is StopReason.END:
        raise ParameterError("--resume: that stream was read to its end; there is no more to learn")
    _restore_source(source, found)
    _require_position(source, found.position)
    stream = Stream.resume(spec, source, found.run, found.model.classes)
    stream.rows = int(found.memory.get("rows", 0))  # of a run that is over
    hooks.observer.resumed(found.run.learner)
    try:
        _epochs(stream, hooks, found.position)
    except (RereadError, RestartRequiredError):
        if not source.replayable:
            raise
        return None
    return stream


def _restore_source(source: Source, found: Checkpoint) -> None:
    try:
        if found.memory:  # rows at rest have none
            later = {"weighted", "weightless"}  # which earlier versions did not keep
            if found.memory.keys() - later != source.state_dict().keys() - later:
                raise ValueError("it is of another kind of data")
            source.load_state_dict(found.memory)
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise ModelError(
            f"a damaged checkpoint: what it remembers of the data: {problem}"
        ) from None


def _require_position(source: Source, position: ReadPosition | None) -> None:
    """Refuse a position that is in no file of the source."""
    if position is None or not source.paths:
        return
    if position.file >= len(source.paths):
        raise ModelError(
            f"a damaged checkpoint: it stopped in file {position.file + 1} of {len(source.paths)}"
        )
    size = size_of(source.paths[position.file])
    if not source.info.compressed and position.offset > size:
        raise ModelError(
            f"a damaged checkpoint: it stopped at byte {position.offset:,} of {size:,}"
        )


def _epochs(stream: Stream, hooks: Hooks, start: ReadPosition | None = None) -> None:
    """Epoch after epoch; where the run is interruptible, Ctrl-C ends the last of them."""
    observer, piped = hooks.observer, not stream.source.replayable
    size, end = bytes_of(stream.source) or None, start

    def taken() -> None:
        observer.busy = True  # while waiting for more from a pipe, all may be broken off at once

    def after_chunk(run: TrainingRun, chunk: Chunk) -> None:
        nonlocal end
        end = chunk.end
        observer.watch(run, _bytes_before(stream.source, end))
        hooks.after_block(run, stream.classes, stream.source, end)
        observer.busy = not piped

    stream.taken, observer.busy = taken, not piped
    try:
        while stream.run is None or _goes_on(stream):
            run = stream.epoch(after_chunk, start)
            start = end = None
            observer.watch(run, size, end=True)
            run.because = StopReason.END if piped else None
            run.end_epoch()
            if not piped:
                check_pockets(run.learner, stream.learned_rows())
            _decide(stream)
            _ask(stream)
            hooks.after_block(run, stream.classes, stream.source)
        _decide(stream)
    except KeyboardInterrupt:
        if not hooks.interruptible:
            raise
        if stream.run is None:
            return
        if not observer.busy:
            hooks.keep(stream.run, stream.classes, stream.source, end)
        stream.interrupt()


def _decide(stream: Stream) -> None:
    """Read the rows once more where that shows whether learning is over."""
    run = stream.run
    if run is not None and run.is_doubtful(stream.spec.budget):
        mistakes_on = run.learner.mistakes_on
        run.decide(sum(mistakes_on(rows, codes) for rows, codes in stream.learned_rows()))


def _ask(stream: Stream) -> None:
    """End the run where nothing more can come of it."""
    run = stream.run
    if run is None or not stream.source.replayable or not stream.spec.seeks_proof:
        return
    if run.proof is None:
        run.proof = _proven_stop(stream.spec, run, stream.numbered_rows)
    run.ask(stream.spec.budget)


def _goes_on(stream: Stream) -> bool:
    run = stream.run
    return run is not None and run.because is None and len(run.past) < stream.spec.budget


def _bytes_before(source: Source, position: ReadPosition | None) -> int | None:
    """How much of the files was read, if they are not compressed."""
    if position is None or source.info.compressed:
        return None
    return sum(map(size_of, source.paths[: position.file])) + position.offset


def needs_scoring(learner: Learner, outcome: Outcome, rows: int) -> bool:
    """Whether one more pass is to show how many rows the finished rule gets wrong.

    Where very many weights vote, it would take far longer than learning did.
    """
    if not answers_otherwise(learner.rule) or outcome.because is StopReason.INTERRUPTED:
        return False
    votes = sum(int(state.used[1]) for state in learner.states if hasattr(state, "births"))
    return rows * votes <= MOST_VOTES
