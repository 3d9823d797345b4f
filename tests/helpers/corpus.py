"""A corpus of outputs, to compare two versions of the source: `python corpus.py record FOLDER` runs
the commands on the built-in data and keeps what they print and write; `python corpus.py compare OLD
NEW` lists what differs. It speaks to the program through its commands and public names alone.

`digests` is the cheap part, which a test holds: the bytes of models.
"""

import contextlib
import difflib
import hashlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

RULES = (
    "perceptron",
    "one-sided",
    "averaged",
    "voted",
    "margin",
    "passive-aggressive",
    "second-order",
    "winnow",
    "balanced-winnow",
)
SMALL = ("and", "or", "xor", "iris-setosa", "iris-versicolor", "disjunction", "separable", "tight")
ALL = (*SMALL, "wdbc", "digits-8")

CSV = "a,b,colour,y\n1,2.5,red,no\n3,-1,blue,yes\n-2,0.5,red,yes\n0.25,4,green,no\n1,1,blue,yes\n"
SVM = "+1 1:0.5 3:2 # first\n-1 2:1.5\n+1 1:-1 2:3\n-1 1:2 3:-0.125\n"
VW = "1 |a x:2 y |b z:0.5\n-1 |a y:3\n1 |b z w:-1\n-1 |a x y |b w\n"
BAD = "a,b,y\n1,2,no\n3,oops,yes\n4,5,yes\n6,nan,no\n"
COUNTS = "x,z,y\n1,0,0\n0,1,3\n1,0,0\n0,1,1\n0,0,2\n"


def write_files(folder: Path) -> None:
    """The files that the commands read."""
    for name, text in {
        "table.csv": CSV,
        "rows.svm": SVM,
        "rows.vw": VW,
        "bad.csv": BAD,
        "counts.csv": COUNTS,
        "empty.csv": "",
        "one.csv": "a,y\n1,x\n2,x\n",
        "three.csv": "a,b,y\n1,0,r\n0,1,s\n-1,-1,t\n2,0,r\n0,2,s\n",
    }.items():
        (folder / name).write_text(text)
        os.utime(folder / name, (0, 0))  # a cache knows its originals by their time, too


def commands() -> Iterator[list[str]]:
    """All that are run, in order: later ones read what earlier ones wrote."""
    yield ["--help"]
    yield ["--version"]
    for name in [
        "fit",
        "predict",
        "check",
        "bound",
        "verify",
        "trace",
        "cover",
        "convert",
        "examples",
        "demo",
        "lab",
    ]:
        yield [name, "--help"]
    for name in ALL:
        data = f"example:{name}"
        yield ["examples", name]
        for rule in RULES:
            out = f"{name}.{rule}.model"
            yield ["fit", data, "--rule", rule, "--max-epochs", "20", "--save", out, "--quiet"]
        yield ["fit", data, "--max-epochs", "20", "--json"]
        yield [
            "fit",
            data,
            "--max-epochs",
            "20",
            "--order",
            "shuffle",
            "--seed",
            "3",
            "--init",
            "random",
            "--eta",
            "0.5",
            "--save",
            f"{name}.shuffled.model",
        ]
        yield [
            "fit",
            data,
            "--max-epochs",
            "30",
            "--certificate",
            f"{name}.fit.json",
            "--run-certificate",
            f"{name}.run.json",
        ]
        yield ["predict", f"{name}.perceptron.model", data]
        yield ["check", data, "--certificate", f"{name}.json"]
        yield ["check", data, "--json"]
        yield ["check", data, "--unit-length", "--no-bias", "--precision", "0.01", "--json"]
        yield ["verify", f"{name}.json", data]
        yield ["verify", f"{name}.json", data, "--json"]
        yield ["cover", data, "--json"]
        yield ["convert", data, f"{name}.nkcache"]
    for name in SMALL:
        data = f"example:{name}"
        yield ["bound", data]
        yield ["bound", data, "--json"]
        for rule in ("perceptron", "margin", "averaged", "passive-aggressive", "winnow"):
            yield ["trace", data, "--rule", rule, "--max-epochs", "20"]
        yield ["trace", data, "--max-epochs", "20", "--json"]
        yield ["trace", data, "--max-epochs", "20", "--output", f"{name}.trace.csv"]
        yield ["check", data, "--report", f"{name}.check.html"]
        yield ["check", data, "--plot", f"{name}.check.svg"]
        yield ["fit", data, "--max-epochs", "20", "--report", f"{name}.fit.html"]
        yield ["trace", data, "--max-epochs", "20", "--report", f"{name}.trace.html"]
    yield ["cover", "10", "3"]
    yield ["cover", "10", "3", "--json"]
    yield ["cover", "--capacity", "5", "--report", "capacity.html"]
    yield ["bound", "--radius", "3", "--margin", "0.5"]
    yield ["bound", "--relevant", "3", "--features", "100", "--json"]
    yield ["demo"]
    for file in (
        "table.csv",
        "rows.svm",
        "rows.vw",
        "bad.csv",
        "empty.csv",
        "one.csv",
        "three.csv",
        "counts.csv",
        "nowhere.csv",
    ):
        yield ["fit", file, "--save", f"{file}.model"]
        yield ["fit", file, "--json"]
        yield ["check", file, "--json"]
        yield ["check", file, "--certificate", f"{file}.json"]
        yield ["verify", f"{file}.json", file]
        yield ["predict", f"{file}.model", file]
        yield ["convert", file, f"{file}.nkcache"]
        yield ["fit", f"{file}.nkcache", "--json"]
        yield ["fit", file, "--checkpoint", f"{file}.checkpoint", "--quiet"]
        yield ["trace", file]
    yield ["check", "counts.csv", "--family", "poisson"]
    yield ["check", "counts.csv", "--family", "poisson", "--json"]
    yield ["check", "three.csv", "--positive", "r"]
    yield ["fit", "bad.csv", "--bad-rows", "skip"]
    yield ["fit", "rows.vw", "--hash-bits", "6", "--json"]
    yield ["check", "table.csv", "--decimal", "--json"]
    yield ["check", "table.csv", "--contrast", "a=1,b=-1"]
    yield ["fit", "table.csv", "--rule", "nonsense"]
    yield ["fit", "table.csv", "--eta", "-1"]
    yield ["fit", "table.csv", "--param", "alpha=3"]


