"""novikoff learns linear separators one example at a time, and proves what it did.

    import novikoff as nk
    model = nk.Perceptron().fit(X, y)
    model.mistakes_, model.converged_, model.margin_ceiling_
    verdict = nk.check(X, y)
    verdict.outcome, verdict.margin.squared, verdict.conflict
    nk.verify(verdict.certificate, X, y)

Names are loaded when they are first used, so that `import novikoff` costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff import bounds, cluster, cover, rules
    from novikoff.estimators import (
        AveragedPerceptron,
        BalancedWinnow,
        MarginPerceptron,
        OneSidedPerceptron,
        PassiveAggressive,
        Perceptron,
        RuleClassifier,
        SecondOrderPerceptron,
        VotedPerceptron,
        Winnow,
    )
    from novikoff.estimators.files import load, save
    from novikoff.sources import open
    from novikoff.tracing import trace
    from novikoff.verdict import check
    from novikoff.verification import verify

__version__ = "0.1.0"

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
    "bounds",
    "check",
    "cluster",
    "cover",
    "load",
    "open",
    "rules",
    "save",
    "trace",
    "verify",
]

_MODULES = {"bounds", "cluster", "cover", "rules"}
_HOMES = {
    "check": "verdict",
    "load": "estimators.files",
    "open": "sources",
    "save": "estimators.files",
    "trace": "tracing",
    "verify": "verification",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'novikoff' has no attribute {name!r}")
    if name in _MODULES:
        return importlib.import_module(f"novikoff.{name}")
    home = importlib.import_module(f"novikoff.{_HOMES.get(name, 'estimators')}")
    globals()[name] = getattr(home, name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
