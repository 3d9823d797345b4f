"""Checks certificates: `python checker.py certificate.json data.csv` says valid or invalid.

This file needs nothing but itself and the standard library, and trusts nothing but Python's
integers. docs/certificate.md says what a certificate means, and why what is checked here proves it.
"""

import argparse
import csv
import hashlib
import json
import math
import re
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

LARGEST_FILE = 2**28  # bytes of a certificate; Python itself reads integers of up to 4300 digits
MOST_BITS = 2**18  # of the numerators and the common denominator of a vector or combination
LARGEST_EXPONENT = 5000  # of decimals in the data: 1e999999999 would fill the memory
PRIME = 2**61 - 1
#: Whether a score of 0 is a mistake at a (negative, positive) row.
TIES = {"mistake": (1, 1), "positive": (1, 0), "negative": (0, 1), "keep": (0, 0)}

Fields = dict[str, Any]  # of a certificate
Rows = Iterable[tuple[Any, Any]]  # a label and its values for each
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


def check(certificate: Any, rows: Rows | Callable[[Fields], Rows]) -> Verdict:
    """Check a certificate (text, bytes or a dict) against rows, or what reads them for its fields.

    A row is (label, values): a list, or {column: value} with 0 in the columns left out. Values are
    ints, floats, Fractions or Decimals, labels also text; UnreadableError says if they are not.
    """
    try:
        fields = _certificate(certificate)
        signed = _signed_rows(fields, rows(fields) if callable(rows) else rows)
        CLAIMS[fields["claim"]](fields, signed, fields["witness"], fields["figures"])
    except InvalidError as problem:
        return Verdict(False, str(problem))
    return Verdict(True, f"{fields['claim']}, {fields['rows']} rows, {fields['features']} columns")


def check_arrays(certificate: Any, X: Any, y: Any) -> Verdict:
    """Check a certificate against a matrix (nested lists or a dense array) and its labels."""
    if len(X) != len(y):
        raise UnreadableError(f"there are {len(X)} rows and {len(y)} labels")
    return check(certificate, zip(y, X, strict=True))


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise InvalidError(reason)


# The certificate. Its forms: a dict is an object with just these fields, a list is a list of any
# length, a tuple has alternatives, a pattern is for text, int for a count; else it is that value.

INTEGER = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,999999})"
BINARY64 = re.compile(r"(-?0x[01])\.([0-9a-f]{1,13})p([+-][0-9]{1,4})")
NUMBER, TEXT = (re.compile(rf"-?{INTEGER}(/{INTEGER})?"), BINARY64), re.compile("(?s:.*)")
TRUTH = (True, False)
SUM = [{"row": int, "multiplier": NUMBER}]
OVERLAP = {"conflict": SUM, "spanning": (None, SUM), "complement": (None, [[NUMBER]])}
RUN = {"start": [NUMBER], "eta": NUMBER, "tie": tuple(TIES), "updates": [int], "rounded": [int]}
END = {"weights": [NUMBER], "mistakes": int, "separates": TRUTH, "mistake_bound": (None, NUMBER)}
MARGIN = {"margin_squared": {"lower": NUMBER, "upper": NUMBER}, "radius_squared": NUMBER}
FORMS: dict[str, tuple[Any, Any]] = {  # witness and figures
    "separable": ({"weights": [NUMBER], "support": SUM}, {**MARGIN, "mistake_bound": NUMBER}),
    "inseparable": (OVERLAP, {"rank": int}),
    "quasi-separable": ({"weights": [NUMBER], **OVERLAP}, {"strict": int, "rank": int}),
    "training run": (RUN, END),
}
LABELS = {
    kind: {"kind": kind, "negative": (None, form), "positive": form}
    for kind, form in (("number", NUMBER), ("text", TEXT))
}


