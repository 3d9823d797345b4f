"""What `fit` does with a stream: it learns from each chunk as it comes, in bounded memory.

Standard input is learned from online, each row once. A file is gone through as often as it takes.
"""

import contextlib
import time
from typing import Any

import numpy as np

from novikoff.checkpoints import Checkpoint
from novikoff.cli.keeping import Tools
from novikoff.cli.plans import Plan
from novikoff.cli.results import Result
from novikoff.epochs import Because, Run, found_margin
from novikoff.errors import ModelError, ParameterError
from novikoff.sources import Chunk, Place, Source
from novikoff.sources.addresses import size_of
from novikoff.sources.base import LateError
from novikoff.sources.settling import bytes_of
from novikoff.streams import Stream, SurpriseError, learned, widened


def run_stream(plan: Plan, source: Source, tools: Tools, classes: str | None) -> Result:
    """Learn from a source as it is read, epoch by epoch."""
    began = time.perf_counter()
    tools.progress.task = tools.progress.task._replace(bytes=bytes_of(source) or None)
    tools.progress.started()
    named = None if classes is None else _named(classes)
    stream = _gone_on(plan, source, tools)
    if stream is None:
        stream = learned(plan, source, lambda stream: _epochs(stream, plan, tools), named)
    run = stream.run
    if run is None:
        raise tools.progress.interruption()
    if run.because is not Because.INTERRUPTED:
        tools.keep(run, stream.classes, stream.source)
    outcome = run.outcome()
    margin = _found_margin(plan, stream) if outcome.converged else None
    seconds = time.perf_counter() - began if tools.keeper is None else tools.keeper.seconds
    path = None if tools.keeper is None else tools.keeper.path
    shown = plan, stream.source, run.learner, stream.classes, outcome, stream.rows, margin
    return Result(*shown, seconds, None, path)


def _gone_on(plan: Plan, source: Source, tools: Tools) -> Stream | None:
    """The stream of a checkpoint, learned to its end; None if there is none, or if the data now
    show what takes another beginning, as they would have without a stop.
    """
    found = tools.found
    if found is None:
        return None
    if found.run.because is Because.END:
        raise ParameterError("--resume: that stream was read to its end; there is no more to learn")
    _take_up(source, found)
    stream = Stream.going_on(plan, source, found.run, found.model.classes)
    stream.rows = int(found.memory.get("rows", 0))  # of a run that is over
    tools.progress.resumed(found.run.learner)
    try:
        _epochs(stream, plan, tools, found.position)
    except (LateError, SurpriseError):
        if not source.replayable:
            raise
        return None
    return stream


def _epochs(stream: Stream, plan: Plan, tools: Tools, start: Place | None = None) -> None:
    """Epoch after epoch; Ctrl-C ends the last of them."""
    progress, piped = tools.progress, not stream.source.replayable
    end = start

    def taken() -> None:
        progress.busy = True  # while waiting for more from a pipe, all may be broken off at once

    def told(run: Run, chunk: Chunk) -> None:
        nonlocal end
        end = chunk.end
        progress.watch(run, _bytes(stream.source, end))
        tools.after(run, stream.classes, stream.source, end)
        progress.busy = not piped

    stream.taken, progress.busy = taken, not piped
    try:
        while stream.run is None or _goes_on(stream.run, plan.max_epochs):
            run = stream.epoch(told, start)
            start = end = None
            progress.watch(run, progress.task.bytes, end=True)
            run.because = Because.END if piped else None
            run.end_epoch()
            tools.after(run, stream.classes, stream.source)
    except KeyboardInterrupt:
        if stream.run is None:
            return
        if not progress.busy:
            tools.keep(stream.run, stream.classes, stream.source, end)
        stream.rows = max(stream.rows, stream.run.place)
        stream.run.because = Because.INTERRUPTED
        if stream.run.place or not stream.run.past:
            stream.run.end_epoch()


def _take_up(source: Source, found: Checkpoint) -> None:
    try:
        if found.memory:  # rows at rest have none
            source.remember(found.memory)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ModelError(
            f"a damaged checkpoint: what it remembers of the data: {problem}"
        ) from None


def _goes_on(run: Run, max_epochs: int) -> bool:
    return run.because is None and len(run.past) < max_epochs


def _bytes(source: Source, end: Place | None) -> int | None:
    """How much of the files was read, if they are not compressed."""
    if end is None or source.packed:
        return None
    before = sum(map(size_of, source.paths[: end.file]))
    return before + end.offset


def _found_margin(plan: Plan, stream: Stream) -> float | None:
    """The margin of the separator found, in one pass more; see `epochs.found_margin`."""
    assert stream.run is not None
    learner, lowest = stream.run.learner, np.inf
    for chunk in stream.source.chunks():
        rows = plan.rows(widened(chunk.X, learner.features))
        margin = found_margin(learner, rows, stream.codes(chunk))
        if margin is None:
            return None
        lowest = min(lowest, margin)
    return lowest


def _named(words: str) -> Any:
    """Labels from the command line: numbers if all of them are."""
    labels = [word.strip() for word in words.split(",")]
    found = np.unique(np.array(labels))
    for kind in (np.float64, np.int64):  # numbers, whole ones if all are
        with contextlib.suppress(ValueError):
            found = np.unique(np.array(labels).astype(kind))
    if len(found) < 2:
        raise ParameterError(f"--classes {words}: two labels or more are needed")
    return found
