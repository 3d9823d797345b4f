"""Steps of scikit-learn's as a file holds them: parameters, words and arrays of numbers.

Each is of a class in `kinds.KINDS`, and made anew when a file is read, after all that the
file says of it was checked.
"""

import importlib
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import ModelError
from novikoff.learning.estimators.pipeline.kinds import (
    CATEGORY_TYPES,
    COUNTING,
    KINDS,
    LATER,
    MOST_COLUMNS,
    STATELESS,
    StepKind,
    are_words,
    is_whole,
)
from novikoff.learning.files.array_file import Arrays

_STORED = np.float64, np.float32, np.int64  # other numbers are written as one of these


def described(name: str, step: Any) -> tuple[dict[str, Any], Arrays]:
    """What a file says of a fitted step, and its arrays; ModelError says why it cannot be held."""
    kind_name = type(step).__name__
    kind = KINDS.get(kind_name)
    if kind is None or type(step) is not _class_of(kind_name):
        raise ModelError(
            f"step {name!r} is a {kind_name}; a file can hold {', '.join(KINDS)}, and an estimator"
            " of novikoff's as the last step. Save that one alone, or use pickle knowingly"
        )
    text = {
        "name": name,
        "kind": kind_name,
        "parameters": _parameters(name, step, kind),
        "features": _features(step),
        "columns": _columns(name, step),
        "words": _words_of(name, step),
    }
    if kind_name in STATELESS:
        return text, {}
    found = {each: getattr(step, each, None) for each in kind.vectors}
    arrays = {each: np.array(value) for each, value in found.items() if value is not None}
    for each, array in arrays.items():
        if array.dtype.kind not in "fi" or not np.isfinite(array).all():
            raise ModelError(f"step {name!r}: {each} does not hold finite numbers")
        if array.dtype not in _STORED:
            arrays[each] = array.astype(np.int64 if array.dtype.kind == "i" else np.float64)
    return text, arrays


def _parameters(name: str, step: Any, kind: StepKind) -> dict[str, Any]:
    given = step.get_params(deep=False)
    defaults = type(step)().get_params(deep=False)
    found = {}
    for parameter, value in given.items():
        if parameter == "dtype":
            value = np.dtype(value).name
        elif isinstance(value, (tuple, set, frozenset)):
            value = sorted(value) if parameter == "stop_words" else list(value)
        value = value.item() if isinstance(value, np.generic) else value
        known = kind.parameters.get(parameter)
        if known is None and value == defaults[parameter]:
            continue  # a later scikit-learn's, at its default
        if known is None or not known(value):
            raise ModelError(
                f"step {name!r}: a file cannot hold {parameter}={value!r:.60}: what it says must"
                " run no code and open no file, and is on a short list (docs/models.md)"
            )
        found[parameter] = value
    return LATER.get(type(step).__name__, {}) | found


def _features(step: Any) -> int | None:
    """How many columns it takes; None for texts and dicts."""
    raw = type(step).__name__ in (*COUNTING, *STATELESS)
    return None if raw else int(step.n_features_in_)


def _columns(name: str, step: Any) -> list[str] | None:
    columns = getattr(step, "feature_names_in_", None)
    if columns is None:
        return None
    if not all(isinstance(each, str) for each in columns):
        raise ModelError(f"step {name!r}: columns whose names are not text cannot be saved")
    return [str(each) for each in columns]


def _words_of(name: str, step: Any) -> Any:
    """The words of a vocabulary in order, or the categories of each column."""
    if type(step).__name__ in COUNTING:
        words = sorted(step.vocabulary_, key=step.vocabulary_.get)
        return [str(word) for word in words]
    if type(step).__name__ != "OneHotEncoder":
        return None
    found = [(each.dtype.kind, each.tolist()) for each in step.categories_]
    for letter, values in found:
        if _bad_categories(letter, values):
            raise ModelError(f"step {name!r}: its categories are not all text, or all numbers")
    return [list(each) for each in found]


def _bad_categories(letter: Any, values: Any) -> bool:
    types = {"O": str, "U": str, "i": int, "f": float, "b": bool}
    return (
        letter not in types
        or not isinstance(values, list)
        or not values
        or any(type(value) is not types[letter] for value in values)
        or len(set(values)) != len(values)
        or (letter == "f" and not all(map(math.isfinite, values)))
    )


def _class_of(kind: str) -> Any:
    return getattr(importlib.import_module(f"sklearn.{KINDS[kind].home}"), kind)


class Restored(NamedTuple):
    """A step, and how many columns it takes (None: raw text or dicts) and gives."""

    step: Any
    takes: int | None
    gives: int


