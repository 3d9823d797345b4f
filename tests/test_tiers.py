"""Few rows compile nothing, many are compiled, and neither changes a bit of what comes out."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from novikoff import jit
from novikoff.cli.shared.progress.search_progress import SearchProgress

COMMANDS = [
    "check example:and",
    "check example:xor",
    "check example:iris-setosa",
    "check example:digits-8",
    "fit example:iris-setosa",
    "fit example:separable",
    "trace example:iris-setosa",
    "trace example:disjunction --rule winnow",
    "bound example:iris-setosa",
    "bound example:iris-versicolor",
    "cover example:iris-setosa",
    "check table.csv --target y",
    "check words.csv --target y",
    "fit rows.svm",
]
#: As `python -m novikoff`, and at the end the heavy modules that were imported.
SCRIPT = """
import sys
from novikoff.cli import main
try:
    main()
finally:
    print(sorted({"numba", "sklearn"} & sys.modules.keys()), file=sys.stderr)
"""


@pytest.fixture
def shell(tmp_path):
    """Run a command in a new process, where nothing has been compiled before."""
    cells = [f"{i % 7},{i * i % 11}.5,{i % 2}" for i in range(60)]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,y", *cells]) + "\n")
    words = [f'"c{i % 3}",{i % 5},{"yes" if i % 2 else "no"}' for i in range(60)]
    (tmp_path / "words.csv").write_text("\n".join(["a,b,y", *words]) + "\n")
    rows = [f"{1 if i % 2 else -1} 1:{i % 7} {3 + i % 2}:{i % 5}.25" for i in range(60)]
    (tmp_path / "rows.svm").write_text("\n".join(rows) + "\n")

    def run(command, **variables):
        cache = tmp_path / "cache"
        cache.mkdir(exist_ok=True)
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | variables
        if not variables:
            environment.pop("NOVIKOFF_PLAIN_STEPS")
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, *command.split()],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        return done, [*cache.rglob("*.nbc")]

    return run


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_on_small_data_compiles_nothing(shell, command):
    done, compiled = shell(f"{command} --json")
    assert (done.stderr.splitlines()[-1], compiled) == ("[]", [])


@pytest.mark.parametrize(
    "command",
    [
        "check example:iris-versicolor --certificate",
        "check words.csv --target y --certificate",
        "fit example:separable --save",
        "fit rows.svm --rule averaged --max-epochs 5 --save",
    ],
)
def test_no_output_depends_on_what_was_compiled(shell, command, tmp_path):
    results, files = [], []
    for variables in ({}, {"NOVIKOFF_PLAIN_STEPS": "0"}):
        done, compiled = shell(f"{command} out", **variables)
        text = re.sub(r"in [0-9.e-]+ s:", "", done.stdout)
        results.append((text, (tmp_path / "out").read_bytes()))
        (tmp_path / "out").unlink()
        files.append(len(compiled))
    assert results[0] == results[1]
    assert files[0] == 0 < files[1]


def test_a_loop_is_compiled_when_its_budget_is_spent(monkeypatch):
    monkeypatch.setenv("NOVIKOFF_PLAIN_STEPS", "10")
    monkeypatch.setattr(jit.Budget, "is_open", True)  # whatever ran in this process before

    def double(array):
        for k in range(array.shape[0]):
            array[k] *= 2.0

    def double_at_once(array):
        calls.append(len(array))
        array *= 2.0

    calls: list[int] = []
    loop = jit.compile_loop(double, work=len, plain=double_at_once, cache=False)
    array = np.full(4, 1e308)
    for _ in range(2):
        loop(array)  # overflows, without a warning
    assert calls == [4, 4]
    assert loop._dispatcher is None
    loop(array)
    assert calls == [4, 4]
    assert len(loop.compiled.overloads) == 1
    loop(array[:1])  # once compiled, it stays so
    assert calls == [4, 4]
    assert np.isinf(array).all()


def test_a_process_that_lives_long_compiles_at_once(monkeypatch):
    monkeypatch.delenv("NOVIKOFF_PLAIN_STEPS")
    monkeypatch.setattr(jit.Budget, "is_open", True)
    assert jit.Budget(5).take(4)
    jit.compile_at_once()
    assert not jit.Budget(5).take(4)


def test_progress_says_that_something_is_being_compiled():
    lines = []

    def watched(number):
        return number

    def choose(kind):
        lines.append([part.wide for part in SearchProgress(quiet=True).parts()][1:])
        return lambda number: number

    def loop(number):
        return watched(number)

    jit._overload(watched, choose)
    assert jit.compile_loop(loop, cache=False)(3) == 3
    assert lines[0] == ["compiling, once"]
    assert [part.wide for part in SearchProgress(quiet=True).parts()][1:] == []
