"""The environment of processes that tests start."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]


def with_tests(**more: str) -> dict[str, str]:
    """An environment in which a process can import the tests' own modules."""
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(ROOT), *([before] if before else [])])
    return os.environ | {"PYTHONPATH": path} | more
