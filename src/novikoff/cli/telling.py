"""A verdict in words: what it is, what it rests on, and what to do about it, within a screen."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from novikoff.cli.findings import Findings, ratio
from novikoff.cli.results import count
from novikoff.rounding import rounded_down, rounded_up
from novikoff.verdict.result import (
    INSEPARABLE,
    QUASI,
    SEPARABLE,
    UNDECIDED,
    Margin,
    Verdict,
)

WIDTH, HEIGHT = 80, 24
INDENT = 15  # where the text of a fact begins
MOST_ROWS = 5  # of a conflict
DIGITS = 6
SHORT = 24  # characters of a fraction that a person still reads
PATIENCE = 10**9  # mistakes that nobody waits for
LARGE = 10**15  # a count that is better given by its size
GAMMA = "\N{GREEK SMALL LETTER GAMMA}"

NEVER = "Perceptron: it never converges on these rows, however long it runs."
NO_HELP = (
    "More iterations do not help, and Wald standard errors mean nothing. Penalise the likelihood"
)
TO_DO = (
    f"{NO_HELP} (Firth, ridge) or use an exact method, and give likelihood-ratio (profile)"
    " intervals. Do not drop a separating column just to get finite numbers: it may be the"
    " strongest effect."
)
TO_DO_COUNTS = (
    f"{NO_HELP} (Firth, ridge), or leave those zeros out: they are fitted perfectly, and the finite"
    " coefficients are the same without them."
)
#: What becomes of a coefficient, (status, sign), and what the account calls that.
FATES = {
    ("diverges", "+"): "to +∞",
    ("diverges", "-"): "to -∞",
    ("diverges", "either"): "to ±∞",
    ("finite", None): "finite",
    ("unidentified", None): "unidentified",
}


class Fact(NamedTuple):
    """A few lines of the account under a short name."""

    name: str
    text: str

    def lines(self) -> list[str]:
        """The text beside the name."""
        texts = [
            line
            for part in self.text.split("\n")
            for line in textwrap.wrap(
                part, WIDTH - INDENT, break_on_hyphens=False, break_long_words=False
            )
        ]
        names = [f"  {self.name}", *[""] * (len(texts) - 1)]
        return [f"{name:<{INDENT}}{text}" for name, text in zip(names, texts, strict=True)]


def tell(found: Findings, certificate: Path | None) -> str:
    """The whole account; `certificate` is where the proof was to be written."""
    for most in range(MOST_ROWS, 0, -1):  # rows of a conflict: the one part that can give way
        lines = _lines(found, certificate, most)
        if len(lines) <= HEIGHT:
            break
    return "\n".join(lines)


def _lines(found: Findings, certificate: Path | None, most: int) -> list[str]:
    verdict = found.verdict
    told = [*figures(verdict), *meaning(verdict)]
    facts = [*told, *_identical(found), *_conflict(found, most), *_rank(found)]
    lines = [
        _heading(found),
        *_paragraph(headline(verdict)),
        *_all(facts),
        *_paragraph(_perceptron(verdict)),
        *_paragraph(_fit(verdict)),
        *_all(_coefficients(found)),
        *_paragraph(_next(verdict)),
        *(line for each in found.source.remarks() for line in _paragraph(f"Note: {each}")),
    ]
    if certificate is not None:
        lines.append(_kept(verdict, found.source.spelled, certificate))
    return lines


def _paragraph(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)


def _all(facts: Iterable[Fact]) -> list[str]:
    return [line for fact in facts for line in fact.lines()]


def _heading(found: Findings) -> str:
    verdict, signed = found.verdict, found.verdict.signed
    about = "counts" if signed.labels is None else _pair(signed.labels)
    lift = "" if signed.bias else ", no intercept"
    scaled = ", scaled to length 1" if signed.unit_length else ""
    scaled += ", exact decimals" if signed.rational else ""
    rows, features = count(verdict.rows, "row"), count(verdict.features, "feature")
    if found.source.by_number and verdict.conflict:
        rows += f" (0 to {verdict.rows - 1:,})"  # rows are named below, so say how they count
    return f"{found.source.name}: {rows}, {features}{lift}{scaled}, {about}"


def _pair(labels: Any) -> str:
    negative = "the rest" if labels.negative is None else _cut(labels.negative)
    return f"{_cut(labels.positive)} against {negative}"


def _cut(word: Any, most: int = 20) -> str:
    text = " ".join(str(word).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def headline(verdict: Verdict) -> str:
    """The outcome in a sentence."""
    if verdict.outcome == SEPARABLE:
        return "SEPARABLE: a hyperplane has each row strictly on its side (complete separation)."
    counts = verdict.signed.family == "poisson"
    if verdict.outcome == INSEPARABLE and counts:
        return "INSEPARABLE: no hyperplane through the rows with counts sets zeros apart."
    if verdict.outcome == INSEPARABLE:
        return "INSEPARABLE: no hyperplane separates the classes: they overlap."
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    if verdict.outcome == QUASI and counts:
        return (
            "QUASI-SEPARABLE: a hyperplane holds every row with a count, and has"
            f" {count(strict, 'zero')} strictly on one side (separation)."
        )
    if verdict.outcome == QUASI:
        return (
            f"QUASI-SEPARABLE: a hyperplane has {strict:,} of {count(verdict.rows, 'row')} strictly"
            f" on {'its' if strict == 1 else 'their'} own side, and the other"
            f" {verdict.rows - strict:,} on itself (quasi-complete separation)."
        )
    return "UNDECIDED: the time was not enough to prove anything either way."


def figures(verdict: Verdict) -> list[Fact]:
    """Margin, radius and the mistake bound, where the outcome leaves something to say of them."""
    if verdict.outcome not in (SEPARABLE, UNDECIDED):
        return []
    facts = [Fact("margin", bracket(verdict.margin))]
    if verdict.outcome == SEPARABLE:
        facts.append(Fact("radius", f"D = {rounded_up(verdict.radius, DIGITS)}, the longest row"))
    if verdict.mistake_bound is not None:
        most = verdict.mistake_bound
        shown = f"{most:,}" if most < LARGE else rounded_up(most)
        text = (
            f"(D/{GAMMA})²: no order of these rows can cost a perceptron more than"
            f" {shown} mistake{'s' * (most != 1)}"
        )
        facts.append(Fact("mistakes", text))
    return facts


def meaning(verdict: Verdict) -> list[Fact]:
    """How little it means that so few rows are separable, by Cover's count."""
    if verdict.outcome != SEPARABLE or verdict.chance is None or verdict.chance <= 0.5:
        return []
    whatever = "so few rows would separate whatever their labels"
    if verdict.every_labelling:
        return [Fact("meaning", f"none: {whatever}")]
    if verdict.every_labelling is None:
        return [Fact("meaning", f"none, unless some rows depend on each other: {whatever}")]
    percent = math.ceil(100.0 * verdict.chance)
    share = "nearly all" if percent > 99 else f"up to {percent} % of all"
    return [Fact("meaning", f"little: {share} labellings of so few rows would separate")]


