"""The page of `fit`, and what a run records for it."""

from typing import Any

import numpy as np

from novikoff import report
from novikoff.cli.fit.result import FitResult
from novikoff.cli.shared.loaded_source import LoadedSource
from novikoff.cli.shared.report_options import question, sizes
from novikoff.cli.shared.text import Fact
from novikoff.data import Chunk, Source
from novikoff.data.matrices import as_matrix, encode
from novikoff.errors import ParameterError
from novikoff.learning.learner import Learner
from novikoff.learning.rows import make_rows
from novikoff.learning.spec import TrainingSpec
from novikoff.number_text import listed


class FitPageRecorder:
    """Records what the page of a run shows: its rows, and the margin ceiling after each epoch."""

    def __init__(self, source: Source) -> None:
        self.source = LoadedSource(source)
        self.ceilings: list[float] = []

    def watch(self, learner: Learner, stop: int) -> None:
        """Record the ceiling at the end of an epoch; called after each block of rows."""
        if self.source.chunk.weights is not None:
            raise ParameterError(
                "--report and --plot draw rows as they are, and these have weights: leave the"
                " weights out of the data"
            )
        if stop == self.source.chunk.X.shape[0]:
            self.ceilings.append(float(learner.ceilings().min()))

    def page(self, result: FitResult, account: str) -> report.Page:
        """Make the page of `fit`; account: its text."""
        known = [*sizes(result.rows, result.learner.features), *_training(result)]
        about = question(self.source.name, known)
        sentence = f"{result.spec.rule}: {result.ending()}."
        answer = report.ReportAnswer(sentence, result.facts(), account)
        return report.fit_page(_run(result, self.source.chunk, self.ceilings), about, answer)


def _run(result: FitResult, chunk: Chunk, ceilings: list[float]) -> report.FitRun:
    spec, matrix, labels = result.spec, as_matrix(chunk.X), chunk.y
    if spec.rule == "one-sided":
        labels, codes = None, np.ones(result.rows, np.uint16)
    else:
        codes = encode(labels, result.classes)[1]
    return report.FitRun(
        spec.rule,
        result.learner,
        result.outcome,
        result.classes,
        codes,
        make_rows(matrix, spec.bias, spec.unit_length),
        matrix,
        labels,
        chunk.lines,
        result.source.feature_names,
        result.bound,
        result.margin,
        ceilings,
    )


def _training(result: FitResult) -> list[Fact]:
    spec = result.spec
    values = ", ".join(f"{name} = {value}" for name, value in _parameters(spec, result.learner))
    classes = listed(result.classes.tolist())
    facts = [
        ("classes", "each row taken as positive" if spec.rule == "one-sided" else classes),
        ("rule", f"{spec.rule} ({values})" if values else spec.rule),
        ("intercept", "yes" if spec.bias else "no"),
        ("start", "ones" if spec.rule == "winnow" else str(spec.init)),
        ("order", f"{spec.order}, at most {spec.max_epochs:,} epochs"),
    ]
    if spec.unit_length:
        facts.append(("scaled", "rows to length 1"))
    if spec.is_random:
        facts.append(("seed", str(spec.seed)))
    return facts


def _parameters(spec: TrainingSpec, learner: Learner) -> list[tuple[str, Any]]:
    """The rule's parameters; the learner knows those that depend on the data."""
    found = dict(spec.parameters)
    if "theta" in found:
        found["theta"] = f"{learner.rule.theta:g}"
    return list(found.items())
