"""Model files and checkpoints: damaged, or forged with all checksums right.

A damaged file must be refused, or be the same as before: read and written again it has the bytes of
the one that it was made from. A forged one may be taken, and then holds what it says: read and
written again it has the same texts and arrays; to predict and to learn on must not crash.
"""

import contextlib
import functools
import hashlib
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

import novikoff as nk
from benchmarks.attack.children import rng_for
from benchmarks.attack.damage import damage_bytes, damage_json, dump
from benchmarks.attack.tally import DIFFERENT, EQUAL, Outcome, attempt
from novikoff.errors import NovikoffError
from novikoff.learning.files import checkpoint_file, model_file
from tests.helpers.fit_modes import fitted, spec_for, write_rows

SPEC = spec_for("averaged", epochs=3)
CLASSES: tuple[list[Any], ...] = ([-1, 1], ["no", "yes"], [1.0, 2.0, 3.0], [False, True], [1, 2, 3])
PROBE = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
ODD_NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, -1e308, 5e-324, 2.0**62)
DTYPES = ("<f4", "<i4", "<i8", "<u1", "<f8", "<u2", "?")

Arrays = dict[str, np.ndarray]


@functools.cache
def model_files() -> list[bytes]:
    """Models of several rules, with labels of every kind."""
    rng, found = np.random.default_rng(0), []
    with tempfile.TemporaryDirectory() as folder:
        for k, classes in enumerate(CLASSES * 2):
            kind = getattr(nk, _estimators()[k % len(_estimators())])
            X = rng.integers(0, 2, (24, 3)).astype(float)
            y = np.array(classes)[rng.integers(0, len(classes), 24)]
            model = kind(max_epochs=3).partial_fit(X, y, np.array(classes))
            nk.save(model, Path(folder, "m"))
            found.append(Path(folder, "m").read_bytes())
    return found


def _estimators() -> list[str]:
    return [name for name in nk.__all__ if _is_estimator(name) and name not in _LEFT_OUT]


def _is_estimator(name: str) -> bool:
    return name[0].isupper() and hasattr(getattr(nk, name), "partial_fit")


_LEFT_OUT = ("RuleClassifier", "OneSidedPerceptron")


@functools.cache
def checkpoint_files() -> tuple[Path, list[bytes]]:
    """Rows, and checkpoints of runs on them: streamed, in memory, over, and under way."""
    folder = Path(tempfile.mkdtemp(prefix="novikoff-attack-"))
    path = write_rows(folder / "a.svm", "averaged", rows=40)
    found = []
    for streamed in (True, False):
        for epochs in (1, 3):
            kept = folder / "kept"
            spec = SPEC._replace(max_epochs=epochs)
            fitted(spec, nk.open(path), folder / "m", streamed=streamed, checkpoint=kept)
            found.append(kept.read_bytes())
            kept.unlink()
    return path, found


def parse(content: bytes) -> tuple[dict[str, str], Arrays]:
    """The texts and arrays of a file."""
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]).get("__metadata__", {}), load(content)


def forge(rng: random.Random, content: bytes, donor: bytes) -> bytes:
    """A file that says something else, with whatever checksums it must have."""
    (texts, arrays), (other_texts, other_arrays) = parse(content), parse(donor)
    if rng.random() < 0.7:
        key, other = (
            rng.choice(sorted(each.keys() - {"checksum"})) for each in (texts, other_texts)
        )
        changed = damage_json(rng, json.loads(texts[key]), json.loads(other_texts[other]))
        texts[key] = dump(changed)
    else:
        arrays = damage_arrays(rng, arrays, other_arrays)
    return sealed(texts, arrays)


def sealed(texts: dict[str, str], arrays: Arrays) -> bytes:
    """A file of these texts and arrays, with the right checksum where there was one."""
    arrays = {name: np.ascontiguousarray(each) for name, each in arrays.items()}
    if "checksum" not in texts:
        return save(arrays, texts)
    zeros = "0" * 64
    content = save(arrays, texts | {"checksum": zeros})
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(f'"checksum":"{zeros}"'.encode(), f'"checksum":"{digest}"'.encode(), 1)


