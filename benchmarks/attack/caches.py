"""Caches: folders with a manifest and arrays, damaged, or with a manifest that goes with a forgery.

What is taken must be what the files say, as NumPy alone reads them: the numbers of an array are
not covered by the manifest's digest, so that another number in its place is another cache.
"""

import contextlib
import functools
import json
import random
import shutil
import tempfile
from pathlib import Path

import numpy as np

import novikoff as nk
from benchmarks.attack.children import rng_for
from benchmarks.attack.damage import damage_bytes, damage_json, dump
from benchmarks.attack.tally import DIFFERENT, EQUAL, Outcome, attempt
from novikoff.data.cache import manifest, write_named_cache
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
    """Another manifest, with the digest that goes with it."""
    about, other = (json.loads((each / ABOUT).read_text()) for each in (folder, donor))
    about.pop("digest")
    content = damage_json(rng, about, other)
    if isinstance(content, dict):
        plain = dump(content, sort_keys=True, separators=(",", ":"))
        try:  # as whoever reads it would write it
            content["digest"] = manifest._digest(json.loads(plain))
        except (ValueError, RecursionError):
            content["digest"] = "0" * 64
    (folder / ABOUT).write_text(dump(content))


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
            if use_cache(folder).kind != EQUAL:
                raise AssertionError(f"{folder}: a cache that was not touched is not taken")

    def __call__(self, case: int) -> Outcome:
        rng = rng_for("caches", self.seed, case)
        base, donor = rng.choice(self.folders), rng.choice(self.folders)
        folder = self.home / f"cache-{case}"  # what is still mapped must not change under the map
        shutil.copytree(base, folder)
        (forge if rng.random() < 0.5 else damage)(rng, folder, donor)
        try:
            return attempt(lambda: use_cache(folder))
        finally:
            shutil.rmtree(folder)


def use_cache(folder: Path) -> Outcome:
    """Read a cache, and learn from it."""
    source = nk.open(folder)
    chunk = source.read()
    rows = np.load(folder / "values.npy").reshape(-1)
    held = chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.data
    same = held.tobytes() == rows.tobytes()
    if not isinstance(chunk.X, np.ndarray):
        chunk.X.check_format(full_check=True)
        for name, part in (("columns", chunk.X.indices), ("starts", chunk.X.indptr)):
            same = same and np.array_equal(np.load(folder / f"{name}.npy"), part)
    if (folder / "y.npy").exists() and chunk.y is not None and chunk.y.dtype.kind != "U":
        same = same and np.load(folder / "y.npy").tobytes() == chunk.y.tobytes()
    with contextlib.suppress(DataError):  # one class only, say, or rows too long
        nk.Perceptron(max_epochs=2).fit(nk.open(folder))
    return Outcome(EQUAL if same else DIFFERENT, "the rows are not what the files say")
