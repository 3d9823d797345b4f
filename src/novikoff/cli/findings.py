"""What `check` found out: a verdict with what it is about, and as JSON."""

import math
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from flint import fmpz

from novikoff.cli.contrasts import Columns
from novikoff.errors import DataError, ParameterError
from novikoff.sources import Chunk, Source
from novikoff.sources.settling import settled
from novikoff.sources.tokens import NotANumberError, number
from novikoff.verdict import check
from novikoff.verdict.points import WIDE
from novikoff.verdict.result import SEPARABLE, UNDECIDED, Coefficient, Stage, Verdict, Watch

MOST_COLUMNS = 100  # whose coefficients are looked at without being asked for


class Question(NamedTuple):
    """What is asked of some rows."""

    options: dict[str, Any]  # of `check`
    positive: str | None = None
    contrasts: Sequence[str] = ()
    coefficients: bool | None = None

    def wants_coefficients(self, columns: int, seconds: float) -> bool:
        """Whether to look at the coefficients, after so long; they have no time limit."""
        if self.coefficients is not None:
            return self.coefficients
        limit = self.options["time_limit"]
        return columns <= MOST_COLUMNS and (limit is None or seconds < limit)


class Findings(NamedTuple):
    """A verdict, the rows it is about, and what else was asked for; None where it was not."""

    source: "Kept"
    labels: Any
    verdict: Verdict
    rank: int | None  # looked at together with the coefficients
    coefficients: list[Coefficient] | None
    contrasts: list[Coefficient] | None
    seconds: float

    def as_json(self, certificate: Path | None) -> dict[str, Any]:
        """The keys that scripts rely on, and a few more."""
        verdict = self.verdict
        margin, separable = verdict.margin, verdict.outcome == SEPARABLE
        return {
            "outcome": verdict.outcome,
            "rows": verdict.rows,
            "features": verdict.features,
            "margin": {
                "lower": margin.lower,
                "upper": _finite(margin.upper),
                "squared": None if margin.squared is None else ratio(margin.squared),
            },
            "radius": _finite(verdict.radius),
            "mistake_bound": verdict.mistake_bound,
            "conflict": [
                {"row": int(row), "multiplier": ratio(multiplier)}
                for row, multiplier in verdict.conflict
            ],
            "coefficients": _listed(self.coefficients),
            "contrasts": _listed(self.contrasts),
            "strict": None if verdict.strict is None else int(verdict.strict.sum()),
            "rank": self.rank,
            "identical": verdict.identical
            and {"rows": verdict.identical.rows, "groups": verdict.identical.groups},
            "every_labelling": verdict.every_labelling if separable else None,
            "chance": verdict.chance if separable else None,
            "skipped": self.source.skipped,
            "remarks": self.source.remarks(),
            "scans": verdict.scans,
            "seconds": round(self.seconds, 3),
            "certificate": None if certificate is None else str(certificate),
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _listed(coefficients: list[Coefficient] | None) -> list[dict[str, Any]] | None:
    return None if coefficients is None else [each._asdict() for each in coefficients]


def ratio(value: Fraction) -> str:
    """A fraction as "p/q", of any length: Python itself writes no more than 4300 digits."""
    top, bottom = (fmpz(part).str() for part in value.as_integer_ratio())
    return top if bottom == "1" else f"{top}/{bottom}"


class Kept(Source):
    """A source read once and kept, to look at its labels before they are judged."""

    def __init__(self, source: Source, watch: Any = None) -> None:
        source = settled(source, watch)
        self.name, self.format = source.name, source.format
        self.chunk = source.read()
        self.feature_names, self.target_name = source.feature_names, source.target_name
        self.files, self.skipped, self.asked = source.files, source.skipped, source.asked
        self._lines, self._source = self.chunk.lines, source
        if len(self.files) > 1:  # a line alone would not say of which file it is
            self.chunk = Chunk(self.chunk.X, self.chunk.y, None, self.chunk.exact)
        self.cache = False  # it is at rest
        self.by_number = self.chunk.lines is None  # whether rows are named by their numbers

    @property
    def numbering(self) -> dict[str, Any]:
        """As the source has it."""
        return self._source.numbering

    def remarks(self) -> list[str]:
        """As the source has them."""
        return self._source.remarks()

    @property
    def spelled(self) -> str:
        """How a command names it: by its files, if they are few enough to read."""
        paths = self._source.paths
        return self.name if len(paths) < 2 else " ".join(paths) if len(paths) < 5 else "DATA"

    def where(self, row: int) -> str:
        """The row's place as a person finds it: by line, and by file if there are several."""
        if self._lines is None:
            return f"row {row}"
        line = f"line {int(self._lines[row])}"
        if len(self.files) < 2:
            return line
        name = [name for name, first in self.files if first <= row][-1]
        return f"row {row}, {name} {line}"

    def read(self) -> Chunk:
        """All rows at once."""
        return self.chunk

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        """All rows at once too: they are in memory."""
        yield self.chunk


def investigate(question: Question, source: Source, watch: Watch) -> Findings:
    """Read the rows, and answer."""
    watch(Stage("reading", None, 0.0, math.inf, 0))
    kept = Kept(source)
    X, y, _ = kept.chunk
    if y is None:
        raise DataError(f"{source.name}: the rows have no labels")
    columns = Columns(kept.feature_names, X.shape[1], question.options["fit_intercept"])
    weights = [columns.weights(text) for text in question.contrasts]
    refuse_width(question, X.shape[1])
    options = question.options | {"positive": as_label(question.positive, y)}
    began = time.perf_counter()
    verdict = check(kept, watch=watch, **options)
    found = Findings(kept, y, verdict, None, None, None, time.perf_counter() - began)
    return found if verdict.outcome == UNDECIDED else looked_on(found, question, weights, watch)


def looked_on(
    found: Findings, question: Question, weights: list[list[Fraction]], watch: Watch
) -> Findings:
    """What becomes of a fit, as far as that is asked for."""
    verdict, margin = found.verdict, found.verdict.margin
    watch(Stage("coefficients", verdict.outcome, margin.lower, margin.upper, verdict.scans))
    named = zip(weights, question.contrasts, strict=True)
    found = found._replace(contrasts=[verdict.contrast(each, name) for each, name in named])
    if not question.wants_coefficients(verdict.features, found.seconds):
        return found
    return found._replace(rank=verdict.rank, coefficients=verdict.coefficients)


def refuse_width(question: Question, columns: int) -> None:
    """Before the search, not after it."""
    if columns >= WIDE and (question.coefficients or question.contrasts):
        raise ParameterError(
            f"--coefficients and --contrast are for fewer than {WIDE:,} columns; there are"
            f" {columns:,}"
        )


def as_label(text: str | None, labels: Any) -> Any:
    """A label from the command line, of the kind that the data's labels have."""
    if text is None or labels.dtype.kind == "U":
        return text
    try:
        return number(text)
    except NotANumberError:
        raise ParameterError(f"--positive {text}: the labels of these rows are numbers") from None
