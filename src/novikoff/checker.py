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
LARGEST_EXPONENT = 5000  # of decimals in the data: 1e999999999 would fill the memory
PRIME = 2**61 - 1

Fields = dict[str, Any]  # of a certificate
Given = Iterable[tuple[Any, Any]]  # (label, values) for each row
#: Numerator and positive denominator, not reduced: for long ones that takes longer than all else.
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
    """Check a certificate (text, bytes or a dict) against rows, each a label and its values.

    Values are a list, or {column: value} with 0 in the columns left out: ints, floats, Fractions
    or Decimals. Labels are such numbers, or text. UnreadableError says what is wrong with others.
    """
    return _judged(certificate, lambda fields: rows)


def check_arrays(certificate: Any, X: Any, y: Any) -> Verdict:
    """Check a certificate against a matrix (nested lists or a dense array) and its labels."""
    if len(X) != len(y):
        raise UnreadableError(f"there are {len(X)} rows and {len(y)} labels")
    return check(certificate, zip(y, X, strict=True))


def _judged(certificate: Any, rows: Callable[[Fields], Given]) -> Verdict:
    try:
        fields = _certificate(certificate)
        CLAIMS[fields["claim"]](fields, _signed_rows(fields, rows(fields)))
    except InvalidError as problem:
        return Verdict(False, str(problem))
    return Verdict(True, f"{fields['claim']}, {fields['rows']} rows, {fields['features']} columns")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise InvalidError(reason)


# The certificate: every value in it is read by a form, and refused if it has another one.


def _read(value: Any, form: Any, where: str, fields: Fields) -> Any:
    """Forms: a dict is an object with just these fields, a list is a list of any length, a tuple
    has the values to choose from; a function reads all else. `where` is for messages."""
    if isinstance(form, dict):
        only = type(value) is dict and value.keys() == form.keys()
        _require(only, f"{where}: not an object with just {', '.join(form)}")
        return {name: _read(value[name], form[name], name, fields) for name in form}
    if isinstance(form, list):
        _require(type(value) is list, f"{where}: not a list")
        return [_read(each, form[0], where, fields) for each in value]
    if isinstance(form, tuple):
        known = any(type(value) is type(each) and value == each for each in form)
        _require(known, f"{where}: not {' or '.join(map(str, form))}")
        return value
    return form(value, where, fields)


def _null_or(form: Any) -> Any:
    return lambda value, *rest: None if value is None else _read(value, form, *rest)


def _anything(value: Any, where: str, fields: Fields) -> Any:
    return value


def _text(value: Any, where: str, fields: Fields) -> str:
    _require(type(value) is str, f"{where}: not text")
    return str(value)


def _count(value: Any, where: str, fields: Fields) -> int:
    _require(type(value) is int and value >= 0, f"{where}: not a count")
    return int(value)


def _row(value: Any, where: str, fields: Fields) -> int:
    _require(_count(value, where, fields) < fields["rows"], f"{where}: a row that is not there")
    return int(value)


_INTEGER = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,999999})"
_RATIO = re.compile(rf"(-?{_INTEGER})(?:/({_INTEGER}))?")
_BINARY64 = re.compile(r"(-?0x[01])\.([0-9a-f]{1,13})p([+-][0-9]{1,4})")


def _number(value: Any, where: str, fields: Fields) -> Ratio:
    text = _text(value, where, fields)
    if ratio := _RATIO.fullmatch(text):
        top, bottom = (int(part, 0) for part in ratio.groups("1"))
        _require(bottom > 0, f"{where}: a denominator is 0")
        return top, bottom
    binary64 = _BINARY64.fullmatch(text)
    _require(binary64 is not None, f"{where}: {text[:40]!a} is not a number in one of the forms")
    whole, places, exponent = binary64.groups() if binary64 else ()
    exact = int(whole + places, 16) * Fraction(2) ** (int(exponent) - 4 * len(places))
    _require(_is_binary64(exact), f"{where}: {text} is not a binary64 number")
    return exact.as_integer_ratio()


def _is_binary64(number: Fraction) -> bool:
    return abs(number) <= sys.float_info.max and float(number) == number


def _integers(numbers: Sequence[Ratio], where: str) -> tuple[list[int], int]:
    """Numbers times their common denominator, and that denominator."""
    common = 1
    for bottom in {bottom for _, bottom in numbers}:
        common = math.lcm(common, bottom)
        _require(common.bit_length() <= MOST_BITS, f"{where}: a denominator is too large")
    integers = [top * (common // bottom) for top, bottom in numbers]
    _require(all(n.bit_length() <= MOST_BITS for n in integers), f"{where}: a number is too large")
    return integers, common


def _vector(value: Any, where: str, fields: Fields) -> tuple[list[int], int]:
    numbers = _read(value, [_number], where, fields)
    _require(len(numbers) == fields["dim"], f"{where}: not one number for each coordinate")
    return _integers(numbers, where)


def _combination(value: Any, where: str, fields: Fields) -> dict[int, int]:
    """{row: multiplier}, times their common denominator: no claim depends on such a factor."""
    terms = _read(value, [{"row": _row, "multiplier": _number}], where, fields)
    rows = [term["row"] for term in terms]
    _require(all(map(operator.lt, rows, rows[1:])), f"{where}: rows that do not ascend")
    multipliers, _ = _integers([term["multiplier"] for term in terms], where)
    return dict(zip(rows, multipliers, strict=True))


def _labels(value: Any, where: str, fields: Fields) -> Fields:
    form = {"kind": ("number", "text"), "negative": _null_or(_text), "positive": _text}
    labels: Fields = _read(value, form, where, fields)
    if labels["kind"] == "number":  # then as what compares by size
        by_size: Any = lambda *number: BY_SIZE(_number(*number))  # noqa: E731
        labels = _read(
            value, form | {"negative": _null_or(by_size), "positive": by_size}, where, {}
        )
    _require(labels["negative"] != labels["positive"], "labels: twice the same")
    return labels


def _certificate(given: Any) -> Fields:
    """The fields as their forms read them, and `dim`, how many coordinates a lifted row has."""
    try:
        value = _parsed(given)
        fields: Fields = _read(value, FORMS, "certificate", {})
        sealed = {name: value[name] for name in FORMS if name != "seal"}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise InvalidError("not a certificate: nested too deep") from None
    except (ValueError, TypeError) as problem:
        raise InvalidError(f"not a certificate: {problem}") from None
    seal = hashlib.sha256(text.encode()).hexdigest()
    _require(fields["seal"] == seal, "seal: it does not fit the other fields")
    _require(fields["rows"] > 0 and fields["features"] > 0, "rows or features: none")
    run, counts = fields["claim"] == "training run", fields["family"] == "poisson"
    _require(not (run and fields["lift"]["unit_length"]), "lift: a run has no unit length")
    _require(not (counts and fields["claim"] in ("separable", "training run")), "claim: of counts")
    fields["dim"] = fields["features"] + fields["lift"]["bias"]
    forms = {"labels": (None,) if counts else _labels} | FORMS_OF_CLAIMS[fields["claim"]]
    return fields | {name: _read(fields[name], forms[name], name, fields) for name in forms}


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
