"""Tests of kernels once more, in a process in which compiled code checks every index."""

import subprocess
import sys
from pathlib import Path

from tests.helpers.environment import with_tests

SCRIPT = """
import sys
import pytest
from tests.helpers.bounds_checks import require_bounds_checks
require_bounds_checks()
words = ["-q", "-n", "0", "-p", "no:cacheprovider", "-k", sys.argv[2], sys.argv[1]]
sys.exit(pytest.main(words))
"""


def bounds_checks_environment(cache: Path, **more: str) -> dict[str, str]:
    """An environment in which compiled code checks every index.

    cache: an empty folder, because what was compiled without the checks must not be taken.
    """
    compiled = {"NOVIKOFF_PLAIN_STEPS": "0"}  # small inputs too
    return with_tests(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(cache), **compiled, **more)


def require_bounds_checks() -> None:
    """Prove that indices are checked here: Numba can switch the checks off without a word."""
    import numpy as np

    from novikoff.data.text.number_kernel import byte
    from novikoff.jit import compile_loop

    read = compile_loop(lambda text, at: byte(text, at), cache=False)
    try:
        read(np.zeros(4, np.uint8), 4)
    except IndexError:
        return
    raise AssertionError("compiled code reads beyond the end of an array")


def run_with_bounds_checks(
    file: str, cache: Path, passed: int, select: str = "not out_of_bounds", **more: str
) -> None:
    """Run those tests of a file whose names are selected, of which so many must pass.

    cache: an empty folder. select: without the test that calls this, to begin with.
    """
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, file, select],
        env=bounds_checks_environment(cache, **more),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"\n{passed} passed" in done.stdout
