"""What `bound` finds out about data: every bound, and what a run really did."""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.bounds.case import Case
from novikoff.bounds.hypotheses import Bound
from novikoff.bounds.labelled import signed_rows
from novikoff.bounds.runs import Ran, made, perceptron_run
from novikoff.bounds.survey import answered, posed
from novikoff.cli import bounding
from novikoff.cli.bounding import wrapped
from novikoff.cli.findings import Kept, as_label, ratio
from novikoff.cli.results import count
from novikoff.cli.telling import bracket
from novikoff.errors import DataError
from novikoff.rounding import rounded_up
from novikoff.sources import Source
from novikoff.verdict.result import INSEPARABLE, QUASI, SEPARABLE, Stage, Watch

DIGITS = 6
NAMES = 17  # characters for a bound's name


class Question(NamedTuple):
    """What is asked of some rows; max_epochs is None where nothing is to be trained."""

    fit_intercept: bool
    unit_length: bool
    positive: str | None
    variables: str | None
    eta: Fraction
    random_start: bool
    seed: int
    passes: int
    only: list[str] | None
    time_limit: float | None
    max_epochs: int | None


class Findings(NamedTuple):
    """The bounds, and the mistakes that their learners made; `ran` is None without a run."""

    source: Source
    question: Question
    case: Case
    bounds: list[Bound]
    ran: Ran | None
    made: list[int | None]

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        verdict, margin = self.case.verdict, self.case.verdict.margin
        squared = None if margin.squared is None else ratio(margin.squared)
        upper = margin.upper if math.isfinite(margin.upper) else None
        told = [bounding.as_json(each) for each in self.bounds]
        if self.ran is not None:
            told = [one | {"made": made} for one, made in zip(told, self.made, strict=True)]
        return {
            "rows": verdict.rows,
            "features": verdict.features,
            "outcome": verdict.outcome,
            "margin": {"lower": margin.lower, "upper": upper, "squared": squared},
            "radius": verdict.radius if math.isfinite(verdict.radius) else None,
            "passes": self.case.passes,
            "bounds": told,
            "run": None if self.ran is None else self.ran._asdict(),
        }

    def as_text(self) -> str:
        """A table of the bounds that hold, and the reasons against the others."""
        lines = [
            *wrapped(self._heading()),
            *wrapped(self._margin()),
            *self._table(),
            *self._disjunction(),
        ]
        if self.ran is not None:
            lines += wrapped(self._run(self.ran)) + wrapped(self._proven(self.ran))
        return "\n".join([*lines, *self._refused()])

    def _heading(self) -> str:
        verdict, signed = self.case.verdict, self.case.signed
        lift = "" if signed.bias else ", no intercept"
        scaled = ", scaled to length 1" if signed.unit_length else ""
        rows, features = count(verdict.rows, "row"), count(verdict.features, "feature")
        about = _pair(signed.labels)
        return f"{self.source.name}: {rows}, {features}{lift}{scaled}, {about}"

    def _margin(self) -> str:
        verdict = self.case.verdict
        longest = f"D = {rounded_up(verdict.radius, DIGITS)}" if verdict.radius < math.inf else ""
        margin = f"; {bracket(verdict.margin)}" if verdict.outcome == SEPARABLE else ""
        return f"{verdict.outcome}: {longest}{margin}"

    def _table(self) -> list[str]:
        """Name, value, what was made of it, formula."""
        given = [k for k, each in enumerate(self.bounds) if each.refused is None]
        if not given:
            return []
        cells = [["bound", "at most", *["made"] * (self.ran is not None)]]
        for k in given:
            done = [bounding.shown(self.made[k])] if self.ran is not None else []
            cells.append([self.bounds[k].name, bounding.shown(self.bounds[k].value), *done])
        widths = [max(len(row[j]) for row in cells) for j in range(1, len(cells[0]))]
        texts = ["formula", *(_formula(self.bounds[k]) for k in given)]
        lines = []
        for row, text in zip(cells, texts, strict=True):
            numbers = [f"{cell:>{w}}" for cell, w in zip(row[1:], widths, strict=True)]
            head = "  ".join([f"  {row[0]:<{NAMES - 2}}", *numbers, ""])
            lines += wrapped(text, first=head, rest=" " * len(head))
        return lines

    def _disjunction(self) -> list[str]:
        """Which variables Winnow's bound is about: the table has no room for them."""
        return [
            line
            for each in self.bounds
            if each.name == "winnow" and each.refused is None
            for line in wrapped(f"  winnow: {each.hypotheses[-1].why}")
        ]

    def _refused(self) -> list[str]:
        """The reasons, each with all the bounds that it speaks against."""
        reasons: dict[str, list[str]] = {}
        for each in self.bounds:
            if each.refused is not None:
                reasons.setdefault(each.refused, []).append(each.name)
        lines = ["Refused, for want of a hypothesis:"] if reasons else []
        for why, names in reasons.items():
            lines += wrapped(f"{', '.join(names)}: {why}", first="  ", rest="    ")
        return lines

    def _run(self, ran: Ran) -> str:
        start = "a random start" if self.question.random_start else "zeros"
        mistakes, epochs = count(ran.mistakes, "mistake"), count(ran.epochs, "epoch")
        why = f": {ran.because}" if self.case.verdict.outcome == SEPARABLE else ""
        passes = "pass" if self.question.passes == 1 else f"{self.question.passes:,} passes"
        soft = f" For freund-schapire and hinge, made counts the first {passes}."
        given = {each.name for each in self.bounds if each.refused is None}
        more = soft if given & {"freund-schapire", "hinge"} else ""
        return f"The perceptron from {start} made {mistakes} in {epochs}{why}.{more}"

    def _proven(self, ran: Ran) -> str:
        if ran.ceiling is None or self.case.verdict.outcome in (INSEPARABLE, QUASI):
            return ""
        text = f"Its run proves: no separator has a margin above {rounded_up(ran.ceiling)}"
        limits = []
        if ran.after_length is not None:
            limits.append(f"{bounding.shown(ran.after_length)} by |w_k − w_0|/(ηγ)")
        if ran.after_rows is not None:
            limits.append(f"{bounding.shown(ran.after_rows)} by √(Σ|x|²)/γ")
        if limits:
            text += f"; it cannot have made more mistakes than {', or '.join(limits)}"
        return f"{text}."


