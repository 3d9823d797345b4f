"""Caches: folders with a manifest and arrays, damaged, or forged with all checksums right.

A damaged cache must be refused, or have the rows that it had. A forged one may be taken, and then
its rows are what its files say, as NumPy alone reads them.
"""

import contextlib
import functools
import json
import random
import shutil
import tempfile
import zlib
from pathlib import Path

import numpy as np

import novikoff as nk
from benchmarks.attack.children import rng_for
from benchmarks.attack.damage import damage_bytes, damage_json, dump
from benchmarks.attack.tally import DIFFERENT, EQUAL, Outcome, attempt
from novikoff.data.cache import manifest, write_named_cache
from novikoff.data.cache.array_file import HEADER
from novikoff.errors import DataError
from tests.helpers.cache_files import FILES

CASES = ("sparse", "word labels", "zero-based", "table", "categories",
         "named features")  # fmt: skip
ABOUT = "about.json"


@functools.cache
def cache_folders() -> list[Path]:
    """A cache of each kind of rows."""
    home, found = Path(tempfile.mkdtemp(prefix="novikoff-attack-")), []
    for case in CASES:
        paths = []
        for name, text in FILES[case].items():
            paths.append(home / f"{case} {name}")
            paths[-1].write_text(text)
        found.append(home / case)
        write_named_cache(nk.open(paths), found[-1])
    return found


def forge(rng: random.Random, folder: Path, donor: Path) -> None:
    """Another manifest, or arrays with other numbers, with the checksums that go with them."""
    about, other = (json.loads((each / ABOUT).read_text()) for each in (folder, donor))
    if rng.random() < 0.4:
        change_numbers(rng, rng.choice(sorted(folder.glob("*.npy"))))
        if "checksums" in about:
            about["checksums"] = {path.stem: checksums(path) for path in folder.glob("*.npy")}
        content = about
    else:
        content = damage_json(rng, about, other)
    if isinstance(content, dict):
        content = {name: value for name, value in content.items() if name != "digest"}
        plain = dump(content, sort_keys=True, separators=(",", ":"))
        try:  # as whoever reads it would write it
            content["digest"] = manifest._digest(json.loads(plain))
        except (ValueError, RecursionError):
            content["digest"] = "0" * 64
    (folder / ABOUT).write_text(dump(content))


def change_numbers(rng: random.Random, path: Path) -> None:
    """Some of an array's numbers, but not its header."""
    content = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 3])):
        content[rng.randrange(HEADER, len(content))] = rng.choice([0, 1, 127, 128, 255])
    path.write_bytes(content)


def checksums(path: Path) -> str:
    """The CRC-32 of each MiB of an array's numbers."""
    numbers = path.read_bytes()[HEADER:]
    parts = (numbers[k : k + 2**20] for k in range(0, len(numbers), 2**20))
    return "".join(f"{zlib.crc32(part):08x}" for part in parts)


def damage(rng: random.Random, folder: Path, donor: Path) -> None:
    """One of the files with other bytes, gone, swapped, or in the place of another."""
    name, other = (rng.choice(sorted(path.name for path in folder.iterdir())) for _ in range(2))
    strange = rng.choice(sorted(donor.iterdir()))
    match rng.randrange(8):
        case 0:
            (folder / name).unlink()
        case 1:
            (folder / name).write_bytes(strange.read_bytes())
        case 2:
            (folder / name).write_bytes((folder / other).read_bytes())
        case 3:
            (folder / name).unlink()
            (folder / name).mkdir()
        case _:
            content = (folder / name).read_bytes()
            (folder / name).write_bytes(damage_bytes(rng, content, strange.read_bytes()))


class CacheAttack:
    """Cases on caches."""

    def __init__(self, seed: int) -> None:
        self.seed, self.folders = seed, cache_folders()
        self.home = Path(tempfile.mkdtemp(prefix="novikoff-attack-"))
        for folder in self.folders:
            if use_cache(folder, folder).kind != EQUAL:
                raise AssertionError(f"{folder}: a cache that was not touched is not taken")

    def __call__(self, case: int) -> Outcome:
        rng = rng_for("caches", self.seed, case)
        base, donor = rng.choice(self.folders), rng.choice(self.folders)
        folder = self.home / f"cache-{case}"  # what is still mapped must not change under the map
        shutil.copytree(base, folder)
        forged = rng.random() < 0.5
        (forge if forged else damage)(rng, folder, donor)
        try:
            return attempt(lambda: use_cache(folder, folder if forged else base))
        finally:
            shutil.rmtree(folder)


def use_cache(folder: Path, base: Path) -> Outcome:
    """Read a cache, whose rows must be what the files of `base` say, and learn from it."""
    X, y, _ = nk.open(folder).read()
    dense = isinstance(X, np.ndarray)
    parts = {"values": X} if dense else {"values": X.data, "columns": X.indices, "starts": X.indptr}
    if (base / "y.npy").exists() and y is not None and y.dtype.kind != "U":
        parts["y"] = y
    if not dense:
        X.check_format(full_check=True)
    same = all(
        np.load(base / f"{name}.npy").tobytes() == part.tobytes() for name, part in parts.items()
    )
    with contextlib.suppress(DataError):  # one class only, say, or rows too long
        nk.Perceptron(max_epochs=2).fit(nk.open(folder))
    return Outcome(EQUAL if same else DIFFERENT, "the rows are not what the files say")
