"""The inputs that were taken, once more, in a process whose compiled code checks every index."""

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from benchmarks.attack.children import Attempt
from benchmarks.attack.sections import ATTACKS, attack_on
from benchmarks.attack.tally import Outcome, Tally
from benchmarks.attack.texts import FORMATS, TextAttack
from tests.helpers.bounds_checks import bounds_checks_environment, require_bounds_checks


def rerun_with_bounds_checks(before: list[Tally], seed: int) -> Tally:
    """Run the accepted cases again."""
    accepted = {each.section: each.accepted for each in before if each.section in CHECKED}
    with tempfile.TemporaryDirectory() as folder:
        cases, found = Path(folder, "cases.json"), Path(folder, "found.json")
        cases.write_text(json.dumps({"seed": seed, "accepted": accepted}))
        command = [sys.executable, "-m", "benchmarks.attack.bounds", str(cases), str(found)]
        environment = bounds_checks_environment(Path(folder, "compiled"))
        subprocess.run(command, env=environment, check=True)
        tally = Tally("bounds")
        for case, kind, detail in json.loads(found.read_text()):
            tally.add(case, Outcome(kind, detail))
    tally.figures["cases"] = ", ".join(f"{len(each):,} {name}" for name, each in accepted.items())
    return tally


#: The sections whose input reaches compiled code.
CHECKED = (*ATTACKS, *FORMATS)


def _attack(section: str, seed: int) -> Attempt:
    if section in FORMATS:
        return TextAttack(section, seed, compiled=False)
    return attack_on(section, seed, **{"compiled": False} if section == "arrays" else {})


def main(cases: str, found: str) -> None:
    """In the process that checks: the outcome of every case."""
    warnings.simplefilter("ignore")
    require_bounds_checks()
    asked, reports = json.loads(Path(cases).read_text()), []
    for section, numbers in asked["accepted"].items():
        attack = _attack(section, asked["seed"])
        for case in numbers:
            outcome = attack(case)
            reports.append([case, outcome.kind, f"{section}: {outcome.detail}"])
    Path(found).write_text(json.dumps(reports))


if __name__ == "__main__":
    main(*sys.argv[1:])
