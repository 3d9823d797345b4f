"""Bounds on mistakes: the notes' theorems and a few more, with their hypotheses checked.

    formulas       of a few numbers: novikoff, kesler (several classes), mixing (shards),
                   unit_length, one_sided, winnow, balanced_winnow, and what a run proves
                   afterwards: after_length, after_rows, margin_ceiling
    increment      fixed_increment: the notes' k_max from any start, with its envelopes A and B
    disjunctions   winnow_on: Winnow's bound, with the disjunction found in the data
    multiclass     kesler_on: the bound for all classes together, with their margin
    nonseparable   freund_schapire, hinge: bounds for rows that no hyperplane separates
    evaluate       on: every bound on one data set

A bound outside its hypotheses is refused with the reason (a ParameterError), never printed. Names
are loaded when they are first used: the formulas need nothing but arithmetic.
"""

from typing import TYPE_CHECKING

from novikoff.lazy import attach
from novikoff.theory.bounds.formulas import (
    after_length,
    after_rows,
    balanced_winnow,
    kesler,
    margin_ceiling,
    mixing,
    novikoff,
    one_sided,
    unit_length,
    winnow,
)

if TYPE_CHECKING:
    from novikoff.theory.bounds.disjunctions import Disjunction, WinnowBound, disjunction, winnow_on
    from novikoff.theory.bounds.evaluate import on
    from novikoff.theory.bounds.hypotheses import Bound, Hypothesis
    from novikoff.theory.bounds.increment import Envelopes, FixedIncrement, fixed_increment
    from novikoff.theory.bounds.multiclass import KeslerBound, kesler_on
    from novikoff.theory.bounds.nonseparable import SoftBound, freund_schapire, hinge

__all__ = [
    "Bound",
    "Disjunction",
    "Envelopes",
    "FixedIncrement",
    "Hypothesis",
    "KeslerBound",
    "SoftBound",
    "WinnowBound",
    "after_length",
    "after_rows",
    "balanced_winnow",
    "disjunction",
    "fixed_increment",
    "freund_schapire",
    "hinge",
    "kesler",
    "kesler_on",
    "margin_ceiling",
    "mixing",
    "novikoff",
    "on",
    "one_sided",
    "unit_length",
    "winnow",
    "winnow_on",
]

_HOMES = {
    "Bound": "hypotheses",
    "Disjunction": "disjunctions",
    "Envelopes": "increment",
    "FixedIncrement": "increment",
    "Hypothesis": "hypotheses",
    "KeslerBound": "multiclass",
    "SoftBound": "nonseparable",
    "WinnowBound": "disjunctions",
    "disjunction": "disjunctions",
    "fixed_increment": "increment",
    "freund_schapire": "nonseparable",
    "hinge": "nonseparable",
    "kesler_on": "multiclass",
    "on": "evaluate",
    "winnow_on": "disjunctions",
}

__getattr__, __dir__ = attach(__name__, _HOMES)
