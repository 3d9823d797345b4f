"""The fields of a certificate: how each is written as JSON, and read strictly."""

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple, SupportsInt

from novikoff.errors import CertificateError
from novikoff.learning.rules import TIES
from novikoff.verdict.certificate.numbers import (
    brief,
    format_number,
    format_numbers,
    parse_number,
    parse_numbers,
)
from novikoff.verdict.signed import Number

SEPARABLE, QUASI, INSEPARABLE = "separable", "quasi-separable", "inseparable"
TRAINING_RUN = "training run"

Combination = list[tuple[int, Fraction]]

_HEXADECIMAL = re.compile(r"[0-9a-f]{64}")


class Size(NamedTuple):
    """The sizes that the fields of a certificate have to fit."""

    rows: int
    dim: int


class FieldCodec(NamedTuple):
    """How a field is written and read: write(value) gives JSON, read(json, size) the value."""

    write: Callable[[Any], Any]
    read: Callable[[object, Size], Any]


def _read_number(field: object, size: Size) -> Fraction:
    return parse_number(field)


def _read_vector(field: object, size: Size) -> list[Fraction]:
    texts = _require_list(field)
    if len(texts) != size.dim:
        raise CertificateError(f"found {len(texts):,} numbers, expected {size.dim:,}")
    return parse_numbers(texts)


def _write_combination(terms: Combination) -> list[dict[str, Any]]:
    written = format_numbers([each for _, each in terms])
    return [
        {"row": int(row), "multiplier": each} for (row, _), each in zip(terms, written, strict=True)
    ]


def _read_combination(field: object, size: Size) -> Combination:
    terms = [require_fields(each, ("row", "multiplier")) for each in _require_list(field)]
    rows = [_require_row(each["row"], size.rows) for each in terms]
    _require_ascending(rows)
    return list(zip(rows, parse_numbers([each["multiplier"] for each in terms]), strict=True))


def _write_vectors(vectors: Iterable[Iterable[Number]]) -> list[list[str]]:
    return [[format_number(each) for each in vector] for vector in vectors]


def _read_vectors(field: object, size: Size) -> list[list[Fraction]]:
    return [_read_vector(each, size) for each in _require_list(field)]


def _write_interval(interval: tuple[Number, Number]) -> dict[str, str]:
    return {"lower": format_number(interval[0]), "upper": format_number(interval[1])}


def _read_interval(field: object, size: Size) -> tuple[Fraction, Fraction]:
    interval = require_fields(field, ("lower", "upper"))
    return parse_number(interval["lower"]), parse_number(interval["upper"])


COUNT_BITS = 64


def read_count(field: object, size: Size) -> int:
    """A number of rows, or of anything that rows have."""
    if type(field) is not int or field < 0:
        raise CertificateError(f"found {brief(field)}, expected a count")
    if field.bit_length() > COUNT_BITS:
        raise CertificateError(
            f"found a count of {field.bit_length()} bits: too large for any rows"
        )
    return field


def read_bool(field: object, size: Size) -> bool:
    """True or false."""
    if not isinstance(field, bool):
        raise CertificateError(f"found {brief(field)}, expected true or false")
    return field


def _read_tie(field: object, size: Size) -> str:
    return require_one_of(field, TIES)


def _write_integers(values: Iterable[SupportsInt]) -> list[int]:
    return [int(each) for each in values]


def _read_rows(field: object, size: Size) -> list[int]:
    return [_require_row(each, size.rows) for each in _require_list(field)]


def _read_ascending(field: object, size: Size) -> list[int]:
    counts = [read_count(each, size) for each in _require_list(field)]
    _require_ascending(counts)
    return counts


def _or_null(codec: FieldCodec) -> FieldCodec:
    return FieldCodec(
        lambda value: None if value is None else codec.write(value),
        lambda field, size: None if field is None else codec.read(field, size),
    )


_NUMBER = FieldCodec(format_number, _read_number)
_VECTOR = FieldCodec(format_numbers, _read_vector)
_COMBINATION = FieldCodec(_write_combination, _read_combination)
_COUNT = FieldCodec(int, read_count)
_SPAN = {
    "conflict": _COMBINATION,
    "spanning": _or_null(_COMBINATION),
    "complement": _or_null(FieldCodec(_write_vectors, _read_vectors)),
}


