"""The rules as scikit-learn estimators."""

from novikoff.estimators.perceptrons import (
    AveragedPerceptron,
    MarginPerceptron,
    OneSidedPerceptron,
    PassiveAggressive,
    Perceptron,
    RuleClassifier,
    SecondOrderPerceptron,
    VotedPerceptron,
)
from novikoff.estimators.winnows import BalancedWinnow, Winnow

__all__ = [
    "AveragedPerceptron",
    "BalancedWinnow",
    "MarginPerceptron",
    "OneSidedPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "RuleClassifier",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "Winnow",
]
