"""The result of `check`: a verdict, the rows it is about, and what was asked besides."""

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from novikoff.cli.shared import margin
from novikoff.cli.shared.loaded_source import LoadedSource, as_label
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.text import finite
from novikoff.data import Source
from novikoff.data.chunk import LabelArray
from novikoff.data.text.csv.identifiers import identifier_note
from novikoff.errors import ParameterError
from novikoff.verdict import check
from novikoff.verdict.account.findings import MOST_COLUMNS
from novikoff.verdict.coefficients import Coefficient, coefficient_names
from novikoff.verdict.cones.roles import load_with_roles, refuse_event
from novikoff.verdict.contrasts import ContrastColumns
from novikoff.verdict.result import QUASI, SEPARABLE, UNDECIDED, Stage, Verdict, Watch
from novikoff.verdict.search.points import WIDE
from novikoff.verdict.signed import ROLES as TABLE_ROLES
from novikoff.verdict.signed import label_signs

if TYPE_CHECKING:
    from novikoff.cluster.workers.dataset import Dataset

ROLES = (*TABLE_ROLES, "event")
OWN_NAMES = ("binary", "binomial", "log-binomial", "poisson")  # a coefficient for each column
CheckedRows: TypeAlias = "LoadedSource | Dataset"  # here, or on a cluster


class CheckQuestion(NamedTuple):
    """What is asked about some rows."""

    options: dict[str, Any]  # of `nk.check`
    positive: str | None = None
    contrasts: Sequence[str] = ()
    coefficients: bool | None = None
    levels: str | None = None
    spelled: str = ""  # options for `novikoff verify` that the certificate does not have
    two_labels: bool = False  # whether more are refused, because rows are to be drawn

    def wants_coefficients(self, columns: int, seconds: float) -> bool:
        """Whether to work out the coefficients, which know no time limit, after a verdict that took
        this long.
        """
        if self.coefficients is not None:
            return self.coefficients
        limit = self.options["time_limit"]
        return columns <= MOST_COLUMNS and (limit is None or seconds < limit)


class CheckResult(NamedTuple):
    """A verdict, the rows it is about, and what else was asked for; None where it was not."""

    source: CheckedRows
    data: str  # how a command names the rows
    verdict: Verdict
    seconds: float
    rank: int | None = None  # worked out together with the coefficients
    coefficients: list[Coefficient] | None = None
    contrasts: list[Coefficient] | None = None
    one_against_rest: dict[object, Verdict] | None = None  # of each class, where there are several

    def as_json(self, certificate: Path | None) -> dict[str, Any]:
        """The keys that scripts rely on, and a few more."""
        verdict = self.verdict
        separable = verdict.outcome == SEPARABLE
        return {
            "outcome": verdict.outcome,
            "rows": verdict.rows,
            "features": verdict.features,
            "margin": margin.as_json(verdict.margin),
            "radius": finite(verdict.radius),
            "mistake_bound": verdict.mistake_bound,
            "conflict": [
                {"row": int(row), "multiplier": margin.ratio(multiplier)}
                for row, multiplier in verdict.conflict
            ],
            "support": [
                {"row": int(row), "multiplier": margin.ratio(multiplier)}
                for row, multiplier in verdict.support
            ],
            "in_conflict": None if verdict.strict is None else int((~verdict.strict).sum()),
            "coefficients": _as_dicts(self.coefficients),
            "aliased": None if self.coefficients is None else _factors(verdict.aliased),
            "contrasts": _as_dicts(self.contrasts),
            "strict": None if verdict.strict is None else int(verdict.strict.sum()),
            "separated": _separated_rows(verdict),
            "explanations": None
            if self.coefficients is None
            else [each._asdict() for each in verdict.explanations],
            "one_against_rest": _classes_as_dicts(self.one_against_rest),
            "rank": self.rank,
            "identical": verdict.identical
            and {"rows": verdict.identical.rows, "groups": verdict.identical.groups},
            "every_labelling": verdict.every_labelling if separable else None,
            "chance": verdict.chance if separable else None,
            "skipped": self.source.skipped,
            "remarks": [*map(identifier_note, self.source.identifiers), *self.source.notes()],
            "scans": verdict.scans,
            "seconds": round(self.seconds, 3),
            "certificate": None if certificate is None else str(certificate),
        }


