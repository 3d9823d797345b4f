"""From the shell to a result: `novikoff fit example:wdbc`, warm, against `import sklearn` alone."""

import subprocess
import sys

from harness import Line, faster, report, take_turns

REPEATS = 11


def command(*words: str):
    return lambda: subprocess.run([sys.executable, *words], capture_output=True, check=True)


if __name__ == "__main__":
    seconds = take_turns(
        {
            "fit": command("-m", "novikoff", "fit", "example:wdbc"),
            "help": command("-m", "novikoff", "--help"),
            "import": command("-c", "import sklearn"),
        },
        REPEATS,
    )
    report(
        "startup",
        [
            Line(
                "novikoff fit example:wdbc",
                "import sklearn",
                1 / 1.5,
                faster(seconds, "fit", "import"),
            ),
            Line("novikoff --help", "import sklearn", None, faster(seconds, "help", "import")),
        ],
    )
