"""Checks certificates: `python checker.py certificate.json data.csv` says valid or invalid.

This file needs nothing but itself and the standard library, and trusts nothing but Python's
integers. docs/certificate.md says what a certificate means, and why what is checked here proves it.
"""

import argparse
import csv
import hashlib
import json
import math
import operator
import re
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from pathlib import Path
from typing import Any, NamedTuple

LARGEST_FILE = 2**28  # bytes of a certificate
LONGEST_COUNT = 4300  # digits
MOST_BITS = 2**18  # of the numerators and the common denominator of a vector or combination
LARGEST_EXPONENT = 5000  # of decimals among the data: 1e999999999 would fill the memory
PRIME = 2**61 - 1
#: Whether a score of 0 is a mistake at a (negative, positive) row.
TIES = {"mistake": (1, 1), "positive": (1, 0), "negative": (0, 1), "keep": (0, 0)}

Fields = dict[str, Any]
Form = Callable[[Any, Fields], Any]  # form(value, fields) reads a value of a certificate, strictly
Given = Iterable[tuple[Any, Mapping[int, Any]]]  # (label, {column: value}) for each row
#: Numerator and positive denominator, not reduced: that would take longer than all the rest.
Ratio = tuple[int, int]
BY_SIZE: Callable[[Ratio], Any] = cmp_to_key(lambda a, b: a[0] * b[1] - b[0] * a[1])


class Verdict(NamedTuple):
    """Whether the certificate proves its claim about the rows; `reason` says what, or why not."""

    valid: bool
    reason: str


class InvalidError(Exception):
    """The certificate proves nothing about these rows; the message says why."""


class UnreadableError(ValueError):
    """The rows cannot be read, so that nothing can be said about the certificate."""


def check(certificate: Any, rows: Given) -> Verdict:
    """Check a certificate (text, bytes or a dict) against rows, each (label, {column: value}).

    Values are ints, floats, Fractions or Decimals, and 0 in columns left out; labels are such
    numbers, or text. UnreadableError says what is wrong with any others.
    """
    return _judged(certificate, lambda fields: rows)


def check_arrays(certificate: Any, X: Any, y: Any) -> Verdict:
    """Check a certificate against a matrix (nested lists or a dense array) and its labels."""

    def rows(fields: Fields) -> Given:
        if len(X) != len(y):
            raise UnreadableError(f"there are {len(X)} rows and {len(y)} labels")
        for label, row in zip(y, X, strict=True):
            _require(len(row) == fields["features"], f"features: a row has {len(row)}")
            yield label, dict(enumerate(row))

    return _judged(certificate, rows)


def _judged(certificate: Any, rows: Callable[[Fields], Given]) -> Verdict:
    try:
        fields = _certificate(certificate)
        CLAIMS[fields["claim"]].check(fields, _signed_rows(fields, rows(fields)))
    except InvalidError as problem:
        return Verdict(False, str(problem))
    return Verdict(True, f"{fields['claim']}, {fields['rows']} rows, {fields['features']} columns")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise InvalidError(reason)


# The certificate: a form for every field.


def _one_of(*known: Any) -> Form:
    def read(value: Any, fields: Fields) -> Any:
        found = any(type(value) is type(each) and value == each for each in known)
        _require(found, f"not {' or '.join(map(str, known))}")
        return value

    return read


def _object(**forms: Form) -> Form:
    def read(value: Any, fields: Fields) -> Fields:
        exact = type(value) is dict and value.keys() == forms.keys()
        _require(exact, f"not an object with {', '.join(forms)}, and nothing else")
        found = {}
        for name, form in forms.items():
            try:
                found[name] = form(value[name], fields)
            except InvalidError as problem:
                raise InvalidError(f"{name}: {problem}") from None
        return found

    return read


def _or_null(form: Form) -> Form:
    return lambda value, fields: None if value is None else form(value, fields)


def _list(form: Form) -> Form:
    def read(value: Any, fields: Fields) -> list[Any]:
        _require(type(value) is list, "not a list")
        return [form(each, fields) for each in value]

    return read


def _later(value: Any, fields: Fields) -> Any:
    return value  # its form depends on other fields


def _text(value: Any, fields: Fields) -> str:
    _require(type(value) is str, "not text")
    return str(value)


def _count(value: Any, fields: Fields) -> int:
    _require(type(value) is int and value >= 0, "not a count")
    return int(value)


def _row_number(value: Any, fields: Fields) -> int:
    _require(_count(value, fields) < fields["rows"], "a row that is not there")
    return int(value)


