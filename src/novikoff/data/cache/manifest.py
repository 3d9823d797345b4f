"""What a cache says of itself: about.json, and the arrays that must lie beside it.

    values.npy    float64: of dense rows all their numbers, of sparse ones the entries
    columns.npy   of sparse rows: each entry's column           } int32, or both int64
    starts.npy    of sparse rows: where each row's entries begin } where int32 cannot count them
    y.npy         labels that are numbers, int64 or float64
    codes.npy     for each row the number of its label among the sorted `classes`
    lines.npy     int64: the line that each row has in its file
    weights.npy   float64: the weight of each row, where the data give any

Which of them there are, of which type and shape, follows from about.json alone; a file that is not
exactly that is refused. Nothing that about.json names is ever opened as part of the cache. From
version 2 on, it lists checksums of the arrays, which are compared before rows are believed.
"""

import dataclasses
import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.data.cache.checksums import BLOCK, DIGITS
from novikoff.data.matrices import MOST_CLASSES
from novikoff.data.sparse import LARGEST_INDEX

FORMAT, VERSION = "novikoff cache", 2
#: The version before there were checksums.
_UNCHECKED = 1
#: Raised whenever a reader makes other rows, labels or names of the same bytes than before.
READER = 1
#: The most entries that 32 bits count, so that columns and starts are no longer than they must be.
NARROW = LARGEST_INDEX
ARRAYS = ("values", "columns", "starts", "y", "codes", "lines", "weights")
_MOST_DIGITS = 20  # of a whole number; 64 bits have no more
_LABELS = {"int64": int, "float64": float, "words": str}

Json = dict[str, Any]
Shape = tuple[int, ...]


class DamagedCacheError(ValueError):
    """The reason why something is no cache, or none that can be used."""


@dataclass(frozen=True)
class Manifest:
    """What is known of the rows besides the arrays."""

    of: str  # the format they were read as
    asked: Json  # with which options
    originals: list[Json]  # the files: path as seen from the cache's folder, size, modified, ends
    rows: int
    features: int
    entries: int | None  # of sparse rows; None: they are dense
    names: list[str] | None
    target: str | None
    labels: str | None  # "int64", "float64" or "words"; None: there are none
    classes: list[Any] | None  # sorted; None: more different numbers than can be classes
    numbered: bool  # whether there are lines
    files: list[tuple[str, int]]  # the name and the first row of each
    skipped: int
    remarks: list[str]
    numbering: Json  # see `Source.index_options`
    kept: bool  # whether it was asked for by its name, rather than made on the way
    checksums: dict[str, str] | None  # by array, see `checksums`; None: of an earlier version
    weighted: bool = False  # whether there are weights; not written where there are none

    def arrays(self) -> dict[str, tuple[Any, Shape]]:
        """The type and shape of each array."""
        found: dict[str, tuple[Any, Shape]] = {}
        if self.entries is None:
            found["values"] = np.float64, (self.rows, self.features)
        else:
            kind = index_type(self.entries)
            found["values"] = np.float64, (self.entries,)
            found["columns"] = kind, (self.entries,)
            found["starts"] = kind, (self.rows + 1,)
        if self.labels in ("int64", "float64"):
            found["y"] = np.dtype(self.labels), (self.rows,)
        if self.classes is not None:
            found["codes"] = code_type(len(self.classes)), (self.rows,)
        if self.numbered:
            found["lines"] = np.int64, (self.rows,)
        if self.weighted:
            found["weights"] = np.float64, (self.rows,)
        return found

    def text(self) -> str:
        """As JSON, with what nobody need compute to know, and a digest of it all."""
        arrays = {
            f"{name}.npy": {
                "type": np.dtype(kind).name,
                "shape": list(shape),
                "bytes": _size(kind, shape),
            }
            for name, (kind, shape) in self.arrays().items()
        }
        layout = "dense" if self.entries is None else "csr"
        head = {"format": FORMAT, "version": VERSION, "reader": READER, "layout": layout}
        content = head | dataclasses.asdict(self) | {"arrays": arrays}
        if not self.weighted:
            del content["weighted"]
        content["digest"] = _digest(content)
        lines = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
        return "{\n" + ",\n".join(lines) + "\n}\n"


def index_type(entries: int) -> type[np.signedinteger[Any]]:
    """What columns and starts are for so many entries."""
    return np.int32 if entries <= NARROW else np.int64


def code_type(classes: int) -> type[np.unsignedinteger[Any]]:
    """What codes are for so many classes; more of them than can be learned take more room."""
    return np.uint16 if classes <= MOST_CLASSES else np.uint32


