"""The command: which sections, how much of each, and the table of what came of it."""

import argparse
import sys
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
    tallies: list[tally.Tally] = []
    for name in words.sections or SECTIONS:
        began = time.perf_counter()
        found = SECTIONS[name](settings, tallies)
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        tallies += found
    print(tally.table(tallies))
    tally.write(words.out, tallies, scale=words.scale, seed=words.seed)
    return 0 if all(each.holds for each in tallies) else 1


if __name__ == "__main__":
    sys.exit(main())
