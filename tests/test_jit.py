"""The disk cache of compiled code: used by the next process, and never stale."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import novikoff

SCRIPT = """
import numpy as np
from novikoff.learning.learner import Learner
from novikoff.learning.loop import NoLog, epoch_for
from novikoff.learning.rows import make_rows
from novikoff.learning.rules import Averaged, Perceptron
import sys
sys.path.insert(0, ".")
{more}
for rule in rules:
    learner = Learner(rule, 2)
    learner.read(make_rows(np.array([[1.0, 2.0]]), True, False), np.array([1], np.uint16))
    stats = epoch_for(learner.rule, NoLog()).compiled.stats
    print(learner.states[0].weights.tolist(), sum(stats.cache_hits.values()))
"""
RULE = """
from typing import NamedTuple
from novikoff.learning.rules import TIES, Tie

class Own(NamedTuple):
    tie: Tie = TIES["mistake"]

    def step(self, state, row, seen):
        return 3.0 if seen.mistaken else 0.0
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, and how to run the script with it in a new process."""
    source = Path(novikoff.__file__).parent
    package = tmp_path / "src" / "novikoff"
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("__pycache__"))

    def run(more):
        env = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
        env.pop("NUMBA_CACHE_DIR", None)
        code = SCRIPT.format(more=more)
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=env, cwd=tmp_path
        )
        counts = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
        return [(weights, int(hits)) for weights, hits in counts]

    return tmp_path, package, run


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    state = file.stat()
    file.write_text(text.replace(old, new))
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))  # not even the time tells


def test_the_next_process_finds_the_code_and_an_edited_rule_or_row_is_compiled_anew(copy):
    _, package, run = copy
    rules = "rules = Perceptron(), Averaged(Perceptron())"
    assert run(rules) == [("[1.0, 2.0, 1.0]", 0)] * 2
    assert run(rules) == [("[1.0, 2.0, 1.0]", 1)] * 2
    edit(
        package / "learning" / "rules" / "perceptron.py",
        "return self.eta if seen.mistaken",
        "return self.eta * 2 if seen.mistaken",
    )
    assert run(rules) == [("[2.0, 4.0, 2.0]", 0)] * 2
    assert run(rules) == [("[2.0, 4.0, 2.0]", 1)] * 2
    edit(
        package / "learning" / "rows.py",
        "dense_add(self.values, amount, weights)",
        "dense_add(self.values, -amount, weights)",
    )
    assert run("rules = [Perceptron()]") == [("[-2.0, -4.0, 2.0]", 0)]


READS = """
import novikoff.data as sources
from novikoff.data.text.svmlight.kernel import scan_rows
with open("a.svm", "w") as file:
    file.write("1 1:0.5\\n-1 2:0.25\\n")
values = sources.open("a.svm").read().X.data.tolist()
print(values, sum(scan_rows.compiled.stats.cache_hits.values()))
"""


def test_a_reader_is_compiled_anew_if_what_it_calls_was_edited(copy):
    """Numba itself looks at the file of the loop alone, not of the functions it calls."""
    folder, package, _ = copy
    env = os.environ | {"PYTHONPATH": str(folder / "src")}
    env.pop("NUMBA_CACHE_DIR", None)

    def read():
        command = [sys.executable, "-c", READS]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=env, cwd=folder
        )
        values, hits = done.stdout.rsplit(" ", 1)
        return values, int(hits)

    assert read() == ("[0.5, 0.25]", 0)
    assert read() == ("[0.5, 0.25]", 1)
    edit(
        package / "data" / "text" / "decimal_to_double.py",
        "np.float64(exact / _EXACT_TENS",
        "np.float64(2.0 * exact / _EXACT_TENS",
    )
    assert read() == ("[1.0, 0.5]", 0)
    for file in (package / "data" / "text" / "svmlight").glob("*.py"):  # a class, renamed
        if "SvmlightOutput" in file.read_text():
            edit(file, "SvmlightOutput", "SvmlightResult")
    assert read() == ("[1.0, 0.5]", 0)
    assert read() == ("[1.0, 0.5]", 1)


def test_a_rule_in_a_module_of_its_own_is_cached_apart(copy):
    folder, _, run = copy
    (folder / "mine.py").write_text(RULE)
    own = "from mine import Own\nrules = [Own()]"
    assert run(own) == [("[3.0, 6.0, 3.0]", 0)]
    assert run(own) == [("[3.0, 6.0, 3.0]", 1)]
    edit(folder / "mine.py", "3.0 if", "5.00 if")  # a length that Python itself notices
    assert run(own) == [("[5.0, 10.0, 5.0]", 0)]
    # the package's own rules do not depend on the module that was cached beside them
    assert run("rules = [Perceptron()]") == [("[1.0, 2.0, 1.0]", 0)]
    (folder / "mine.py").unlink()
    assert run("rules = [Perceptron()]") == [("[1.0, 2.0, 1.0]", 1)]


def test_a_rule_from_the_main_script_just_compiles(copy):
    _, _, run = copy
    for _ in range(2):
        assert run(RULE + "\nrules = [Own()]") == [("[3.0, 6.0, 3.0]", 0)]


def test_without_a_place_to_write_it_compiles_all_the_same(copy, monkeypatch):
    _, package, run = copy
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setenv("HOME", "/proc/nowhere")
    shutil.rmtree(package / "__pycache__", ignore_errors=True)
    (package / "__pycache__").write_text("not a folder")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert run("rules = [Perceptron()]") == [("[1.0, 2.0, 1.0]", 0)]


def test_code_that_two_processes_save_at_once_is_not_mixed_up(tmp_path, monkeypatch):
    """Both read the index before the other wrote it, as happens when nothing is compiled yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    script = tmp_path / "doubled.py"
    script.write_text(
        "from novikoff.jit import compile_loop\n"
        "def doubled(array):\n"
        "    for k in range(array.shape[0]):\n"
        "        array[k] = 2 * array[k]\n"
        "loop = compile_loop(doubled)\n"
        "import sys, numpy as np\n"
        "kinds = {'f': np.float32, 'd': np.float64}\n"
        "if sys.argv[1] == 'both':\n"
        "    loop.compiled._cache._cache_file._load_index = lambda: {}\n"
        "for kind in sys.argv[2]:\n"
        "    array = np.arange(4, dtype=kinds[kind])\n"
        "    loop.compiled(array)\n"
        "    assert (array == [0, 2, 4, 6]).all()\n"
        "print(sum(loop.compiled.stats.cache_hits.values()))\n"
    )

    def run(*words):
        command = [sys.executable, str(script), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert run("both", "fd") == "0"  # as two processes that each find an empty index
    codes = [path.name for path in tmp_path.rglob("*doubled*.nbc")]
    assert len(codes) == 2
    assert run("alone", "d") == "1"  # the last one's index counts, and names its own code
    assert run("alone", "f") == "0"
    assert run("alone", "fd") == "2"
