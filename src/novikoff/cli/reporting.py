"""`--report` and `--plot`: the options, what they refuse, and pages of what a command found."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from novikoff.cli.counts import Counted
    from novikoff.cli.findings import Findings
    from novikoff.cli.plans import Plan
    from novikoff.cli.results import Result
    from novikoff.learn import Learner
    from novikoff.report import Asked, Page, Run
    from novikoff.tracing import Trace


def option(metavar: str, help: str) -> Any:
    """An option that names a file with something to look at."""
    return typer.Option(metavar=metavar, help=help, dir_okay=False, rich_help_panel="Pictures")


ReportOption = Annotated[
    Path | None,
    option(
        "FILE.html", "Write a page with pictures to this file; it opens in any browser, offline."
    ),
]
PlotOption = Annotated[
    Path | None, option("FILE.png|svg", "Write the most telling picture to this file.")
]


def refuse(report: Path | None, plot: Path | None, html: Path | None = None) -> None:
    """Before any work is done: names, folders and missing libraries."""
    named = {"--report": report, "--plot": plot, "--html": html}
    if not any(named.values()):
        return
    from novikoff.report import require

    for each, path in named.items():
        if path is not None:
            require(each, path)


def write(page: "Page", report: Path | None, plot: Path | None) -> None:
    """Write what was asked for."""
    from novikoff.report import write_page, write_picture

    if report is not None:
        write_page(page, report)
    if plot is not None:
        write_picture(page, plot)


def as_json(report: Path | None, plot: Path | None) -> dict[str, str | None]:
    """What scripts read."""
    named = {"report": report, "plot": plot}
    return {name: None if path is None else str(path) for name, path in named.items()}


def told(report: Path | None, plot: Path | None) -> list[str]:
    """For a person."""
    lines = [] if report is None else [f"Report: {report}; open it in a browser."]
    return lines if plot is None else [*lines, f"Picture: {plot}"]


def asked(data: str, facts: list[tuple[str, str]]) -> "Asked":
    """The command as it was typed, and what it was about."""
    from novikoff.report import Asked

    return Asked(shlex.join(["novikoff", *sys.argv[1:]]), data, facts)


def _sizes(rows: int, features: int) -> list[tuple[str, str]]:
    return [("rows", f"{rows:,}"), ("features", f"{features:,}")]


def check_page(found: "Findings", account: str) -> "Page":
    """The page of `check`."""
    from novikoff import report
    from novikoff.cli.results import count
    from novikoff.cli.telling import figures, headline, meaning

    verdict = found.verdict
    sizes = _sizes(verdict.rows, verdict.features)
    about = asked(found.source.name, [*sizes, *_question(verdict)])
    facts = [(fact.name, fact.text) for fact in [*figures(verdict), *meaning(verdict)]]
    if verdict.conflict:
        rows = count(len(verdict.conflict), "row")
        facts.append(("conflict", f"{rows}, enough to rule it out"))
    return report.check_page(
        verdict,
        about,
        report.Answer(headline(verdict), facts, account),
        labels=found.labels,
        rank=found.rank,
        coefficients=found.coefficients,
    )


def _question(verdict: Any) -> list[tuple[str, str]]:
    signed = verdict.signed
    about = "counts (Poisson)"
    if signed.labels is not None:
        negative = signed.labels.negative
        about = f"{signed.labels.positive} against {'the rest' if negative is None else negative}"
    facts = [("labels", about), ("intercept", "yes" if signed.bias else "no")]
    if signed.unit_length:
        facts.append(("scaled", "rows to length 1"))
    if signed.rational:
        facts.append(("numbers", "exact decimals"))
    return facts


class Drawn:
    """A run that is to be drawn: its rows are kept, and the ceiling after each epoch."""

    def __init__(self, source: Any) -> None:
        from novikoff.cli.findings import Kept

        self.source = Kept(source)
        self.ceilings: list[float] = []

    def watch(self, learner: "Learner", stop: int) -> None:
        """Called after each block of rows."""
        if stop == self.source.chunk.X.shape[0]:
            self.ceilings.append(float(learner.ceilings().min()))

    def page(self, result: "Result", account: str) -> "Page":
        """The page of `fit`."""
        from novikoff import report

        plan = result.plan
        sizes = _sizes(result.rows, result.learner.features)
        about = asked(self.source.name, [*sizes, *_planned(plan, result)])
        sentence = f"{plan.rule}: {result.ending()}."
        answer = report.Answer(sentence, result.facts(), account)
        return report.fit_page(_run(result, self.source.chunk, self.ceilings), about, answer)


def _run(result: "Result", chunk: Any, ceilings: list[float]) -> "Run":
    import numpy as np

    from novikoff.report import Run
    from novikoff.sources.arrays import as_matrix, encode

    plan, matrix, labels = result.plan, as_matrix(chunk.X), chunk.y
    if plan.rule == "one-sided":
        labels, codes = None, np.ones(result.rows, np.uint16)
    else:
        codes = encode(labels, result.classes)[1]
    return Run(
        plan.rule,
        result.learner,
        result.outcome,
        result.classes,
        codes,
        plan.rows(matrix),
        matrix,
        labels,
        chunk.lines,
        result.source.feature_names,
        result.bound,
        result.margin,
        ceilings,
    )


def _planned(plan: "Plan", result: "Result") -> list[tuple[str, str]]:
    values = ", ".join(f"{name} = {value}" for name, value in _resolved(plan, result.learner))
    classes = ", ".join(map(str, result.classes.tolist()))
    facts = [
        ("classes", "each row taken as positive" if plan.rule == "one-sided" else classes),
        ("rule", f"{plan.rule} ({values})" if values else plan.rule),
        ("intercept", "yes" if plan.bias else "no"),
        ("start", "ones" if plan.rule == "winnow" else plan.init),
        ("order", f"{plan.order}, at most {plan.max_epochs:,} epochs"),
    ]
    if plan.unit_length:
        facts.append(("scaled", "rows to length 1"))
    if "random" in plan.init or plan.order == "shuffle":
        facts.append(("seed", str(plan.seed)))
    return facts


def _resolved(plan: "Plan", learner: "Learner") -> list[tuple[str, Any]]:
    """The rule's parameters; what depends on the data is as the learner has it."""
    found = plan.parameters
    if "theta" in found:
        found = found | {"theta": f"{learner.rule.theta:g}"}
    return list(found.items())


