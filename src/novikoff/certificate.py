"""Certificates: proofs of what was found, as JSON files. docs/certificate.md says what each means.

`make` writes one, `read` reads one back and refuses whatever the page does not allow: a field too
many, a number in another form, a broken seal. Whether the claim is true is for `verification`.
"""

import contextlib
import hashlib
import itertools
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from flint import fmpz

from novikoff.errors import CertificateError, DataError, ModelError
from novikoff.models import replace
from novikoff.scan import fingerprints_in_parts
from novikoff.signed import FAMILIES, LabelPair, Signed

FORMAT, VERSION = "novikoff certificate", 1
SEPARABLE, QUASI, INSEPARABLE = "separable", "quasi-separable", "inseparable"
TRAINING_RUN = "training run"
TIES = ("mistake", "positive", "negative", "keep")

Combination = list[tuple[int, Fraction]]

_NORMAL = Fraction(2) ** -1022  # from here on, doubles have 53 bits
_SHORT = 300  # bits: longer integers are written in hexadecimal
_WIDTH = 100  # columns
_WHOLE = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,999999})"
_RATIO = re.compile(rf"(-?{_WHOLE})(?:/({_WHOLE}))?")
_BINARY64 = re.compile(r"-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]{1,4}")
_HEXADECIMAL = re.compile(r"[0-9a-f]{64}")


def number(value: int | float | Fraction) -> str:
    """A number as text, in one of the page's forms: a float in binary64, others as a ratio.

    >>> number(Fraction(3, 4)), number(-12), number(0.75)
    ('3/4', '-12', '0x1.8000000000000p-1')
    """
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CertificateError(f"{value} is not a number that a certificate can name")
        return value.hex() if value else "0"
    top, bottom = value.as_integer_ratio()
    return _whole(top) if bottom == 1 else f"{_whole(top)}/{_whole(bottom)}"


def _whole(value: int) -> str:
    # a long decimal takes time that grows with the square of its length
    return str(value) if value.bit_length() <= _SHORT else hex(value)


def parse(text: Any) -> Fraction:
    """The number that a text stands for; CertificateError if it is in none of the page's forms."""
    if not isinstance(text, str):
        raise CertificateError(f"found {_shown(text)}, expected a number as text, such as '3/4'")
    if match := _RATIO.fullmatch(text):
        top, bottom = (int(part, 16 if "x" in part else 10) for part in match.groups("1"))
        if bottom:
            return Fraction(top, bottom)
    elif _BINARY64.fullmatch(text):
        return _binary64(text)
    raise CertificateError(f"{_shown(text)} is not a number in one of the certificate's forms")


def _binary64(text: str) -> Fraction:
    """The exact value of a hexadecimal float, which must be a double as it stands."""
    try:
        value = Fraction(float.fromhex(text))
    except OverflowError:
        raise CertificateError(f"{text} is not a finite binary64 number") from None
    if abs(value) < _NORMAL:  # there fromhex may have rounded
        digits, _, exponent = text.replace("0x", "").replace(".", "").partition("p")
        power = int(exponent) - 4 * (len(digits.lstrip("-")) - 1)
        if Fraction(int(digits, 16)) * Fraction(2) ** power != value:
            raise CertificateError(f"{text} is not a binary64 number")
    return value


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
    return [parse(each) for each in field]


def _write_combination(terms: Combination) -> list[dict[str, Any]]:
    return [{"row": int(row), "multiplier": number(each)} for row, each in terms]


def _read_combination(field: Any, size: Size) -> Combination:
    terms = []
    for each in _list(field):
        _exactly(each, ("row", "multiplier"))
        terms.append((_place(each["row"], size.rows), parse(each["multiplier"])))
    _ascending([row for row, _ in terms])
    return terms


def _write_vectors(vectors: Any) -> list[list[str]]:
    return [[number(each) for each in vector] for vector in vectors]


def _read_vectors(field: Any, size: Size) -> list[list[Fraction]]:
    return [_read_vector(each, size) for each in _list(field)]


def _write_interval(interval: tuple[Any, Any]) -> dict[str, str]:
    return {"lower": number(interval[0]), "upper": number(interval[1])}


def _read_interval(field: Any, size: Size) -> tuple[Fraction, Fraction]:
    _exactly(field, ("lower", "upper"))
    return parse(field["lower"]), parse(field["upper"])


def _read_count(field: Any, size: Size) -> int:
    if type(field) is not int or field < 0:
        raise CertificateError(f"found {_shown(field)}, expected a count")
    return field


