"""Each bound on a data set: its hypotheses, checked; its value if they hold, or why not."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import HypothesisError
from novikoff.number_text import rounded_up
from novikoff.theory.bounds import disjunctions, nonseparable
from novikoff.theory.bounds.hypotheses import Bound, Hypothesis, row_name
from novikoff.theory.bounds.increment import increment
from novikoff.theory.bounds.problem import BoundProblem, first_of_other_length, separability
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.directed_rounding import above, below, root, up
from novikoff.verdict.exact.margins import Rational
from novikoff.verdict.signed import Signed

FROM_ZERO = "the perceptron from zero weights, with any step"
ANY_RUN = "in any order, however often"
LOG_SLACK = 1.0 + 2.0**-50


class BoundValue(NamedTuple):
    """A bound's value: the real number, not rounded down, and the figures of its formula."""

    real: Fraction | float
    figures: dict[str, Any]
    value: int | None = None  # where it is known better than by rounding `real` down


def _bound(
    name: str,
    formula: str,
    learner: str,
    hypotheses: Sequence[Hypothesis],
    work: Callable[[], BoundValue],
) -> Bound:
    """Make the bound; it is refused for the first hypothesis that fails."""
    failing = [each.why for each in hypotheses if not each.holds]
    if failing:
        return Bound(name, None, formula, list(hypotheses), failing[0], None, {}, learner)
    found = work()
    value = math.floor(found.real) if found.value is None else found.value
    real = above(found.real) if isinstance(found.real, Fraction) else found.real
    return Bound(name, value, formula, list(hypotheses), None, real, found.figures, learner)


def novikoff(problem: BoundProblem) -> Bound:
    """The bound of Block and Novikoff."""

    def work() -> BoundValue:
        real = problem.verdict.radius_squared / problem.verdict.margin.lower_squared
        return BoundValue(real, {"D": problem.radius, "gamma": problem.margin})

    hypotheses = [problem.from_zero, problem.longest, problem.separable]
    return _bound("novikoff", "(D/γ)²", f"{FROM_ZERO}, {ANY_RUN}", hypotheses, work)


def unit_length(problem: BoundProblem) -> Bound:
    """The bound of note 001 for rows of length 1."""

    def work() -> BoundValue:
        return BoundValue(1 / problem.verdict.margin.lower_squared, {"gamma": problem.margin})

    hypotheses = [problem.from_zero, _unit_rows(problem), problem.separable]
    learner = f"{FROM_ZERO}, on rows of length 1, {ANY_RUN}"
    return _bound("unit-length", "1/γ²", learner, hypotheses, work)


def _unit_rows(problem: BoundProblem) -> Hypothesis:
    sentence = "every row has the length 1"
    if problem.signed.unit_length:
        return Hypothesis(sentence, True, "the learner scales them")
    bad = first_of_other_length(problem.signed)
    if bad is None:
        return Hypothesis(sentence, True, "as they are")
    lift = " with its 1 for the intercept" if problem.signed.bias else ""
    size = f"{math.sqrt(problem.signed.scan.squares[bad]):.6g}"
    size = "not quite 1" if size == "1" else size
    row = row_name(problem.signed, bad)
    how = "use unit_length=True (--unit-length) to scale the rows"
    why = f"the length of {row}{lift} is {size}, not 1: {how}"
    return Hypothesis(sentence, False, why)


def fixed_increment(problem: BoundProblem) -> Bound:
    """The bound of note 003 for any start and step."""

    def work() -> BoundValue:
        zeros = Rational([0] * problem.signed.dim, 1)
        found = increment(problem.signed, problem.eta, problem.start or zeros, problem.target)
        real = found.k_max if found.exact is None else found.exact.k_max
        return BoundValue(real, {"A": found.A, "B": found.B}, found.updates)

    step = rounded_up(above(problem.eta))
    start = "zero weights" if problem.start is None else "the start given"
    learner = f"the perceptron from {start}, with step {step}, {ANY_RUN}"
    formula = "B/A = (ηM − μ)|w*|²/(ηa²)"
    return _bound("fixed-increment", formula, learner, [problem.separable], work)


def one_sided(problem: BoundProblem) -> Bound:
    """The bound of note 000, for rows without a bias, of unit length, and all positive."""
    against = np.flatnonzero(problem.signed.signs < 0)
    sentence = "every row is positive"
    hypotheses = [Hypothesis(sentence, True, "all labels are 1")]
    gap = problem.verdict
    if against.size:
        first = row_name(problem.signed, int(against[0]))
        why = f"{first} is negative, and the one-sided perceptron learns from positive rows"
        hypotheses = [Hypothesis(sentence, False, why)]
    else:
        if problem.signed.bias or not problem.signed.unit_length:
            gap = problem.verdict_on(_without_bias(problem.signed, unit_length=True))
        hypotheses.append(separability(gap))

    def work() -> BoundValue:
        return BoundValue(1 / gap.margin.lower_squared, {"g": gap.margin.lower})

    learner = f"the one-sided perceptron: rows of length 1, no intercept, {ANY_RUN}"
    return _bound("one-sided", "1/g²", learner, hypotheses, work)


def _without_bias(signed: Signed, unit_length: bool) -> Signed:
    rows = signed.rows._replace(bias=False)
    other = Signed(rows, signed.signs, signed.labels, unit_length=unit_length, exact=signed.exact)
    other.lines, other.feature_names = signed.lines, signed.feature_names
    return other


