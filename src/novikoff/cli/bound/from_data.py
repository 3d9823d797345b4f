"""Every bound on some data, and the mistakes that a run really made."""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.cli.bound import from_numbers
from novikoff.cli.bound.from_numbers import wrap_formulas
from novikoff.cli.shared.loaded_source import LoadedSource, as_label
from novikoff.cli.shared.margin import DIGITS, bracket
from novikoff.cli.shared.margin import as_json as margin_as_json
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.text import finite, large_count
from novikoff.data import Source
from novikoff.number_text import count, rounded_up
from novikoff.theory.bounds.evaluate import evaluate, prepare, report_stage
from novikoff.theory.bounds.hypotheses import Bound
from novikoff.theory.bounds.observed_runs import RunSummary, observed_mistakes, perceptron_run
from novikoff.theory.bounds.problem import BoundProblem
from novikoff.theory.bounds.user_input import signed_rows
from novikoff.verdict.account.text import against
from novikoff.verdict.result import INSEPARABLE, QUASI, SEPARABLE

NAMES = 17  # characters for a bound's name


class BoundReport(NamedTuple):
    """The bounds, and the mistakes that their learners made; `ran` is None without a run."""

    source: Source
    case: BoundProblem
    bounds: list[Bound]
    ran: RunSummary | None
    made: list[int | None]

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        verdict = self.case.verdict
        listed = [from_numbers.as_json(each) for each in self.bounds]
        if self.ran is not None:
            listed = [one | {"made": made} for one, made in zip(listed, self.made, strict=True)]
        return {
            "rows": verdict.rows,
            "features": verdict.features,
            "outcome": verdict.outcome,
            "margin": margin_as_json(verdict.margin),
            "radius": finite(verdict.radius),
            "passes": self.case.passes,
            "bounds": listed,
            "run": None if self.ran is None else self.ran._asdict(),
        }

    def as_text(self) -> str:
        """A table of the bounds that hold, and the reasons against the others."""
        lines = [
            *wrap_formulas(self._heading()),
            *wrap_formulas(self._margin()),
            *self._table(),
            *self._disjunction(),
        ]
        if self.ran is not None:
            lines += wrap_formulas(self._run(self.ran)) + wrap_formulas(self._proven(self.ran))
        return "\n".join([*lines, *self._refusals()])

    def _heading(self) -> str:
        verdict, signed = self.case.verdict, self.case.signed
        lift = "" if signed.bias else ", no intercept"
        scaled = ", scaled to length 1" if signed.unit_length else ""
        rows, features = count(verdict.rows, "row"), count(verdict.features, "feature")
        labels = signed.labels
        assert labels is not None  # there is no bound on counts
        about = f"label {labels.positive}" if labels.negative is None else against(labels)
        return f"{self.source.name}: {rows}, {features}{lift}{scaled}, {about}"

    def _margin(self) -> str:
        verdict = self.case.verdict
        longest = f"D = {rounded_up(verdict.radius, DIGITS)}" if verdict.radius < math.inf else ""
        margin = f"; {bracket(verdict.margin)}" if verdict.outcome == SEPARABLE else ""
        return f"{verdict.outcome}: {longest}{margin}"

    def _table(self) -> list[str]:
        """The bounds that hold, below whose mistakes they bound: name, value, made, formula."""
        given = [k for k, each in enumerate(self.bounds) if each.refused is None]
        if not given:
            return []
        cells = [["bound", "at most", *["made"] * (self.ran is not None)]]
        for k in given:
            done = [_cell(self.made[k])] if self.ran is not None else []
            cells.append([self.bounds[k].name, _cell(self.bounds[k].value), *done])
        widths = [max(len(row[j]) for row in cells) for j in range(1, len(cells[0]))]
        texts = ["formula", *(_formula(self.bounds[k]) for k in given)]
        lines: list[str] = []
        learners = ["", *(self.bounds[k].learner for k in given)]
        for k, (row, text) in enumerate(zip(cells, texts, strict=True)):
            if k and learners[k] != learners[k - 1]:
                lines += wrap_formulas(f"of {learners[k]}:", rest="  ")
            numbers = [f"{cell:>{w}}" for cell, w in zip(row[1:], widths, strict=True)]
            head = "  ".join([f"  {row[0]:<{NAMES - 2}}", *numbers, ""])
            lines += wrap_formulas(text, first=head, rest=" " * len(head))
        return lines

    def _disjunction(self) -> list[str]:
        """The variables of Winnow's bound, for which the table has no room."""
        return [
            line
            for each in self.bounds
            if each.name == "winnow" and each.refused is None
            for line in wrap_formulas(f"  winnow: {each.hypotheses[-1].why}")
        ]

    def _refusals(self) -> list[str]:
        """The reasons for refusals, each with all the bounds that it refuses."""
        reasons: dict[str, list[str]] = {}
        for each in self.bounds:
            if each.refused is not None:
                reasons.setdefault(each.refused, []).append(each.name)
        lines = ["Not applicable (hypothesis not met):"] if reasons else []
        for why, names in reasons.items():
            lines += wrap_formulas(f"{', '.join(names)}: {why}", first="  ", rest="    ")
        return lines

    def _run(self, ran: RunSummary) -> str:
        start = "zeros" if self.case.start is None else "a random start"
        mistakes, epochs = count(ran.mistakes, "mistake"), count(ran.epochs, "epoch")
        why = f": {ran.because}" if self.case.verdict.outcome == SEPARABLE else ""
        passes = "pass" if self.case.passes == 1 else f"{self.case.passes:,} passes"
        soft = f" For freund-schapire and hinge, made counts the first {passes}."
        given = {each.name for each in self.bounds if each.refused is None}
        more = soft if given & {"freund-schapire", "hinge"} else ""
        return f"The perceptron from {start} made {mistakes} in {epochs}{why}.{more}"

    def _proven(self, ran: RunSummary) -> str:
        if ran.ceiling is None or self.case.verdict.outcome in (INSEPARABLE, QUASI):
            return ""
        text = f"Its run proves: no separator has a margin above {rounded_up(ran.ceiling)}"
        limits = []
        if ran.after_length is not None:
            limits.append(f"{large_count(ran.after_length)} by |w_k − w_0|/(ηγ)")
        if ran.after_rows is not None:
            limits.append(f"{large_count(ran.after_rows)} by √(Σ|x|²)/γ")
        if limits:
            text += f"; it cannot have made more mistakes than {', or '.join(limits)}"
        return f"{text}."


