"""The fewest rows whose removal leaves the rest separable, as a proven bracket."""

from novikoff.verdict.repair.entry import repair
from novikoff.verdict.repair.result import Repair, RepairStage

__all__ = ["Repair", "RepairStage", "repair"]
