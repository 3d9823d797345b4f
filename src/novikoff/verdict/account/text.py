"""A verdict in words: what it is, what it rests on, and what to do about it, within a screen."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from novikoff.data.text.csv.identifiers import identifier_note
from novikoff.number_text import count, joined_words, plural, rounded_up
from novikoff.verdict.account.findings import Findings, findings_of
from novikoff.verdict.account.margin_text import DIGITS, GAMMA, bracket
from novikoff.verdict.account.text_layout import (
    INDENT,
    Fact,
    beside,
    large_count,
    line_width,
    shorten,
    wrap,
)
from novikoff.verdict.result import INSEPARABLE, QUASI, SEPARABLE, UNDECIDED, Verdict
from novikoff.verdict.signed import LabelPair

HEIGHT = 24  # lines of a screen
MOST_ROWS = 5  # of a conflict
MOST_EXPLAINED = 3  # columns that separate
LABEL, NAME = 20, 30  # characters of a label, and of a column's name
PATIENCE = 10**9  # mistakes that nobody waits for

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
ALIASED, REFERENCE = "aliased", "reference"
#: The models of the families, as statisticians call them.
MODELS = {
    "binary": "Logistic regression",
    "binomial": "Binomial regression",
    "log-binomial": "Log-binomial regression",
    "poisson": "Poisson regression",
    "multinomial": "Multinomial regression",
    "cumulative": "Cumulative regression",
    "conditional": "Conditional logistic regression",
    "cox": "Cox regression",
}
WITHOUT_INTERCEPT = ("cumulative", "conditional", "cox", "cone")  # by their nature
#: The fate of a coefficient, by its status and sign, in the words of the account.
FATES = {
    ("diverges", "+"): "to +∞",
    ("diverges", "-"): "to -∞",
    ("diverges", "either"): "to ±∞",
    ("finite", None): "finite",
    ("reference", None): REFERENCE,
    ("aliased", None): ALIASED,
    ("unidentified", None): "unidentified",
}


def describe(verdict: Verdict) -> str:
    """The account of a verdict by itself."""
    return format_verdict(findings_of(verdict))


def format_verdict(found: Findings, certificate: Path | None = None) -> str:
    """Write the whole account; certificate: where the proof was to be written."""
    for most in range(MOST_ROWS, 0, -1):  # rows of a conflict: the one part that can give way
        lines = _lines(found, certificate, most)
        if len(lines) <= HEIGHT:
            break
    return "\n".join(lines)


def _lines(found: Findings, certificate: Path | None, most: int) -> list[str]:
    verdict = found.verdict
    facts = [*figures(verdict), *meaning(verdict), *_one_against_rest(found)]
    facts += [*_identical(found), *_conflict(found, most), *_rank(found)]
    lines = [
        _heading(found),
        *(line for each in found.source.identifiers for line in wrap(identifier_note(each))),
        *wrap(headline(verdict)),
        *_all(facts),
        *wrap(_perceptron(found)),
        *wrap(_fit(verdict)),
        *_all(_coefficients(found)),
        *_all(_explanations(found, min(most, MOST_EXPLAINED))),
        *wrap(advice(verdict)),
        *(line for each in found.source.notes() for line in wrap(f"Note: {each}")),
    ]
    if certificate is not None:
        lines.append(_proof_line(verdict, found.data, certificate))
    return lines


def against(labels: LabelPair, most: int | None = None) -> str:
    """The two labels of a question; most: characters of each."""
    names = [labels.positive, "the rest" if labels.negative is None else labels.negative]
    return " against ".join(str(each) if most is None else shorten(each, most) for each in names)


def _all(facts: Iterable[Fact]) -> list[str]:
    return [line for fact in facts for line in beside(*fact)]


def _heading(found: Findings) -> str:
    verdict, signed = found.verdict, found.verdict.signed
    about = "counts" if signed.family == "poisson" else signed.family
    if signed.labels is not None:
        about = against(signed.labels, LABEL)
    bias = signed.bias if signed.cone is None else signed.cone.table.bias
    lift = "" if bias or signed.family in WITHOUT_INTERCEPT else ", no intercept"
    scaled = ", scaled to length 1" if signed.unit_length else ""
    scaled += ", exact decimals" if signed.rational else ""
    rows, features = count(verdict.rows, "row"), count(verdict.features, "feature")
    if found.source.by_number and verdict.conflict:
        rows += f" (0 to {verdict.rows - 1:,})"  # rows are named below, so say how they count
    name = f"{found.source.name}: " if found.source.name else ""
    return f"{name}{rows}, {features}{lift}{scaled}, {about}"


def headline(verdict: Verdict) -> str:
    """The outcome, in a sentence."""
    if verdict.family not in ("binary", "poisson") and verdict.outcome != UNDECIDED:
        return _model_headline(verdict)
    if verdict.outcome == SEPARABLE:
        return (
            "SEPARABLE: some hyperplane puts every row strictly on its correct side (complete"
            " separation)."
        )
    counts = verdict.signed.family == "poisson"
    if verdict.outcome == INSEPARABLE and counts:
        return "INSEPARABLE: no hyperplane through the rows with counts sets zeros apart."
    if verdict.outcome == INSEPARABLE:
        return "INSEPARABLE: no hyperplane separates the classes: they overlap."
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    if verdict.outcome == QUASI and counts:
        return (
            "QUASI-SEPARABLE: some hyperplane contains every row with a count, and has"
            f" {count(strict, 'zero')} strictly on one side (separation)."
        )
    if verdict.outcome == QUASI:
        return (
            f"QUASI-SEPARABLE: some hyperplane puts {strict:,} of {count(verdict.rows, 'row')}"
            f" strictly on {'its' if strict == 1 else 'their'} correct side, and contains the"
            f" other {verdict.rows - strict:,} (quasi-complete separation)."
        )
    return "UNDECIDED: the time was not enough to prove anything either way."


def _model_headline(verdict: Verdict) -> str:
    """The outcome for models whose rows are compared with classes, thresholds or each other."""
    if verdict.family == "multinomial":
        return _joint_headline(verdict)
    if verdict.outcome == SEPARABLE:
        return "SEPARABLE: some direction raises the likelihood of every row (complete separation)."
    if verdict.outcome == INSEPARABLE:
        return "INSEPARABLE: no direction raises the likelihood for ever: the rows overlap."
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    return (
        "QUASI-SEPARABLE: some direction never lowers the likelihood, and raises that of"
        f" {strict:,} of {count(verdict.rows, 'row')} for ever (quasi-complete separation)."
    )


def _joint_headline(verdict: Verdict) -> str:
    """The outcome for several classes."""
    if verdict.outcome == SEPARABLE:
        return (
            "SEPARABLE: some linear scores rank each row's own class strictly first: the classes"
            " are jointly separable (complete separation)."
        )
    if verdict.outcome == INSEPARABLE:
        return "INSEPARABLE: no linear scores set the classes apart: they overlap."
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    return (
        "QUASI-SEPARABLE: the classes are not jointly separable, but some linear scores rank no"
        f" class above a row's own, and some class below it in {strict:,} of"
        f" {count(verdict.rows, 'row')} (quasi-complete separation)."
    )


def _one_against_rest(found: Findings) -> list[Fact]:
    """The classes by what is true of each against all others."""
    groups: dict[str, list[str]] = {}
    for name, verdict in (found.one_against_rest or {}).items():
        groups.setdefault(verdict.outcome, []).append(shorten(name, LABEL))
    lines = [f"{outcome}: {_names(names, 0)}" for outcome, names in groups.items()]
    return [("one by one", "\n".join(["each class against the rest:", *lines]))] if lines else []


def figures(verdict: Verdict) -> list[Fact]:
    """Margin, radius and mistake bound, where the outcome leaves something to say of them."""
    if verdict.outcome not in (SEPARABLE, UNDECIDED) or verdict.family != "binary":
        return []
    facts = [("margin", bracket(verdict.margin))]
    if verdict.outcome == SEPARABLE:
        facts.append(("radius", f"D = {rounded_up(verdict.radius, DIGITS)}, the longest row"))
    if verdict.mistake_bound is not None:
        most = verdict.mistake_bound
        text = (
            f"(D/{GAMMA})²: however the rows are ordered, a perceptron started at zero makes at"
            f" most {large_count(most)} {plural('mistake', most)}"
        )
        facts.append(("mistakes", text))
    return facts


def meaning(verdict: Verdict) -> list[Fact]:
    """What separability means for this few rows, by Cover's count: little, or nothing."""
    if verdict.outcome != SEPARABLE or verdict.chance is None or verdict.chance <= 0.5:
        return []
    whatever = "so few rows would separate whatever their labels"
    if verdict.every_labelling:
        return [("meaning", f"none: {whatever}")]
    if verdict.every_labelling is None:
        return [("meaning", f"none, unless some rows depend on each other: {whatever}")]
    percent = math.ceil(100.0 * verdict.chance)
    share = "nearly all" if percent > 99 else f"up to {percent} % of all"
    return [("meaning", f"little: {share} labellings of so few rows would separate")]


