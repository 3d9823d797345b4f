"""Each bound on a data set: its hypotheses, checked; its value if they hold, else why not."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff import figures
from novikoff.bounds import disjunctions, soft
from novikoff.bounds.case import Case, first_of_other_length, separability
from novikoff.bounds.hypotheses import Bound, Hypothesis, place
from novikoff.bounds.increment import increment
from novikoff.bounds.outward import above, below, root, up
from novikoff.errors import HypothesisError
from novikoff.figures import Rational
from novikoff.rounding import rounded_up
from novikoff.signed import Signed

FROM_ZERO = "the perceptron from zero weights, with any step"
LOG_SLACK = 1.0 + 2.0**-50


class Found(NamedTuple):
    """A bound's value: the real number, not rounded down, and the figures of its formula."""

    real: Fraction | float
    figures: dict[str, Any]
    value: int | None = None  # where it is known better than by rounding `real` down


def _bound(
    name: str,
    formula: str,
    learner: str,
    hypotheses: Sequence[Hypothesis],
    work: Callable[[], Found],
) -> Bound:
    """The bound; or its refusal, for the first reason there is."""
    failing = [each.why for each in hypotheses if not each.holds]
    if failing:
        return Bound(name, None, formula, list(hypotheses), failing[0], None, {}, learner)
    found = work()
    value = math.floor(found.real) if found.value is None else found.value
    real = above(found.real) if isinstance(found.real, Fraction) else found.real
    return Bound(name, value, formula, list(hypotheses), None, real, found.figures, learner)


def novikoff(case: Case) -> Bound:
    """Block and Novikoff's."""

    def work() -> Found:
        real = case.verdict.radius_squared / case.verdict.margin.lower_squared
        return Found(real, {"D": case.radius, "gamma": case.margin})

    hypotheses = [case.from_zero, case.longest, case.separable]
    return _bound("novikoff", "(D/γ)²", f"{FROM_ZERO}, in any order", hypotheses, work)


def unit_length(case: Case) -> Bound:
    """Note 001's."""

    def work() -> Found:
        return Found(1 / case.verdict.margin.lower_squared, {"gamma": case.margin})

    hypotheses = [case.from_zero, _unit_rows(case), case.separable]
    learner = f"{FROM_ZERO}, on rows of length 1, in any order"
    return _bound("unit-length", "1/γ²", learner, hypotheses, work)


def _unit_rows(case: Case) -> Hypothesis:
    sentence = "every row has the length 1"
    if case.signed.unit_length:
        return Hypothesis(sentence, True, "the learner scales them")
    bad = first_of_other_length(case.signed)
    if bad is None:
        return Hypothesis(sentence, True, "as they are")
    lift = " with its 1 for the intercept" if case.signed.bias else ""
    size = f"{math.sqrt(case.signed.scan.squares[bad]):.6g}"
    size = "not quite 1" if size == "1" else size
    why = f"the length of {place(case.signed, bad)}{lift} is {size}, not 1: unit length scales rows"
    return Hypothesis(sentence, False, why)


def fixed_increment(case: Case) -> Bound:
    """Note 003's."""

    def work() -> Found:
        zeros = Rational([0] * case.signed.dim, 1)
        found = increment(case.signed, case.eta, case.start or zeros, case.target)
        real = found.k_max if found.exact is None else found.exact.k_max
        return Found(real, {"A": found.A, "B": found.B}, found.updates)

    step = rounded_up(above(case.eta))
    start = "zero weights" if case.start is None else "the start given"
    learner = f"the perceptron from {start}, with step {step}, in any order"
    formula = "B/A = (ηM − μ)|w*|²/(ηa²)"
    return _bound("fixed-increment", formula, learner, [case.separable], work)


def one_sided(case: Case) -> Bound:
    """Note 000's: rows without a bias, of unit length, and all positive."""
    against = np.flatnonzero(case.signed.signs < 0)
    sentence = "every row is positive"
    hypotheses = [Hypothesis(sentence, True, "all labels are 1")]
    gap = case.verdict
    if against.size:
        first = place(case.signed, int(against[0]))
        why = f"{first} is negative, and the one-sided perceptron learns from positive rows"
        hypotheses = [Hypothesis(sentence, False, why)]
    else:
        if case.signed.bias or not case.signed.unit_length:
            gap = case.judged(_without_bias(case.signed, unit_length=True))
        hypotheses.append(separability(gap))

    def work() -> Found:
        return Found(1 / gap.margin.lower_squared, {"g": gap.margin.lower})

    learner = "the one-sided perceptron: rows of length 1, no intercept, in any order"
    return _bound("one-sided", "1/g²", learner, hypotheses, work)


def _without_bias(signed: Signed, unit_length: bool) -> Signed:
    rows = signed.rows._replace(bias=False)
    other = Signed(rows, signed.signs, signed.labels, unit_length=unit_length, exact=signed.exact)
    other.lines, other.feature_names = signed.lines, signed.feature_names
    return other