def _certificate(given: Any) -> Fields:
    """The fields, all in their forms; added is dim, the number of coordinates of a lifted row."""
    try:
        text = given if isinstance(given, str | bytes) else json.dumps(given)
        data = text.encode() if isinstance(text, str) else text
        _require(len(data) <= LARGEST_FILE, f"more than {LARGEST_FILE} bytes")
        fields = json.loads(data.decode(), object_pairs_hook=_object)
        witness, figures = FORMS[fields["claim"]]
        poisson = fields["family"] == "poisson"
        form = {
            "format": "novikoff certificate",
            "version": 1,
            "claim": ("inseparable", "quasi-separable") if poisson else tuple(FORMS),
            "family": ("binary", "poisson"),
            "rows": int,
            "features": int,
            "lift": {"bias": TRUTH, "unit_length": TRUTH},
            "numbers": ("binary64", "rational"),
            "labels": None if poisson else tuple(LABELS.values()),
            "digest": TEXT,
            "witness": witness,
            "figures": figures,
            "seal": TEXT,
        }
        _require(fields.keys() == form.keys(), f"not with just the fields {', '.join(form)}")
        for name, value in fields.items():
            _require(_fits(value, form[name]), f"{name} is not in its form")
        sealed = {name: value for name, value in fields.items() if name != "seal"}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    except (ValueError, TypeError, KeyError, RecursionError, InvalidError) as problem:
        raise InvalidError(f"not a certificate: {problem}") from None
    seal = hashlib.sha256(text.encode()).hexdigest()
    _require(fields["seal"] == seal, "seal: it does not fit the other fields")
    _require(fields["rows"] > 0 and fields["features"] > 0, "rows or features: none")
    unit_run = fields["claim"] == "training run" and fields["lift"]["unit_length"]
    _require(not unit_run, "lift: a training run has no unit length")
    labels = fields["labels"]
    if labels and labels["kind"] == "number":  # then they are compared as numbers
        labels |= {k: BY_SIZE(_number(v)) for k, v in labels.items() if k != "kind" and v}
    _require(not labels or labels["negative"] != labels["positive"], "labels: twice the same")
    return {**fields, "dim": fields["features"] + fields["lift"]["bias"]}


def _object(pairs: list[tuple[str, Any]]) -> Fields:
    _require(len(dict(pairs)) == len(pairs), "a field comes twice")
    return dict(pairs)


def _fits(value: Any, form: Any) -> bool:
    if isinstance(form, tuple):
        return any(_fits(value, each) for each in form)
    if isinstance(form, list):
        return type(value) is list and all(_fits(each, form[0]) for each in value)
    if isinstance(form, dict):
        just = type(value) is dict and value.keys() == form.keys()
        return just and all(_fits(value[name], form[name]) for name in form)
    if isinstance(form, re.Pattern):
        return type(value) is str and form.fullmatch(value) is not None
    if form is int:
        return type(value) is int and value >= 0
    return type(value) is type(form) and value == form


def _number(text: str) -> Ratio:
    if binary64 := BINARY64.fullmatch(text):
        whole, places, exponent = binary64.groups()
        exact = int(whole + places, 16) * Fraction(2) ** (int(exponent) - 4 * len(places))
        _require(_is_binary64(exact), f"{text} is not a binary64 number")
        return exact.as_integer_ratio()
    top, bottom = (int(part, 0) for part in [*text.split("/"), "1"][:2])
    _require(bottom > 0, "a denominator is 0")
    return top, bottom


def _is_binary64(number: Fraction) -> bool:
    return abs(number) <= sys.float_info.max and float(number) == number


