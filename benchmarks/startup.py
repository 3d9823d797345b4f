"""From the shell to a result, against `import sklearn` alone.

Cold: with an empty folder for compiled code, as on a machine that has never run novikoff; only
Python's own files of bytecode are there. Warm: with what the runs before have compiled.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from harness import Line, faster, report, take_turns

REPEATS = 11
SKLEARN, LINEAR = "import sklearn", "import sklearn.linear_model"
COMMANDS = (
    "check example:iris-setosa",
    "check example:wdbc",
    "check example:digits-8",
    "fit example:iris-setosa",
    "fit example:wdbc",
    "trace example:iris-setosa",
    "bound example:iris-setosa",
    "cover example:iris-setosa",
    "demo",
    "--help",
)
LARGE, LIMIT = "check large.csv", 8.0  # seconds, with a compiler at work


def run(words: list[str], compiled: str) -> None:
    """Run Python with a folder of compiled code; 1 is an answer too: not separable."""
    environment = os.environ | {"NUMBA_CACHE_DIR": compiled}
    for name in ("NOVIKOFF_PLAIN_STEPS", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    done = subprocess.run([sys.executable, *words], capture_output=True, env=environment)
    if done.returncode not in (0, 1) or b"Traceback" in done.stderr:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode()}")


def cold(words: list[str]) -> Callable[[], None]:
    """A run that finds nothing compiled."""

    def call() -> None:
        with tempfile.TemporaryDirectory() as folder:
            run(words, folder)

    return call


def warm(words: list[str], folder: str) -> Callable[[], None]:
    """A run after others."""
    return lambda: run(words, folder)


def write_large(path: Path) -> None:
    """20,000 rows of 30 numbers, as text."""
    random = np.random.default_rng(0)
    X = random.standard_normal((20_000, 30))
    labels = X @ random.standard_normal(30) > 0
    header = ",".join([*(f"x{j}" for j in range(30)), "y"])
    np.savetxt(path, np.c_[X, labels], delimiter=",", header=header, comments="")


def measure(folder: str) -> dict[str, list[float]]:
    """Seconds of each contender in each turn."""
    large = Path(folder, "large.csv")
    write_large(large)
    contenders: dict[str, Callable[[], None]] = {
        SKLEARN: warm(["-c", SKLEARN], folder),
        LINEAR: warm(["-c", LINEAR], folder),
    }
    for command in (*COMMANDS, LARGE):
        named = str(large), "--target", "y"
        words = ["check", *named] if command == LARGE else command.split()
        contenders[f"{command}, cold"] = cold(["-m", "novikoff", *words])
        contenders[f"{command}, warm"] = warm(["-m", "novikoff", *words], folder)
    return take_turns(contenders, REPEATS)


def lines(seconds: dict[str, list[float]]) -> list[Line]:
    """The rows of the table: twice the time of the import is allowed."""
    found = [Line(LINEAR, SKLEARN, None, faster(seconds, LINEAR, SKLEARN))]
    for name in seconds:
        if name in (SKLEARN, LINEAR):
            continue
        if name == f"{LARGE}, cold":
            found.append(Line(name, "8 seconds", 1.0, [LIMIT / each for each in seconds[name]]))
            continue
        wanted = 0.5 if name.endswith("cold") else None
        found.append(Line(f"novikoff {name}", SKLEARN, wanted, faster(seconds, name, SKLEARN)))
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        seconds = measure(folder)
    report("startup", lines(seconds))