def _read_truth(field: Any, size: Size) -> bool:
    if not isinstance(field, bool):
        raise CertificateError(f"found {_shown(field)}, expected true or false")
    return field


def _read_tie(field: Any, size: Size) -> str:
    return _one_of(field, TIES)


def _write_places(places: Any) -> list[int]:
    return [int(each) for each in places]


def _read_rows(field: Any, size: Size) -> list[int]:
    return [_place(each, size.rows) for each in _list(field)]


def _read_places(field: Any, size: Size) -> list[int]:
    places = [_read_count(each, size) for each in _list(field)]
    _ascending(places)
    return places


def _or_null(form: Form) -> Form:
    return Form(
        lambda value: None if value is None else form.write(value),
        lambda field, size: None if field is None else form.read(field, size),
    )


_NUMBER = Form(number, _read_number)
_VECTOR = Form(lambda vector: [number(each) for each in vector], _read_vector)
_COMBINATION = Form(_write_combination, _read_combination)
_COUNT = Form(int, _read_count)
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
        "mistake_bound": _COUNT,
    },
    INSEPARABLE: {"rank": _COUNT},
    QUASI: {"strict": _COUNT, "rank": _COUNT},
    TRAINING_RUN: {
        "weights": _VECTOR,
        "mistakes": _COUNT,
        "separates": Form(bool, _read_truth),
        "mistake_bound": _or_null(_COUNT),
    },
}
FIELDS = (
    "format",
    "version",
    "claim",
    "family",
    "rows",
    "features",
    "lift",
    "numbers",
    "labels",
    "digest",
    "witness",
    "figures",
    "seal",
)


