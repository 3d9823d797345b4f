"""The peak of memory of `novikoff fit` on a file of 400 MB and on one of 4 GB, ten times as long.

Each command runs in a process of its own, which the system says the peak of. What is mapped from a
file counts while it is resident, though the system could take it back at any time.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from harness import Line, report

SMALL, TIMES = 400_000_000, 10
COMMANDS = {
    "one epoch, as it is read": ["--max-epochs", "1"],
    "three epochs, from a cache": ["--max-epochs", "3"],
    "three epochs, shuffled, from the cache": ["--max-epochs", "3", "--order", "shuffle"],
    "three epochs without a cache": ["--max-epochs", "3", "--no-cache"],
}


def write(folder: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    rows, each = 20_000, 60
    columns = np.sort(rng.integers(1, 99_000, (rows, each)), axis=1) + np.arange(each)
    values = rng.random((rows, each))
    labels = rng.integers(0, 2, rows)
    lines = [
        f"{label} " + " ".join(f"{j}:{v:.6f}" for j, v in zip(js, vs, strict=True)) + "\n"
        for label, js, vs in zip(labels, columns.tolist(), values.tolist(), strict=True)
    ]
    part = "".join(lines).encode()
    small, large = folder / "small.svm", folder / "large.svm"
    for path, size in ((small, SMALL), (large, TIMES * SMALL)):
        with path.open("wb") as file:
            for _ in range(size // len(part)):
                file.write(part)
    return small, large


def peak(path: Path, words: list[str]) -> float:
    """Megabytes."""
    command = [sys.executable, "-m", "novikoff", "fit", str(path), *words, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, out
    return usage.ru_maxrss / 1024


def main() -> None:
    lines = []
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as name:
        small, large = write(Path(name))
        for what, words in COMMANDS.items():
            few, many = peak(small, words), peak(large, words)
            print(f"{what}: {few:.0f} MB and {many:.0f} MB", flush=True)
            lines.append(Line(what, "ten times the file: peak of memory", 1 / 1.1, [few / many]))
    report("memory", lines)


if __name__ == "__main__":
    main()