def _formula(bound: Bound) -> str:
    if bound.figures.get("vacuous"):
        return f"{bound.formula}: no better than a mistake a row and pass"
    return bounding.formula_of(bound)


def _pair(labels: Any) -> str:
    if labels.negative is None:
        return f"label {labels.positive}"
    return f"{labels.positive} against {labels.negative}"


def survey(question: Question, source: Source, watch: Watch) -> Findings:
    """Read the rows, and look at every bound."""
    watch(Stage("reading", None, 0.0, math.inf, 0))
    kept = Kept(source)
    if kept.chunk.y is None:
        raise DataError(f"{source.name}: the rows have no labels")
    signed = signed_rows(
        kept,
        fit_intercept=question.fit_intercept,
        unit_length=question.unit_length,
        positive=as_label(question.positive, kept.chunk.y),
    )
    start = None
    if question.random_start:  # the one that `fit --init random` takes
        start = np.random.default_rng([question.seed, 0]).standard_normal((1, signed.dim))[0]
    case = posed(
        signed,
        eta=question.eta,
        start=start,
        passes=question.passes,
        relevant=_variables(question.variables, kept.feature_names),
        time_limit=question.time_limit,
        watch=watch,
    )
    bounds = answered(case, question.only)
    if question.max_epochs is None:
        return Findings(kept, question, case, bounds, None, [])
    watch(_learning(case))
    ran = perceptron_run(case, question.max_epochs)
    done = [made(case, each, ran, question.max_epochs) for each in bounds]
    return Findings(kept, question, case, bounds, ran, done)


def _learning(case: Case) -> Stage:
    known = case.verdict
    return Stage("learning", known.outcome, known.margin.lower, known.margin.upper, known.scans)


def _variables(text: str | None, names: list[str] | None) -> list[int | str] | None:
    """Names as they are, and places as numbers."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    known = set(names or ())
    return [word if word in known or not word.isdecimal() else int(word) for word in words]