def restored(text: dict[str, Any], arrays: Arrays) -> Restored:
    """The step that a file describes; ModelError says what is wrong with it."""
    name, kind_name = text["name"], text["kind"]
    kind = KINDS[kind_name]
    if set(text["parameters"]) != set(kind.parameters):
        raise ModelError(f"step {name!r}: its parameters are not those of a {kind_name}")
    for parameter, value in text["parameters"].items():
        if not kind.parameters[parameter](value):
            raise ModelError(f"step {name!r}: its parameter {parameter!r} is {value!r:.60}")
    step = _class_of(kind_name)(**_as_given(kind_name, text["parameters"]))
    _refuse_unused(text, arrays)
    if kind_name in COUNTING:
        return _vectorizer(name, step, text["words"], arrays)
    if kind_name in STATELESS:
        return Restored(step, None, step.n_features)
    if kind_name == "OneHotEncoder":
        return _encoder(name, step, text)
    _check_vectors(name, step, text["features"], arrays)
    for each, array in arrays.items():
        setattr(step, each, array.copy() if array.ndim else array[()])
    step.n_features_in_ = text["features"]
    _name_columns(name, step, text["columns"])
    return Restored(step, text["features"], text["features"])


def _as_given(kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as the constructor takes them, of this version of scikit-learn."""
    known = _class_of(kind)().get_params(deep=False)
    found = {
        name: tuple(value) if name in ("ngram_range", "feature_range") else value
        for name, value in parameters.items()
        if name in known or LATER.get(kind, {}).get(name) != value
    }
    if "dtype" in found:
        found["dtype"] = np.dtype(found["dtype"]).type
    return found


def _refuse_unused(text: dict[str, Any], arrays: Arrays) -> None:
    """Nothing may be said that is not used."""
    name, kind = text["name"], text["kind"]
    present = text["words"] is not None, text["features"] is not None, bool(arrays)
    worded, counted = kind in (*COUNTING, "OneHotEncoder"), kind not in (*COUNTING, *STATELESS)
    may_have_arrays = bool(KINDS[kind].vectors)
    if present[:2] != (worded, counted) or present[2] > may_have_arrays:
        raise ModelError(f"step {name!r}: it says too much or too little for a {kind}")
    if text["columns"] is not None and not counted:
        raise ModelError(f"step {name!r}: a {kind} has no columns with names")


def _check_vectors(name: str, step: Any, features: Any, arrays: Arrays) -> None:
    """The arrays that there must be, with a number for each column."""
    kind = KINDS[type(step).__name__]
    absent = [each for each, unless in kind.needed if unless is None or getattr(step, unless)]
    if not is_whole(features, 1, MOST_COLUMNS) or not set(absent) <= set(arrays) <= set(
        kind.vectors
    ):
        raise ModelError(f"step {name!r}: its arrays are not those of a {type(step).__name__}")
    for each, array in arrays.items():
        counts = each == "n_samples_seen_" and array.ndim == 0
        if not counts and array.shape != (features,):
            raise ModelError(f"step {name!r}: {each} has not a number for each column")
        if array.dtype.kind not in "fi" or not np.isfinite(array).all():
            raise ModelError(f"step {name!r}: {each} does not hold finite numbers")


def _name_columns(name: str, step: Any, columns: Any) -> None:
    if columns is None:
        return
    if not are_words(columns) or len(columns) != step.n_features_in_:
        raise ModelError(f"step {name!r}: its columns' names do not go with its columns")
    step.feature_names_in_ = np.array(columns, object)


def _encoder(name: str, step: Any, text: dict[str, Any]) -> Restored:
    """An encoder that has seen one row of each column's first category."""
    words = text["words"]
    pairs = isinstance(words, list) and all(isinstance(each, list) for each in words)
    if not pairs or not words or any(len(each) != 2 or _bad_categories(*each) for each in words):
        raise ModelError(f"step {name!r}: its categories are not lists of text or of numbers")
    categories: list[npt.NDArray[Any]] = [
        np.array(values, CATEGORY_TYPES[letter]) for letter, values in words
    ]
    row = np.empty((1, len(words)), object)
    row[0] = [values[0] for _, values in words]
    step.categories = [values.astype(object) for values in categories]
    gives = int(step.fit(row).transform(row).shape[1])
    step.categories, step.categories_ = "auto", categories
    if text["features"] != len(words):
        raise ModelError(f"step {name!r}: its categories are not of as many columns")
    _name_columns(name, step, text["columns"])
    return Restored(step, len(words), gives)


def _vectorizer(name: str, step: Any, words: Any, arrays: Arrays) -> Restored:
    """A vectorizer with a vocabulary, which it is given before it sees an empty text."""
    if not are_words(words) or not words or len(set(words)) != len(words):
        raise ModelError(f"step {name!r}: its vocabulary is not a list of different words")
    _check_vectors(name, step, len(words), arrays)
    step.vocabulary = {word: k for k, word in enumerate(words)}
    step.fit([""])
    step.vocabulary, step.fixed_vocabulary_ = None, False
    if arrays:
        step.idf_ = arrays["idf_"].copy()
    return Restored(step, None, len(words))
