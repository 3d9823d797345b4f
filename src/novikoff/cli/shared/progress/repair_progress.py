"""The progress of a repair, on one line of standard error."""

from typing import TYPE_CHECKING

from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.progress.status_line import StatusPart
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.verdict.repair import RepairStage


class RepairProgress(SearchProgress):
    """The bracket while it narrows."""

    bracket: "RepairStage | None" = None

    def watch(self, stage: "RepairStage") -> None:  # type: ignore[override]
        """Take up what is newly proven."""
        self.bracket, self.doing = stage, stage.doing

    def parts(self) -> list[StatusPart]:
        """The parts of the line, in the order of reading."""
        parts = super().parts()
        if self.bracket is not None and self.bracket.upper is not None:
            lower, upper = float(self.bracket.lower), float(self.bracket.upper)
            parts.append(StatusPart(3, f"{lower:g} to {upper:g} mistakes", f"{lower:g}..{upper:g}"))
            parts.append(StatusPart(6, count(self.bracket.conflicts, "conflict")))
        return parts