def _integers(numbers: Sequence[str]) -> tuple[list[int], int]:
    """Numbers times their common denominator, and that denominator."""
    ratios, common = [_number(text) for text in numbers], 1
    for bottom in {bottom for _, bottom in ratios}:
        common = math.lcm(common, bottom)
        _require(common.bit_length() <= MOST_BITS, "a common denominator is too large")
    integers = [top * (common // bottom) for top, bottom in ratios]
    _require(all(n.bit_length() <= MOST_BITS for n in integers), "a number is too large")
    return integers, common


def _vector(numbers: list[str], fields: Fields) -> list[int]:
    """A vector times its common denominator: its direction is all that matters."""
    _require(len(numbers) == fields["dim"], "a vector has not one number for each coordinate")
    return _integers(numbers)[0]


def _combination(terms: list[Fields], fields: Fields) -> dict[int, int]:
    """{row: multiplier}, times their common denominator: no claim depends on such a factor."""
    rows = [term["row"] for term in terms]
    ascending = all(i < j for i, j in pairwise([*rows, fields["rows"]]))
    _require(ascending, "a combination has rows that do not ascend, or are not there")
    return dict(zip(rows, _integers([term["multiplier"] for term in terms])[0], strict=True))


# The rows: exact, signed and lifted, and known by their digest.


class Row(NamedTuple):
    """A signed, lifted row: z[column] = entries[column] / scale, and 0 where there is no entry."""

    positive: bool
    entries: dict[int, int]
    scale: int

    def dot(self, vector: Sequence[int]) -> int:
        """z · vector, times scale."""
        return sum(value * vector[column] for column, value in self.entries.items())

    def square(self) -> Ratio:
        """‖z‖²"""
        return sum(value * value for value in self.entries.values()), self.scale**2


def _signed_rows(fields: Fields, given: Rows) -> list[Row]:
    head = "novikoff rows 1\nfamily {family}\nbias {bias:d}\nunit_length {unit_length:d}\n"
    head += "numbers {numbers}\nrows {rows}\nfeatures {features}\n"
    digest, rows = hashlib.sha256(head.format(**fields, **fields["lift"]).encode()), list[Row]()
    for label, values in given:
        where, sparse = f"row {len(rows)}", isinstance(values, Mapping)
        _require(len(rows) < fields["rows"], "rows: there are more")
        _require(sparse or len(values) == fields["features"], f"features: {where} has others")
        pairs = values.items() if sparse else enumerate(values)
        exact = {column: _exact(value, where) for column, value in pairs}
        numbers = {column: value for column, value in exact.items() if value}
        inside = all(column in range(fields["features"]) for column in numbers)
        _require(inside, f"features: {where} has others")
        positive = _is_positive(label, fields["labels"], where)
        digest.update(bytes([positive]) + _fingerprint(numbers, fields["numbers"], where))
        if fields["lift"]["bias"]:
            numbers[fields["features"]] = Fraction(1)
        scale, sign = math.lcm(*(x.denominator for x in numbers.values())), 1 if positive else -1
        entries = {j: sign * x.numerator * (scale // x.denominator) for j, x in numbers.items()}
        rows.append(Row(positive, entries, scale))
    _require(len(rows) == fields["rows"], "rows: there are fewer")
    _require(digest.hexdigest() == fields["digest"], "digest: these are other rows or labels")
    return rows


def _exact(value: Any, where: str) -> Fraction:
    value = value.item() if hasattr(value, "item") else value  # NumPy's numbers as Python's
    far = isinstance(value, Decimal) and abs(value.adjusted()) > LARGEST_EXPONENT
    try:
        if isinstance(value, int | float | Fraction | Decimal) and not far:
            return Fraction(value)
    except (ValueError, OverflowError):
        pass  # infinite, or not a number
    raise UnreadableError(f"{where}: expected a finite number, and none too far from 1")


def _fingerprint(numbers: dict[int, Fraction], kind: str, where: str) -> bytes:
    total = 0
    for column, value in numbers.items():
        if kind == "binary64":
            _require(_is_binary64(value), f"numbers: {where} has one that is not binary64")
            bits = struct.pack("<d", value)
        else:  # Decimal writes integers of any length, str those of up to 4300 digits
            text = f"{Decimal(value.numerator):f}/{Decimal(value.denominator):f}"
            bits = hashlib.sha256(text.encode()).digest()[:8]
        x = (int.from_bytes(bits, "little") + (column + 1) * 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        total += x ^ (x >> 31)
    return (total % 2**64).to_bytes(8, "little")


def _is_positive(label: Any, labels: Fields | None, where: str) -> bool:
    number = None if isinstance(label, str) else _exact(label, where)
    if labels is None:
        _require(number is not None and number >= 0, f"labels: {where} has no count")
        return bool(number)
    same_kind = (number is None) == (labels["kind"] == "text")
    key = label if number is None else BY_SIZE(number.as_integer_ratio())
    known = same_kind and (labels["negative"] is None or key == labels["negative"])
    _require(known or (same_kind and key == labels["positive"]), f"labels: {where} has another")
    return bool(key == labels["positive"])


def _sum(terms: dict[int, int], rows: list[Row]) -> tuple[list[int], int]:
    """The entries of Σ λ z that are not 0, times a common denominator, and that denominator."""
    scale, total = math.lcm(*{rows[i].scale for i in terms}), dict[int, int]()
    for i, multiplier in terms.items():
        factor = multiplier * (scale // rows[i].scale)
        for column, value in rows[i].entries.items():
            total[column] = total.get(column, 0) + factor * value
    return [value for value in total.values() if value], scale


# The claims.


def _equal(given: str, found: Ratio, what: str) -> None:
    _require(BY_SIZE(_number(given)) == BY_SIZE(found), f"{what}: another number follows")


def _separable(fields: Fields, rows: list[Row], witness: Fields, figures: Fields) -> None:
    w, unit = _vector(witness["weights"], fields), fields["lift"]["unit_length"]
    scores, squares = [row.dot(w) for row in rows], [row.square() for row in rows]
    _require(min(scores) > 0, "weights: a row is not strictly on its own side")
    # s² / scale², or with unit length (s² / scale²) / (square / scale²)
    sizes = [square if unit else scale for square, scale in squares]
    least = min(zip((s * s for s in scores), sizes, strict=True), key=BY_SIZE)
    lower = least[0], least[1] * sum(x * x for x in w)
    radius = (1, 1) if unit else max(squares, key=BY_SIZE)
    support = _combination(witness["support"], fields)
    _require(min(support.values(), default=0) > 0, "support: empty, or not positive")
    weight = sum(each * (_length(rows[i]) if unit else 1) for i, each in support.items())
    (top, bottom), (total, scale) = weight.as_integer_ratio(), _sum(support, rows)
    upper = sum(x * x for x in total) * bottom**2, (top * scale) ** 2
    bound = radius[0] * lower[1] // (radius[1] * lower[0])
    _equal(figures["margin_squared"]["lower"], lower, "lower")
    _equal(figures["margin_squared"]["upper"], upper, "upper")
    _equal(figures["radius_squared"], radius, "radius_squared")
    _equal(figures["mistake_bound"], (bound, 1), "mistake_bound")


def _length(row: Row) -> Fraction:
    """‖z‖, rounded down as the page says."""
    a, b = Fraction(*row.square()).as_integer_ratio()
    return Fraction(math.isqrt(a * b * 4**64), b * 2**64)


def _overlap(fields: Fields, rows: list[Row], witness: Fields, figures: Fields) -> None:
    """Both claims of overlap: all rows are in O, the rows `on`, unless there are weights."""
    pinned = {i for i, row in enumerate(rows) if row.positive and fields["family"] == "poisson"}
    on, dim, rank = range(len(rows)), fields["dim"], figures["rank"]
    if fields["claim"] == "quasi-separable":
        w = _vector(witness["weights"], fields)
        scores = [row.dot(w) for row in rows]
        _require(min(scores) == 0 < max(scores), "weights: a row on the wrong side, or S or O empty")
        on = [i for i, score in enumerate(scores) if score == 0]
        _require(pinned.issubset(on), "weights: a pinned row is not on the hyperplane")
        _require(figures["strict"] == len(rows) - len(on), "strict: another number of rows")
    listed = witness["conflict"] if witness["spanning"] is None else witness["spanning"]
    conflict, spanning = _combination(witness["conflict"], fields), _combination(listed, fields)
    _require(len(conflict) <= fields["features"] + 2, "conflict: too many rows")
    _require(all(conflict.values()), "conflict: a multiplier is 0")
    _require(bool(conflict) or pinned.issuperset(spanning), "conflict: empty")
    for terms in (conflict, spanning):
        _require(bool(terms) or fields["family"] == "poisson", "a combination is empty")
        positive = all(each > 0 or i in pinned for i, each in terms.items())
        _require(positive, "a multiplier is not positive")
        _require(not _sum(terms, rows)[0], "a combination does not sum to zero")
    vectors, complement = [rows[i].entries for i in spanning], witness["complement"]
    if complement is None and rank < dim:
        _require(spanning.keys() >= set(on), "complement: null, though rows are not in spanning")
        return _require(_rank(vectors, rank + 1) == rank, "rank: another one")
    # Modulo a prime first: it is far quicker, and never more than the rank.
    shown = _rank(vectors, rank, PRIME) == rank or _rank(vectors, rank) == rank
    _require(shown, "rank: too large")
    _require(len(complement or []) == dim - rank, "complement: not as many vectors as it takes")
    first = -1
    for normal in [_vector(each, fields) for each in complement or []]:
        before, first = first, next((j for j, x in enumerate(normal) if x), -1)
        _require(before < first, "complement: its vectors do not begin one after the other")
        _require(not any(rows[i].dot(normal) for i in on), "complement: not orthogonal to all rows")
    return None


def _rank(vectors: list[dict[int, int]], enough: int, prime: int = 0) -> int:
    """The rank of the vectors, or `enough` if it is more: exact, or modulo a prime.

    By elimination without fractions, after which each row is made short again.
    """
    basis: list[tuple[int, dict[int, int]]] = []
    for vector in vectors:
        if len(basis) == enough:
            break
        row = _short(vector, prime)
        for column, other in basis:
            if column in row:
                factor, pivot = row[column], other[column]
                row = {j: pivot * x for j, x in row.items()}
                for j, x in other.items():
                    row[j] = row.get(j, 0) - factor * x
                row = _short(row, prime)
        if row:
            basis.append((min(row), row))
    return len(basis)


def _short(row: dict[int, int], prime: int) -> dict[int, int]:
    divisor = 1 if prime else math.gcd(*row.values()) or 1
    short = ((j, x % prime if prime else x // divisor) for j, x in row.items())
    return {j: x for j, x in short if x}


def _training_run(fields: Fields, rows: list[Row], witness: Fields, figures: Fields) -> None:
    _vector(witness["start"], fields)
    _vector(figures["weights"], fields)
    (*start, eta), unit = _integers([*witness["start"], witness["eta"]])
    _require(eta > 0, "eta: not positive")
    updates: list[int] = witness["updates"]
    _require(max(updates, default=0) < len(rows), "updates: a row that is not there")
    # From here on, w, start and eta are integers: they are to be divided by unit * scale.
    scale, rounded = math.lcm(*{rows[i].scale for i in updates}), []
    w = start = [value * scale for value in start]
    for place, row in enumerate(rows[i] for i in updates):
        score = row.dot(w)
        if score > 0 or (score == 0 and not TIES[witness["tie"]][row.positive]):
            rounded.append(place)
        w = list(w)
        for column, value in row.entries.items():
            w[column] += eta * (scale // row.scale) * value
