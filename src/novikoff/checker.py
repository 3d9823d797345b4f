"""Checks certificates: `python checker.py certificate.json data.csv` says valid or invalid.

This file needs nothing but itself and the standard library, and trusts nothing but Python's
integers. docs/certificate.md says what a certificate means, and why what is checked here proves it.
"""

import argparse
import csv
import gzip
import hashlib
import json
import math
import operator
import re
import struct
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from pathlib import Path
from typing import Any, NamedTuple

LARGEST_FILE = 2**28  # bytes of a certificate
LONGEST_COUNT = 4300  # digits
MOST_BITS = 2**18  # of the numerators and the common denominator of a vector or combination
LARGEST_EXPONENT = 5000  # of exact decimals: 1e999999999 would fill the memory
PRIME = 2**61 - 1
NUMBERS = (int, float, Fraction, Decimal)
FIELDS = "format version claim family rows features lift numbers labels digest witness figures seal"
#: Whether a score of 0 is a mistake at a (negative, positive) row.
TIES = {"mistake": (1, 1), "positive": (1, 0), "negative": (0, 1), "keep": (0, 0)}

Fields = dict[str, Any]  # of a certificate
Given = Iterable[tuple[Any, Mapping[int, Any]]]  # (label, {column: value}) for each row
#: Numerator and positive denominator. Reducing long ones would take more time than all the rest.
Ratio = tuple[int, int]
BY_SIZE: Callable[[Ratio], Any] = cmp_to_key(lambda a, b: a[0] * b[1] - b[0] * a[1])


class Verdict(NamedTuple):
    """Whether the certificate proves its claim about the rows; `reason` says why not, or what."""

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
        CLAIMS[fields["claim"]](fields, _signed_rows(fields, rows(fields)))
    except InvalidError as problem:
        return Verdict(False, str(problem))
    return Verdict(True, f"{fields['claim']}, {fields['rows']} rows, {fields['features']} columns")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise InvalidError(reason)


# The certificate: its JSON, its fields, its numbers.


def _certificate(given: Any) -> Fields:
    """The fields, all checked but for the witness and the figures, which depend on the claim."""
    try:
        fields: Fields = _parsed(given)
        _take(fields, "certificate", FIELDS)
        sealed = {name: value for name, value in fields.items() if name != "seal"}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        raise InvalidError("not a certificate: nested too deep") from None
    except (ValueError, TypeError) as problem:
        raise InvalidError(f"not a certificate: {problem}") from None
    for name, known in (
        ("format", ["novikoff certificate"]),
        ("claim", list(CLAIMS)),
        ("family", ["binary", "poisson"]),
        ("numbers", ["binary64", "rational"]),
    ):
        _require(fields[name] in known, f"{name}: not {' or '.join(known)}")
    seal = hashlib.sha256(text.encode()).hexdigest()
    _require(fields["seal"] == seal, "seal: it does not fit the other fields")
    _require(_count(fields["version"], "version") == 1, "version: only 1 is known here")
    _require(_count(fields["rows"], "rows") > 0, "rows: none")
    _require(_count(fields["features"], "features") > 0, "features: none")
    bias, unit_length = _take(fields["lift"], "lift", "bias unit_length")
    _require(type(bias) is bool and type(unit_length) is bool, "lift: not true or false")
    run, counts = fields["claim"] == "training run", fields["family"] == "poisson"
    _require(not (run and unit_length), "lift: a training run has no unit length")
    _require(not (counts and (run or fields["claim"] == "separable")), "claim: not for counts")
    more: Fields = {"counts": counts, "labels": _labels(fields["labels"], counts)}
    return fields | more | {"dim": fields["features"] + bias, **fields["lift"]}


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


