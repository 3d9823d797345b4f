"""Dense rows and labels as callers may pass them: of every type and shape, well formed or not.

Each has a name, and with it what it means, as an array of doubles: None where it means nothing.
"""

import random
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

NUMBERS = ("float16", "float32", ">f8", ">f4", "longdouble", "int8", "uint8", "int64", ">i4",
           "uint64", "bool", "S8")  # fmt: skip
STRANGE = ("complex128", "V8")


class Input(NamedTuple):
    """Rows as they are passed, what they mean, and what was done to them."""

    X: Any
    meaning: np.ndarray | None
    name: str


def base_rows(rng: random.Random) -> np.ndarray:
    """A few rows of small whole numbers, which every type holds exactly."""
    rows, features = rng.randint(2, 9), rng.randint(1, 5)
    values = [[float(rng.randint(0, 3)) for _ in range(features)] for _ in range(rows)]
    return np.array(values)


def dense_input(rng: random.Random) -> Input:
    """Rows, changed in one way."""
    X = base_rows(rng)
    make = rng.choice(
        [of_a_type, of_a_type, of_a_layout, of_objects, of_a_shape, not_finite, other]
    )
    return make(rng, X)


def of_a_type(rng: random.Random, X: np.ndarray) -> Input:
    if rng.random() < 0.2:
        name = rng.choice(STRANGE)
        return Input(X.astype("int64").astype(name, casting="unsafe"), None, name)
    name = rng.choice(NUMBERS)
    typed = X.astype("int64").astype(name)
    return Input(typed, typed.astype(float), name)


def of_a_layout(rng: random.Random, X: np.ndarray) -> Input:
    match rng.randrange(6):
        case 0:
            return Input(np.asfortranarray(X), X, "Fortran order")
        case 1:
            return Input(np.repeat(X, 3, axis=0)[::3], X, "every third row")
        case 2:
            return Input(X[::-1, ::-1], np.ascontiguousarray(X[::-1, ::-1]), "backwards")
        case 3:
            X.flags.writeable = False
            return Input(X, X.copy(), "read-only")
        case 4:
            wide = np.broadcast_to(X[:1], X.shape)
            return Input(wide, np.array(wide), "one row for all")
        case _:
            raw = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(float).reshape(X.shape)
            return Input(raw, X, "not aligned")


def of_objects(rng: random.Random, X: np.ndarray) -> Input:
    objects = X.astype(object)
    place = tuple(rng.randrange(n) for n in X.shape)
    match rng.randrange(6):
        case 0:
            return Input(objects, X, "objects")
        case 1:
            exact = np.array([[Fraction(v) for v in row] for row in X.tolist()], object)
            return Input(exact, X, "Fractions")
        case 2:
            objects[place] = rng.choice(["x", "", "nan", "0x1", b"\xff", "١e"])
            return Input(objects, None, f"text {objects[place]!r}")
        case 3:
            objects[place] = rng.choice([None, [], {}, object(), 1j, X])
            return Input(objects, None, f"an object {type(objects[place]).__name__}")
        case 4:
            objects[place] = rng.choice([10**400, -(10**5000), 2**1024])
            return Input(objects, None, "a whole number beyond doubles")
        case _:
            return Input(X.tolist(), X, "lists")


def of_a_shape(rng: random.Random, X: np.ndarray) -> Input:
    odd = {
        "one dimension": X[0],
        "three dimensions": X[None],
        "a number": X[0, 0],
        "no rows": X[:0],
        "no columns": X[:, :0],
        "ragged": [*X.tolist(), [1.0] * (X.shape[1] + 1)],
        "deep lists": [[[[v]] for v in row] for row in X.tolist()],
        "a huge shape": np.broadcast_to(np.float64(1), (2**40, 3)),
        "no rows of a huge shape": np.empty((0, 2**40)),
    }
    name = rng.choice(sorted(odd))
    return Input(odd[name], None, name)


def not_finite(rng: random.Random, X: np.ndarray) -> Input:
    X[tuple(rng.randrange(n) for n in X.shape)] = rng.choice([np.nan, np.inf, -np.inf])
    if rng.random() < 0.3:
        kind = rng.choice(["float32", "float16", "longdouble", ">f8"])
        return Input(X.astype(kind), None, f"not finite, {kind}")
    if rng.random() < 0.3:
        return Input(X.astype(np.longdouble) * np.longdouble("1e4000"), None, "beyond doubles")
    return Input(X, None, "not finite")


def other(rng: random.Random, X: np.ndarray) -> Input:
    pairs = np.zeros(len(X), [("a", float), ("b", float)])
    odd: dict[str, Any] = {
        "None": None,
        "text": "1 2 3",
        "bytes": X.tobytes(),
        "a dict": {"a": [1.0, 2.0]},
        "a set": {1.0, 2.0},
        "a generator": (row for row in X),
        "fields": pairs,
        "a class": object,
        "masked": np.ma.masked_array(X, np.arange(X.size).reshape(X.shape) == 1),
        "an error in __array__": Liar(X),
    }
    name = rng.choice(sorted(odd))
    return Input(odd[name], None, name)


class Liar:
    """Says that it is an array, with another shape than it has."""

    def __init__(self, X: np.ndarray) -> None:
        self.shape, self.dtype, self.ndim = (10**9, 3), X.dtype, 2

    def __len__(self) -> int:
        return 10**9

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise ValueError("there is no array")


def labels_for(rng: random.Random, rows: int) -> tuple[Any, np.ndarray | None, str]:
    """Labels for so many rows, what they mean, and a name; most often plain ones."""
    plain = np.array([rng.choice([0, 1]) for _ in range(rows)])
    plain[:1], plain[1:2] = 0, 1
    if rng.random() < 0.7:
        return plain, plain, "0 and 1"
    good = {
        "bools": plain.astype(bool),
        "words": np.array(["no", "yes"])[plain],
        "floats": plain.astype(float),
        "int8, strided": np.repeat(plain.astype("int8"), 2)[::2],
        "big-endian": plain.astype(">i8"),
        "a list": plain.tolist(),
        "huge": np.array([0, 10**400], object)[plain],
    }
    bad = {
        "too many": np.append(plain, 0),
        "too few": plain[:-1],
        "none": None,
        "two columns": np.column_stack([plain, plain]),
        "NaN": np.where(plain, np.nan, 1.0),
        "objects": np.array([None, 1, "a", 2.0, *[[]] * rows], object)[:rows],
        "complex": plain.astype(complex),
        "one class": plain * 0,
        "masked": np.ma.masked_array(plain, np.arange(rows) == rows - 1),
        "a number": 1,
    }
    if rng.random() < 0.5:
        name = rng.choice(sorted(good))
        return good[name], plain, name
    name = rng.choice(sorted(bad))
    return bad[name], None, name
