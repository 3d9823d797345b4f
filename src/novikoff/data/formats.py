"""The format of a file: as told, by its name, or by its first lines."""

import re
from itertools import islice
from pathlib import PurePath

from novikoff.data.errors import file_error
from novikoff.data.files.compression import without_suffix
from novikoff.data.files.inputs import Input
from novikoff.data.files.storage import file_name
from novikoff.data.text.tokens import shown

TABLES = ("csv", "tsv")
TEXT_FORMATS = (*TABLES, "svmlight", "vw")
COLUMNS = ("parquet", "arrow")
FORMATS = (*TEXT_FORMATS, *COLUMNS, "npy", "npz")

#: The formats that each option is for; options that are not listed are for all.
APPLIES_TO = {
    "format": FORMATS,
    "target": (*TABLES, *COLUMNS, "npy"),
    "header": TABLES,
    "delimiter": ("csv",),
    "zero_based": ("svmlight",),
    "categorical": (*TABLES, *COLUMNS),
    "columns": (*TABLES, *COLUMNS),
    "drop": (*TABLES, *COLUMNS),
    "hash_bits": ("vw",),
    "word_labels": TEXT_FORMATS,
    "decimal": (*TABLES, "svmlight"),
    "bad_rows": TEXT_FORMATS,
    "skipped_to": TEXT_FORMATS,
    "names": (*TABLES, *COLUMNS, "vw"),
    "weightless": ("vw",),
}

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".ipc": "arrow",
    ".feather": "arrow",
    ".npy": "npy",
    ".npz": "npz",
}
_ALIASES = {"svm": "svmlight", "libsvm": "svmlight", "feather": "arrow"}
_MAGIC = {
    b"\x93NUMPY": "npy",
    b"PK\x03\x04": "npz",
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",  # a stream of record batches
}
#: A label or none, then a namespace: no number has a bar in it, and few words of tables.
_VW = re.compile(r"(?:[-+.0-9eE]+ +)*(?:'?[^\s|,;\"']* ?)?\|[^|,;\"]*(?:\|[^|,;\"]*)*")
_FEATURE = re.compile(r"\|[^\s|]* +[^\s|:]+(?::[-+.0-9eE]+)?(?: |$)")
_PAIR = re.compile(r"(?:\d+|qid):[^\s:,;\"]+")
#: A row may well have no features, so that one line is not always enough to tell.
_LINES_LOOKED_AT = 20


def choose_format(given: Input, format_name: str | None) -> str:
    """Choose the format of an input. format_name: what the caller says it is, if anything."""
    if format_name is not None:
        chosen = _ALIASES.get(format_name, format_name)
        if chosen not in FORMATS:
            raise file_error(
                given.name,
                f"unknown format {shown(str(format_name))}, expected one of: {', '.join(FORMATS)}",
            )
    else:
        chosen = _by_name(given.path) or _by_content(given)
    if given.compression is not None and chosen not in TEXT_FORMATS:
        raise file_error(
            given.name,
            f"{chosen} inside {given.compression}, expected that around a text format only:"
            " unpack it first",
        )
    return chosen


def _by_name(path: str) -> str | None:
    return _SUFFIXES.get(PurePath(without_suffix(file_name(path))).suffix.lower())


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
        if _VW.fullmatch(text) and _FEATURE.search(text):
            return "vw"
        if "," in text or "\t" in text or '"' in text:
            return "tsv" if "\t" in text and "," not in text else "csv"
    return "csv"
