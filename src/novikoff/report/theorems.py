"""The most mistakes that a theorem allows a run, and what it rests on; or why none is known."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novikoff.bounds.disjunctions import found, winnow_for
from novikoff.errors import HypothesisError, ParameterError
from novikoff.rows import make_rows
from novikoff.rules import Winnow
from novikoff.rules.protocol import mistake_bound
from novikoff.signed import Signed

if TYPE_CHECKING:
    from novikoff.report.of_run import Run


class Allowed(NamedTuple):
    """The bound, and a sentence about it; without one, the sentence says why."""

    bound: float | None
    about: str = ""


def allowed(run: "Run") -> Allowed:
    """What is known of the mistakes of this run."""
    rule = run.learner.rule
    if len(run.learner.states) > 1:
        return _none(
            f"there are {len(run.classes):,} classes, each with a hyperplane and mistakes of its"
            " own, and a theorem is about one hyperplane"
        )
    if isinstance(rule, Winnow):
        return _of_winnow(run)
    if mistake_bound(rule, 1.0, 1.0) is None:
        return _none(f"no theorem is known here for the rule {run.rule} with these settings")
    if run.learner.initial is not None:
        return _none("the theorem is about a start of zeros, and this run started elsewhere")
    if not run.outcome.converged:
        return _none(
            "it comes from the margin of a separator, and this run has not converged on one"
        )
    if run.bound is None:
        return _none("the separator found has no margin above 0, as floating point computes it")
    return Allowed(run.bound)


def _none(why: str) -> Allowed:
    return Allowed(None, f"No bound is drawn: {why}.")


def _of_winnow(run: "Run") -> Allowed:
    """2 + 3 r (1 + lg n), or its general form, where the label is an OR of r of n variables."""
    rule = run.learner.rule
    try:
        known = found(_bits(run))
        most = winnow_for(known, rule.alpha, rule.theta)
    except HypothesisError as error:  # which names the row
        return _none(f"Winnow's theorem is about an OR of variables, but {error}")
    except ParameterError as error:
        return _none(str(error))
    usual = rule.alpha == 2.0 and rule.theta == known.features
    formula = "2 + 3r(1 + lg n)" if usual else "n / ((1 − 1/α)θ) + (1 + α)r(1 + log_α θ)"
    return Allowed(
        float(most.value),
        f"The label is the OR of r = {len(known.relevant):,} of the n = {known.features:,}"
        f" variables, and Winnow makes at most {formula} mistakes then.",
    )


def _bits(run: "Run") -> Signed:
    signs = np.where(run.codes == 1, 1, -1).astype(np.int8)
    bits = Signed(make_rows(as_seen(run.matrix, run.learner.rule), False, False), signs, None)
    bits.lines, bits.feature_names = run.lines, run.names
    return bits


def as_seen(matrix: Any, rule: Any) -> Any:
    """The features as the rule sees them: 1 above its limit and 0 elsewhere, where it has one."""
    limit = getattr(rule, "binarize", None)
    return matrix if limit is None else (matrix > limit).astype(np.float64)