def _labels(given: Any, counts: bool) -> tuple[str, Any, Any] | None:
    """The kind, the negative and the positive label, with numbers as what compares by size."""
    if counts:
        _require(given is None, "labels: not null, though there are counts")
        return None
    kind, negative, positive = _take(given, "labels", "kind negative positive")
    _require(kind in ("number", "text"), "labels: neither number nor text")
    _require(type(positive) is str and type(negative) in (str, type(None)), "labels: not text")
    if kind == "number":
        positive = BY_SIZE(_number(positive))
        negative = None if negative is None else BY_SIZE(_number(negative))
    _require(negative is None or negative != positive, "labels: twice the same")
    return kind, negative, positive


def _take(value: Any, where: str, names: str) -> list[Any]:
    """The values of these fields, which must be all there are."""
    wanted = names.split()
    _require(type(value) is dict and set(value) == set(wanted), f"{where}: not with just {names}")
    return [value[name] for name in wanted]


def _count(value: Any, what: str) -> int:
    _require(type(value) is int and value >= 0, f"{what}: not a count")
    return int(value)


def _list(value: Any, what: str) -> list[Any]:
    _require(type(value) is list, f"{what}: not a list")
    return list(value)


_INTEGER = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,999999})"
_RATIO = re.compile(rf"(-?{_INTEGER})(?:/({_INTEGER}))?")
_BINARY64 = re.compile(r"(-?0x[01])\.([0-9a-f]{1,13})p([+-][0-9]{1,4})")


def _number(text: Any) -> Ratio:
    _require(type(text) is str, "a number is not written as text")
    if ratio := _RATIO.fullmatch(text):
        top, bottom = (int(part, 0) for part in ratio.groups("1"))
        _require(bottom > 0, "a denominator is 0")
        return top, bottom
    found = _BINARY64.fullmatch(text)
    if found is None:
        raise InvalidError(f"{text[:40]!a} is not a number in one of the forms")
    whole, places, exponent = found.groups()
    value = int(whole + places, 16) * Fraction(2) ** (int(exponent) - 4 * len(places))
    try:
        _require(float.fromhex(text) == value, f"{text} is not a binary64 number")
    except OverflowError:
        raise InvalidError(f"{text} is not finite") from None
    return value.as_integer_ratio()


def _equal(given: Any, found: Ratio, what: str) -> None:
    _require(BY_SIZE(_number(given)) == BY_SIZE(found), f"{what}: another number follows")


