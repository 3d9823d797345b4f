"""Is it separable, by how much, and who is in the way: decided exactly, with a certificate."""

from typing import TYPE_CHECKING

from novikoff.lazy import attach

if TYPE_CHECKING:
    from novikoff.verdict.coefficients import Coefficient
    from novikoff.verdict.duplicates import Identical
    from novikoff.verdict.judge import check
    from novikoff.verdict.result import Margin, Stage, Verdict

__all__ = ["Coefficient", "Identical", "Margin", "Stage", "Verdict", "check"]

_HOMES = {
    "Coefficient": "coefficients",
    "Identical": "duplicates",
    "Margin": "result",
    "Stage": "result",
    "Verdict": "result",
    "check": "judge",
}

__getattr__, __dir__ = attach(__name__, _HOMES)