def _formula(bound: Bound) -> str:
    if bound.figures.get("vacuous"):
        return f"{bound.formula}: no better than one mistake for each row and pass"
    return from_numbers.formula_of(bound)


def _cell(number: int | None) -> str:
    return "-" if number is None else large_count(number)


def evaluate_bounds(
    source: Source,
    progress: SearchProgress,
    *,
    fit_intercept: bool,
    unit_length: bool,
    positive: str | None,
    variables: str | None,
    eta: Fraction,
    start_seed: int | None,
    passes: int,
    only: list[str] | None,
    time_limit: float | None,
    max_epochs: int | None,
) -> BoundReport:
    """Read the rows, and evaluate every bound.

    start_seed: None for a start at zeros. max_epochs: None where nothing is to be trained.
    """
    progress.begin("reading")
    kept = LoadedSource(source)
    signed = signed_rows(
        kept,
        fit_intercept=fit_intercept,
        unit_length=unit_length,
        positive=as_label(positive, kept.labels),
    )
    start = None
    if start_seed is not None:  # the one that `fit --init random` takes
        start = np.random.default_rng([start_seed, 0]).standard_normal((1, signed.dim))[0]
    case = prepare(
        signed,
        eta=eta,
        start=start,
        passes=passes,
        relevant=_variables(variables, kept.feature_names),
        time_limit=time_limit,
        watch=progress.watch,
    )
    bounds = evaluate(case, only)
    if max_epochs is None:
        return BoundReport(kept, case, bounds, None, [])
    report_stage(case, "learning")
    ran = perceptron_run(case, max_epochs)
    done = [observed_mistakes(case, each, ran, max_epochs) for each in bounds]
    return BoundReport(kept, case, bounds, ran, done)


def _variables(text: str | None, names: list[str] | None) -> list[int | str] | None:
    """Parse --variables: names as they are, places as numbers."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    known = set(names or ())
    return [word if word in known or not word.isdecimal() else int(word) for word in words]
