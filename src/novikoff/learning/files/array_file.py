"""Named arrays and texts in one file, in the safetensors format, with a checksum.

The format: the length of a header (8 bytes), the header as JSON, the arrays. Texts stand in the
header under "__metadata__", each of them JSON too; one of them, "checksum", is the SHA-256 of the
file in hexadecimal, taken with 64 zeros in its place. Files without one were written before there
was any, and are read as well. Nothing in a file is executed, the header is looked at before all
else, and arrays are mapped into memory, not copied.
"""

import hashlib
import json
import math
import mmap
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.errors import ModelError

Arrays = dict[str, npt.NDArray[Any]]

LONGEST_NUMBER = 400  # digits; no number that a file may hold has as many
LARGEST_HEADER = 2**22  # bytes, and for each byte of arrays this many more:
HEADER_FOR_EACH_BYTE = 64
_NO_CHECKSUM = "0" * 64
_BLOCK = 2**20


def serialize(texts: dict[str, Any], arrays: Arrays) -> bytes:
    """The bytes of a file, the same for the same content."""
    from safetensors.numpy import save  # here, because it is slow to load

    content = save(arrays)
    size = int.from_bytes(content[:8], "little")
    metadata = {name: json.dumps(value, allow_nan=False) for name, value in texts.items()}
    metadata = dict(sorted((metadata | {"checksum": _NO_CHECKSUM}).items()))
    text = json.dumps({"__metadata__": metadata}, ensure_ascii=False, separators=(",", ":"))
    header = text.encode()[:-1] + b"," + content[9 : 8 + size].rstrip()
    header += b" " * (-len(header) % 8)
    whole = len(header).to_bytes(8, "little") + header + content[8 + size :]
    return _with_checksum(whole, len(header), hashlib.sha256(whole).hexdigest())


def read(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], Arrays]:
    """The texts and arrays of a file that should hold a model, or some other kind of thing."""
    from safetensors import SafetensorError, safe_open

    try:
        size = _header_size(path)
        with safe_open(path, "numpy"):  # whether arrays and sizes are as the header says
            pass
        with Path(path).open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = parse_json(content[8 : 8 + size].decode())
        texts = header.pop("__metadata__")
        texts.pop("checksum", None)
        arrays = {name: _array(content, 8 + size, entry) for name, entry in header.items()}
        return {name: parse_json(text) for name, text in texts.items()}, arrays
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(f"{path}: not a novikoff {kind}, or a damaged one: {error}") from None


def verify_checksum(path: str | os.PathLike[str]) -> None:
    """Read the whole file, and refuse it if its checksum is another one than it says."""
    with Path(path).open("rb") as file:
        start = file.read(8)
        size = int.from_bytes(start, "little")
        header = file.read(size)
        recorded = parse_json(header.decode())["__metadata__"].get("checksum")
        if recorded is None:
            return
        digest = hashlib.sha256(_with_checksum(start + header, size, _NO_CHECKSUM))
        while block := file.read(_BLOCK):
            digest.update(block)
    if digest.hexdigest() != recorded:
        raise ModelError("its checksum does not match its content")


def parse_json(text: str) -> Any:
    """JSON from a file that may be hostile: a very long number takes minutes to read."""
    return json.loads(
        text, parse_int=_whole_number, parse_float=_finite, parse_constant=_refuse_constant
    )


def _whole_number(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def _finite(token: str) -> float:
    number = float(token)
    if math.isinf(number):
        raise ValueError(f"{token:.40} is beyond the doubles")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _header_size(path: str | os.PathLike[str]) -> int:
    """The length of the header, if it can be that of a file of this size."""
    status = Path(path).stat()
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(0, "it is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
    with Path(path).open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
    rest = status.st_size - 8 - size
    if not size or rest < 0:
        raise ValueError("its header is missing, or cut off")
    if size > LARGEST_HEADER + HEADER_FOR_EACH_BYTE * rest:
        raise ValueError(f"its header of {size:,} bytes is too long for {rest:,} bytes of arrays")
    return size


def _array(content: mmap.mmap, start: int, entry: dict[str, Any]) -> npt.NDArray[Any]:
    kinds = {"F64": np.float64, "I64": np.int64, "BOOL": np.bool_, "F32": np.float32}
    kind, shape = kinds.get(entry["dtype"]), entry["shape"]
    if kind is None:
        raise ValueError(f"it has an array of the type {entry['dtype']}")
    first = start + entry["data_offsets"][0]
    return np.frombuffer(content, kind, math.prod(shape), first).reshape(shape)


def _with_checksum(content: bytes, size: int, checksum: str) -> bytes:
    """The content with this checksum in its header, in the place of the one that is there."""
    at = content.index(b'"checksum":"', 8, 8 + size) + 12
    return content[:at] + checksum.encode() + content[at + 64 :]
