"""How the fields of a certificate look: each form writes a value as JSON, and reads it strictly."""

import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from novikoff.certificate.numerals import number, numbers, parse, parse_all, shown
from novikoff.errors import CertificateError

SEPARABLE, QUASI, INSEPARABLE = "separable", "quasi-separable", "inseparable"
TRAINING_RUN = "training run"
TIES = ("mistake", "positive", "negative", "keep")

Combination = list[tuple[int, Fraction]]

_HEXADECIMAL = re.compile(r"[0-9a-f]{64}")


class Size(NamedTuple):
    """What the fields of a certificate have to fit."""

    rows: int
    dim: int


class Form(NamedTuple):
    """How a field looks: write(value) as JSON, read(json, size) as a value, strictly."""

    write: Callable[[Any], Any]
    read: Callable[[Any, Size], Any]


def _read_number(field: Any, size: Size) -> Fraction:
    return parse(field)


def _read_vector(field: Any, size: Size) -> list[Fraction]:
    if len(_list(field)) != size.dim:
        raise CertificateError(f"found {len(field):,} numbers, expected {size.dim:,}")
    return parse_all(field)


def _write_combination(terms: Combination) -> list[dict[str, Any]]:
    written = numbers([each for _, each in terms])
    return [
        {"row": int(row), "multiplier": each} for (row, _), each in zip(terms, written, strict=True)
    ]


def _read_combination(field: Any, size: Size) -> Combination:
    for each in _list(field):
        exactly(each, ("row", "multiplier"))
    rows = [_place(each["row"], size.rows) for each in field]
    _ascending(rows)
    return list(zip(rows, parse_all([each["multiplier"] for each in field]), strict=True))


def _write_vectors(vectors: Any) -> list[list[str]]:
    return [[number(each) for each in vector] for vector in vectors]


def _read_vectors(field: Any, size: Size) -> list[list[Fraction]]:
    return [_read_vector(each, size) for each in _list(field)]


def _write_interval(interval: tuple[Any, Any]) -> dict[str, str]:
    return {"lower": number(interval[0]), "upper": number(interval[1])}


def _read_interval(field: Any, size: Size) -> tuple[Fraction, Fraction]:
    exactly(field, ("lower", "upper"))
    return parse(field["lower"]), parse(field["upper"])


COUNT_BITS = 64


def read_count(field: Any, size: Size) -> int:
    if type(field) is not int or field < 0:
        raise CertificateError(f"found {shown(field)}, expected a count")
    if field.bit_length() > COUNT_BITS:
        raise CertificateError(
            f"found a count of {field.bit_length()} bits: too large for any rows"
        )
    return field


def read_truth(field: Any, size: Size) -> bool:
    if not isinstance(field, bool):
        raise CertificateError(f"found {shown(field)}, expected true or false")
    return field


def _read_tie(field: Any, size: Size) -> str:
    return one_of(field, TIES)


def _write_places(places: Any) -> list[int]:
    return [int(each) for each in places]


def _read_rows(field: Any, size: Size) -> list[int]:
    return [_place(each, size.rows) for each in _list(field)]


def _read_places(field: Any, size: Size) -> list[int]:
    places = [read_count(each, size) for each in _list(field)]
    _ascending(places)
    return places


def _or_null(form: Form) -> Form:
    return Form(
        lambda value: None if value is None else form.write(value),
        lambda field, size: None if field is None else form.read(field, size),
    )


_NUMBER = Form(number, _read_number)
_VECTOR = Form(numbers, _read_vector)
_COMBINATION = Form(_write_combination, _read_combination)
_COUNT = Form(int, read_count)
_SPAN = {
    "conflict": _COMBINATION,
    "spanning": _or_null(_COMBINATION),
    "complement": _or_null(Form(_write_vectors, _read_vectors)),
}

WITNESS: dict[str, dict[str, Form]] = {
    SEPARABLE: {"weights": _VECTOR, "support": _COMBINATION},
    INSEPARABLE: _SPAN,
    QUASI: {"weights": _VECTOR} | _SPAN,
    TRAINING_RUN: {
        "start": _VECTOR,
        "eta": _NUMBER,
        "tie": Form(str, _read_tie),
        "updates": Form(_write_places, _read_rows),
        "rounded": Form(_write_places, _read_places),
    },
}
FIGURES: dict[str, dict[str, Form]] = {
    SEPARABLE: {
        "margin_squared": Form(_write_interval, _read_interval),
        "radius_squared": _NUMBER,
        "mistake_bound": _NUMBER,
    },
    INSEPARABLE: {"rank": _COUNT},
    QUASI: {"strict": _COUNT, "rank": _COUNT},
    TRAINING_RUN: {
        "weights": _VECTOR,
        "mistakes": _COUNT,
        "separates": Form(bool, read_truth),
        "mistake_bound": _or_null(_NUMBER),
    },
}


@contextlib.contextmanager
def at(place: str) -> Iterator[None]:
    """Say where in the certificate an error is."""
    try:
        yield
    except CertificateError as error:
        raise CertificateError(f"{place}: {error}") from None


def exactly(fields: Any, names: Iterable[str]) -> None:
    """An object with these fields, no more and no fewer."""
    if not isinstance(fields, dict):
        raise CertificateError(f"found {shown(fields)}, expected an object")
    for name in names:
        if name not in fields:
            raise CertificateError(f"the field {name!r} is missing")
    if odd := [name for name in fields if name not in names]:
        raise CertificateError(f"the field {shown(odd[0])} is unknown")


def _list(field: Any) -> list[Any]:
    if not isinstance(field, list):
        raise CertificateError(f"found {shown(field)}, expected a list")
    return field


def text(field: Any) -> str:
    if not isinstance(field, str):
        raise CertificateError(f"found {shown(field)}, expected text")
    return field


def one_of(field: Any, known: Iterable[str]) -> str:
    if not isinstance(field, str) or field not in known:
        raise CertificateError(f"found {shown(field)}, expected one of {', '.join(known)}")
    return field


def hexadecimal(field: Any) -> None:
    if not isinstance(field, str) or not _HEXADECIMAL.fullmatch(field):
        raise CertificateError(f"found {shown(field)}, expected 64 hexadecimal digits")


def _place(field: Any, rows: int) -> int:
    if type(field) is not int or not 0 <= field < rows:
        raise CertificateError(f"found {shown(field)}, expected the number of a row below {rows:,}")
    return field


def _ascending(places: list[int]) -> None:
    for before, after in itertools.pairwise(places):
        if after <= before:
            raise CertificateError(f"{after} comes after {before}; they must ascend")
