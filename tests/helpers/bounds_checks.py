"""Tests of kernels once more, in a process in which compiled code checks every index."""

import os
import subprocess
import sys
from pathlib import Path

#: It must be proven first: Numba has options that switch the checks off without a word.
SCRIPT = """
import sys
import numpy as np
import pytest
from novikoff.jit import compile_loop
from novikoff.data.text.number_kernel import byte
read = compile_loop(lambda text, at: byte(text, at), cache=False)
with pytest.raises(IndexError):
    read(np.zeros(4, np.uint8), 4)
words = ["-q", "-n", "0", "-p", "no:cacheprovider", "-k", "not out_of_bounds", sys.argv[1]]
sys.exit(pytest.main(words))
"""


def run_with_bounds_checks(file: str, cache: Path, passed: int, **more: str) -> None:
    """Run a file's tests, but the one that calls this: so many must pass.

    cache: an empty folder, because what was compiled without the checks must not be taken.
    """
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)} | more
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, file],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{passed} passed, 1 deselected" in done.stdout