def parse_manifest(text: str) -> Manifest:
    """What about.json says. It raises a DamagedCacheError if that cannot be all true."""
    try:
        content = json.loads(text, parse_int=_parse_int)
    except (ValueError, RecursionError) as problem:
        raise DamagedCacheError(f"its about.json is not JSON ({problem})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DamagedCacheError("its about.json does not say that it is one")
    version = content.get("version")
    for what, known in (("version", (_UNCHECKED, VERSION)), ("reader", (READER,))):
        if content.get(what) not in known:
            raise DamagedCacheError(f"it is of another {what} than this program writes")
    digest = content.pop("digest", None)
    if digest != _digest(content):
        raise DamagedCacheError("its about.json does not go with its own digest")
    if version == _UNCHECKED:
        content["checksums"] = None
    content.setdefault("weighted", False)
    fields = [field.name for field in dataclasses.fields(Manifest)]
    if not content.keys() >= set(fields):
        raise DamagedCacheError("its about.json lacks something")
    about = Manifest(**{name: content[name] for name in fields})
    for what, holds in _conditions(about, checked=version != _UNCHECKED):
        if not holds:
            raise DamagedCacheError(f"its {what} cannot be right")
    files = [(name, row) for name, row in about.files]
    return dataclasses.replace(about, files=files)


def _parse_int(digits: str) -> int:
    """The whole number; who lifts Python's own limit of digits must not wait for endless ones."""
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _digest(content: Json) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _conditions(about: Manifest, checked: bool) -> Iterator[tuple[str, bool]]:
    """What must hold of what was read; each is looked at only where those before it hold.

    checked: whether there must be checksums.
    """
    entries = about.entries
    yield "number of rows", _count(about.rows) and about.rows > 0
    yield "number of features", _count(about.features) and 0 < about.features <= LARGEST_INDEX
    yield "number of entries", entries is None or _count(entries)
    yield "names", about.names is None or _strings(about.names, about.features)
    yield "format", isinstance(about.of, str)
    yield "target", about.target is None or isinstance(about.target, str)
    marks = about.numbered, about.kept, about.weighted
    yield "marks", all(isinstance(each, bool) for each in marks)
    yield "options", isinstance(about.asked, dict)
    yield "originals", _all(about.originals, dict)
    yield "labels", _sound_labels(about)
    yield "files", _sound_files(about)
    yield "count of skipped rows", _count(about.skipped)
    yield "remarks", _strings(about.remarks)
    yield "numbering", _sound_numbering(about.numbering)
    yield "checksums", _sound_checksums(about) if checked else about.checksums is None


def _count(number: Any) -> bool:
    return type(number) is int and 0 <= number < 2**62


def _all(items: Any, kind: type) -> bool:
    return isinstance(items, list) and all(type(each) is kind for each in items)


def _strings(items: Any, length: int | None = None) -> bool:
    return _all(items, str) and length in (None, len(items))


def _sound_labels(about: Manifest) -> bool:
    """Whether the classes are of one kind, some, ascending, and none twice."""
    kind, classes = about.labels, about.classes
    if kind is None or classes is None:
        return classes is None and kind in (None, "int64", "float64")
    if not isinstance(kind, str) or kind not in _LABELS or not _all(classes, _LABELS[kind]):
        return False
    if kind == "int64" and not all(-(2**63) <= each < 2**63 for each in classes):
        return False
    if kind == "float64" and not all(map(math.isfinite, classes)):
        return False
    most = 2**32 if kind == "words" else MOST_CLASSES
    ascend = all(a < b for a, b in itertools.pairwise(classes))
    return 0 < len(classes) <= most and ascend


def _sound_numbering(numbering: Any) -> bool:
    """Whether it is no more than the options that formats give for other files."""
    kinds = {"zero_based": bool, "hash_bits": int}
    return isinstance(numbering, dict) and all(
        type(value) is kinds.get(name) for name, value in numbering.items()
    )


def _sound_checksums(about: Manifest) -> bool:
    """Whether every array has a checksum for each of its blocks."""
    given, arrays = about.checksums, about.arrays()
    return (
        isinstance(given, dict)
        and given.keys() == arrays.keys()
        and all(
            isinstance(given[name], str)
            and len(given[name]) == DIGITS * -(-_size(*array) // BLOCK)
            and re.fullmatch("[0-9a-f]*", given[name]) is not None
            for name, array in arrays.items()
        )
    )


def _size(kind: Any, shape: Shape) -> int:
    """The number of bytes in an array."""
    return int(math.prod(shape) * np.dtype(kind).itemsize)


def _sound_files(about: Manifest) -> bool:
    files = about.files
    if not isinstance(files, list) or not all(
        isinstance(each, (list, tuple)) and len(each) == 2 for each in files
    ):
        return False
    if not all(isinstance(name, str) and _count(row) for name, row in files):
        return False
    firsts = [row for _, row in files]
    return firsts == sorted(firsts) and all(row <= about.rows for row in firsts)
