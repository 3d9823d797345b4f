"""Text of every format, from the grammar and from noise, read in blocks of several sizes.

Whatever the size of a block, the answer must be the same: the same rows, labels, lines, names and
skipped rows, or the same refusal.
"""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import novikoff as nk
from benchmarks.attack.children import rng_for
from benchmarks.attack.damage import damage_bytes
from benchmarks.attack.tally import DIFFERENT, EQUAL, REFUSED, Outcome, attempt
from novikoff.data.files import blocks
from novikoff.errors import DataError

FORMATS = ("svmlight", "csv", "tsv", "vw")
SUFFIX = {"svmlight": ".svm", "csv": ".csv", "tsv": ".tsv", "vw": ".vw"}
BLOCKS = (2**21, 61, 400)
MEAN_BYTES = 2000
NUMBERS = (
    "0", "1", "-1", "0.5", "-0.0", "1e-9", "+3", ".5", "5.", "1e308", "7" * 25, "0.1" + "0" * 30,
    "2470328229206232720882843964341106861825299013e-370",
)  # fmt: skip
BAD_NUMBERS = ("nan", "inf", "1e999", "1_0", "0x1", "", "--1", "1e", "٣", "1\x00", "9" * 400)
NOISE = (b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\r", b"\x0b", b"\x1c", b"\xc2\x85",
         b"\xe2\x80\xa8", b'"', b"#", b":", b"|", b",", b"\t", b"9" * 300, b"x" * 1001)  # fmt: skip


def number(rng: random.Random, bad: float) -> str:
    if rng.random() < bad:
        return rng.choice(BAD_NUMBERS)
    return rng.choice(NUMBERS) if rng.random() < 0.3 else f"{rng.uniform(-9, 9):.3f}"


def label(rng: random.Random, words: bool, bad: float) -> str:
    if rng.random() < bad:
        return rng.choice(["", "x y", "nan", "1e999", "a:b", "Ω", "'t", "2.5", "maybe"])
    return rng.choice(["no", "yes"] if words else ["0", "1", "+1", "1.0"][: rng.choice([2, 4])])


def svmlight_line(rng: random.Random, words: bool, bad: float) -> str:
    columns = sorted(rng.sample(range(1, 40), rng.randint(0, 6)))
    if rng.random() < bad:
        columns = [rng.choice([0, -1, 2**31, 2**63, 3, 3]), *columns]
    pairs = [f"{j}:{number(rng, bad)}" for j in columns]
    if rng.random() < 0.1:
        pairs.insert(rng.randrange(len(pairs) + 1), rng.choice(["qid:7", "qid:", "# 1:2", "5"]))
    return " ".join([label(rng, words, bad), *pairs])


def csv_line(rng: random.Random, words: bool, bad: float, mark: str = ",", width: int = 4) -> str:
    fields = [number(rng, bad) for _ in range(width)]
    if rng.random() < bad:
        fields.append("1")
    if rng.random() < 0.1:
        k = rng.randrange(len(fields))
        fields[k] = rng.choice([f'"{fields[k]}"', f'"{fields[k]}""', '"1\n2"', f" {fields[k]} "])
    return mark.join([*fields, label(rng, words, bad)])


def tsv_line(rng: random.Random, words: bool, bad: float) -> str:
    return csv_line(rng, words, bad, "\t")


def vw_line(rng: random.Random, words: bool, bad: float) -> str:
    text = label(rng, words, bad) + rng.choice(["", " 1.0", " 'tag", " 1 0 'x"])
    for _ in range(rng.randint(0 if rng.random() < bad else 1, 3)):
        text += f" |{rng.choice(['', 'a', 'b', 'ü', 'a:2', 'n' * 40])}"
        for _ in range(rng.randint(0, 4)):
            name = rng.choice(["x", "y", "zed", "ü", "'q", f"f{rng.randrange(30)}"])
            text += f" {name}" + rng.choice(["", f":{number(rng, bad)}", ":word"])
    return text


LINES: dict[str, Callable[[random.Random, bool, float], str]] = {
    "svmlight": svmlight_line, "csv": csv_line, "tsv": tsv_line, "vw": vw_line,
}  # fmt: skip


