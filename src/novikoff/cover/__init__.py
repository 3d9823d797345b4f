"""How many labellings a hyperplane can realise: Cover's count, general position, dichotomies, and
the capacity of a perceptron.
"""

from novikoff.counting import Regime, count, fraction, log2_fraction, regime
from novikoff.cover.capacity import Capacity, capacity_curve
from novikoff.cover.cells import dichotomies, dichotomy_count
from novikoff.cover.position import Position, in_general_position

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