def _identical(found: Findings) -> list[Fact]:
    identical = found.verdict.identical
    if identical is None:
        return []
    groups = f" in {identical.groups:,} groups" if identical.groups > 1 else ""
    pair = " and ".join(_place(found, row) for row in identical.first)
    such = ": " if identical.rows == 2 else ", such as "
    text = f"{identical.rows:,} rows{groups} are the same but for the label{such}{pair}"
    return [("identical", text)]


def _conflict(found: Findings, most: int) -> list[Fact]:
    """The rows in conflict, unless they are the identical ones just named."""
    verdict = found.verdict
    if verdict.signed.cone is not None and verdict.family not in ("binary", "poisson"):
        return _comparisons(verdict, most)
    size, identical = len(verdict.conflict), verdict.identical
    rows = {row for row, _ in verdict.conflict}
    if not rows or (identical is not None and rows <= set(identical.first)):
        return []
    who = f"these {size:,} rows" if size > 1 else "this row"
    verb = "rule" if size > 1 else "rules"
    rows_on = 0 if verdict.strict is None else int((~verdict.strict).sum())
    among = f", of {rows_on:,} that lie in conflicts" if rows_on > size else ""
    head = f"{who} alone {verb} it out{among}; with these multipliers they sum to zero:"
    shown = size if size <= most else most - 1
    listed = [
        f"{_place(found, row)} times {_multiplier(multiplier)}"
        for row, multiplier in verdict.conflict[:shown]
    ]
    if size > shown:
        listed.append(f"and {size - shown:,} more: --json lists them all")
    return [("conflict", "\n".join([head, *listed]))]