def make_text(rng: random.Random, kind: str) -> bytes:
    """Some text: rows by the grammar with few or many mistakes, damaged, or mere noise."""
    size = min(10 * MEAN_BYTES, 1 + int(rng.expovariate(1 / MEAN_BYTES)))
    if rng.random() < 0.05:
        return rng.randbytes(size)
    words, bad = rng.random() < 0.3, rng.choice([0.0, 0.0, 0.0, 0.002, 0.02, 0.3])
    end = rng.choice(["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\r"])
    lines, length = [], 0
    if kind in ("csv", "tsv") and rng.random() < 0.5:
        mark = "," if kind == "csv" else "\t"
        lines.append(mark.join(rng.choice([["a", "b", "c", "d", "y"], ["a", "a", "", "d", "y"]])))
    while length < size:
        lines.append(LINES[kind](rng, words, bad))
        length += len(lines[-1]) + len(end)
    text = end.join(lines).encode() + (end.encode() if rng.random() < 0.7 else b"")
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        if rng.random() < 0.5:
            text = damage_bytes(rng, text, text[::-1])
        else:
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(NOISE) + text[place:]
    return text


class TextAttack:
    """Cases on one format. compiled: as for arrays."""

    def __init__(self, kind: str, seed: int, compiled: bool = True) -> None:
        self.kind, self.seed = kind, seed
        self.folder = Path(tempfile.mkdtemp(prefix="novikoff-attack-"))
        for case in range(20 * compiled):
            self(case)

    def text(self, case: int) -> tuple[random.Random, bytes]:
        rng = rng_for(self.kind, self.seed, case)
        return rng, make_text(rng, self.kind)

    def cases(self, size: float) -> range:
        """So many cases that their texts have so many bytes together."""
        total, case = 0, 0
        while total < size:
            total += len(self.text(case)[1])
            case += 1
        return range(case)

    def __call__(self, case: int) -> Outcome:
        rng, text = self.text(case)
        path = self.folder / f"text{SUFFIX[self.kind]}"
        path.write_bytes(text)
        options: dict[str, Any] = {"format": "csv" if self.kind == "tsv" else self.kind}
        options |= {"labelled": False} if rng.random() < 0.2 else {}
        options |= {"bad_rows": "skip"} if rng.random() < 0.5 else {}
        if self.kind == "vw" and rng.random() < 0.3:
            options["hash_bits"] = 10
        return attempt(lambda: compare_blocks(path, options, rng.choice(BLOCKS[1:])))


def compare_blocks(path: Path, options: dict[str, Any], size: int) -> Outcome:
    """Read a file in one block, and in blocks of this size."""
    whole, parts = (read_in_blocks(path, options, each) for each in (BLOCKS[0], size))
    if whole != parts:
        return Outcome(DIFFERENT, f"{options}, blocks of {size}: {_first_difference(whole, parts)}")
    if isinstance(whole, str):
        return Outcome(REFUSED, whole)
    return Outcome(EQUAL)


def read_in_blocks(path: Path, options: dict[str, Any], size: int) -> Any:
    """All that a file says, or why it is refused."""
    before, blocks.BLOCK_BYTES = blocks.BLOCK_BYTES, size
    try:
        source = nk.open(path, **options)
        X, y, lines = source.read()
    except DataError as error:
        return str(error)
    finally:
        blocks.BLOCK_BYTES = before
    parts = [X] if isinstance(X, np.ndarray) else [X.data, X.indices, X.indptr]
    rows = [X.shape, *(part.tobytes() for part in parts)]
    labels = None if y is None else [y.dtype.kind, y.tolist()]
    return [rows, labels, lines.tolist(), source.feature_names, source.skipped, source.notes()]


def _first_difference(one: Any, other: Any) -> str:
    if isinstance(one, str) or isinstance(other, str):
        return f"{str(one)[-250:]} | {str(other)[-250:]}"
    pairs = zip(one, other, strict=True)
    return next(f"{str(a)[:250]} | {str(b)[:250]}" for a, b in pairs if a != b)