class Certificate:
    """A proof of one claim. `fields` is its JSON; `witness` and `figures` hold it as numbers."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    @property
    def claim(self) -> str:
        """What it proves: "separable", "inseparable", "quasi-separable" or "training run"."""
        return str(self.fields["claim"])

    @property
    def size(self) -> Size:
        """How many rows it is about, and how many coordinates a lifted row has."""
        bias = self.fields["lift"]["bias"]
        return Size(self.fields["rows"], self.fields["features"] + bias)

    @cached_property
    def labels(self) -> LabelPair | None:
        """The two labels as values to compare with; None for counts."""
        return _read_labels(self.fields["labels"], self.fields["family"])

    @cached_property
    def witness(self) -> dict[str, Any]:
        """The witness by the names of its fields, with Fractions for numbers."""
        return self._part("witness", WITNESS[self.claim])

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The figures by their names, with Fractions for numbers."""
        return self._part("figures", FIGURES[self.claim])

    def _part(self, part: str, forms: dict[str, Form]) -> dict[str, Any]:
        fields = self.fields[part]
        with _at(part):
            _exactly(fields, forms)
        values = {}
        for name, form in forms.items():
            with _at(f"{part}.{name}"):
                values[name] = form.read(fields[name], self.size)
        return values

    @cached_property
    def text(self) -> str:
        """The file's content."""
        return _laid_out(self.fields) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Save it, all or nothing."""
        try:
            replace(path, self.text.encode())
        except ModelError as error:
            raise CertificateError(str(error)) from None

    def __repr__(self) -> str:
        rows, features = self.fields["rows"], self.fields["features"]
        return f"<Certificate: {self.claim}, {rows:,} rows of {features:,} features>"


def make(
    signed: Signed,
    claim: str,
    witness: dict[str, Any],
    figures: dict[str, Any],
    fingerprints: npt.NDArray[np.uint64] | None = None,
) -> Certificate:
    """A certificate for these rows.

    witness, figures: by the names on the page, with ints, Fractions and floats for numbers, lists
    of (row, multiplier) for combinations, (lower, upper) for the margin. fingerprints: of the rows,
    where they are known already.
    """
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "claim": claim,
        "family": signed.family,
        "rows": signed.count,
        "features": signed.features,
        "lift": {"bias": bool(signed.bias), "unit_length": bool(signed.unit_length)},
        "numbers": numbers_of(signed),
        "labels": _written_labels(signed.labels),
        "digest": digest(signed, fingerprints),
        "witness": {name: form.write(witness[name]) for name, form in WITNESS[claim].items()},
        "figures": {name: form.write(figures[name]) for name, form in FIGURES[claim].items()},
    }
    return Certificate(fields | {"seal": _seal(fields)})


def _seal(fields: dict[str, Any]) -> str:
    rest = {name: value for name, value in fields.items() if name != "seal"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        # a count of more digits than Python writes, or something that is not JSON at all
        raise CertificateError(f"this cannot be written as a certificate: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()


def numbers_of(signed: Signed) -> str:
    """What the entries of the rows are: "binary64" or "rational"."""
    return "binary64" if signed.exact is None else "rational"


def digest(signed: Signed, fingerprints: npt.NDArray[np.uint64] | None = None) -> str:
    """Which rows and labels these are, in 64 hexadecimal digits."""
    lines = {
        "novikoff rows": 1,
        "family": signed.family,
        "bias": int(signed.bias),
        "unit_length": int(signed.unit_length),
        "numbers": numbers_of(signed),
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


def _fingerprints(signed: Signed) -> Iterable[npt.NDArray[np.uint64]]:
    if signed.exact is not None:
        return [_rational_fingerprints(signed)]
    return fingerprints_in_parts(signed.rows)


def _rational_fingerprints(signed: Signed) -> npt.NDArray[np.uint64]:
    known: dict[Any, int] = {}
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


_ONES = 2**64 - 1


def _rational_bits(value: Any) -> int:
    # flint writes integers of any length, Python those of up to 4300 digits
    text = "/".join(fmpz(part).str() for part in value.as_integer_ratio())
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def _mix(x: int) -> int:
    x &= _ONES
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _ONES
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _ONES
    return x ^ (x >> 31)


def _written_labels(labels: LabelPair | None) -> dict[str, Any] | None:
    if labels is None:
        return None
    pair = labels._asdict()
    if isinstance(labels.positive, str) and isinstance(labels.negative, str | None):
        return {"kind": "text"} | pair
    if all(isinstance(each, int | float | Fraction | Decimal | None) for each in labels):
        exact = (int, float, Fraction)
        known = {
            name: each
            if each is None
            else number(each if isinstance(each, exact) else Fraction(each))
            for name, each in pair.items()
        }
        return {"kind": "number"} | known
    raise DataError(
        f"the labels {labels.negative!r} and {labels.positive!r} are neither numbers nor text;"
        " no certificate can name them"
    )


def _read_labels(field: Any, family: str) -> LabelPair | None:
    if family == "poisson":
        if field is not None:
            raise CertificateError(f"found {_shown(field)}, expected null: counts are no labels")
        return None
    _exactly(field, ("kind", "negative", "positive"))
    known = parse if _one_of(field["kind"], ("number", "text")) == "number" else _text
    negative = None if field["negative"] is None else known(field["negative"])
    labels = LabelPair(negative, known(field["positive"]))
    if labels.negative == labels.positive:
        raise CertificateError("the two labels are the same")
    return labels


def read(given: Any) -> Certificate:
    """A certificate from a path, its text, its fields as a dict, or another certificate.

    Text is what begins with a brace; any other str is a path. CertificateError says what is wrong
    with anything that is not one.
    """
    fields = given.fields if isinstance(given, Certificate) else given
    if not isinstance(fields, dict):
        fields = _loaded(_content(given))
    _check(fields)
    certificate = Certificate(fields)
    with _at("labels"):
        certificate.labels  # noqa: B018  (worked out, and kept, when first asked for)
    certificate.witness, certificate.figures  # noqa: B018
    return certificate


def _content(given: Any) -> str:
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return given
    if not isinstance(given, str | os.PathLike):
        raise CertificateError(
            f"a certificate is a path, text or a dict, not {type(given).__name__}"
        )
    path = Path(given)
    try:
        if path.exists() and not (path.is_file() or path.is_fifo()):
            raise CertificateError(f"{path}: not a regular file")
        return path.read_bytes().decode()
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise CertificateError(f"{_shown(str(path))}: not a certificate: not text") from None


def _loaded(text: str) -> dict[str, Any]:
    def refuse(token: str) -> Any:
        raise CertificateError(f"{token} is a number that no certificate contains")

    try:
        fields = json.loads(
            text, object_pairs_hook=_without_repeats, parse_float=refuse, parse_constant=refuse
        )
    except CertificateError:
        raise
    except RecursionError:
        raise CertificateError("not a certificate: nested too deep") from None
    except ValueError as error:
        raise CertificateError(f"not a certificate: {error}") from None
    if not isinstance(fields, dict):
        raise CertificateError("not a certificate: not a JSON object")
    return fields


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise CertificateError("a field comes twice")
    return fields


def _check(fields: dict[str, Any]) -> None:
    """All that can be said without the data."""
    if fields.get("format") != FORMAT:
        raise CertificateError("not a novikoff certificate: its format does not say that it is one")
    if type(fields.get("version")) is not int or fields["version"] != VERSION:
        raise CertificateError(
            f"it is of version {_shown(fields.get('version'))}; this program reads {VERSION}"
        )
    _exactly(fields, FIELDS)
    size = Size(0, 0)
    choices = {"claim": WITNESS, "family": FAMILIES, "numbers": ("binary64", "rational")}
    for name, known in choices.items():
        with _at(name):
            _one_of(fields[name], known)
    for name in ("rows", "features"):
        with _at(name):
            _read_count(fields[name], size)
    with _at("lift"):
        _exactly(fields["lift"], ("bias", "unit_length"))
        for each in fields["lift"].values():
            _read_truth(each, size)
    for name in ("digest", "seal"):
        with _at(name):
            _hexadecimal(fields[name])
    if fields["seal"] != _seal(fields):
        raise CertificateError("its seal does not fit: it was changed after it was made")
    _check_claim(fields)


def _check_claim(fields: dict[str, Any]) -> None:
    claim = fields["claim"]
    if fields["family"] == "poisson" and claim not in (INSEPARABLE, QUASI):
        raise CertificateError(f'the claim "{claim}" is not for counts')
    if claim == TRAINING_RUN and fields["lift"]["unit_length"]:
        raise CertificateError("rows of unit length are not rational: no run can be replayed")


@contextlib.contextmanager
def _at(place: str) -> Iterator[None]:
    """Say where in the certificate an error is."""
    try:
        yield
    except CertificateError as error:
        raise CertificateError(f"{place}: {error}") from None


def _exactly(fields: Any, names: Iterable[str]) -> None:
    """An object with these fields, no more and no fewer."""
    if not isinstance(fields, dict):
        raise CertificateError(f"found {_shown(fields)}, expected an object")
    for name in names:
        if name not in fields:
            raise CertificateError(f"the field {name!r} is missing")
    if odd := [name for name in fields if name not in names]:
        raise CertificateError(f"the field {_shown(odd[0])} is unknown")


def _list(field: Any) -> list[Any]:
    if not isinstance(field, list):
        raise CertificateError(f"found {_shown(field)}, expected a list")
    return field


def _text(field: Any) -> str:
    if not isinstance(field, str):
        raise CertificateError(f"found {_shown(field)}, expected text")
    return field


def _one_of(field: Any, known: Iterable[str]) -> str:
    if not isinstance(field, str) or field not in known:
        raise CertificateError(f"found {_shown(field)}, expected one of {', '.join(known)}")
    return field


def _hexadecimal(field: Any) -> None:
    if not isinstance(field, str) or not _HEXADECIMAL.fullmatch(field):
        raise CertificateError(f"found {_shown(field)}, expected 64 hexadecimal digits")


def _place(field: Any, rows: int) -> int:
    if type(field) is not int or not 0 <= field < rows:
        raise CertificateError(
            f"found {_shown(field)}, expected the number of a row below {rows:,}"
        )
    return field


def _ascending(places: list[int]) -> None:
    for before, after in itertools.pairwise(places):
        if after <= before:
            raise CertificateError(f"{after} comes after {before}; they must ascend")


def _shown(value: Any) -> str:
    """A value for a message: never more than a line."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a count of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _laid_out(fields: dict[str, Any]) -> str:
    """JSON with a line for each field, and long lists on as few lines as fit."""
    lines = [f"  {json.dumps(name)}: {_block(value, 1)}" for name, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _block(value: Any, depth: int) -> str:
    text, inner, outer = json.dumps(value), "  " * (depth + 1), "  " * depth
    if depth > 2 or len(text) <= _WIDTH - 30 or not isinstance(value, dict | list):
        return text
    if isinstance(value, list):
        return "[\n" + _filled([json.dumps(each) for each in value], inner) + f"\n{outer}]"
    lines = [
        f"{inner}{json.dumps(name)}: {_block(each, depth + 1)}" for name, each in value.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{outer}}}"


def _filled(items: list[str], indent: str) -> str:
    lines, line = [], indent + items[0]
    for item in items[1:]:
        if len(line) + len(item) + 3 > _WIDTH:
            lines.append(line + ",")
            line = indent + item
        else:
            line += f", {item}"
    return "\n".join([*lines, line])
