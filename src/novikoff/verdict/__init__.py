"""Is it separable, by how much, and who is in the way: decided exactly, with a certificate."""

from novikoff.verdict.judge import check
from novikoff.verdict.result import Coefficient, Identical, Margin, Stage, Verdict

__all__ = ["Coefficient", "Identical", "Margin", "Stage", "Verdict", "check"]
