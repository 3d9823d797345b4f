"""The rules as scikit-learn estimators."""

from novikoff.learning.estimators.multiclass import MulticlassPerceptron
from novikoff.learning.estimators.perceptrons import (
    AveragedPerceptron,
    MarginPerceptron,
    OneSidedPerceptron,
    PassiveAggressive,
    Perceptron,
    RuleClassifier,
    SecondOrderPerceptron,
    VotedPerceptron,
)
from novikoff.learning.estimators.winnows import BalancedWinnow, Winnow

__all__ = [
    "AveragedPerceptron",
    "BalancedWinnow",
    "MarginPerceptron",
    "MulticlassPerceptron",
    "OneSidedPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "RuleClassifier",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "Winnow",
]
