"""How the benchmarks measure: contenders take turns, and what counts is the ratio within a turn.

Absolute times of a shared machine say little; two things measured right after each other say how
they compare. Each contender is run once to warm up (compiling, page faults), then `repeats` turns
are taken, each contender once a turn. A ratio is the median over the turns, with its spread.
"""

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# What is measured is compiled code, from the first turn on; `startup` is about the rest.
os.environ.setdefault("NOVIKOFF_PLAIN_STEPS", "0")

RESULTS = Path(__file__).parent / "results"


class Line(NamedTuple):
    """One row of a table: what, compared with what, the ratio wanted and the ratios found."""

    what: str
    than: str
    wanted: float | None
    ratios: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    @property
    def holds(self) -> bool:
        return self.wanted is None or self.median >= self.wanted


def take_turns(contenders: dict[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Seconds of each contender in each turn."""
    for call in contenders.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, call in contenders.items():
            began = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - began)
    return seconds


def faster(seconds: dict[str, list[float]], one: str, other: str) -> list[float]:
    """How many times as fast the one is as the other, turn by turn."""
    return [b / a for a, b in zip(seconds[one], seconds[other], strict=True)]


def report(name: str, lines: list[Line]) -> None:
    """Print the table and write it as JSON; exit with 1 if a wanted ratio was missed."""
    width = max(len(f"{line.what} / {line.than}") for line in lines)
    print(f"{name}: speed ratios, median (lowest to highest of {len(lines[0].ratios)} turns)\n")
    for line in lines:
        wanted = "" if line.wanted is None else f"  wanted {line.wanted:g}"
        spread = f"({min(line.ratios):.2f} to {max(line.ratios):.2f})"
        mark = "" if line.holds else "  MISSED"
        title = f"{line.what} / {line.than}"
        print(f"  {title:<{width}}  {line.median:6.2f} {spread:<18}{wanted}{mark}")
    RESULTS.mkdir(exist_ok=True)
    content = {
        "benchmark": name,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "versions": _versions(),
        "lines": [line._asdict() | {"median": line.median, "holds": line.holds} for line in lines],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")
    sys.exit(0 if all(line.holds for line in lines) else 1)


def _versions() -> dict[str, str]:
    from importlib import metadata

    names = (
        "novikoff",
        "numba",
        "numpy",
        "scipy",
        "scikit-learn",
        "river",
        "pandas",
        "pyarrow",
        "vowpalwabbit",
        "starlette",
        "uvicorn",
    )
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
