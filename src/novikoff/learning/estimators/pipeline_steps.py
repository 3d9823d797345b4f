"""Steps of scikit-learn's that a file can hold: as parameters, words and arrays of numbers.

Each is of a class in `KINDS`, and made anew when a file is read: from parameters that are each
checked against a short list, and arrays. What would run code or open files when it is used (a
tokenizer, a pattern of one's own, input="filename") is refused on the way in and on the way out.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import ModelError
from novikoff.learning.array_file import Arrays

Known = Callable[[Any], bool]

PATTERNS = r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"  # a regular expression is a program that may not end
DTYPES = "float64", "float32", "int64", "int32", "uint8", "bool"
CATEGORY_TYPES = {"O": object, "U": str, "i": np.int64, "f": np.float64, "b": np.bool_}
LONGEST_NGRAM, MOST_COLUMNS = 100, 2**31 - 1


def _among(*values: Any) -> Known:
    return lambda value: any(value == each and type(value) is type(each) for each in values)


def _whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _finite(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _pair_of(known: Known) -> Known:
    return lambda pair: (
        isinstance(pair, list) and len(pair) == 2 and all(map(known, pair)) and pair[0] <= pair[1]
    )


def _words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


_FLAG, _NONE = _among(False, True), _among(None)
_DTYPE = {"dtype": _among(*DTYPES)}
_TEXT: dict[str, Known] = {
    "input": _among("content"),
    "encoding": _among("utf-8", "latin-1", "ascii"),
    "decode_error": _among("strict", "ignore", "replace"),
    "strip_accents": _among(None, "ascii", "unicode"),
    "lowercase": _FLAG,
    "preprocessor": _NONE,
    "tokenizer": _NONE,
    "analyzer": _among("word", "char", "char_wb"),
    "token_pattern": _among(*PATTERNS),
    "stop_words": lambda value: value in (None, "english") or _words(value),
    "ngram_range": _pair_of(lambda value: _whole(value, 1, LONGEST_NGRAM)),
    "binary": _FLAG,
    **_DTYPE,
}
_COUNTED: dict[str, Known] = {
    "vocabulary": _NONE,
    "max_df": _finite,
    "min_df": _finite,
    "max_features": lambda value: value is None or _whole(value, 1, MOST_COLUMNS),
}
_NORM: dict[str, Known] = {"norm": _among(None, "l1", "l2")}
_IDF = _NORM | dict.fromkeys(("use_idf", "smooth_idf", "sublinear_tf"), _FLAG)
_HASHED: dict[str, Known] = {
    "n_features": lambda value: _whole(value, 1, MOST_COLUMNS),
    "alternate_sign": _FLAG,
    **_DTYPE,
}


class Kind(NamedTuple):
    """What a file says of the steps of one class.

    parameters: each with what it may be. vectors: fitted attributes with a number for each column;
    those in `needed`, unless a parameter is false, must be there.
    """

    home: str  # the module of scikit-learn
    parameters: dict[str, Known]
    vectors: tuple[str, ...] = ()
    needed: tuple[tuple[str, str | None], ...] = ()


KINDS = {
    "StandardScaler": Kind(
        "preprocessing",
        dict.fromkeys(("copy", "with_mean", "with_std"), _FLAG),
        ("mean_", "var_", "scale_", "n_samples_seen_"),
        (("mean_", "with_mean"), ("scale_", "with_std")),
    ),
    "MinMaxScaler": Kind(
        "preprocessing",
        {"copy": _FLAG, "clip": _FLAG, "feature_range": _pair_of(_finite)},
        ("scale_", "min_", "data_min_", "data_max_", "data_range_", "n_samples_seen_"),
        (("scale_", None), ("min_", None)),
    ),
    "MaxAbsScaler": Kind(
        "preprocessing",
        {"copy": _FLAG, "clip": _FLAG},
        ("max_abs_", "scale_", "n_samples_seen_"),
        (("scale_", None),),
    ),
    "OneHotEncoder": Kind(
        "preprocessing",
        {
            "categories": _among("auto"),
            "drop": _among(None, "first", "if_binary"),
            "sparse_output": _FLAG,
            "handle_unknown": _among("error", "ignore", "infrequent_if_exist", "warn"),
            "min_frequency": _NONE,
            "max_categories": _NONE,
            "feature_name_combiner": _among("concat"),
            **_DTYPE,
        },
    ),
    "TfidfTransformer": Kind("feature_extraction.text", _IDF, ("idf_",), (("idf_", "use_idf"),)),
    "TfidfVectorizer": Kind(
        "feature_extraction.text", _TEXT | _COUNTED | _IDF, ("idf_",), (("idf_", "use_idf"),)
    ),
    "CountVectorizer": Kind("feature_extraction.text", _TEXT | _COUNTED),
    "HashingVectorizer": Kind("feature_extraction.text", _TEXT | _HASHED | _NORM),
    "FeatureHasher": Kind(
        "feature_extraction", _HASHED | {"input_type": _among("dict", "pair", "string")}
    ),
}
#: Parameters that some versions of scikit-learn do not have, with what these then do.
LATER = {("MaxAbsScaler", "clip"): False}
STATELESS = "HashingVectorizer", "FeatureHasher"
_COUNTING = "TfidfVectorizer", "CountVectorizer"


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
        arrays[each] = array.astype(np.int64 if array.dtype.kind == "i" else np.float64)
    return text, arrays


def _parameters(name: str, step: Any, kind: Kind) -> dict[str, Any]:
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
    for kind_name, parameter in LATER.keys() - {(type(step).__name__, each) for each in found}:
        if kind_name == type(step).__name__:
            found[parameter] = LATER[kind_name, parameter]
    return found


def _features(step: Any) -> int | None:
    """How many columns it takes; None for texts and dicts."""
    raw = type(step).__name__ in (*_COUNTING, *STATELESS)
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
    if type(step).__name__ in _COUNTING:
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
    import importlib

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
    if kind_name in _COUNTING:
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
    found = {}
    for name, value in parameters.items():
        if name in known or value != LATER.get((kind, name), not value):
            found[name] = tuple(value) if name in ("ngram_range", "feature_range") else value
    if "dtype" in found:
        found["dtype"] = np.dtype(found["dtype"]).type
    return found


def _refuse_unused(text: dict[str, Any], arrays: Arrays) -> None:
    """Nothing may be said that is not used."""
    name, kind = text["name"], text["kind"]
    told = text["words"] is not None, text["features"] is not None, bool(arrays)
    worded, counted = kind in (*_COUNTING, "OneHotEncoder"), kind not in (*_COUNTING, *STATELESS)
    may_have_arrays = bool(KINDS[kind].vectors)
    if told[:2] != (worded, counted) or told[2] > may_have_arrays:
        raise ModelError(f"step {name!r}: it says too much or too little for a {kind}")
    if text["columns"] is not None and not counted:
        raise ModelError(f"step {name!r}: a {kind} has no columns with names")


def _check_vectors(name: str, step: Any, features: Any, arrays: Arrays) -> None:
    """The arrays that there must be, with a number for each column."""
    kind = KINDS[type(step).__name__]
    absent = [each for each, unless in kind.needed if unless is None or getattr(step, unless)]
    if not _whole(features, 1, MOST_COLUMNS) or not set(absent) <= set(arrays) <= set(kind.vectors):
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
    if not _words(columns) or len(columns) != step.n_features_in_:
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
    if not _words(words) or not words or len(set(words)) != len(words):
        raise ModelError(f"step {name!r}: its vocabulary is not a list of different words")
    _check_vectors(name, step, len(words), arrays)
    step.vocabulary = {word: k for k, word in enumerate(words)}
    step.fit([""])
    step.vocabulary, step.fixed_vocabulary_ = None, False
    if arrays:
        step.idf_ = arrays["idf_"].copy()
    return Restored(step, None, len(words))
