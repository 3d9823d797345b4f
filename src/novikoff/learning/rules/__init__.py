"""The rules: one small file each. `protocol` says what a rule is and how to write one's own."""

from novikoff.learning.rules.averaged import Averaged
from novikoff.learning.rules.balanced_winnow import BalancedWinnow
from novikoff.learning.rules.margin import MarginPerceptron
from novikoff.learning.rules.multiclass import Multiclass
from novikoff.learning.rules.passive_aggressive import PassiveAggressive
from novikoff.learning.rules.perceptron import Perceptron
from novikoff.learning.rules.protocol import TIES, Seen, State, Tie
from novikoff.learning.rules.second_order import SecondOrder
from novikoff.learning.rules.voted import Voted
from novikoff.learning.rules.winnow import ComplementWinnow, Winnow

__all__ = [
    "TIES",
    "Averaged",
    "BalancedWinnow",
    "ComplementWinnow",
    "MarginPerceptron",
    "Multiclass",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrder",
    "Seen",
    "State",
    "Tie",
    "Voted",
    "Winnow",
]
