"""The rules, and what the author of a rule needs: the public name of `learning.rules`."""

from novikoff.learning.rows import add_scaled, column, dot, entries, squared_norm, value
from novikoff.learning.rules import *  # noqa: F403
from novikoff.learning.rules import __all__ as _rules
from novikoff.number_text import rounded_down, rounded_up

__all__ = [
    *_rules,
    "add_scaled",
    "column",
    "dot",
    "entries",
    "rounded_down",
    "rounded_up",
    "squared_norm",
    "value",
]
