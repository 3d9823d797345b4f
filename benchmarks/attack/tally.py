"""What came of an attack's cases: counted, with the slowest and the largest refusal."""

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from novikoff.errors import NovikoffError

REFUSED, EQUAL, DIFFERENT, TRACEBACK, CRASH = KINDS = (
    "refused", "equal", "different", "traceback", "crash",
)  # fmt: skip
SLOWEST, LARGEST = 1.0, 200.0  # a refusal's CPU seconds and megabytes, at most
LONGEST_WAIT = 0.1  # seconds that a page takes while others attack, at most
MOST_FINDINGS = 8  # of each kind in a section, written down in full


class Outcome(NamedTuple):
    """What came of one case, and in words."""

    kind: str
    detail: str = ""


@dataclass
class Tally:
    """The outcomes of a section. accepted: the numbers of the cases whose input was taken."""

    section: str
    attempts: int = 0
    refused: int = 0
    equal: int = 0
    different: int = 0
    traceback: int = 0
    crash: int = 0
    slowest: float = 0.0  # CPU seconds
    peak: float = 0.0  # MB above what the process had when it began
    longest_wait: float = 0.0  # seconds, of somebody else
    findings: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    accepted: list[int] = field(default_factory=list)

    def add(self, case: int, outcome: Outcome, seconds: float = 0.0, peak: float = 0.0) -> None:
        self.attempts += 1
        setattr(self, outcome.kind, getattr(self, outcome.kind) + 1)
        if outcome.kind == REFUSED:
            self.slowest, self.peak = max(self.slowest, seconds), max(self.peak, peak)
            if seconds >= SLOWEST or peak >= LARGEST:
                cost = f"{seconds:.2f} s, {peak:.0f} MB"
                self.note("costly", f"case {case}: {cost}: {outcome.detail}")
        elif outcome.kind == EQUAL:
            self.accepted.append(case)
        else:
            self.note(outcome.kind, f"case {case}: {outcome.detail}")

    def note(self, kind: str, finding: str) -> None:
        """Write down what was found, unless there is enough of the kind."""
        if sum(each.startswith(kind) for each in self.findings) < MOST_FINDINGS:
            self.findings.append(f"{kind}: {finding[:500]}")

    @property
    def sound(self) -> bool:
        """Whether nothing was taken wrongly, raised or crashed."""
        return not (self.different or self.traceback or self.crash)

    @property
    def holds(self) -> bool:
        """Whether, besides, every refusal was fast and small, and nobody else had to wait."""
        cheap = self.slowest < SLOWEST and self.peak < LARGEST
        return self.sound and cheap and self.longest_wait < LONGEST_WAIT


def attempt(
    action: Callable[[], Outcome], errors: tuple[type[BaseException], ...] = (NovikoffError,)
) -> Outcome:
    """The outcome of an action; errors: what a refusal may be raised as."""
    try:
        return action()
    except errors as error:
        return Outcome(REFUSED, f"{type(error).__name__}: {str(error)[:200]}")
    except Exception as error:
        frames, where = error.__traceback__, ""
        while frames is not None:
            code = frames.tb_frame.f_code
            where, frames = f"{Path(code.co_filename).name}:{frames.tb_lineno}", frames.tb_next
        return Outcome(TRACEBACK, f"{type(error).__name__} at {where}: {str(error)[:200]}")


HEAD = ("attempts", *KINDS, "slowest s", "peak MB")


def table(tallies: list[Tally]) -> str:
    """The rows that are printed."""
    lines = [f"{'':<14}" + "".join(f"{each:>11}" for each in HEAD)]
    for each in tallies:
        counts = (each.attempts, *(getattr(each, kind) for kind in KINDS))
        numbers = "".join(f"{count:>11,}" for count in counts)
        mark = "" if each.holds else "  MISSED"
        lines.append(f"{each.section:<14}{numbers}{each.slowest:>11.2f}{each.peak:>11.1f}{mark}")
        lines += [f"    {name}: {value}" for name, value in each.figures.items()]
        lines += [f"    {finding}" for finding in each.findings]
    return "\n".join(lines)


def write(path: Path, tallies: list[Tally], **settings: Any) -> None:
    """The same as JSON."""
    path.parent.mkdir(exist_ok=True)
    lines = [
        {key: value for key, value in asdict(each).items() if key != "accepted"}
        | {"holds": each.holds}
        for each in tallies
    ]
    content = {
        "benchmark": "attack",
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        **settings,
        "lines": lines,
    }
    path.write_text(json.dumps(content, indent=1) + "\n")
