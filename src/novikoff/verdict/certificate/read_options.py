"""How a certificate says that its rows were read: options of `novikoff check`, by their names."""

from typing import Any

from novikoff.errors import CertificateError
from novikoff.verdict.certificate.numbers import brief

_TEXTS = (
    "target",
    "weights",
    "trials",
    "exposure",
    "strata",
    "time",
    "event",
    "entry",
    "formula",
    "format",
    "delimiter",
    "columns",
    "drop",
)


def require_reading(field: object) -> dict[str, Any] | None:
    """An object of known options, each of its type; or null."""
    if field is None:
        return None
    if not isinstance(field, dict):
        raise CertificateError(f"found {brief(field)}, expected an object or null")
    for name, value in field.items():
        if not _fits(name, value):
            raise CertificateError(f"{brief(name)} is not an option, or {brief(value)} none of it")
    return field


def _fits(name: str, value: object) -> bool:
    if name in _TEXTS:
        return isinstance(value, str)
    if name in ("header", "zero_based"):
        return isinstance(value, bool)
    if name == "categorical":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if name == "hash_bits":
        return type(value) is int and value >= 0
    return name == "bad_rows" and value == "skip"