def winnow(problem: BoundProblem) -> Bound:
    """The bound of note 001 for Winnow."""
    hypotheses, known = _disjunction(problem)

    def work() -> BoundValue:
        if known is None:
            raise AssertionError("no disjunction, and none refused")
        found = disjunctions.winnow_bound(known)
        names = {"r": len(known.relevant), "n": known.features, "relevant": known.relevant}
        return BoundValue(found.real, names, found.value)

    learner = f"Winnow with alpha = 2 and theta = n, {ANY_RUN}"
    return _bound("winnow", "2 + 3r(1 + lg n)", learner, hypotheses, work)


def _disjunction(problem: BoundProblem) -> tuple[list[Hypothesis], disjunctions.Disjunction | None]:
    """The hypotheses that entries are bits and the label an OR, and that OR if there is one."""
    rows = _without_bias(problem.signed, unit_length=False)
    entries, label = "every entry is 0 or 1", "the label is the OR of r variables"
    try:
        disjunctions.require_bits(rows)
    except HypothesisError as error:
        unknown = Hypothesis(label, None, "not looked at")
        return [Hypothesis(entries, False, str(error)), unknown], None
    bits = Hypothesis(entries, True, "as they are")
    try:
        known = disjunctions.find_disjunction(rows, problem.relevant)
    except HypothesisError as error:
        return [bits, Hypothesis(label, False, str(error))], None
    names = known.names
    shown = names if len(names) <= 8 else [*names[:7], f"{len(names) - 7} more"]
    why = f"the label is {' or '.join(shown)}, r = {len(known.relevant)}"
    return [bits, Hypothesis(label, True, why)], known


def balanced_winnow(problem: BoundProblem) -> Bound:
    """The bound of balanced Winnow, at the best step for the verdict's separator."""
    margin, largest, eta, gain = Fraction(0), Fraction(1), 0.0, Fraction(0)
    hypotheses = [problem.separable]
    if problem.separable.holds:
        margin, largest = _one_norm_margin(problem), _largest(problem.signed)
        eta = float(margin / largest**2)
        gain = Fraction(eta) * margin - (Fraction(eta) * largest) ** 2 / 2
        why = f"η = {eta:.6g}" if gain > 0 else "the margin is too thin for a step that is a double"
        hypotheses.append(Hypothesis("0 < η < 2γ₁/X²", gain > 0, why))

    def work() -> BoundValue:
        features = problem.signed.dim
        real = Fraction(math.log(2.0 * features) * LOG_SLACK) / gain
        names = {"gamma_1": below(margin), "X": above(largest), "n": features, "eta": eta}
        return BoundValue(real, names)

    formula = "ln(2n)/(ηγ₁ − η²X²/2)"
    learner = f"balanced Winnow with the step eta, {ANY_RUN}"
    return _bound("balanced-winnow", formula, learner, hypotheses, work)


def _one_norm_margin(problem: BoundProblem) -> Fraction:
    """min z . u of the verdict's separator, with |u|_1 = 1; not rounded up."""
    tops = problem.target.numerators
    size = sum(map(abs, tops))
    if problem.signed.unit_length:
        square = margins.lowest_squared_unit_score(problem.signed, tops) / size**2
        return Fraction(root(square, up=False))
    return margins.lowest_score(problem.signed, tops) / size


def _largest(signed: Signed) -> Fraction:
    """X, which no |entry| exceeds."""
    if signed.unit_length:
        return Fraction(1)
    top = float(signed.scan.maxima.max())
    return Fraction(top if signed.exact is None else up(top))


def freund_schapire(problem: BoundProblem) -> Bound:
    """The bound of Freund and Schapire, for any rows."""

    def work() -> BoundValue:
        found = nonseparable.freund_schapire_bound(problem.signed, problem.verdict, problem.passes)
        return _soft(found, {"Delta": found.gamma * found.loss})

    return _bound("freund-schapire", "((D + Δ)/γ)²", _in_passes(problem), [problem.from_zero], work)


def hinge(problem: BoundProblem) -> Bound:
    """The hinge-loss bound, for any rows."""

    def work() -> BoundValue:
        found = nonseparable.hinge_bound(problem.signed, problem.verdict, problem.passes)
        return _soft(found, {"L": found.loss})

    formula = "((D/γ + √(D²/γ² + 4L))/2)²"
    return _bound("hinge", formula, _in_passes(problem), [problem.from_zero], work)


def _soft(found: nonseparable.SoftBound, loss: dict[str, float]) -> BoundValue:
    figures = {"D": found.radius, "vacuous": found.vacuous, "vector": found.vector}
    if found.vector.any():
        figures |= {"gamma": found.gamma} | loss
    return BoundValue(found.real, figures, found.value)


def _in_passes(problem: BoundProblem) -> str:
    passes = "one pass" if problem.passes == 1 else f"{problem.passes:,} passes"
    return f"{FROM_ZERO}, in {passes} over the rows, in any order"


BOUNDS: dict[str, Callable[[BoundProblem], Bound]] = {
    "novikoff": novikoff,
    "unit-length": unit_length,
    "fixed-increment": fixed_increment,
    "one-sided": one_sided,
    "winnow": winnow,
    "balanced-winnow": balanced_winnow,
    "freund-schapire": freund_schapire,
    "hinge": hinge,
}
