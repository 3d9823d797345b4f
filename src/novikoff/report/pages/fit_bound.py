"""The mistake bound of a run, and its assumptions; or why none is known."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from novikoff.data.sparse import Matrix
from novikoff.errors import HypothesisError, ParameterError
from novikoff.learning.rules import Winnow
from novikoff.learning.rules.protocol import Rule, mistake_bound
from novikoff.learning.rules.winnow import binarized
from novikoff.theory.bounds.disjunctions import as_bits, find_disjunction, winnow_bound
from novikoff.verdict.signed import Signed

if TYPE_CHECKING:
    from novikoff.report.pages.fit import FitRun


class RunBound(NamedTuple):
    """A bound and a sentence about it; without a bound, the sentence says why."""

    bound: float | None
    about: str = ""


def run_bound(run: "FitRun") -> RunBound:
    """The bound on the mistakes of a run, by the theorem of its rule."""
    rule = run.learner.rule
    if len(run.learner.states) > 1:
        return _no_bound(
            f"there are {len(run.classes):,} classes, each with a hyperplane and mistakes of its"
            " own, and a theorem is about one hyperplane"
        )
    if isinstance(rule, Winnow):
        return _winnow_bound(run)
    if mistake_bound(rule, 1.0, 1.0) is None:
        return _no_bound(f"no theorem is known here for the rule {run.rule} with these settings")
    if run.learner.initial is not None:
        return _no_bound("the theorem is about a start of zeros, and this run started elsewhere")
    if not run.outcome.converged:
        return _no_bound(
            "it comes from the margin of a separator, and this run has not converged on one"
        )
    if run.bound is None:
        return _no_bound("the separator found has no margin above 0, as floating point computes it")
    return RunBound(run.bound)


def _no_bound(why: str) -> RunBound:
    return RunBound(None, f"No bound is drawn: {why}.")


def _winnow_bound(run: "FitRun") -> RunBound:
    """2 + 3 r (1 + lg n), or its general form, where the label is an OR of r of n variables."""
    rule = run.learner.rule
    try:
        known = find_disjunction(_bits(run))
        most = winnow_bound(known, rule.alpha, rule.theta)
    except HypothesisError as error:  # which names the row
        return _no_bound(f"Winnow's theorem is about an OR of variables, but {error}")
    except ParameterError as error:
        return _no_bound(str(error))
    usual = rule.alpha == 2.0 and rule.theta == known.features
    formula = "2 + 3r(1 + lg n)" if usual else "n / ((1 − 1/α)θ) + (1 + α)r(1 + log_α θ)"
    return RunBound(
        float(most.value),
        f"The label is the OR of r = {len(known.relevant):,} of the n = {known.features:,}"
        f" variables, and Winnow makes at most {formula} mistakes then.",
    )


def _bits(run: "FitRun") -> Signed:
    signs = np.where(run.codes == 1, 1, -1).astype(np.int8)
    signed = Signed(run.rows, signs, None)
    signed.lines, signed.feature_names = run.lines, run.names
    return as_bits(signed, run.learner.rule.binarize)


def features_as_seen(matrix: Matrix, rule: Rule) -> Matrix:
    """The features as the rule sees them: those of Winnow are 0 or 1."""
    limit = getattr(rule, "binarize", None)
    return matrix if limit is None else binarized(matrix, limit)