def _comparisons(verdict: Verdict, most: int) -> list[Fact]:
    """The comparisons in conflict, in the model's own terms."""
    terms = verdict.comparisons
    if not terms:
        return []
    shown = len(terms) if len(terms) <= most else most - 1
    listed = [f"{each.text} times {_multiplier(each.multiplier)}" for each in terms[:shown]]
    if len(terms) > shown:
        listed.append(f"and {len(terms) - shown:,} more: --json lists them all")
    head = f"{count(len(terms), 'comparison')} that sum to zero with these multipliers:"
    if len(terms) == 1:
        head = "1 comparison that is zero by itself:"
    return [("conflict", "\n".join([head, *listed]))]


def _place(found: Findings, row: int) -> str:
    where = found.source.where(row)
    kind = "count" if found.verdict.signed.labels is None else "label"
    return f"{where} ({kind} {shorten(found.source.label(row), LABEL)})"


def _multiplier(multiplier: Fraction) -> str:
    if max(abs(multiplier.numerator), multiplier.denominator) < 10**6:
        return str(multiplier)
    try:
        return f"about {float(multiplier):.3g}"
    except OverflowError:
        return "a number beyond 1e308"


def _rank(found: Findings) -> list[Fact]:
    columns, rank = found.verdict.signed.dim, found.rank
    if rank is None or rank == columns - len(_references(found)):
        return []
    lift = " with the intercept" if found.verdict.signed.bias else ""
    text = f"{rank:,} of {columns:,}{lift}: columns depend on each other"
    return [("rank", text)]


def _references(found: Findings) -> list[str]:
    """The reference levels that are left out of the model."""
    return [each.name for each in found.coefficients or () if each.status == REFERENCE]


def _perceptron(found: Findings) -> str:
    verdict = found.verdict
    if found.one_against_rest is not None and verdict.outcome != UNDECIDED:
        fate = "converges" if verdict.outcome == SEPARABLE else "never converges on these rows"
        return f"Multiclass perceptron (novikoff fit --rule multiclass): it {fate}."
    if verdict.family != "binary" or verdict.outcome == UNDECIDED:
        return ""
    if verdict.outcome == SEPARABLE and (verdict.mistake_bound or 0) > PATIENCE:
        return "Perceptron: it converges in theory; with so thin a margin, do not wait for it."
    if verdict.outcome == SEPARABLE:
        return "Perceptron: it converges, within the mistakes above."
    if verdict.outcome == QUASI:
        return NEVER
    return (
        f"{NEVER} Look at the rows above: is a label wrong, is a column missing? Otherwise, use the"
        " averaged perceptron (novikoff fit --rule averaged) or a soft margin."
    )


def _fit(verdict: Verdict) -> str:
    """The fate of an unpenalised fit."""
    name, labels = MODELS.get(verdict.family, "Likelihood"), verdict.signed.labels
    if labels is not None:
        kind = "" if isinstance(labels.positive, str) else "label "
        name = f"{name} of {kind}{shorten(labels.positive, LABEL)}"
    if verdict.outcome == INSEPARABLE:
        return f"{name}: the likelihood has a finite maximum."
    if verdict.outcome == UNDECIDED:
        return ""
    return f"{name}: the likelihood has no maximum. Estimates grow with every iteration:"


