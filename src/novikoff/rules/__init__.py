"""The rules: one small file each. `protocol` says what a rule is and how to write one's own."""

from novikoff.rules.averaged import Averaged
from novikoff.rules.balanced_winnow import BalancedWinnow
from novikoff.rules.margin import MarginPerceptron
from novikoff.rules.passive_aggressive import PassiveAggressive
from novikoff.rules.perceptron import Perceptron
from novikoff.rules.protocol import TIES, Seen, State, Tie
from novikoff.rules.second_order import SecondOrder
from novikoff.rules.voted import Voted
from novikoff.rules.winnow import ComplementWinnow, Winnow

__all__ = [
    "TIES",
    "Averaged",
    "BalancedWinnow",
    "ComplementWinnow",
    "MarginPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrder",
    "Seen",
    "State",
    "Tie",
    "Voted",
    "Winnow",
]