def bracket(margin: Margin) -> str:
    """What is known of the margin; digits are cut so that every word stays true."""
    low = rounded_down(margin.lower, DIGITS)
    if margin.squared is not None:
        short = margin.squared.denominator < 10**SHORT and margin.squared.numerator < 10**SHORT
        square = ratio(margin.squared) if short else ""
        exactly = " known exactly (see --json)"
        if 0 < len(square) <= SHORT:
            exactly = f" = {square} exactly"
        dots = "" if Fraction(low) ** 2 == margin.squared else "..."
        equals = f" = {low}{dots}" if dots == "" or margin.lower else " is too small for a double"
        return f"{GAMMA}{equals}, {GAMMA}²{exactly}"
    if margin.upper_squared is None:
        return f"{GAMMA} is {low} or more" if margin.lower else "nothing known yet"
    high = rounded_up(margin.upper, DIGITS)
    if not margin.lower:
        return f"no separator has one above {high}"
    return f"{GAMMA} is between {low} and {high}"


def _identical(found: Findings) -> list[Fact]:
    identical = found.verdict.identical
    if identical is None:
        return []
    groups = f" in {identical.groups:,} groups" if identical.groups > 1 else ""
    pair = " and ".join(_place(found, row) for row in identical.first)
    such = ": " if identical.rows == 2 else ", such as "
    text = f"{identical.rows:,} rows{groups} are the same but for the label{such}{pair}"
    return [Fact("identical", text)]


