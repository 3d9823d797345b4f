"""novikoff learns linear separators one example at a time, and proves what it did.

    import novikoff as nk
    model = nk.Perceptron().fit(X, y)
    model.mistakes_, model.converged_, model.margin_ceiling_
    verdict = nk.check(X, y)
    verdict.outcome, verdict.margin.squared, verdict.conflict
    nk.verify(verdict.certificate, X, y)

Names are loaded when they are first used, so that `import novikoff` costs next to nothing.
"""

from typing import TYPE_CHECKING

from novikoff.lazy import attach
from novikoff.version import __version__ as __version__

if TYPE_CHECKING:
    from novikoff import cluster
    from novikoff.compat.onnx import to_onnx
    from novikoff.data import open as open  # not in __all__, where it would hide Python's own
    from novikoff.learning import rules
    from novikoff.learning.estimators import (
        AveragedPerceptron,
        BalancedWinnow,
        MarginPerceptron,
        MulticlassPerceptron,
        OneSidedPerceptron,
        PassiveAggressive,
        Perceptron,
        RuleClassifier,
        SecondOrderPerceptron,
        VotedPerceptron,
        Winnow,
    )
    from novikoff.learning.estimators.save_load import load, save
    from novikoff.serve.client import Client
    from novikoff.theory import bounds, cover
    from novikoff.theory.trace import trace
    from novikoff.verdict import check, cone
    from novikoff.verdict.certificate.verify import verify
    from novikoff.verdict.limit_fit import limit_fit
    from novikoff.verdict.repair import repair
    from novikoff.verdict.suspects import suspects

__all__ = [
    "AveragedPerceptron",
    "BalancedWinnow",
    "Client",
    "MarginPerceptron",
    "MulticlassPerceptron",
    "OneSidedPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "RuleClassifier",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "Winnow",
    "bounds",
    "check",
    "cluster",
    "cone",
    "cover",
    "limit_fit",
    "load",
    "repair",
    "rules",
    "save",
    "suspects",
    "to_onnx",
    "trace",
    "verify",
]

_ESTIMATORS = (
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
)
_HOMES = {
    "Client": "serve.client",
    "bounds": "",
    "check": "verdict",
    "cluster": "",
    "cone": "verdict",
    "cover": "",
    "limit_fit": "verdict.limit_fit",
    "load": "learning.estimators.save_load",
    "open": "data",
    "repair": "verdict.repair",
    "rules": "",
    "save": "learning.estimators.save_load",
    "suspects": "verdict.suspects",
    "to_onnx": "compat.onnx",
    "trace": "theory.trace",
    "verify": "verdict.certificate.verify",
} | dict.fromkeys(_ESTIMATORS, "learning.estimators")

__getattr__, __dir__ = attach(__name__, _HOMES)
