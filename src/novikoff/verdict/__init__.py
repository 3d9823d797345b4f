"""Is it separable, by how much, and who is in the way: decided exactly, with a certificate."""

from typing import TYPE_CHECKING

from novikoff.lazy import attach

if TYPE_CHECKING:
    from novikoff.verdict.coefficients import Coefficient
    from novikoff.verdict.duplicates import Identical
    from novikoff.verdict.judge import check, cone
    from novikoff.verdict.result import Comparison, Margin, Stage, Verdict

__all__ = [
    "Coefficient",
    "Comparison",
    "Identical",
    "Margin",
    "Stage",
    "Verdict",
    "check",
    "cone",
]

_HOMES = {
    "Coefficient": "coefficients",
    "Comparison": "result",
    "Identical": "duplicates",
    "Margin": "result",
    "Stage": "result",
    "Verdict": "result",
    "check": "judge",
    "cone": "judge",
}

__getattr__, __dir__ = attach(__name__, _HOMES)