def run(words: list[str]) -> str:
    """What the command exits with, prints and complains of."""
    from novikoff.cli import main

    out, err = io.StringIO(), io.StringIO()
    sys.argv = ["novikoff", *words]
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        except BaseException as error:  # a traceback is an output too
            code = repr(error)
    return f"exit {code}\n--- out\n{out.getvalue()}--- err\n{err.getvalue()}"


#: What is of the moment: times, speeds, and identifiers that Bokeh draws.
PASSING = (
    (re.compile(r"[\d.,]+(e-\d+)? ?(ms|µs|s|seconds?|minutes?)\b"), "TIME"),
    (
        re.compile(r"[\d.,]+( thousand| million| billion|[kKMG])? (rows|GB|MB)(/s| a second)"),
        "SPEED",
    ),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
    (re.compile(r"\bp\d{4,}\b"), "PID"),
    (re.compile(r"[\d.]+e-TIME"), "TIME"),
    (re.compile(r'"seconds": [0-9.e-]+'), '"seconds": TIME'),
    (re.compile(r"\b(mpl|m|p|clip)[0-9a-f]{10}\b"), "SVGID"),
    (re.compile(r"<dc:date>[^<]*"), "<dc:date>"),
)


def settled(text: str) -> str:
    """The text without what is of the moment."""
    for pattern, instead in PASSING:
        text = pattern.sub(instead, text)
    return text


def record(folder: Path) -> None:
    """Run everything inside the folder."""
    folder.mkdir(parents=True)
    os.chdir(folder)
    os.environ.update(COLUMNS="80", TERM="dumb", NO_COLOR="1", SOURCE_DATE_EPOCH="0")
    write_files(Path())
    said = []
    for words in commands():
        said.append(f"$ novikoff {' '.join(words)}\n{settled(run(words))}")
    Path("said.txt").write_text("\n".join(said))


def contents(folder: Path) -> dict[str, str]:
    """Each file's name and content; of what is not text, a digest."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            data = path.read_bytes()
            try:
                text = settled(data.decode())
            except UnicodeDecodeError:
                if path.suffix == ".checkpoint":  # safetensors keeps its texts in any order
                    size = 8 + int.from_bytes(data[:8], "little")
                    texts = sorted(re.split(rb"[,:{}] *", data[8:size].strip()))
                    texts = [each for each in texts if not re.fullmatch(rb"[0-9.e-]+", each)]
                    data = b",".join(texts) + data[size:]
                text = hashlib.sha256(data).hexdigest()
            found[str(path.relative_to(folder))] = text
    return found


def compare(old: Path, new: Path) -> int:
    """Print the differences; how many files differ."""
    before, after = contents(old), contents(new)
    differing = 0
    for name in sorted(before.keys() | after.keys()):
        a, b = before.get(name, ""), after.get(name, "")
        if a != b:
            differing += 1
            lines = difflib.unified_diff(a.splitlines(), b.splitlines(), name, name, "", "", 2)
            for line in list(lines)[:60]:
                print(line[:300])  # noqa: T201
    print(f"{differing} of {len(before.keys() | after.keys())} files differ")  # noqa: T201
    return differing


def digests() -> dict[str, str]:
    """The digest of each small example's model by every rule, made in the present folder."""
    found = {}
    for name in SMALL:
        for rule in RULES:
            out = f"{name}.{rule}.model"
            words = ["--rule", rule, "--max-epochs", "20", "--save", out, "--quiet"]
            run(["fit", f"example:{name}", *words])
            if Path(out).exists():  # some rules take no such rows
                found[out] = hashlib.sha256(Path(out).read_bytes()).hexdigest()[:16]
    return found


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", folder]:
            record(Path(folder).resolve())
        case ["compare", old, new]:
            sys.exit(bool(compare(Path(old), Path(new))))
        case ["digests"]:
            print(json.dumps(digests(), indent=1))  # noqa: T201
        case _:
            sys.exit(__doc__)