def trace_page(found: "Trace", source: Any, account: str) -> "Page":
    """The page of `trace`."""
    from novikoff import report
    from novikoff.cli.steps import ending, target

    lift = "yes" if found.bias else "no"
    facts = [("rule", found.rule), ("intercept", lift), *_steps(found)]
    about = asked(source.name, [*_sizes(found.rows, found.features), *facts])
    against = target(found).removeprefix("target: ")
    figures = [("held against", against), ("it ended because", found.because)]
    answer = report.Answer(f"{found.rule}: {ending(found)}.", figures, account)
    return report.trace_page(found, about, answer)


def _steps(found: "Trace") -> list[tuple[str, str]]:
    facts = [] if found.eta is None else [("step", f"{found.eta:g}")]
    if found.unit_length:
        facts.append(("scaled", "rows to length 1"))
    return facts


def cover_page(found: "Counted", account: str) -> "Page":
    """The page of `cover`."""
    from novikoff import report
    from novikoff.counting import shown
    from novikoff.report.capacity import outcome

    place, names = found.place, []
    sentence = outcome(found.capacity) if found.capacity else ""
    facts, figures = [], []
    P = N = None
    if place is not None:
        P, N = place.P, place.dimensions
        lift = ", the threshold among them" if place.threshold else ""
        names.append(f"P = {P:,}, N = {N:,}" if found.data is None else found.data.name)
        facts = [("points", f"P = {P:,}"), ("dimensions", f"N = {N:,}{lift}")]
        most = ""
        if found.data is not None:
            general = None if found.position is None else found.position.holds
            most = {True: "exactly ", False: "fewer than ", None: "at most "}[general]
        figures = [("realised", f"{most}C(P, N) = {shown(place.realised)} of 2^{P:,} labellings")]
        sentence = place.regime.sentence
    if found.capacity:
        names.append("random labellings")
    if found.dichotomies is not None:
        figures.append(("of these rows", f"{shown(found.dichotomies)} labellings are realised"))
    about = asked(" and ".join(names), facts)
    answer = report.Answer(sentence, figures, account)
    return report.cover_page(about, answer, P=P, N=N, capacities=found.capacity)