def _conflict(found: Findings, most: int) -> list[Fact]:
    """The rows that are in each other's way, unless they are the identical ones just named."""
    verdict = found.verdict
    size, identical = len(verdict.conflict), verdict.identical
    rows = {row for row, _ in verdict.conflict}
    if not rows or (identical is not None and rows <= set(identical.first)):
        return []
    who = f"these {size:,} rows" if size > 1 else "this row"
    verb = "rule" if size > 1 else "rules"
    head = f"{who} alone {verb} it out; so multiplied, they cancel:"
    shown = size if size <= most else most - 1
    listed = [
        f"{_place(found, row)} times {_multiplier(multiplier)}"
        for row, multiplier in verdict.conflict[:shown]
    ]
    if size > shown:
        listed.append(f"and {size - shown:,} more: --json lists them all")
    return [Fact("conflict", "\n".join([head, *listed]))]


def _place(found: Findings, row: int) -> str:
    where = found.source.where(row)
    kind = "count" if found.verdict.signed.labels is None else "label"
    return f"{where} ({kind} {_cut(found.labels[row])})"


def _multiplier(multiplier: Fraction) -> str:
    if max(abs(multiplier.numerator), multiplier.denominator) < 10**6:
        return str(multiplier)
    try:
        return f"about {float(multiplier):.3g}"
    except OverflowError:
        return "a number beyond 1e308"


def _rank(found: Findings) -> list[Fact]:
    columns, rank = found.verdict.signed.dim, found.rank
    if rank is None or rank == columns:
        return []
    lift = " with the intercept" if found.verdict.signed.bias else ""
    text = f"{rank:,} of {columns:,}{lift}: columns depend on each other"
    return [Fact("rank", text)]


def _perceptron(verdict: Verdict) -> str:
    if verdict.signed.family == "poisson" or verdict.outcome == UNDECIDED:
        return ""
    if verdict.outcome == SEPARABLE and (verdict.mistake_bound or 0) > PATIENCE:
        return "Perceptron: it converges in theory; with so thin a margin, do not wait for it."
    if verdict.outcome == SEPARABLE:
        return "Perceptron: it converges, within the mistakes above."
    if verdict.outcome == QUASI:
        return NEVER
    return (
        f"{NEVER} Look at the rows above: is a label wrong, is a column missing? Else take the"
        " averaged perceptron (novikoff fit --rule averaged) or a soft margin."
    )


def _fit(verdict: Verdict) -> str:
    """What becomes of an unpenalised fit."""
    name, labels = "Poisson regression", verdict.signed.labels
    if labels is not None:
        name = f"Logistic regression of {_cut(labels.positive)}"
    if verdict.outcome == INSEPARABLE:
        return f"{name}: the likelihood has a finite maximum."
    if verdict.outcome == UNDECIDED:
        return ""
    return f"{name}: the likelihood has no maximum. Estimates grow with every iteration:"


def _coefficients(found: Findings) -> list[Fact]:
    facts = [
        Fact("contrast", f"{each.name}: {FATES[each.status, each.sign]}")
        for each in found.contrasts or ()
    ]
    if found.verdict.outcome == UNDECIDED:
        return facts
    if found.coefficients is None:
        if found.verdict.outcome == INSEPARABLE:
            return facts
        columns = count(found.verdict.features, "column")
        return [*facts, Fact("which", f"not looked at, with {columns}; --coefficients does")]
    groups: dict[str, list[str]] = {}
    for each in found.coefficients:
        groups.setdefault(FATES[each.status, each.sign], []).append(each.name)
    if list(groups) == ["finite"]:
        return facts
    everyone = len(found.coefficients)
    return facts + [
        Fact(name, _names(groups[name], everyone)) for name in FATES.values() if name in groups
    ]


def _names(names: Sequence[str], everyone: int) -> str:
    """As many names as fit on a line."""
    if len(names) == everyone > 3:
        return f"all {everyone:,} coefficients"
    shown = ""
    for k, name in enumerate(names):
        more = f", and {len(names) - k:,} more: --json"
        longer = f"{shown}, {_cut(name, 30)}" if shown else _cut(name, 30)
        if len(longer) + (len(more) if k + 1 < len(names) else 0) > WIDTH - INDENT:
            return shown + more
        shown = longer
    return shown


def _next(verdict: Verdict) -> str:
    if verdict.outcome == UNDECIDED:
        return (
            "Next: give it more time (a longer --time-limit, or none). What is said above is proven"
            " and stays true."
        )
    if verdict.outcome == INSEPARABLE:
        return ""
    return TO_DO_COUNTS if verdict.signed.family == "poisson" else TO_DO


def _kept(verdict: Verdict, data: str, certificate: Path) -> str:
    if verdict.certificate is None:
        return f"Nothing is proven, so nothing was written to {certificate}."
    return f"Proof: {certificate}; to check it: novikoff verify {certificate} {data}"