_INTEGER = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,999999})"
_RATIO = re.compile(rf"(-?{_INTEGER})(?:/({_INTEGER}))?")
_BINARY64 = re.compile(r"(-?0x[01])\.([0-9a-f]{1,13})p([+-][0-9]{1,4})")


def _number(value: Any, fields: Fields) -> Ratio:
    text = _text(value, fields)
    if ratio := _RATIO.fullmatch(text):
        top, bottom = (int(part, 0) for part in ratio.groups("1"))
        _require(bottom > 0, "a denominator is 0")
        return top, bottom
    if binary64 := _BINARY64.fullmatch(text):
        whole, places, exponent = binary64.groups()
        exact = int(whole + places, 16) * Fraction(2) ** (int(exponent) - 4 * len(places))
        _require(_is_binary64(exact), f"{text} is not a binary64 number")
        return exact.as_integer_ratio()
    raise InvalidError(f"{text[:40]!a} is not a number in one of the forms")


def _is_binary64(number: Fraction) -> bool:
    return abs(number) <= sys.float_info.max and float(number) == number


def _integers(numbers: Sequence[Ratio]) -> tuple[list[int], int]:
    """Numbers times their common denominator, and that denominator."""
    common = 1
    for bottom in {bottom for _, bottom in numbers}:
        common = math.lcm(common, bottom)
        _require(common.bit_length() <= MOST_BITS, "a common denominator is too large")
    integers = [top * (common // bottom) for top, bottom in numbers]
    _require(all(top.bit_length() <= MOST_BITS for top in integers), "a number is too large")
    return integers, common


def _vector(value: Any, fields: Fields) -> tuple[list[int], int]:
    _require(type(value) is list and len(value) == fields["dim"], "not a number for every column")
    return _integers(_list(_number)(value, fields))


def _combination(value: Any, fields: Fields) -> dict[int, int]:
    """{row: multiplier}, times their common denominator: no claim depends on such a factor."""
    terms = _list(_object(row=_row_number, multiplier=_number))(value, fields)
    rows = [term["row"] for term in terms]
    _require(all(map(operator.lt, rows, rows[1:])), "the rows do not ascend")
    return dict(zip(rows, _integers([term["multiplier"] for term in terms])[0], strict=True))


def _labels(value: Any, fields: Fields) -> Fields:
    form = _object(kind=_one_of("number", "text"), negative=_or_null(_text), positive=_text)
    labels: Fields = form(value, fields)
    if labels["kind"] == "number":  # as what compares by size, as text does by its letters
        for name in ("negative", "positive"):
            if labels[name] is not None:
                labels[name] = BY_SIZE(_number(labels[name], fields))
    _require(labels["negative"] is None or labels["negative"] != labels["positive"], "the same")
    return labels


def _certificate(given: Any) -> Fields:
    """The fields, in which numbers are numbers; `dim` is added, the coordinates of a lifted row."""
    try:
        value = _parsed(given)
        fields: Fields = CERTIFICATE(value, {})
        sealed = {name: value[name] for name in fields if name != "seal"}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise InvalidError("not a certificate: nested too deep") from None
    except (ValueError, TypeError) as problem:
        raise InvalidError(f"not a certificate: {problem}") from None
    seal = hashlib.sha256(text.encode()).hexdigest()
    _require(fields["seal"] == seal, "seal: it does not fit the other fields")
    _require(fields["rows"] > 0 and fields["features"] > 0, "rows or features: none")
    claim, counts = fields["claim"], fields["family"] == "poisson"
    overlap = claim in ("inseparable", "quasi-separable")
    _require(overlap or not counts, "claim: not for counts")
    run_of_unit_length = claim == "training run" and fields["lift"]["unit_length"]
    _require(not run_of_unit_length, "lift: a training run has no unit length")
    fields["dim"] = fields["features"] + fields["lift"]["bias"]
    rest = _object(
        labels=_one_of(None) if counts else _labels,
        witness=CLAIMS[claim].witness,
        figures=CLAIMS[claim].figures,
    )
    return fields | rest({name: fields[name] for name in ("labels", "witness", "figures")}, fields)


def _parsed(given: Any) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> Fields:
        _require(len(dict(pairs)) == len(pairs), "not a certificate: a field comes twice")
        return dict(pairs)

    def integer(digits: str) -> int:
        _require(len(digits) <= LONGEST_COUNT, "not a certificate: an integer is too long")
        return int(digits)

    text = given if isinstance(given, str | bytes) else json.dumps(given)
    data = text.encode() if isinstance(text, str) else text
    _require(len(data) <= LARGEST_FILE, f"not a certificate: more than {LARGEST_FILE} bytes")
    return json.loads(data.decode(), object_pairs_hook=unique, parse_int=integer)
