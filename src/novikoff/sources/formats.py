"""Which format a file has: as told, by its name, or by a look at its first lines."""

import re
from itertools import islice
from pathlib import PurePath

from novikoff.sources.base import data_error
from novikoff.sources.inputs import Input, is_gzip
from novikoff.sources.tokens import shown

FORMATS = ("csv", "tsv", "svmlight", "npy", "npz")
TEXT_FORMATS = frozenset({"csv", "tsv", "svmlight"})

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".npy": "npy",
    ".npz": "npz",
}
_ALIASES = {"svm": "svmlight", "libsvm": "svmlight"}
_MAGIC = {b"\x93NUMPY": "npy", b"PK\x03\x04": "npz"}
_PAIR = re.compile(r"(?:\d+|qid):[^\s:,;\"]+")
#: A row may well have no features, so that one line is not always enough to tell.
_LINES_LOOKED_AT = 20


def choose_format(given: Input, told: str | None) -> str:
    """The format of the input."""
    if told is not None:
        chosen = _ALIASES.get(told, told)
        if chosen not in FORMATS:
            raise data_error(
                given.name,
                None,
                f"unknown format {shown(str(told))}, expected one of: {', '.join(FORMATS)}",
            )
    else:
        chosen = _by_name(given.path) or _by_content(given)
    if is_gzip(given.path) and chosen not in TEXT_FORMATS:
        raise data_error(
            given.name,
            None,
            f"{chosen} inside gzip, expected gzip around a text format only: unpack it first",
        )
    return chosen


def _by_name(path: str) -> str | None:
    name = path[: -len(".gz")] if is_gzip(path) else path
    return _SUFFIXES.get(PurePath(name).suffix.lower())


def _by_content(given: Input) -> str:
    first = given.first_bytes()
    for magic, found in _MAGIC.items():
        if first.startswith(magic):
            return found
    texts = (line.partition("#")[0].strip() for line in given.peek())
    for text in islice(filter(None, texts), _LINES_LOOKED_AT):
        label, *pairs = text.split()
        if all(map(_PAIR.fullmatch, pairs)) and (pairs or _PAIR.fullmatch(label)):
            return "svmlight"
        if "," in text or "\t" in text or '"' in text:
            return "tsv" if "\t" in text and "," not in text else "csv"
    return "csv"