def _integers(values: list[Any]) -> tuple[list[int], int]:
    """Numbers as integers over their least common denominator."""
    ratios, common = [_number(value) for value in values], 1
    for bottom in {bottom for _, bottom in ratios}:
        common = math.lcm(common, bottom)
        _require(common.bit_length() <= MOST_BITS, "a common denominator is too large")
    integers = [top * (common // bottom) for top, bottom in ratios]
    _require(all(top.bit_length() <= MOST_BITS for top in integers), "a number is too large")
    return integers, common


def _vector(value: Any, fields: Fields, what: str) -> list[int]:
    """A vector times its common denominator: mostly its direction alone matters."""
    _require(len(_list(value, what)) == fields["dim"], f"{what}: not {fields['dim']} numbers")
    return _integers(value)[0]


def _combination(value: Any, fields: Fields, what: str) -> dict[int, int]:
    """{row: multiplier}, times a common denominator: no claim depends on such a factor."""
    terms = [_take(term, what, "row multiplier") for term in _list(value, what)]
    places = [_count(row, what) for row, _ in terms]
    ascending = all(map(operator.lt, places, [*places[1:], fields["rows"]]))
    _require(ascending, f"{what}: rows that do not ascend, or are not there")
    return dict(zip(places, _integers([each for _, each in terms])[0], strict=True))


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


def _signed_rows(fields: Fields, given: Given) -> list[Row]:
    head = "novikoff rows 1\nfamily {family}\nbias {bias:d}\nunit_length {unit_length:d}\n"
    head += "numbers {numbers}\nrows {rows}\nfeatures {features}\n"
    digest, rows = hashlib.sha256(head.format(**fields).encode()), list[Row]()
    kind = fields["numbers"]
    for label, values in given:
        _require(len(rows) < fields["rows"], f"rows: there are more than {fields['rows']}")
        exact = {operator.index(j): _exact(x, kind, len(rows)) for j, x in values.items()}
        numbers = {column: value for column, value in exact.items() if value}
        inside = all(0 <= column < fields["features"] for column in numbers)
        _require(inside, f"features: row {len(rows)} has a column beyond them")
        positive = _is_positive(label, fields["labels"], len(rows))
        digest.update(bytes([positive]) + _fingerprint(numbers).to_bytes(8, "little"))
        rows.append(_lifted(numbers, positive, fields))
    _require(len(rows) == fields["rows"], f"rows: there are {len(rows)}")
    _require(digest.hexdigest() == fields["digest"], "digest: these are other rows or labels")
    return rows


def _lifted(numbers: Mapping[int, float | Fraction], positive: bool, fields: Fields) -> Row:
    ratios = {column: value.as_integer_ratio() for column, value in numbers.items()}
    scale, sign = math.lcm(*(bottom for _, bottom in ratios.values())), 1 if positive else -1
    entries = {j: sign * top * (scale // bottom) for j, (top, bottom) in ratios.items()}
    if fields["bias"]:
        entries[fields["features"]] = sign * scale
    return Row(positive, entries, scale)


def _fingerprint(numbers: Mapping[int, float | Fraction]) -> int:
    total = 0
    for column, value in numbers.items():
        if isinstance(value, float):
            bits = struct.pack("<d", value)
        else:  # Decimal writes integers of any length, str those of up to 4300 digits
            text = f"{Decimal(value.numerator):f}/{Decimal(value.denominator):f}"
            bits = hashlib.sha256(text.encode()).digest()[:8]
        x = (int.from_bytes(bits, "little") + (column + 1) * 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        total += x ^ (x >> 31)
    return total % 2**64


def _exact(value: Any, numbers: str, row: int) -> float | Fraction:
    """The very number given, be it Python's or NumPy's, as a float or a Fraction."""
    value = value.item() if hasattr(value, "item") else value
    if type(value) is float and numbers == "binary64" and math.isfinite(value):
        return value
    far = isinstance(value, Decimal) and abs(value.adjusted()) > LARGEST_EXPONENT
    try:
        exact = None if far or not isinstance(value, NUMBERS) else Fraction(value)
    except (ValueError, OverflowError):
        exact = None
    if exact is None:
        raise UnreadableError(f"row {row}: expected a finite number, and none too far from 1")
    if numbers == "rational":
        return exact
    held = abs(exact) <= sys.float_info.max and float(exact) == exact
    _require(held, f"numbers: row {row} has one that is not binary64")
    return float(exact)


def _is_positive(label: Any, labels: tuple[str, Any, Any] | None, row: int) -> bool:
    number = None if isinstance(label, str) else Fraction(_exact(label, "rational", row))
    if labels is None:
        _require(number is not None and number >= 0, f"labels: row {row} has no count")
        return bool(number)
    kind, negative, positive = labels
    _require((number is None) == (kind == "text"), f"labels: row {row} has another kind of label")
    key = label if number is None else BY_SIZE(number.as_integer_ratio())
    known = negative is None or key in (negative, positive)
    _require(known, f"labels: row {row} has neither of the two")
    return bool(key == positive)


# The claims.


def _separable(fields: Fields, rows: list[Row]) -> None:
    weights, support = _take(fields["witness"], "witness", "weights support")
    names = "margin_squared radius_squared mistake_bound"
    margin, radius, bound = _take(fields["figures"], "figures", names)
    lower, upper = _take(margin, "margin_squared", "lower upper")
    w, unit = _vector(weights, fields, "weights"), fields["unit_length"]
    scores, squares = [row.dot(w) for row in rows], [row.square() for row in rows]
    _require(min(scores) > 0, "weights: a row is not strictly on its own side")
    # s² / scale², or with unit length (s² / scale²) / (square / scale²)
    sizes = [square if unit else scale for square, scale in squares]
    least = min(zip((s * s for s in scores), sizes, strict=True), key=BY_SIZE)
    low = least[0], least[1] * sum(x * x for x in w)
    largest = (1, 1) if unit else max(squares, key=BY_SIZE)
    _equal(lower, low, "lower")
    _equal(upper, _margin_above(_combination(support, fields, "support"), rows, unit), "upper")
    _equal(radius, largest, "radius_squared")
    k, top, bottom = _count(bound, "mistake_bound"), largest[0] * low[1], largest[1] * low[0]
    _require(k * bottom <= top < (k + 1) * bottom, "mistake_bound: not radius_squared / lower")


def _margin_above(support: dict[int, int], rows: list[Row], unit: bool) -> Ratio:
    """‖Σ λ z‖² / (Σ λ)², or with unit length ‖Σ λ z‖² / (Σ λ r)²."""
    _require(min(support.values(), default=0) > 0, "support: empty, or not positive")
    total, scale = _sum(support, rows)
    weight, common = sum(support.values()), 1
    if unit:
        squares = {i: Fraction(*rows[i].square()).as_integer_ratio() for i in support}
        common = math.lcm(*(b for _, b in squares.values()))
        roots = {i: math.isqrt(a * b * 4**64) * (common // b) for i, (a, b) in squares.items()}
        weight, common = sum(each * roots[i] for i, each in support.items()), common * 2**64
    return sum(x * x for x in total.values()) * common**2, (scale * weight) ** 2


def _sum(terms: dict[int, int], rows: list[Row]) -> tuple[dict[int, int], int]:
    """Σ λ z, as integers over a common denominator."""
    scale, total = math.lcm(*{rows[i].scale for i in terms}), dict[int, int]()
    for i, multiplier in terms.items():
        factor = multiplier * (scale // rows[i].scale)
        for column, value in rows[i].entries.items():
            total[column] = total.get(column, 0) + factor * value
    return total, scale


def _inseparable(fields: Fields, rows: list[Row]) -> None:
    witness = _take(fields["witness"], "witness", "conflict spanning complement")
    (rank,) = _take(fields["figures"], "figures", "rank")
    _check_overlap(fields, rows, range(len(rows)), witness, _count(rank, "rank"))


def _quasi_separable(fields: Fields, rows: list[Row]) -> None:
    names = "weights conflict spanning complement"
    weights, *witness = _take(fields["witness"], "witness", names)
    strict, rank = _take(fields["figures"], "figures", "strict rank")
    w = _vector(weights, fields, "weights")
    scores = [row.dot(w) for row in rows]
    _require(min(scores) == 0 < max(scores), "weights: a row on the wrong side, or S or O empty")
    on = [i for i, score in enumerate(scores) if score == 0]
    _require(_count(strict, "strict") == len(rows) - len(on), "strict: another number of rows")
    _require(_pinned(fields, rows).issubset(on), "weights: a pinned row is not on the hyperplane")
    _check_overlap(fields, rows, on, witness, _count(rank, "rank"))


def _pinned(fields: Fields, rows: list[Row]) -> set[int]:
    return {i for i, row in enumerate(rows) if fields["counts"] and row.positive}


def _check_overlap(
    fields: Fields, rows: list[Row], on: Sequence[int], witness: list[Any], rank: int
) -> None:
    """The rows `on` lie on every hyperplane that has no row on the wrong side."""
    conflict = _combination(witness[0], fields, "conflict")
    spanning = conflict if witness[1] is None else _combination(witness[1], fields, "spanning")
    complement, pinned, dim = witness[2], _pinned(fields, rows), fields["dim"]
    _require(len(conflict) <= fields["features"] + 2, "conflict: too many rows")
    _require(all(conflict.values()), "conflict: a multiplier is 0")
    _require(bool(conflict) or pinned.issuperset(spanning), "conflict: empty")
    for what, terms in (("conflict", conflict), ("spanning", spanning)):
        _require(bool(terms) or fields["counts"], f"{what}: empty")
        positive = all(each > 0 or i in pinned for i, each in terms.items())
        _require(positive, f"{what}: a multiplier is not positive")
        _require(not any(_sum(terms, rows)[0].values()), f"{what}: it does not sum to zero")
    vectors = [rows[i].entries for i in spanning]
    _require(rank <= min(dim, len(vectors)), "rank: too large")
    if complement is None and rank < dim:
        _require(set(on).issubset(spanning), "complement: null, though rows are not in spanning")
        return _require(_rank(vectors, rank + 1) == rank, "rank: another one")
    # Modulo a prime first: it is far quicker, and never more than the rank.
    shown = _rank(vectors, rank, PRIME) == rank or _rank(vectors, rank) == rank
    _require(shown, "rank: too large")
    given = [] if complement is None else _list(complement, "complement")
    _require(len(given) == dim - rank, f"complement: not {dim - rank} vectors")
    normals = [_vector(each, fields, "complement") for each in given]
    firsts = [next((j for j, x in enumerate(normal) if x), -1) for normal in normals]
    _require(all(map(operator.lt, [-1, *firsts], firsts)), "complement: not in ascending order")
    orthogonal = not any(rows[i].dot(normal) for normal in normals for i in on)
    return _require(orthogonal, "complement: not orthogonal to all rows")


def _rank(vectors: list[dict[int, int]], enough: int, prime: int = 0) -> int:
    """The rank of the vectors, or `enough` if it is more: by elimination, modulo a prime or exact.

    The exact one divides by the pivot before, which leaves no remainder (Bareiss, 1968), so that
    entries stay as short as the determinants they are.
    """
    shrink, basis = operator.mod if prime else operator.floordiv, list[tuple[int, dict[int, int]]]()
    for vector in vectors:
        if len(basis) == enough:
            break
        row, before = {j: x for j, v in vector.items() if (x := shrink(v, prime or 1))}, 1
        for column, other in basis:
            pivot, factor = other[column], row.get(column, 0)
            if factor or not prime:
                columns = row.keys() | other.keys() if factor else row.keys()
                mixed = ((j, pivot * row.get(j, 0) - factor * other.get(j, 0)) for j in columns)
                row = {j: x for j, v in mixed if (x := shrink(v, prime or before))}
            before = pivot
        if row:
            basis.append((min(row), row))
    return len(basis)


def _training_run(fields: Fields, rows: list[Row]) -> None:
    names = "start eta tie updates rounded"
    start, eta, tie, updates, rounded = _take(fields["witness"], "witness", names)
    names = "weights mistakes separates mistake_bound"
    weights, mistakes, separates, bound = _take(fields["figures"], "figures", names)
    _vector(start, fields, "start")
    _vector(weights, fields, "weights")
    (*first, step), unit = _integers([*start, eta])
    _require(step > 0, "eta: not positive")
    _require(type(tie) is str and tie in TIES, "tie: not a known one")
    inside = all(_count(i, "updates") < len(rows) for i in _list(updates, "updates"))
    _require(inside, "updates: a row that is not there")
    w, scale, odd = _replayed(first, step, TIES[tie], [rows[i] for i in updates])
    places = [_count(place, "rounded") for place in _list(rounded, "rounded")]
    _require(places == odd, "rounded: not the updates that were no mistakes")
    for given, value in zip(weights, w, strict=True):
        _equal(given, (value, unit * scale), "weights")
    _require(_count(mistakes, "mistakes") == len(updates), "mistakes: not the number of updates")
    scores = [(row.dot(w), row.scale * unit * scale) for row in rows]
    _require(separates is (min(scores)[0] > 0), "separates: not so")
    if odd or not separates:
        return _require(bound is None, "mistake_bound: not null")
    a = Fraction(*min(scores, key=BY_SIZE))
    D2 = Fraction(*max((row.square() for row in rows), key=BY_SIZE))
    start_w = Fraction(sum(map(operator.mul, first, w)), unit * unit * scale)
    start2 = Fraction(sum(x * x for x in first), unit**2)
    w2, eta = Fraction(sum(x * x for x in w), (unit * scale) ** 2), Fraction(step, unit)

    def possible(k: int) -> bool:
        left = k * eta * a + start_w
        return bool(left <= 0 or left**2 <= w2 * (start2 + k * eta**2 * D2))

    # A line against a root: possible at k = 0, and once it no longer is, never again.
    k = _count(bound, "mistake_bound")
    _require(possible(k) and not possible(k + 1), "mistake_bound: not the largest k")
    return _require(len(updates) <= k, "mistakes: more than the bound")


def _replayed(
    start: list[int], step: int, tie: tuple[int, int], updates: list[Row]
) -> tuple[list[int], int, list[int]]:
    """The final weights times a scale, that scale, and the places that were no mistakes."""
    scale = math.lcm(*{row.scale for row in updates})
    w, odd = [value * scale for value in start], []
    for place, row in enumerate(updates):
        score = row.dot(w)
        if score > 0 or (score == 0 and not tie[row.positive]):
            odd.append(place)
        factor = step * (scale // row.scale)
        for column, value in row.entries.items():
            w[column] += factor * value
    return w, scale, odd


CLAIMS: dict[str, Callable[[Fields, list[Row]], None]] = {
    "separable": _separable,
    "inseparable": _inseparable,
    "quasi-separable": _quasi_separable,
    "training run": _training_run,
}


# Files of rows, read as the package reads them, and the command line.

_PAIR = re.compile(r"(?:([0-9]{1,10})|qid):([^\s:,;\"]+)")
_MISSING = {"", "na", "nan", "n/a", "null", "none"}
_SUFFIXES = {".csv": "csv", ".tsv": "tsv"} | dict.fromkeys((".svm", ".svmlight", ".libsvm"), "svm")
Tokens = list[tuple[str, dict[int, str]]]  # (label, {column: number}), as they are written


def _file_rows(fields: Fields, options: argparse.Namespace) -> Given:
    packed = options.data.lower().endswith(".gz")
    try:
        with gzip.open(options.data) if packed else Path(options.data).open("rb") as file:
            text = file.read().decode("utf-8-sig")
        lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
        kind = options.format or _format(options.data, lines)
        sparse = kind.startswith("svm")
        rows = _svmlight(lines, options) if sparse else _table(lines, options, kind)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as problem:
        raise UnreadableError(str(problem)) from None
    if not rows or "\0" in text:
        raise UnreadableError("expected rows of text, found none")
    width, labels = len(rows[0][1]), _typed([label for label, _ in rows])
    _require(sparse or width == fields["features"], f"features: there are {width}")
    number: Any = float if fields["numbers"] == "binary64" else Decimal
    for label, (_, tokens) in zip(labels, rows, strict=True):
        yield label, {column: _read(token, number) for column, token in tokens.items()}


def _format(path: str, lines: list[str]) -> str:
    """By the file's name, else by the look of the first line that is not just a label."""
    bare = (line.partition("#")[0].split()[1:] for line in lines)
    guess = "svm" if all(map(_PAIR.fullmatch, next(filter(None, bare), [""]))) else "csv"
    return _SUFFIXES.get(Path(path.lower().removesuffix(".gz")).suffix, guess)


def _table(lines: list[str], options: argparse.Namespace, kind: str) -> Tokens:
    first = next(filter(str.strip, lines), "").strip()
    guess = "\t" if kind == "tsv" else next((mark for mark in ",\t;| " if mark in first), ",")
    mark = (options.delimiter or guess).replace("\\t", "\t")
    if len(mark) != 1 or mark.isalnum() or mark in '"\r\n\0+-.':
        raise UnreadableError(f"found the delimiter {mark!a}, expected one character")
    text = (" ".join(line.split()) if mark == " " else line for line in lines)
    read = csv.reader((line + "\n" for line in text), delimiter=mark, strict=True)
    records = [record for record in read if len(record) > 1 or "".join(record).strip()]
    head, names = [field.strip() for field in records[0]] if records else [], list[str]()
    # The name of an index, the first column, may be missing; elsewhere it is a number that is.
    gaps = _MISSING.intersection(field.lower() for field in head[1:])
    words = not gaps and all(_read(field) is None for field in head)
    if records and (words if options.header is None else options.header):
        names, records = head, records[1:]
    width = len(head)
    place = _target(names, width, options.target)
    for i, record in enumerate(records):
        if len(record) != width or width < 2:
            raise UnreadableError(f"row {i} has {len(record)} fields, expected {max(width, 2)}")
    rest = [column for column in range(width) if column != place]
    return [(each[place].strip(), dict(enumerate(each[j] for j in rest))) for each in records]


def _target(names: list[str], width: int, told: str | None) -> int:
    """The column of labels: as told, by name or place, else by the usual names, else the last."""
    lowered = [name.lower() for name in names]
    usual = [name for name in ("target", "label", "class", "y") if name in lowered]
    known, target = (lowered, [*usual, "-1"][0]) if told is None else (names, told)
    if known.count(target) == 1:
        return known.index(target)
    if re.fullmatch("-?[0-9]{1,9}", target) and -width <= int(target) < width:
        return int(target) % width
    raise UnreadableError(f"expected one column {target!a}, found {known.count(target)}")


def _svmlight(lines: list[str], options: argparse.Namespace) -> Tokens:
    rows: Tokens = []
    for number, line in enumerate(lines, 1):
        label, *pairs = line.partition("#")[0].split() or [""]
        found = [_PAIR.fullmatch(pair) for pair in pairs]
        known = [(int(pair[1]), pair[2]) for pair in found if pair and pair[1]]
        if ":" in label or None in found or len(dict(known)) < len(known):
            raise UnreadableError(f"line {number}: expected a label, then index:value pairs")
        if label:
            rows.append((label, dict(known)))
    zeros = any(0 in row for _, row in rows)
    if zeros and options.zero_based is False:
        raise UnreadableError("found an index 0, expected indices from 1 on")
    base = 0 if zeros or options.zero_based else 1
    return [(label, {j - base: token for j, token in row.items()}) for label, row in rows]


def _read(token: str, number: Any = float) -> Any:
    """The number written, or None: underscores and digits of other scripts do not count."""
    try:
        return number(token.strip()) if token.isascii() and "_" not in token else None
    except (ValueError, ArithmeticError):
        return None


def _typed(labels: list[str]) -> Sequence[Any]:
    """Numbers if all labels are numbers, whole if all are whole; else text."""
    values = {label: _read(label) for label in labels}
    if any(label.lower() in ("", "na", "nan") for label in values):
        raise UnreadableError("expected a label in every row, found one missing")
    if None in values.values():
        return labels
    whole = all(re.fullmatch("[+-]?[0-9]{1,18}", label) for label in values)
    return [int(label) if whole else values[label] for label in labels]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0 if the certificate is valid, 1 if not, 2 if there is nothing to check."""
    parser = argparse.ArgumentParser(description="Check a novikoff certificate against its data.")
    parser.add_argument("certificate", help="a JSON file")
    parser.add_argument("data", help="the rows it is about: csv, tsv or svmlight, also gzipped")
    parser.add_argument("--format", choices=("csv", "tsv", "svmlight"))
    parser.add_argument("--target", help="the column of labels, by name or by place from 0")
    parser.add_argument("--header", action=argparse.BooleanOptionalAction)
    parser.add_argument("--delimiter", help="what stands between the fields of a table")
    parser.add_argument("--zero-based", action="store_const", const=True)
    parser.add_argument("--one-based", action="store_const", const=False, dest="zero_based")
    options = parser.parse_args(arguments)
    try:
        with Path(options.certificate).open("rb") as file:
            text = file.read(LARGEST_FILE + 1)
        verdict = _judged(text, lambda fields: _file_rows(fields, options))
    except (OSError, UnreadableError, MemoryError) as problem:
        sys.stderr.write(f"unreadable: {str(problem) or 'larger than the memory'}\n")
        return 2
    sys.stdout.write(f"{'valid' if verdict.valid else 'invalid'}: {verdict.reason}\n")
    return 0 if verdict.valid else 1


if __name__ == "__main__":
    sys.exit(main())