def _coefficients(found: Findings) -> list[Fact]:
    facts = [
        ("contrast", f"{each.name}: {FATES[each.status, each.sign]}")
        for each in found.contrasts or ()
    ]
    if found.verdict.outcome == UNDECIDED:
        return facts
    if found.coefficients is None:
        if found.verdict.outcome == INSEPARABLE:
            return facts
        columns = count(found.verdict.features, "column")
        return [
            *facts,
            ("which", f"not looked at, with {columns}; --coefficients does"),
        ]
    groups: dict[str, list[str]] = {}
    for each in found.coefficients:
        groups.setdefault(FATES[each.status, each.sign], []).append(each.name)
    if set(groups) <= {"finite", REFERENCE}:
        return facts
    everyone = len(found.coefficients)
    facts += [
        (name, _names(groups[name], everyone))
        for name in FATES.values()
        if name in groups and name != ALIASED
    ]
    aliased = found.verdict.aliased if ALIASED in groups else {}
    words = [f"{shorten(name, NAME)} = {_combination(each)}" for name, each in aliased.items()]
    return facts + ([(ALIASED, _names(words, everyone))] if words else [])


def _explanations(found: Findings, most: int) -> list[Fact]:
    """What separates rows, where the coefficients were looked at."""
    if found.verdict.outcome not in (SEPARABLE, QUASI) or found.coefficients is None:
        return []
    texts = [each.text for each in found.verdict.explanations]
    if len(texts) > most:
        texts[most - 1 :] = [f"and by {len(texts) - most + 1:,} other terms: --json lists them"]
    return [("separated", "\n".join(texts))] if texts else []


def _combination(factors: Mapping[str, Fraction]) -> str:
    """A combination of columns, such as "intercept - 2 a".

    >>> _combination({"intercept": Fraction(1), "a": Fraction(-2)})
    'intercept - 2 a'
    """
    text = ""
    for name, factor in factors.items():
        size = "" if abs(factor) == 1 else f"{_multiplier(abs(factor))} "
        sign = "-" if factor < 0 else "+"
        text += f" {sign} {size}{name}" if text else f"{'-' * (factor < 0)}{size}{name}"
        if len(text) > line_width():
            return f"{text[: text.rindex(f' {sign} ')]} + ..."
    return text


def _names(names: Sequence[str], everyone: int) -> str:
    """Names, as many as fit on a line; one that is too long for it is broken."""
    if len(names) == everyone > 3:
        return f"all {everyone:,} coefficients"
    shown = ""
    for k, name in enumerate(names):
        more = f", and {len(names) - k:,} more: --json"
        word = name if " = " in name else shorten(name, NAME)
        longer = f"{shown}, {word}" if shown else word
        if len(longer) + (len(more) if k + 1 < len(names) else 0) > line_width() - INDENT and shown:
            return shown + more
        shown = longer
    return shown


def advice(verdict: Verdict) -> str:
    """What to do next."""
    if verdict.outcome == UNDECIDED:
        return (
            "Next: give it more time (a longer --time-limit, or none). What is said above is proven"
            " and stays true."
        )
    if verdict.outcome == INSEPARABLE:
        return ""
    return TO_DO_COUNTS if verdict.signed.family == "poisson" else TO_DO


def methods_sentence(verdict: Verdict) -> str:
    """A sentence for a paper, with the counts of these data."""
    rows = count(verdict.rows, "observation")
    if verdict.outcome == INSEPARABLE:
        return f"Maximum-likelihood estimates exist (no separation in {rows}, decided exactly)."
    strict = 0 if verdict.strict is None else int(verdict.strict.sum())
    kind = "complete" if verdict.outcome == SEPARABLE else "quasi-complete"
    infinite = [each.name for each in verdict.coefficients if each.status == "diverges"]
    few = 0 < len(infinite) <= 4
    named = f" of {joined_words(infinite) if few else f'{len(infinite)} coefficients'}"
    return (
        f"Maximum-likelihood estimates{named} do not exist ({kind} separation of {strict:,} of"
        f" {rows}, decided exactly). Estimates and standard errors of the other coefficients are"
        " those of the remaining observations; intervals are profile-likelihood intervals and tests"
        " likelihood-ratio tests of the full data."
    )


def _proof_line(verdict: Verdict, data: str, certificate: Path) -> str:
    if verdict.certificate is None:
        return f"Nothing is proven, so nothing was written to {certificate}."
    return f"Proof: {certificate}; to check it: novikoff verify {certificate} {data}"
