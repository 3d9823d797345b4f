"""The command: which sections, how much of each, and the table of what came of it."""

import argparse
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

from benchmarks.attack import tally
from benchmarks.attack.sections import SECTIONS, Settings

RESULTS = Path(__file__).parents[1] / "results" / "attack.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attack", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--scale", type=float, default=1.0, help="1.0 for the full counts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="only this case, to see what came of it")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the table goes as JSON")
    words = parser.parse_args()
    unknown = set(words.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore")
    settings = Settings(words.scale, words.seed, words.case)
    with tempfile.TemporaryDirectory(prefix="novikoff-attack-", ignore_cleanup_errors=True) as home:
        tempfile.tempdir = os.environ["TMPDIR"] = home  # for processes that are killed, too
        tallies = run(words.sections or list(SECTIONS), settings)
    print(tally.table(tallies))
    tally.write(words.out, tallies, scale=words.scale, seed=words.seed)
    return 0 if all(each.holds for each in tallies) else 1


def run(sections: list[str], settings: Settings) -> list[tally.Tally]:
    """What the sections find."""
    tallies: list[tally.Tally] = []
    for name in sections:
        began = time.perf_counter()
        tallies += SECTIONS[name](settings, tallies)
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return tallies


if __name__ == "__main__":
    sys.exit(main())