def _separated_rows(verdict: Verdict) -> list[int] | None:
    """The separated rows of a quasi-separable verdict; of others they are all, or none."""
    if verdict.outcome != QUASI or verdict.strict is None:
        return None
    return [int(row) for row in np.flatnonzero(verdict.strict)]


def _as_dicts(coefficients: list[Coefficient] | None) -> list[dict[str, Any]] | None:
    return None if coefficients is None else [each._asdict() for each in coefficients]


def _classes_as_dicts(verdicts: dict[object, Verdict] | None) -> list[dict[str, Any]] | None:
    """The verdict about each class against the rest."""
    if verdicts is None:
        return None
    return [
        {"class": name, "outcome": each.outcome, "margin": margin.as_json(each.margin)}
        for name, each in verdicts.items()
    ]


def _factors(aliased: dict[str, dict[str, Fraction]]) -> dict[str, dict[str, str]]:
    return {
        name: {each: margin.ratio(factor) for each, factor in depends.items()}
        for name, depends in aliased.items()
    }


def run_check(question: CheckQuestion, source: Source, progress: SearchProgress) -> CheckResult:
    """Read the rows, and answer."""
    progress.begin("reading")
    roles = {name: question.options[name] for name in ROLES if name in question.options}
    refuse_event(question.options["family"], roles.get("event"))
    rows = load_with_roles(source, roles)
    if question.two_labels and question.options["family"] == "binary":
        label_signs(rows.labels, as_label(question.positive, rows.labels))
    spelled = rows.name + question.spelled if rows.format == "formula" else rows.spelled
    return answer(question, rows, spelled, rows.labels, partial(check, rows), progress.watch)


def answer(
    question: CheckQuestion,
    rows: CheckedRows,
    data: str,
    labels: LabelArray,
    decide: Callable[..., Verdict],
    watch: Watch,
) -> CheckResult:
    """Answer a question about rows, wherever they are.

    data: how a command names them. labels: all of theirs, or the different ones. decide: `check`
    of these rows, called with its options.
    """
    options = question.options
    several = question.positive is None and _several_classes(options["family"], labels)
    if question.contrasts and options["family"] in OWN_NAMES and not several:  # before the search
        names = coefficient_names(rows.feature_names, rows.features, bias=options["fit_intercept"])
        for text in question.contrasts:
            ContrastColumns(names).parse(text)
    refuse_width(question, rows)
    options = options | {"positive": as_label(question.positive, labels)}
    if question.levels is not None:
        words = [word.strip() for word in question.levels.split(",")]
        options["levels"] = [as_label(word, labels, "--levels") for word in words]
    began = time.perf_counter()
    verdict = decide(watch=watch, **options)
    found = CheckResult(rows, data, verdict, time.perf_counter() - began)
    if several:
        bracket = verdict.margin.lower, verdict.margin.upper
        watch(Stage("each class against the rest", verdict.outcome, *bracket, verdict.scans))
        found = found._replace(one_against_rest=verdict.one_against_rest)
    if verdict.outcome == UNDECIDED:
        return found
    return add_coefficients(found, question, watch)


def _several_classes(family: str, labels: LabelArray) -> bool:
    """Whether the question is about several classes at once, not about two labels."""
    return family == "binary" and len(np.unique(labels)) > 2


def add_coefficients(found: CheckResult, question: CheckQuestion, watch: Watch) -> CheckResult:
    """Add rank, coefficients and contrasts to the result, where requested."""
    verdict, bracket = found.verdict, found.verdict.margin
    watch(Stage("coefficients", verdict.outcome, bracket.lower, bracket.upper, verdict.scans))
    assert verdict.analysis is not None  # it is decided
    columns = ContrastColumns(verdict.analysis.names)
    contrasts = [verdict.contrast(columns.parse(text), text) for text in question.contrasts]
    found = found._replace(contrasts=contrasts)
    if not question.wants_coefficients(verdict.features, found.seconds):
        return found
    return found._replace(rank=verdict.rank, coefficients=verdict.coefficients)


def refuse_width(question: CheckQuestion, rows: CheckedRows) -> None:
    """Refuse coefficients of too many columns, before the search; sparse rows may have many."""
    columns = rows.features
    sparse = isinstance(rows, LoadedSource) and hasattr(rows.chunk.X, "tocsr")
    if columns >= WIDE and not sparse and (question.coefficients or question.contrasts):
        raise ParameterError(
            f"--coefficients and --contrast are for fewer than {WIDE:,} columns; there are"
            f" {columns:,}"
        )
