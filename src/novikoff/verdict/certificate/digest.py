"""The digest that identifies rows and labels in a certificate."""

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from flint import fmpz

from novikoff.learning.rows import make_rows
from novikoff.verdict.signed import ROLES, Number, Signed, SignedRows, Table

_ONES = 2**64 - 1


def number_kind(signed: SignedRows) -> str:
    """The kind of the rows' entries: "binary64" or "rational"."""
    return "rational" if signed.rational else "binary64"


def digest(signed: SignedRows, fingerprints: npt.NDArray[np.uint64] | None = None) -> str:
    """The SHA-256 digest of the rows and signs, in 64 hexadecimal digits."""
    lines = {
        "novikoff rows": 1,
        "family": signed.family,
        "bias": int(signed.bias),
        "unit_length": int(signed.unit_length),
        "numbers": number_kind(signed),
        "rows": signed.count,
        "features": signed.features,
    }
    head = "".join(f"{name} {value}\n" for name, value in lines.items())
    content = hashlib.sha256(head.encode())
    start = 0
    for part in _fingerprints(signed) if fingerprints is None else [fingerprints]:
        records = np.empty(len(part), [("positive", "u1"), ("fingerprint", "<u8")])
        records["positive"] = signed.signs[start : start + len(part)] > 0
        records["fingerprint"] = part
        content.update(records.data)
        start += len(part)
    return content.hexdigest()


def table_digest(table: Table) -> str:
    """The SHA-256 digest of a table: its rows, their outcome and their roles."""
    rows = table_rows(table)
    lines = {
        "novikoff table": 1,
        "family": table.family,
        "bias": int(table.bias),
        "unit_length": int(table.unit_length),
        "numbers": number_kind(rows),
        "rows": table.size,
        "features": table.features,
        "roles": " ".join(name for name in ROLES if name in table.roles) or "none",
    }
    content = hashlib.sha256("".join(f"{name} {v}\n" for name, v in lines.items()).encode())
    columns = [np.concatenate([*_fingerprints(rows)]), *table.numbers]
    content.update(np.stack(columns, axis=1).astype("<u8").tobytes())
    return content.hexdigest()


def table_rows(table: Table) -> Signed:
    """The rows of a table, as they are."""
    rows = make_rows(table.given.matrix, False, False)
    return Signed(rows, np.ones(table.size, np.int8), None, exact=table.given.exact)


def _fingerprints(signed: SignedRows) -> Iterable[npt.NDArray[np.uint64]]:
    if signed.rational:
        return signed.map_pieces(_rational_fingerprints)
    return signed.fingerprints_in_parts()


def _rational_fingerprints(signed: Signed) -> npt.NDArray[np.uint64]:
    known: dict[Number, int] = {}
    out = np.empty(signed.count, np.uint64)
    for i in range(signed.count):
        columns, values = signed.entries(i)
        total = 0
        for column, value in zip(columns, values, strict=True):
            if value not in known:
                known[value] = _rational_bits(value)
            total += _mix(known[value] + (column + 1) * 0x9E3779B97F4A7C15)
        out[i] = total & _ONES
    return out


def _rational_bits(value: Number) -> int:
    # flint writes integers of any length, Python those of up to 4300 digits
    text = "/".join(fmpz(part).str() for part in value.as_integer_ratio())
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _mix(x: int) -> int:
    x &= _ONES
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _ONES
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _ONES
    return x ^ (x >> 31)
