"""Bounds on mistakes: the notes' theorems and a few more, with their hypotheses checked.

    formulas       of a few numbers: novikoff, mixing (shards), unit_length, one_sided, winnow,
                   balanced_winnow, and what a run proves afterwards: after_length, after_rows,
                   margin_ceiling
    increment      fixed_increment: the notes' k_max from any start, with its envelopes A and B
    disjunctions   winnow_on: Winnow's bound, with the disjunction found in the data
    soft           freund_schapire, hinge: bounds for rows that no hyperplane separates
    survey         on: every bound on one data set

A bound asked for outside its hypotheses is refused with the reason (a ParameterError), never
printed. Names are loaded when they are first used: the formulas need nothing but arithmetic.
"""

import importlib
from typing import TYPE_CHECKING, Any

from novikoff.bounds.formulas import (
    after_length,
    after_rows,
    balanced_winnow,
    margin_ceiling,
    mixing,
    novikoff,
    one_sided,
    unit_length,
    winnow,
)

if TYPE_CHECKING:
    from novikoff.bounds.disjunctions import Disjunction, WinnowBound, disjunction, winnow_on
    from novikoff.bounds.hypotheses import Bound, Hypothesis
    from novikoff.bounds.increment import Envelopes, FixedIncrement, fixed_increment
    from novikoff.bounds.soft import SoftBound, freund_schapire, hinge
    from novikoff.bounds.survey import on

__all__ = [
    "Bound",
    "Disjunction",
    "Envelopes",
    "FixedIncrement",
    "Hypothesis",
    "SoftBound",
    "WinnowBound",
    "after_length",
    "after_rows",
    "balanced_winnow",
    "disjunction",
    "fixed_increment",
    "freund_schapire",
    "hinge",
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
    "SoftBound": "soft",
    "WinnowBound": "disjunctions",
    "disjunction": "disjunctions",
    "fixed_increment": "increment",
    "freund_schapire": "soft",
    "hinge": "soft",
    "on": "survey",
    "winnow_on": "disjunctions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'novikoff.bounds' has no attribute {name!r}")
    home = importlib.import_module(f"novikoff.bounds.{_HOMES[name]}")
    globals()[name] = getattr(home, name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__]
