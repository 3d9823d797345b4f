"""Short versions of the attack: nothing wrong is taken, nothing raises, crashes or takes long."""

import json
import subprocess
import sys

import pytest
from hypothesis import settings

from tests.helpers.bounds_checks import run_with_bounds_checks
from tests.helpers.environment import ROOT, with_tests
from tests.helpers.examples import WAITING
from tests.helpers.rule_table import RULES

HURRY = settings.get_current_profile_name() == WAITING
FILES = ("models", "pipelines", "checkpoints", "caches", "certificates")
#: The share of the full attack, for a person who waits and where there is time.
SECTIONS = {
    FILES: (0.02, 0.2),
    ("arrays",): (0.01, 0.1),
    ("texts",): (0.004, 0.04),
    ("bounds",): (0.001, 0.01),
    ("lab",): (0.02, 0.2),
    ("kills",): (0.04, 0.2),
}


@pytest.mark.parametrize("sections", SECTIONS, ids=" ".join)
def test_the_attack_finds_nothing(sections, tmp_path):
    scale, out = SECTIONS[sections][not HURRY], tmp_path / "attack.json"
    command = [sys.executable, "-m", "benchmarks.attack", *sections, "--scale", str(scale)]
    done = subprocess.run(
        [*command, "--out", str(out)],
        env=with_tests(),
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert out.exists(), done.stderr
    for line in json.loads(out.read_text())["lines"]:
        assert line["equal"] > 0  # what is right is taken
        wrong = line["different"], line["traceback"], line["crash"]
        assert wrong == (0, 0, 0), "\n".join([line["section"], *line["findings"]])
        assert line["slowest"] < 20  # seconds, of which one is wanted
        assert line["peak"] < 200, line["section"]  # MB


#: A rule that moves along the row, one that multiplies, one with a matrix, one with a list.
SOME_RULES = ("perceptron-eta", "winnow-complement", "second-order", "voted")


def test_no_index_of_the_loop_is_ever_out_of_bounds(tmp_path):
    """Every rule on dense and sparse rows, as they are and of length 1."""
    select, passed = "test_dense_and_csr", 2 * len(RULES)
    if HURRY:
        rules = " or ".join(SOME_RULES)
        select, passed = f"{select} and ({rules}) and unit", len(SOME_RULES)
    rules = str(ROOT / "tests" / "learning" / "test_rules.py")
    run_with_bounds_checks(rules, tmp_path, passed, select)
