"""What `fit` does with a stream: it learns online, each row once."""

import contextlib
import time
from typing import Any

import numpy as np

from novikoff.cli.progress import Progress
from novikoff.cli.training import Plan, Result
from novikoff.errors import DataError, ParameterError
from novikoff.learn import Because, Learner, Outcome, outputs_for
from novikoff.sources import Source
from novikoff.sources.arrays import as_matrix, encode


def run_stream(plan: Plan, source: Source, classes: str | None, each: int) -> Result:
    """Learn online: every row once, in order, predicted before its label is looked at."""
    stream = Stream(plan, source, classes)
    began = time.perf_counter()
    because = Because.END
    with Progress(None, None, plan.quiet) as progress:
        try:
            for chunk in source.chunks(each):
                progress.busy = True
                stream.take(chunk)
                if stream.learner is not None:
                    progress.watch(stream.learner, 0)
                progress.busy = False  # waiting for more may be broken off at any moment
        except KeyboardInterrupt:
            because = Because.INTERRUPTED
    if stream.learner is None and because is Because.INTERRUPTED:
        raise KeyboardInterrupt
    if stream.learner is None:
        raise DataError(f"{source.name}: all {stream.rows:,} rows have one label; two are needed")
    mistakes, updates = (stream.learner.total(name) for name in ("mistakes", "updates"))
    ceilings = stream.learner.ceilings()
    outcome = Outcome(1, [mistakes], [updates], False, because, ceilings)
    seconds = time.perf_counter() - began
    return Result(plan, source, stream.learner, stream.classes, outcome, stream.rows, None, seconds)


class Stream:
    """Learns from chunks as they come, once both classes, or all that were named, are known."""

    def __init__(self, plan: Plan, source: Source, classes: str | None) -> None:
        self.plan, self.source = plan, source
        self.learner: Learner | None = None
        self.classes: Any = None if classes is None else _named(classes)
        self.waiting: list[Any] = []
        self.rows = 0

    def take(self, chunk: Any) -> None:
        """Learn from a chunk, or keep it until there is a learner."""
        self.rows += chunk.X.shape[0]
        if self.plan.rule == "one-sided":
            self.classes = np.array([-1, 1])
        elif chunk.y is None:
            raise DataError(f"{self.source.name}: the rows have no labels to learn from")
        self.waiting.append(chunk)
        if self.classes is None:
            labels = np.unique(np.concatenate([each.y for each in self.waiting]))
            if len(labels) < 2:
                return
            self.classes = labels
        for each in self.waiting:
            self._learn(each)
        self.waiting.clear()

    def _learn(self, chunk: Any) -> None:
        matrix = as_matrix(chunk.X)
        if self.learner is None:
            outputs = outputs_for(self.classes)
            self.learner = self.plan.learner(matrix.shape[1], outputs)
        if matrix.shape[1] > self.learner.features:
            if self.plan.rule == "winnow" and self.plan.parameters["theta"] is None:
                raise ParameterError(
                    "Winnow's threshold is the number of variables, which a stream does not tell;"
                    " set it with --param theta=..."
                )
            self.learner.resize(matrix.shape[1])
        self.learner.read(self.plan.rows(matrix), self._codes(chunk))

    def _codes(self, chunk: Any) -> Any:
        if self.plan.rule == "one-sided":
            return np.ones(chunk.X.shape[0], np.uint16)
        try:
            return encode(chunk.y, self.classes)[1]
        except (DataError, ValueError):
            odd = next(k for k, label in enumerate(chunk.y) if label not in self.classes)
            place = "" if chunk.lines is None else f":{chunk.lines[odd]}"
            raise DataError(
                f"{self.source.name}{place}: the label {chunk.y[odd]} comes after learning began"
                f" with {', '.join(map(str, self.classes))}; name all labels with --classes"
            ) from None


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