class ClaimForm(NamedTuple):
    """The fields of the witness and of the figures of a claim."""

    witness: dict[str, FieldCodec]
    figures: dict[str, FieldCodec]


_LISTED = {"conflict": _COMBINATION, "boundary": _COMBINATION}
#: The claims that a certificate of each version can make.
CLAIMS: dict[int, dict[str, ClaimForm]] = {
    1: {
        SEPARABLE: ClaimForm(
            {"weights": _VECTOR, "support": _COMBINATION},
            {
                "margin_squared": FieldCodec(_write_interval, _read_interval),
                "radius_squared": _NUMBER,
                "mistake_bound": _NUMBER,
            },
        ),
        INSEPARABLE: ClaimForm(_SPAN, {"rank": _COUNT}),
        QUASI: ClaimForm({"weights": _VECTOR} | _SPAN, {"strict": _COUNT, "rank": _COUNT}),
        TRAINING_RUN: ClaimForm(
            {
                "start": _VECTOR,
                "eta": _NUMBER,
                "tie": FieldCodec(str, _read_tie),
                "updates": FieldCodec(_write_integers, _read_rows),
                "rounded": FieldCodec(_write_integers, _read_ascending),
            },
            {
                "weights": _VECTOR,
                "mistakes": _COUNT,
                "separates": FieldCodec(bool, read_bool),
                "mistake_bound": _or_null(_NUMBER),
            },
        ),
    },
    2: {
        INSEPARABLE: ClaimForm(_LISTED, {}),
        QUASI: ClaimForm({"weights": _VECTOR} | _LISTED, {"strict": _COUNT}),
    },
}


VERSIONS = 1, 2, 3


def claim_form(version: int, claim: str, witness: object) -> ClaimForm | None:
    """The fields of a claim; None if it is not one of that version.

    Version 3 has the claims of both others: what lists its boundary is of the second form.
    """
    if version == 3:
        listed = isinstance(witness, dict) and "boundary" in witness
        return None if claim == TRAINING_RUN else CLAIMS[2 if listed else 1].get(claim)
    return CLAIMS[version].get(claim)


@contextlib.contextmanager
def error_context(where: str) -> Iterator[None]:
    """Prefix errors with where in the certificate they are."""
    try:
        yield
    except CertificateError as error:
        raise CertificateError(f"{where}: {error}") from None


def require_fields(field: object, names: Iterable[str]) -> dict[str, Any]:
    """An object with these fields, no more and no fewer."""
    if not isinstance(field, dict):
        raise CertificateError(f"found {brief(field)}, expected an object")
    for name in names:
        if name not in field:
            raise CertificateError(f"the field {name!r} is missing")
    if odd := [name for name in field if name not in names]:
        raise CertificateError(f"the field {brief(odd[0])} is unknown")
    return field


def _require_list(field: object) -> list[Any]:
    if not isinstance(field, list):
        raise CertificateError(f"found {brief(field)}, expected a list")
    return field


def require_text(field: object) -> str:
    """A string."""
    if not isinstance(field, str):
        raise CertificateError(f"found {brief(field)}, expected text")
    return field


def require_one_of(field: object, known: Iterable[str]) -> str:
    """One of the known strings."""
    if not isinstance(field, str) or field not in known:
        raise CertificateError(f"found {brief(field)}, expected one of {', '.join(known)}")
    return field


def require_hexadecimal(field: object) -> None:
    """The 64 digits of a digest."""
    if not isinstance(field, str) or not _HEXADECIMAL.fullmatch(field):
        raise CertificateError(f"found {brief(field)}, expected 64 hexadecimal digits")


def _require_row(field: object, rows: int) -> int:
    if type(field) is not int or not 0 <= field < rows:
        raise CertificateError(f"found {brief(field)}, expected the number of a row below {rows:,}")
    return field


def _require_ascending(values: list[int]) -> None:
    for before, after in itertools.pairwise(values):
        if after <= before:
            raise CertificateError(f"{after} comes after {before}; they must ascend")
