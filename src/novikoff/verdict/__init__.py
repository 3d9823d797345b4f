"""Is it separable, by how much, and who is in the way: decided exactly, with a certificate."""

from typing import TYPE_CHECKING

from novikoff.lazy import attach

if TYPE_CHECKING:
    from novikoff.verdict.coefficients import Coefficient
    from novikoff.verdict.duplicates import Identical
    from novikoff.verdict.judge import check, cone
    from novikoff.verdict.repair import Repair, repair
    from novikoff.verdict.result import Comparison, Margin, Stage, Verdict
    from novikoff.verdict.suspects import Suspect, suspects

__all__ = [
    "Coefficient",
    "Comparison",
    "Identical",
    "Margin",
    "Repair",
    "Stage",
    "Suspect",
    "Verdict",
    "check",
    "cone",
    "repair",
    "suspects",
]

_HOMES = {
    "Coefficient": "coefficients",
    "Comparison": "result",
    "Identical": "duplicates",
    "Margin": "result",
    "Repair": "repair",
    "Stage": "result",
    "Suspect": "suspects",
    "Verdict": "result",
    "check": "judge",
    "cone": "judge",
    "repair": "repair",
    "suspects": "suspects",
}

__getattr__, __dir__ = attach(__name__, _HOMES)
