"""How many labellings a hyperplane can realise: Cover's count, general position, dichotomies, and
the capacity of a perceptron.
"""

from novikoff.cover_count import Regime, count, fraction, log2_fraction, regime
from novikoff.theory.cover.capacity import Capacity, capacity_curve
from novikoff.theory.cover.enumeration import dichotomies, dichotomy_count
from novikoff.theory.cover.general_position import Position, in_general_position

__all__ = [
    "Capacity",
    "Position",
    "Regime",
    "capacity_curve",
    "count",
    "dichotomies",
    "dichotomy_count",
    "fraction",
    "in_general_position",
    "log2_fraction",
    "regime",
]