def damage_arrays(rng: random.Random, arrays: Arrays, donor: Arrays) -> Arrays:
    """One array with another number, shape or type, gone, or in another's place."""
    name, other = rng.choice(sorted(arrays)), rng.choice(sorted(arrays))
    array = arrays[name].copy()
    match rng.randrange(6):
        case 0 if array.size:
            number = rng.choice(ODD_NUMBERS)
            whole = array.dtype.kind != "f"
            array.flat[rng.randrange(array.size)] = (
                rng.choice([-1, 2**40, 0, 1]) if whole else number
            )
            return arrays | {name: array}
        case 1:
            return arrays | {name: array.astype(rng.choice(DTYPES), casting="unsafe")}
        case 2:
            return arrays | {name: np.concatenate([array.ravel(), array.ravel()[:1]])}
        case 3:
            return {key: each for key, each in arrays.items() if key != name}
        case 4:
            return arrays | {name: arrays[other], other: arrays[name]}
    return arrays | {rng.choice([name, "more"]): donor[rng.choice(sorted(donor))]}


class FileAttack:
    """Cases on one kind of file: in a folder, read by `use`, which raises or says what came of it.

    use: is called with the path, and the bytes that a damaged file was made from, None if forged.
    """

    def __init__(
        self, section: str, seed: int, bases: list[bytes], use: Callable[..., Outcome]
    ) -> None:
        self.section, self.seed, self.bases, self.use = section, seed, bases, use
        self.folder = Path(tempfile.mkdtemp(prefix="novikoff-attack-"))

    def __call__(self, case: int) -> Outcome:
        rng = rng_for(self.section, self.seed, case)
        base, donor = rng.choice(self.bases), rng.choice(self.bases)
        forged = rng.random() < 0.6
        content = forge(rng, base, donor) if forged else damage_bytes(rng, base, donor)
        path = self.folder / f"file-{case}"  # what is still mapped must not change under the map
        path.write_bytes(content)
        known = None if forged else base
        if content in self.bases:  # not damaged at all, or another file as a whole
            known = content
        try:
            return attempt(lambda: self.use(path, known))
        finally:
            path.unlink()


def use_model(path: Path, base: bytes | None) -> Outcome:
    """Read a model, predict and learn on, and write it again."""
    found = model_file.read(path)
    again = path.with_name("again")
    model_file.write(found, again)
    model = nk.load(path)
    if model.n_features_in_ == PROBE.shape[1]:
        with contextlib.suppress(NovikoffError):  # weights so large that they overflow, for one
            model.predict(PROBE)
            model.partial_fit(PROBE, model.classes_[[0, 1, 0, 1]])
    return compare(path, again, base)


def use_checkpoint(data: Path, path: Path, base: bytes | None) -> Outcome:
    """Read a checkpoint, write it again, and go on from it."""
    found = checkpoint_file.read(path)
    again = path.with_name("again")
    checkpoint_file.write(found, again)
    outcome = compare(path, again, base)
    streamed = found.position is not None
    with contextlib.suppress(NovikoffError):  # of another run, or a position not in the data
        fitted(SPEC, nk.open(data), path.with_name("m"), streamed=streamed, checkpoint=path)
    return outcome


def compare(path: Path, again: Path, base: bytes | None) -> Outcome:
    """Whether what was read is what there was, by what was written of it."""
    expected = content_of(path.read_bytes() if base is None else base)
    if content_of(again.read_bytes()) == expected:
        return Outcome(EQUAL)
    return Outcome(DIFFERENT, f"{'forged' if base is None else 'damaged'}: {expected[0]}"[:400])


def content_of(content: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What a file says, whatever the order: safetensors writes texts in any."""
    texts, arrays = parse(content)
    said = {key: json.loads(text) for key, text in texts.items() if key != "checksum"}
    return said, {name: array.tobytes() for name, array in arrays.items()}


def model_attack(seed: int) -> FileAttack:
    """The attack on model files; the files are made, and all is compiled, before anything forks."""
    bases = model_files()
    attack = FileAttack("models", seed, bases, use_model)
    for base in bases:
        _check_base(attack, base)
    return attack


def checkpoint_attack(seed: int) -> FileAttack:
    """The attack on checkpoints."""
    data, bases = checkpoint_files()
    attack = FileAttack("checkpoints", seed, bases, functools.partial(use_checkpoint, data))
    for base in bases:
        _check_base(attack, base)
    return attack


def _check_base(attack: FileAttack, base: bytes) -> None:
    path = attack.folder / "file"
    path.write_bytes(base)
    outcome = attack.use(path, base)
    if outcome.kind != EQUAL:
        raise AssertionError(f"a file that was not touched: {outcome}")
