"""The steps of pipelines that a file can hold, and what each of their parameters may be.

What would run code or open files when it is used (a tokenizer, a pattern of one's own,
input="filename") is none of it, and is refused on the way in and on the way out.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Known = Callable[[Any], bool]

PATTERNS = r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"  # a regular expression is a program that may not end
DTYPES = "float64", "float32", "int64", "int32", "uint8", "bool"
CATEGORY_TYPES = {"O": object, "U": str, "i": np.int64, "f": np.float64, "b": np.bool_}
LONGEST_NGRAM, MOST_COLUMNS = 100, 2**31 - 1


def _among(*values: Any) -> Known:
    return lambda value: any(value == each and type(value) is type(each) for each in values)


def is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _finite(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _pair_of(known: Known) -> Known:
    return lambda pair: (
        isinstance(pair, list) and len(pair) == 2 and all(map(known, pair)) and pair[0] <= pair[1]
    )


def are_words(value: Any) -> bool:
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
    "stop_words": lambda value: value in (None, "english") or are_words(value),
    "ngram_range": _pair_of(lambda value: is_whole(value, 1, LONGEST_NGRAM)),
    "binary": _FLAG,
    **_DTYPE,
}
_COUNTED: dict[str, Known] = {
    "vocabulary": _NONE,
    "max_df": _finite,
    "min_df": _finite,
    "max_features": lambda value: value is None or is_whole(value, 1, MOST_COLUMNS),
}
_NORM: dict[str, Known] = {"norm": _among(None, "l1", "l2")}
_IDF = _NORM | dict.fromkeys(("use_idf", "smooth_idf", "sublinear_tf"), _FLAG)
_HASHED: dict[str, Known] = {
    "n_features": lambda value: is_whole(value, 1, MOST_COLUMNS),
    "alternate_sign": _FLAG,
    **_DTYPE,
}


class StepKind(NamedTuple):
    """What a file says of the steps of one class.

    parameters: each with what it may be. vectors: fitted attributes with a number for each column;
    those in `needed`, unless a parameter is false, must be there.
    """

    home: str  # the module of scikit-learn
    parameters: dict[str, Known]
    vectors: tuple[str, ...] = ()
    needed: tuple[tuple[str, str | None], ...] = ()


KINDS = {
    "StandardScaler": StepKind(
        "preprocessing",
        dict.fromkeys(("copy", "with_mean", "with_std"), _FLAG),
        ("mean_", "var_", "scale_", "n_samples_seen_"),
        (("mean_", "with_mean"), ("scale_", "with_std")),
    ),
    "MinMaxScaler": StepKind(
        "preprocessing",
        {"copy": _FLAG, "clip": _FLAG, "feature_range": _pair_of(_finite)},
        ("scale_", "min_", "data_min_", "data_max_", "data_range_", "n_samples_seen_"),
        (("scale_", None), ("min_", None)),
    ),
    "MaxAbsScaler": StepKind(
        "preprocessing",
        {"copy": _FLAG, "clip": _FLAG},
        ("max_abs_", "scale_", "n_samples_seen_"),
        (("scale_", None),),
    ),
    "OneHotEncoder": StepKind(
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
    "TfidfTransformer": StepKind(
        "feature_extraction.text", _IDF, ("idf_",), (("idf_", "use_idf"),)
    ),
    "TfidfVectorizer": StepKind(
        "feature_extraction.text", _TEXT | _COUNTED | _IDF, ("idf_",), (("idf_", "use_idf"),)
    ),
    "CountVectorizer": StepKind("feature_extraction.text", _TEXT | _COUNTED),
    "HashingVectorizer": StepKind("feature_extraction.text", _TEXT | _HASHED | _NORM),
    "FeatureHasher": StepKind(
        "feature_extraction", _HASHED | {"input_type": _among("dict", "pair", "string")}
    ),
}
#: Parameters that some versions of scikit-learn do not have, with what these then do.
LATER = {"MaxAbsScaler": {"clip": False}}
STATELESS = "HashingVectorizer", "FeatureHasher"
COUNTING = "TfidfVectorizer", "CountVectorizer"