def winnow(case: Case) -> Bound:
    """Note 001's other theorem."""
    hypotheses, known = _bits(case)

    def work() -> Found:
        if known is None:
            raise AssertionError("no disjunction, and none refused")
        found = disjunctions.winnow_for(known)
        names = {"r": len(known.relevant), "n": known.features, "relevant": known.relevant}
        return Found(found.real, names, found.value)

    learner = "Winnow with alpha = 2 and theta = n, in any order"
    return _bound("winnow", "2 + 3r(1 + lg n)", learner, hypotheses, work)


def _bits(case: Case) -> tuple[list[Hypothesis], disjunctions.Disjunction | None]:
    """Whether the rows are of bits, and the label an OR of them."""
    rows = _without_bias(case.signed, unit_length=False)
    entries, label = "every entry is 0 or 1", "the label is the OR of r variables"
    try:
        disjunctions.refuse_other_than_bits(rows)
    except HypothesisError as error:
        unknown = Hypothesis(label, None, "not looked at")
        return [Hypothesis(entries, False, str(error)), unknown], None
    bits = Hypothesis(entries, True, "as they are")
    try:
        known = disjunctions.found(rows, case.relevant)
    except HypothesisError as error:
        return [bits, Hypothesis(label, False, str(error))], None
    why = f"the label is {_or(known.names)}, r = {len(known.relevant)}"
    return [bits, Hypothesis(label, True, why)], known


def _or(names: list[str]) -> str:
    shown = names if len(names) <= 8 else [*names[:7], f"{len(names) - 7} more"]
    return " or ".join(shown)


def balanced_winnow(case: Case) -> Bound:
    """Balanced Winnow's, at the step that suits the verdict's separator best."""
    margin, largest, eta, gain = Fraction(0), Fraction(1), 0.0, Fraction(0)
    hypotheses = [case.separable]
    if case.separable.holds:
        margin, largest = _one_norm_margin(case), _largest(case.signed)
        eta = float(margin / largest**2)
        gain = Fraction(eta) * margin - (Fraction(eta) * largest) ** 2 / 2
        why = f"η = {eta:.6g}" if gain > 0 else "the margin is too thin for a step that is a double"
        hypotheses.append(Hypothesis("0 < η < 2γ₁/X²", gain > 0, why))

    def work() -> Found:
        features = case.signed.dim
        real = Fraction(math.log(2.0 * features) * LOG_SLACK) / gain
        names = {"gamma_1": below(margin), "X": above(largest), "n": features, "eta": eta}
        return Found(real, names)

    formula = "ln(2n)/(ηγ₁ − η²X²/2)"
    learner = "balanced Winnow with the step eta, in any order"
    return _bound("balanced-winnow", formula, learner, hypotheses, work)


def _one_norm_margin(case: Case) -> Fraction:
    """min z . u of the verdict's separator, with |u|_1 = 1; not rounded up."""
    tops = case.target.numerators
    size = sum(map(abs, tops))
    if case.signed.unit_length:
        square = figures.lowest_square(case.signed, tops) / size**2
        return Fraction(root(square, up=False))
    return figures.lowest(case.signed, tops) / size


def _largest(signed: Signed) -> Fraction:
    """X: no |entry| is larger."""
    if signed.unit_length:
        return Fraction(1)
    top = float(signed.scan.maxima.max())
    return Fraction(top if signed.exact is None else up(top))


def freund_schapire(case: Case) -> Bound:
    """Freund and Schapire's, for any rows."""

    def work() -> Found:
        found = soft.squared(case.signed, case.verdict, case.passes)
        return _soft(found, {"Delta": found.gamma * found.loss})

    return _bound("freund-schapire", "((D + Δ)/γ)²", _in_passes(case), [case.from_zero], work)


def hinge(case: Case) -> Bound:
    """The hinge-loss bound, for any rows."""

    def work() -> Found:
        found = soft.hinged(case.signed, case.verdict, case.passes)
        return _soft(found, {"L": found.loss})

    formula = "((D/γ + √(D²/γ² + 4L))/2)²"
    return _bound("hinge", formula, _in_passes(case), [case.from_zero], work)


def _soft(found: soft.SoftBound, loss: dict[str, float]) -> Found:
    figures = {"D": found.radius, "vacuous": found.vacuous, "vector": found.vector}
    if found.vector.any():
        figures |= {"gamma": found.gamma} | loss
    return Found(found.real, figures, found.value)


def _in_passes(case: Case) -> str:
    passes = "one pass" if case.passes == 1 else f"{case.passes:,} passes"
    return f"{FROM_ZERO}, in {passes} over the rows, in any order"


BOUNDS: dict[str, Callable[[Case], Bound]] = {
    "novikoff": novikoff,
    "unit-length": unit_length,
    "fixed-increment": fixed_increment,
    "one-sided": one_sided,
    "winnow": winnow,
    "balanced-winnow": balanced_winnow,
    "freund-schapire": freund_schapire,
    "hinge": hinge,
}
