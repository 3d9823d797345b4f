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
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

LARGEST_FILE = 2**28  # bytes of a certificate; Python itself reads integers of up to 4300 digits
MOST_BITS = 2**18  # of the numerators and the common denominator of a vector or combination
LARGEST_EXPONENT = 5000  # of decimals in the data: 1e999999999 would fill the memory
PRIME = 2**61 - 1
Fields = dict[str, Any]  # of a certificate
Rows = Iterable[tuple[Any, ...]]  # (label, values) for each, or (label, values, roles)
Ratio = tuple[int, int]  # numerator and positive denominator
Vector = dict[int, int]  # {place: value}, with 0 in the places left out


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
    With version 3 it is (label, values, roles) where it has roles: {"weights": 1.0} and the like.
    """
    try:
        fields = _certificate(certificate)
        make = _cone_rows if fields["version"] == 3 else _signed_rows
        signed = make(fields, rows(fields) if callable(rows) else rows)
        claims = {"separable": _check_separable, "training run": _check_training_run}
        claims["repair"] = _check_repair
        claims.get(fields["claim"], _check_overlap)(*signed, fields)
    except InvalidError as problem:
        return Verdict(False, str(problem))
    return Verdict(True, f"{fields['claim']}, {fields['rows']} rows, {fields['features']} columns")


def check_arrays(certificate: Any, X: Any, y: Any, **roles: Any) -> Verdict:
    """Check a certificate against a matrix (nested lists or a dense array) and its labels.

    roles: weights, trials, exposure, strata, time or entry, a value for each row. The labels of
    Cox's rows are their events; those of a cone's are 1, and 0 for held ones.
    """
    for name, values in {"labels": y, **roles}.items():
        if len(X) != len(values):
            raise UnreadableError(f"there are {len(X)} rows and {len(values)} {name}")
    each = [dict(zip(roles, values, strict=True)) for values in zip(*roles.values(), strict=True)]
    return check(certificate, zip(y, X, each or [{}] * len(X), strict=True))


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise InvalidError(reason)


# The certificate. Its forms: a dict is an object with just these fields, a list is a list of any
# length, a tuple has alternatives, a pattern is for text, int for a count; else it is that value.

INTEGER = r"(?:0|[1-9][0-9]{0,999}|0x[1-9a-f][0-9a-f]{0,131071})"
BINARY64 = re.compile(r"(-?0x[01])\.([0-9a-f]{1,13})p([+-][0-9]{1,4})")
NUMBER, TEXT = (re.compile(rf"-?{INTEGER}(/{INTEGER})?"), BINARY64), re.compile("(?s:.*)")
NUMBERS = {"kind": "number", "negative": (None, NUMBER), "positive": NUMBER}
WORDS = {"kind": "text", "negative": (None, TEXT), "positive": TEXT}
TRUTH, TIE = (True, False), ("mistake", "positive", "negative", "keep")
SUM = [{"row": int, "multiplier": NUMBER}]
OVERLAP = {"conflict": SUM, "spanning": (None, SUM), "complement": (None, [[NUMBER]])}
MARGIN = {"margin_squared": {"lower": NUMBER, "upper": NUMBER}, "radius_squared": NUMBER}
RUN = {"start": [NUMBER], "eta": NUMBER, "tie": TIE, "updates": [int], "rounded": [int]}
END = {"weights": [NUMBER], "mistakes": int, "separates": TRUTH, "mistake_bound": (None, NUMBER)}
WITNESS_AND_FIGURES: dict[str, tuple[Fields, Fields]] = {
    "separable": ({"weights": [NUMBER], "support": SUM}, {**MARGIN, "mistake_bound": NUMBER}),
    "inseparable": (OVERLAP, {"rank": int}),
    "quasi-separable": ({"weights": [NUMBER], **OVERLAP}, {"strict": int, "rank": int}),
    "training run": (RUN, END),
}
LISTED = {"conflict": SUM, "boundary": SUM}  # version 2: all rows in O are listed
WITNESS_AND_FIGURES_2: dict[str, tuple[Fields, Fields]] = {
    "inseparable": (LISTED, {}),
    "quasi-separable": ({"weights": [NUMBER], **LISTED}, {"strict": int}),
    "repair": (
        {
            "costs": (None, [NUMBER]),
            "trusted": [int],
            "removed": [int],
            "weights": [NUMBER],
            "support": SUM,
            "conflicts": [SUM],
            "proof": [({"branch": int}, {"packing": [{"conflict": int, "share": NUMBER}]})],
        },
        {
            "lower": NUMBER,
            "upper": NUMBER,
            "margin_squared": (None, {"lower": NUMBER, "upper": NUMBER}),
        },
    ),
}

CLASSES = ({"kind": "number", "classes": [NUMBER]}, {"kind": "text", "classes": [TEXT]})
ROLES = {  # version 3: those that a family can have, in the order of the certificate
    "binary": ["weights"],
    "binomial": ["weights", "trials"],
    "log-binomial": ["weights", "trials"],
    "poisson": ["weights", "exposure"],
    "multinomial": ["weights"],
    "cumulative": ["weights"],
    "conditional": ["weights", "strata"],
    "cox": ["weights", "strata", "time", "entry"],
    "cone": [],
}
COLUMNS = ("target", "weights", "trials", "exposure", "strata", "time", "event", "entry")
READING: Fields = {  # options of `novikoff check` by name
    **dict.fromkeys((*COLUMNS, "formula", "format", "delimiter", "columns", "drop"), TEXT),
    **dict.fromkeys(("header", "zero_based"), TRUTH),
    "categorical": [TEXT],
    "hash_bits": int,
    "bad_rows": "skip",
}


def _certificate(given: Any) -> Fields:
    """The fields, all in their forms; added is dim, the number of coordinates of a lifted row."""
    try:
        text = given if isinstance(given, str | bytes) else json.dumps(given)
        data = text.encode() if isinstance(text, str) else text
        _require(len(data) <= LARGEST_FILE, f"more than {LARGEST_FILE} bytes")
        fields = json.loads(data.decode(), object_pairs_hook=_object)
        version = {2: 2, 3: 3}.get(fields["version"], 1)  # an int, where 2.0 is none
        listed = version == 2 or (version == 3 and "boundary" in fields["witness"])
        witness, figures = (WITNESS_AND_FIGURES_2 if listed else WITNESS_AND_FIGURES)[
            fields["claim"]
        ]
        family, run = fields["family"], fields["claim"] in ("training run", "repair")
        counts = family in ("poisson", "log-binomial")
        form: Fields = {"format": "novikoff certificate", "version": version, "seal": TEXT}
        form["claim"] = ("inseparable", "quasi-separable") if counts else fields["claim"]
        form["lift"] = {"bias": TRUTH, "unit_length": False if run else TRUTH}
        form["labels"] = None if counts else (NUMBERS, WORDS)
        form |= {"family": ("binary", "poisson"), "numbers": ("binary64", "rational")}
        form |= {"rows": int, "features": int, "digest": TEXT}
        form |= {"witness": witness, "figures": figures}
        if version == 3:
            form |= _table_form(fields, run)
        _require(fields.keys() == form.keys(), f"not with just the fields {', '.join(form)}")
        for name in form:
            _require(_fits(fields[name], form[name]), f"{name}: not in its form")
        sealed = {name: value for name, value in fields.items() if name != "seal"}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"))
    except (ValueError, TypeError, LookupError, RecursionError, InvalidError) as problem:
        raise InvalidError(f"not a certificate: {problem!s:.200}") from None
    seal = hashlib.sha256(text.encode()).hexdigest()
    _require(fields["seal"] == seal, "seal: it does not fit the other fields")
    _require(fields["rows"] > 0 and fields["features"] > 0, "rows or features: none")
    lifted = fields["features"] + fields["lift"]["bias"]
    cone = fields.get("cone", {"rows": fields["rows"], "columns": lifted})
    most = (cone["columns"] if version == 3 else fields["features"]) + 2  # rows of a conflict
    return {**fields, "dim": cone["columns"], "size": cone["rows"], "most": most}


def _table_form(fields: Fields, run: bool) -> Fields:
    """The forms that version 3 has for fields of its own, and other ones for those of all."""
    family, roles, reading = fields["family"], fields["roles"], fields["reading"]
    _require(not run, "claim: none of version 3")
    known = [name for name in ROLES[family] if name in roles]
    needed = {"conditional": "strata", "cox": "time"}.get(family)
    _require(roles == known, "roles: others than the family has, or in another order")
    _require(needed is None or needed in known, f"roles: {needed} is missing")
    options = None if reading is None else {name: READING[name] for name in reading}
    lifted = family not in ("cumulative", "conditional", "cox", "cone")
    form: Fields = {"family": tuple(ROLES), "roles": [TEXT]}
    form["lift"] = {"bias": TRUTH if lifted else False}
    form["lift"]["unit_length"] = TRUTH if family == "binary" else False
    pair, classes = family in ("binary", "conditional"), family in ("multinomial", "cumulative")
    form["labels"] = (NUMBERS, WORDS) if pair else CLASSES if classes else None
    return {**form, "cone": {"rows": int, "columns": int}, "reading": options}


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


@lru_cache(maxsize=4)  # labels are needed at every row
def _number(text: str) -> Ratio:
    """The number, not in lowest terms: that would take longer than all the rest."""
    if binary64 := BINARY64.fullmatch(text):
        whole, places, exponent = binary64.groups()
        exact = int(whole + places, 16) * Fraction(2) ** (int(exponent) - 4 * len(places))
        _require(_is_binary64(exact.as_integer_ratio()), f"{text} is not binary64")
        return exact.as_integer_ratio()
    top, bottom = (int(part, 0) for part in [*text.split("/"), "1"][:2])
    _require(bottom > 0, "a denominator is 0")
    return top, bottom


def _is_binary64(number: Ratio) -> bool:
    try:
        return (number[0] / number[1]).as_integer_ratio() == number
    except OverflowError:
        return False


def _equal(text: str, number: Ratio) -> bool:
    top, bottom = _number(text)
    return top * number[1] == number[0] * bottom


def _integers(numbers: list[str], length: int) -> tuple[Vector, int]:
    """A vector of that length, times the common denominator of its entries; that denominator."""
    _require(len(numbers) == length, "a vector has too few numbers, or too many")
    ratios, common = [_number(text) for text in numbers], 1
    for bottom in {bottom for _, bottom in ratios}:
        common = math.lcm(common, bottom)
        _require(common.bit_length() <= MOST_BITS, "a common denominator is too large")
    integers = [top * (common // bottom) for top, bottom in ratios]
    _require(all(n.bit_length() <= MOST_BITS for n in integers), "a number is too large")
    return dict(enumerate(integers)), common


def _combination(terms: list[Fields], fields: Fields) -> Vector:
    """{row: multiplier}, times their common denominator: no claim depends on such a factor."""
    rows = [term["row"] for term in terms]
    _require(rows == sorted(set(rows)), "a combination has rows that do not ascend")
    _require(max(rows, default=0) < fields["size"], "a combination has a row that is not there")
    multipliers, _ = _integers([term["multiplier"] for term in terms], len(terms))
    return dict(zip(rows, multipliers.values(), strict=True))


# The rows: exact, signed and lifted, and known by their digest.


def _signed_rows(fields: Fields, given: Rows) -> tuple[list[Vector], list[bool], int]:
    """The rows z, all times one scale that makes them integers; their sides; and that scale."""
    head = "novikoff rows 1\nfamily {family}\nbias {bias:d}\nunit_length {unit_length:d}\n"
    head += "numbers {numbers}\nrows {rows}\nfeatures {features}\n"
    digest = hashlib.sha256(head.format(**fields, **fields["lift"]).encode())
    sides, lifted = list[bool](), list[dict[int, Ratio]]()
    for where, label, row, roles in _entries(fields, given):
        _require(not roles, "roles: it is about rows and labels alone")
        sides.append(_is_positive(label, fields["labels"], where))
        digest.update(bytes(sides[-1:]) + _fingerprint(row, fields["numbers"], where))
        lifted.append({**row, fields["features"]: (1, 1)} if fields["lift"]["bias"] else row)
    _require(digest.hexdigest() == fields["digest"], "digest: these are other rows or labels")
    scale, rows = math.lcm(*{bottom for row in lifted for _, bottom in row.values()}), []
    for row, side in zip(lifted, sides, strict=True):
        factor = scale if side else -scale
        rows.append({j: factor // bottom * top for j, (top, bottom) in row.items()})
    return rows, sides, scale


def _entries(fields: Fields, given: Rows) -> Iterator[tuple[str, Any, dict[int, Ratio], Fields]]:
    """Where each row is, its label, its entries that are not 0, and its roles."""
    count, features = 0, fields["features"]
    for label, values, *roles in given:
        where, sparse = f"row {count}", isinstance(values, Mapping)
        _require(count < fields["rows"], "rows: there are more")
        _require(sparse or len(values) == features, f"features: {where} has others")
        pairs = values.items() if sparse else enumerate(values)
        row = {operator.index(j): x for j, value in pairs if (x := _exact(value, where))[0]}
        _require(all(0 <= j < features for j in row), f"features: {where} has others")
        yield where, label, row, roles[0] if roles else {}
        count += 1
    _require(count == fields["rows"], "rows: there are fewer")


def _exact(value: Any, where: str) -> Ratio:
    """The very number given, in lowest terms."""
    value = value.item() if hasattr(value, "item") else value  # NumPy's numbers as Python's
    far = isinstance(value, Decimal) and abs(value.adjusted()) > LARGEST_EXPONENT
    try:
        if isinstance(value, int | float | Fraction | Decimal) and not far:
            return value.as_integer_ratio()
    except (ValueError, OverflowError):
        pass  # not a number, or infinite
    raise UnreadableError(f"{where}: expected a finite number, and none too far from 1")


def _is_positive(label: Any, labels: Fields | None, where: str) -> bool:
    number = None if isinstance(label, str) else _exact(label, where)
    if labels is None:
        _require(number is not None and number[0] >= 0, f"labels: {where} has no count")
        return number is not None and number[0] > 0
    _require((number is None) == (labels["kind"] == "text"), f"labels: {where} has another kind")
    words = labels["negative"], labels["positive"]
    same = [word == label if number is None else word and _equal(word, number) for word in words]
    known = words[0] is None or same[0] != same[1]
    _require(known, f"labels: {where} has neither of the two, or they are the same")
    return bool(same[1])


def _fingerprint(row: dict[int, Ratio], numbers: str, where: str) -> bytes:
    total = 0
    for column, (top, bottom) in row.items():
        if numbers == "binary64":
            _require(_is_binary64((top, bottom)), f"numbers: {where} has one that is not binary64")
            bits = struct.pack("<d", top / bottom)
        else:  # Decimal writes integers of any length, str those of up to 4300 digits
            text = f"{Decimal(top):f}/{Decimal(bottom):f}"
            bits = hashlib.sha256(text.encode()).digest()[:8]
        x = (int.from_bytes(bits, "little") + (column + 1) * 0x9E3779B97F4A7C15) % 2**64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        total += x ^ (x >> 31)
    return (total % 2**64).to_bytes(8, "little")


# Version 3: the rows of a model's cone, made of a table by one function for each family. "Held"
# rows z have z . d = 0 for all directions d of the cone, the others z . d >= 0.

ConeRows = Iterator[tuple[Vector, bool]]  # z, and whether it is held


class Table(NamedTuple):
    """rows: lifted, all times `one`, so that they are integers; `width` numbers each. kept: those
    whose weight, trials and exposure are not 0. outcome: counts, events, or numbers of classes.
    """

    rows: list[Vector]
    one: int
    width: int
    kept: list[int]
    outcome: list[float]
    roles: dict[str, list[float]]
    classes: int


def _cone_rows(fields: Fields, given: Rows) -> tuple[list[Vector], list[bool], int]:
    """The rows z, all times one scale that makes them integers; which are held; and that scale."""
    table = _table_of(fields, given)
    made = list(CONES[fields["family"]](table))
    columns = table.width
    if fields["family"] == "multinomial":
        columns *= table.classes - 1
    elif fields["family"] == "cumulative":
        columns += table.classes - 1
    size = {"rows": len(made), "columns": columns}
    _require(bool(made) and fields["cone"] == size, f"cone: it has {len(made)} rows of {columns}")
    held = [each for _, each in made]
    _require(not (any(held) and fields["claim"] == "separable"), "claim: some rows are held")
    return [z for z, _ in made], held, table.one


def _table_of(fields: Fields, given: Rows) -> Table:
    names, bias, features = fields["roles"], fields["lift"]["bias"], fields["features"]
    head = "novikoff table 1\nfamily {family}\nbias {bias:d}\nunit_length {unit_length:d}\n"
    head += "numbers {numbers}\nrows {rows}\nfeatures {features}\n"
    head = head.format(**fields, **fields["lift"]) + f"roles {' '.join(names) or 'none'}\n"
    digest, lifted, outcome = hashlib.sha256(head.encode()), list[dict[int, Ratio]](), list[float]()
    columns, strata, kept = {name: list[float]() for name in names}, dict[Any, int](), list[int]()
    for where, label, row, roles in _entries(fields, given):
        _require(roles.keys() == {*names}, f"roles: {where} has others than {names}")
        for name, value in roles.items():
            columns[name].append(_role(name, value, strata, where))
        left_out = ("weights", "trials", "exposure")
        if all(columns[name][-1] for name in names if name in left_out):
            kept.append(len(outcome))
        outcome.append(_outcome(label, fields["labels"], kept[-1:] == [len(outcome)], where))
        numbers = [outcome[-1], *(columns[name][-1] for name in names)]
        digest.update(_fingerprint(row, fields["numbers"], where))
        digest.update(struct.pack(f"<{len(numbers)}d", *(number + 0.0 for number in numbers)))
        lifted.append({**row, features: (1, 1)} if bias else row)
    _require(digest.hexdigest() == fields["digest"], "digest: this is another table")
    _require(bool(kept), "roles: no row is left")
    classes = _class_count(fields["labels"])
    present = {outcome[i] for i in kept} == set(range(classes)) or not classes
    _require(present, "labels: a class without a row")
    one = math.lcm(*{bottom for row in lifted for _, bottom in row.values()})
    rows = [{j: one // bottom * top for j, (top, bottom) in row.items()} for row in lifted]
    return Table(rows, one, features + bias, kept, outcome, columns, classes)


def _class_count(labels: Fields | None) -> int:
    return 0 if labels is None else len(labels.get("classes", ("negative", "positive")))


def _role(name: str, value: Any, strata: dict[Any, int], where: str) -> float:
    """A double that is not negative; or for strata their numbers as they first come."""
    if name == "strata":
        key = value if isinstance(value, str) else _exact(value, where)
        return float(strata.setdefault(key, len(strata)))
    number = _double(value, where)
    _require(number >= 0, f"{name}: {where} has a negative one")
    return number


def _double(value: Any, where: str) -> float:
    try:
        top, bottom = _exact(value, where)
        return top / bottom
    except OverflowError:
        raise UnreadableError(f"{where}: expected a number within the range of doubles") from None


def _outcome(label: Any, labels: Fields | None, kept: bool, where: str) -> float:
    """A number as it is; 1 for the positive of two labels, 0 for the negative; the class's place.

    Rows that are not kept may have other labels: 0 where there are two, -1 for classes.
    """
    if labels is None:
        _require(not isinstance(label, str), f"labels: {where} has no number")
        return _double(label, where)
    words = labels.get("classes", [labels.get("positive")])
    number = None if isinstance(label, str) else _exact(label, where)
    if "positive" in labels and kept:
        return float(_is_positive(label, labels, where))
    same_kind = (number is None) == (labels["kind"] == "text")
    same = [same_kind and (w == label if number is None else _equal(w, number)) for w in words]
    if "positive" in labels:
        return float(same[0])
    _require(not kept or any(same), f"labels: {where} has none of the classes")
    return float(same.index(True)) if any(same) else -1.0


def _joined(*parts: tuple[int, Vector, int]) -> Vector:
    """The sum of sign * row, each moved to the right by so many columns."""
    total: Vector = {}
    for sign, row, offset in parts:
        for column, value in row.items():
            total[column + offset] = total.get(column + offset, 0) + sign * value
    return total


def _binary(t: Table) -> ConeRows:
    """x or -x, by the label."""
    for i in t.kept:
        yield _joined((1 if t.outcome[i] else -1, t.rows[i], 0)), False


def _binomial(t: Table) -> ConeRows:
    """x if all trials succeed, -x if none does; else x is held."""
    trials = _trials(t)
    for i in t.kept:
        some = t.outcome[i] > 0
        yield _joined((1 if some else -1, t.rows[i], 0)), some and t.outcome[i] < trials[i]


def _trials(t: Table) -> list[float]:
    trials = t.roles.get("trials", [1.0] * len(t.rows))
    possible = all(0 <= y <= m for y, m in zip(t.outcome, trials, strict=True))
    _require(possible, "trials: not from 0 successes to so many")
    return trials


def _log_binomial(t: Table) -> ConeRows:
    """-x if no trial succeeds; else x is held."""
    _trials(t)
    return _zeros(t)


def _poisson(t: Table) -> ConeRows:
    """-x for a count of 0; else x is held."""
    _require(min(t.outcome) >= 0, "labels: a negative count")
    exposure = t.roles.get("exposure", [1.0] * len(t.rows))
    exposed = all(e or not y for y, e in zip(t.outcome, exposure, strict=True))
    _require(exposed, "exposure: 0 for a count above 0")
    return _zeros(t)


def _zeros(t: Table) -> ConeRows:
    _require(any(t.outcome[i] for i in t.kept), "labels: all are 0")
    for i in t.kept:
        yield _joined((1 if t.outcome[i] else -1, t.rows[i], 0)), t.outcome[i] > 0


def _multinomial(t: Table) -> ConeRows:
    """For class k against each j: x in k's columns, -x in j's; class 0 has none."""
    for i in t.kept:
        k = int(t.outcome[i])
        for j in range(t.classes):
            sides = ((1, k), (-1, j))
            if j != k:
                parts = [(sign, t.rows[i], (code - 1) * t.width) for sign, code in sides if code]
                yield _joined(*parts), False


def _cumulative(t: Table) -> ConeRows:
    """(e_k, -x) unless k is the last class, (-e_{k-1}, x) unless it is the first."""
    last = t.classes - 1
    for i in t.kept:
        k = int(t.outcome[i])
        if k < last:
            yield _joined((1, {k: t.one}, 0), (-1, t.rows[i], last)), False
        if k > 0:
            yield _joined((-1, {k - 1: t.one}, 0), (1, t.rows[i], last)), False


def _strata(t: Table) -> list[list[int]]:
    strata: dict[float, list[int]] = {}
    for i in t.kept:
        strata.setdefault(t.roles["strata"][i] if "strata" in t.roles else 0.0, []).append(i)
    return [rows for _, rows in sorted(strata.items())]


def _conditional(t: Table) -> ConeRows:
    """Within a stratum, each case less each control."""
    for rows in _strata(t):
        cases, controls = ([i for i in rows if t.outcome[i] == y] for y in (1.0, 0.0))
        _require(bool(cases and controls), "strata: one without a case, or without a control")
        for i in cases:
            for j in controls:
                yield _joined((1, t.rows[i], 0), (-1, t.rows[j], 0)), False


def _cox(t: Table) -> ConeRows:
    """At each event time the first event to enter, less: the others of that time, held; who is at
    risk but leaves before the next event time whose first event is at risk now; and that event.
    """
    time, entry = t.roles["time"], t.roles.get("entry", [-math.inf] * len(t.rows))
    _require({*t.outcome} <= {0.0, 1.0}, "labels: an event that is not 0 or 1")
    _require(all(map(operator.lt, entry, time)), "entry: not before the time")
    for rows in _strata(t):
        rows.sort(key=lambda i: time[i])  # rows of one time stay in order
        leaves = [time[i] for i in rows]
        events: dict[float, list[int]] = {}
        for i in rows:
            if t.outcome[i]:
                events.setdefault(time[i], []).append(i)
        firsts = [(at, min(tied, key=lambda i: entry[i])) for at, tied in events.items()]
        for k, (at, first) in enumerate(firsts):
            later = next((each for each in firsts[k + 1 :] if entry[each[1]] < at), None)
            end = bisect_left(leaves, later[0]) if later else len(rows)
            near = [i for i in rows[bisect_left(leaves, at) : end] if entry[i] < at]
            leaving = sorted({*near} - {*events[at]})
            tied = [i for i in events[at] if i != first]
            for i in [*tied, *leaving, *([later[1]] if later else [])]:
                yield _joined((1, t.rows[first], 0), (-1, t.rows[i], 0)), i in tied


def _cone(t: Table) -> ConeRows:
    """The rows themselves; those of label 0 are held."""
    _require({*t.outcome} <= {0.0, 1.0}, "labels: not 1, or 0 for held rows")
    for i in t.kept:
        yield t.rows[i], not t.outcome[i]


CONES: dict[str, Callable[[Table], ConeRows]] = {
    "binary": _binary,
    "binomial": _binomial,
    "log-binomial": _log_binomial,
    "poisson": _poisson,
    "multinomial": _multinomial,
    "cumulative": _cumulative,
    "conditional": _conditional,
    "cox": _cox,
    "cone": _cone,
}


# The claims.


def _dot(row: Vector, vector: Vector) -> int:
    return sum(value * vector[column] for column, value in row.items())


def _sum(terms: Vector, rows: list[Vector]) -> Vector:
    total: Vector = {}
    for i, multiplier in terms.items():
        for column, value in rows[i].items():
            total[column] = total.get(column, 0) + multiplier * value
    return total


def _check_separable(rows: list[Vector], sides: list[bool], scale: int, fields: Fields) -> None:
    witness, figures = fields["witness"], fields["figures"]
    w, _ = _integers(witness["weights"], fields["dim"])
    scores, squares = [_dot(z, w) for z in rows], [_dot(z, z) for z in rows]
    _require(min(scores) > 0, "weights: a row is not strictly on its own side")
    support = _combination(witness["support"], fields)
    _require(min(support.values(), default=0) > 0, "support: empty, or not positive")
    s2, size, radius = min(scores) ** 2, scale**2, (max(squares), scale**2)
    weight = Fraction(sum(support.values()))
    if fields["lift"]["unit_length"]:
        nearest = min(Fraction(s * s, z2) for s, z2 in zip(scores, squares, strict=True))
        s2, size = nearest.as_integer_ratio()
        radius, weight = (1, 1), Fraction(0)
        for i, multiplier in support.items():
            a, b = Fraction(squares[i], scale**2).as_integer_ratio()
            weight += multiplier * Fraction(math.isqrt(a * b * 4**64), b * 2**64)
    total, (top, bottom) = _sum(support, rows), weight.as_integer_ratio()
    lower, upper = (s2, size * _dot(w, w)), (_dot(total, total) * bottom**2, (scale * top) ** 2)
    bound = radius[0] * lower[1] // (radius[1] * lower[0])
    _require(_equal(figures["margin_squared"]["lower"], lower), "lower: another number follows")
    _require(_equal(figures["margin_squared"]["upper"], upper), "upper: another number follows")
    _require(_equal(figures["radius_squared"], radius), "radius_squared: another number follows")
    _require(_equal(figures["mistake_bound"], (bound, 1)), "mistake_bound: another one follows")


def _check_overlap(rows: list[Vector], sides: list[bool], scale: int, fields: Fields) -> None:
    """Both the claim inseparable, where O is all rows, and quasi-separable."""
    witness, dim, table = fields["witness"], fields["dim"], fields["version"] == 3
    counts = any(sides) if table else fields["family"] == "poisson"
    pinned = {i for i, positive in enumerate(sides) if positive and counts}  # version 3: held
    on = set(range(len(rows)))
    if fields["claim"] == "quasi-separable":
        w, _ = _integers(witness["weights"], dim)
        scores = [_dot(z, w) for z in rows]
        _require(min(scores) == 0 < max(scores), "weights: a row on the wrong side, or no S or O")
        on = {i for i, score in enumerate(scores) if score == 0}
        _require(pinned <= on, "weights: a pinned row is not on the hyperplane")
        _require(fields["figures"]["strict"] == len(rows) - len(on), "strict: another number")
    spanning = conflict = _combination(witness["conflict"], fields)
    listed = "boundary" if "boundary" in witness else "spanning"
    if witness[listed] is not None:
        spanning = _combination(witness[listed], fields)
    _require(len(conflict) <= fields["most"], "conflict: too many rows")
    _require(all(conflict.values()), "conflict: a multiplier is 0")
    _require(bool(conflict) or pinned >= spanning.keys(), "conflict: empty")
    for name, terms in (("conflict", conflict), (listed, spanning)):
        _require(bool(terms) or counts, f"{name}: empty")
        positive = all(multiplier > 0 or i in pinned for i, multiplier in terms.items())
        _require(positive, f"{name}: a multiplier is not positive")
        _require(not any(_sum(terms, rows).values()), f"{name}: it does not sum to zero")
    if listed == "boundary":
        _require(on - pinned <= spanning.keys(), "boundary: a row in O is not listed")
        return
    vectors, rank = [rows[i] for i in spanning], fields["figures"]["rank"]
    if witness["complement"] is None and rank < dim:
        _require(on <= spanning.keys(), "complement: null, though rows are not in spanning")
        _require(_rank(vectors, rank + 1) == rank, "rank: another one")
        return
    # Modulo a prime first: it is far quicker, and never more than the rank.
    shown = _rank(vectors, rank, PRIME) == rank or _rank(vectors, rank) == rank
    _require(shown, "rank: too large")
    normals = [_integers(normal, dim)[0] for normal in witness["complement"] or []]
    _require(len(normals) == dim - rank, "complement: too few vectors, or too many")
    firsts = [next((j for j, x in normal.items() if x), -1) for normal in normals]
    _require(firsts == sorted(set(firsts) - {-1}), "complement: not in ascending order")
    orthogonal = not any(_dot(rows[i], normal) for normal in normals for i in on)
    _require(orthogonal, "complement: not orthogonal to all rows")


def _rank(vectors: list[Vector], enough: int, prime: int = 0) -> int:
    """The rank of the vectors, or `enough` if it is more: exact, or modulo a prime if there is one.

    Elimination without fractions: a row may be multiplied by anything but 0. It is kept short by
    the prime, or by dividing it by what all its entries have in common.
    """

    def short(row: list[int]) -> list[int]:
        common = 1 if prime else math.gcd(*row) or 1
        return [x % prime if prime else x // common for x in row]

    columns = {column for vector in vectors for column in vector}
    basis: list[tuple[int, list[int]]] = []  # (place, row): all later rows have 0 in that place
    for vector in vectors if enough else []:
        row = short([vector.get(column, 0) for column in columns])
        for place, other in basis:
            if factor := row[place]:
                pivot = other[place]
                row = short([pivot * x - factor * y for x, y in zip(row, other, strict=True)])
        if any(row):
            basis.append((next(place for place, x in enumerate(row) if x), row))
        if len(basis) == enough:
            break
    return len(basis)


def _check_training_run(rows: list[Vector], sides: list[bool], scale: int, fields: Fields) -> None:
    witness, figures, dim = fields["witness"], fields["figures"], fields["dim"]
    _integers(figures["weights"], dim)
    start, unit = _integers([*witness["start"], witness["eta"]], dim + 1)
    eta, updates = start.pop(dim), witness["updates"]
    _require(eta > 0, "eta: not positive")
    _require(max(updates, default=0) < len(rows), "updates: a row that is not there")
    # Rows are integers times scale, eta times unit; so start and w are to be times unit * scale.
    start, rounded = {j: x * scale for j, x in start.items()}, list[int]()
    w = start.copy()
    for place, i in enumerate(updates):
        score, tie = _dot(rows[i], w), "negative" if sides[i] else "positive"
        if score > 0 or (score == 0 and witness["tie"] not in ("mistake", tie)):
            rounded.append(place)
        for column, value in rows[i].items():
            w[column] += eta * value
    _require(witness["rounded"] == rounded, "rounded: not the updates that were no mistakes")
    same = all(_equal(figures["weights"][j], (x, unit * scale)) for j, x in w.items())
    _require(same, "weights: the updates lead elsewhere")
    _require(figures["mistakes"] == len(updates), "mistakes: not the number of updates")
    a, D2 = min(_dot(z, w) for z in rows), max(_dot(z, z) for z in rows)
    _require(figures["separates"] is (a > 0), "separates: not so")
    bounded, bound = a > 0 and not rounded, figures["mistake_bound"]
    _require((bound is not None) == bounded, "mistake_bound: null, or not null")
    if bounded:
        top, bottom = _number(bound)
        k, rest = divmod(top, bottom)
        # A line against a root: possible at k = 0, and once it no longer is, never again.
        left = [n * eta * a + _dot(start, w) for n in (k, k + 1)]
        right = [_dot(w, w) * (_dot(start, start) + n * eta**2 * D2) for n in (k, k + 1)]
        possible = [x <= 0 or x**2 <= y for x, y in zip(left, right, strict=True)]
        largest = rest == 0 <= k and possible == [True, False]
        _require(largest, "mistake_bound: not the largest k")
        _require(len(updates) <= k, "mistakes: more than the bound")


def _check_repair(rows: list[Vector], sides: list[bool], scale: int, fields: Fields) -> None:
    """Equal rows of one label are one class, known by its first row: see docs/certificate.md."""
    witness, figures, everyone = fields["witness"], fields["figures"], range(len(rows))
    removed, trusted = (_ascending(witness[name], fields) for name in ("removed", "trusted"))
    _require(not removed & trusted, "removed: a trusted row")
    costs, unit = dict.fromkeys(everyone, 1), 1
    if witness["costs"] is not None:
        costs, unit = _integers(witness["costs"], len(rows))  # costs are times unit from here on
    _require(min(costs.values()) >= 0, "costs: one is negative")
    known: dict[Any, int] = {}
    first = [known.setdefault((sides[i], *sorted(rows[i].items())), i) for i in everyone]
    limits = dict.fromkeys(first, 0)
    for i in everyone:
        limits[first[i]] += costs[i]
    for i in trusted:
        limits.pop(first[i], None)
    conflicts = []
    for each in witness["conflicts"]:
        terms = _combination(each, fields)
        _require(min(terms.values(), default=0) > 0, "conflicts: one is empty, or not positive")
        _require(not any(_sum(terms, rows).values()), "conflicts: one does not sum to zero")
        conflicts.append({first[i] for i in terms})
    least = math.ceil(_packed(witness["proof"], first, conflicts, limits, unit))
    _require(_equal(figures["lower"], (least, unit)), "lower: another number follows")
    upper = sum(costs[i] for i in removed)
    _require(_equal(figures["upper"], (upper, unit)), "upper: another number follows")
    _check_rest(rows, removed, scale, fields)


def _ascending(listed: list[int], fields: Fields) -> set[int]:
    _require(listed == sorted(set(listed)), "a list of rows that do not ascend")
    _require(max(listed, default=0) < fields["rows"], "a list with a row that is not there")
    return set(listed)


def _packed(
    proof: list[Fields], first: list[int], conflicts: list[set[int]], limits: Vector, unit: int
) -> Fraction:
    """The least that any leaf shows, times unit; the leaves must be those of a whole tree."""
    waiting: list[tuple[set[int], set[int]]] = [(set(), set())]  # classes removed whole, and not
    found = []
    for node in proof:
        _require(bool(waiting), "proof: a leaf too many")
        gone, kept = waiting.pop()
        if "branch" in node:
            _require(node["branch"] < len(first), "proof: a row that is not there")
            owner = first[node["branch"]]
            _require(owner not in gone | kept, "proof: a branch twice")
            waiting += [(gone, kept | {owner}), (gone | {owner}, kept)]
            continue
        loads, total = dict[int, Fraction](), Fraction(sum(limits.get(i, 0) for i in gone))
        places = [term["conflict"] for term in node["packing"]]
        _require(places == sorted(set(places)), "proof: conflicts that do not ascend")
        shares, bottom = _integers([term["share"] for term in node["packing"]], len(places))
        for place, share in zip(places, shares.values(), strict=True):
            _require(place < len(conflicts) and share > 0, "proof: no conflict, or no share")
            _require(not conflicts[place] & gone, "proof: a conflict that is met already")
            total += Fraction(share * unit, bottom)
            for i in conflicts[place] - kept:
                loads[i] = loads.get(i, Fraction(0)) + Fraction(share * unit, bottom)
        over = any(load > limits.get(i, load) for i, load in loads.items())
        _require(not over, "proof: a packing over the cost of a row")
        found.append(total)
    _require(bool(found) and not waiting, "proof: a leaf is missing")
    return min(found)


def _check_rest(rows: list[Vector], removed: set[int], scale: int, fields: Fields) -> None:
    """The rows that are not removed: separated by the weights, with this margin."""
    witness, figure = fields["witness"], fields["figures"]["margin_squared"]
    w, _ = _integers(witness["weights"], fields["dim"])
    scores = [_dot(z, w) for i, z in enumerate(rows) if i not in removed]
    support = _combination(witness["support"], fields)
    _require(bool(scores) == bool(support) == (figure is not None), "support: empty, or not empty")
    _require(min(scores, default=1) > 0, "weights: a row that stays is not on its own side")
    _require(not support.keys() & removed, "support: a removed row")
    _require(min(support.values(), default=1) > 0, "support: not positive")
    if figure is not None:
        total, weight = _sum(support, rows), sum(support.values())
        lower = (min(scores) ** 2, scale**2 * _dot(w, w))
        upper = (_dot(total, total), (scale * weight) ** 2)
        _require(_equal(figure["lower"], lower), "lower: another number follows")
        _require(_equal(figure["upper"], upper), "upper: another number follows")


# Files of rows, read as the package reads them, and the command line. What is unusual is refused.

GAPS, LONGEST_WORD = {"", "na", "nan", "n/a", "null", "none"}, 200
Tokens = list[tuple[str, dict[int, str], Fields]]  # label and {column: number} as written; roles
FORMATS = {"csv": ".csv", "tsv": ".tsv", "svmlight": ".svm"}


def _file_rows(path: Path, named: str | None, fields: Fields) -> Rows:
    reading = {**(fields.get("reading") or {}), **({} if named is None else {"target": named})}
    suffix = FORMATS.get(reading.get("format", ""), path.suffix.lower())
    text = path.read_bytes().decode("utf-8-sig")
    if suffix not in (".csv", ".tsv", ".svm", ".svmlight", ".libsvm") or "\0" in text:
        raise UnreadableError("expected text in a file .csv, .tsv, .svm, .svmlight or .libsvm")
    if reading.keys() & {"hash_bits", "bad_rows"}:
        raise UnreadableError("expected a reading that leaves out no row and hashes nothing")
    number: Any = float if fields["numbers"] == "binary64" else Decimal
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    table, marks = suffix in (".csv", ".tsv"), "\t" if suffix == ".tsv" else ",\t;"
    rows = _table(lines, marks, reading, number) if table else _svmlight(lines, reading)
    labels = {label: _written(label, float) for label, _, _ in rows}
    if not rows or any(label.lower() in ("", "na", "nan") for label in labels):
        raise UnreadableError("expected rows, and a label in each")
    columns = {column for _, tokens, _ in rows for column in tokens}
    _require(not table or len(columns) == fields["features"], "features: the table has others")
    if None in labels.values():
        labels = {label: label for label in labels}
    elif all(re.fullmatch("[+-]?[0-9]{1,18}", label) for label in labels):
        labels = {label: int(label) for label in labels}
    for label, tokens, roles in rows:
        yield labels[label], {j: _written(token, number) for j, token in tokens.items()}, roles


def _table(lines: list[str], marks: str, reading: Fields, number: Any) -> Tokens:
    first = next(filter(str.strip, lines), "").strip()
    mark = next((mark for mark in marks if mark in first), marks[0])
    mark = reading.get("delimiter", mark).replace("\\t", "\t")
    reader = csv.reader((line + "\n" for line in lines), delimiter=mark, strict=True)
    records = [record for record in reader if len(record) > 1 or "".join(record).strip()]
    head = [field.strip() for field in records[0]] if records else []
    names, target = [name.lower() for name in head], -1
    words = [j for j, name in enumerate(names) if not _is_numeric(name)]
    named = reading.get("event", reading.get("target"))
    if reading.get("header", bool(words) and len(words) == len(names)):
        usual = [name for name in ("target", "label", "class", "y") if name in names]
        target = names.index(usual[0]) if usual else -1
        records = [] if usual and names.count(usual[0]) > 1 and named is None else records[1:]
    elif "header" in reading:
        head = [""] * len(head)
    elif any(_is_numeric(row[j]) for row in records[1:2] for j in words if j < len(row)):
        raise UnreadableError("expected a header of words only, or rows only")
    target = _place(head, named) if named is not None else target % max(1, len(head))
    if len(names) < 2 or any(len(record) != len(names) for record in records):
        raise UnreadableError("expected two or more fields, and as many in every row")
    return _features(records, head, target, reading, number)


def _place(head: list[str], named: str) -> int:
    """The place of a column by its name, or by its place from 0, or from the end."""
    place = head.index(named) if head.count(named) == 1 else int(named)
    if not -len(head) <= place < len(head):
        raise UnreadableError(f"expected a column {named}, found {len(head)} columns")
    return place % len(head)


def _features(
    records: list[list[str]], head: list[str], target: int, reading: Fields, number: Any
) -> Tokens:
    """The numbers of each row, then a 1 for each of its words: a column for each, as they come.

    A column holds words if the first row has one there, or if it is said to be categorical.
    """

    def places(name: str) -> set[int]:
        return {_place(head, each.strip()) for each in reading[name].split(",")}

    kept = places("columns") if "columns" in reading else {*range(len(head))}
    roles = {name: _place(head, reading[name]) for name in COLUMNS[1:] if name in reading}
    roles.pop("event", None)
    kept -= {target, *roles.values()} | (places("drop") if "drop" in reading else set())
    first = dict(enumerate(records[0] if records else []))
    words = {j for j, field in first.items() if not _is_numeric(field)}
    words |= {_place(head, each) for each in reading.get("categorical", [])}
    values, found = dict[tuple[int, str], int](), Tokens()
    numbers = sorted(kept - words)
    for record in records:
        for j in (kept | {*roles.values()}) & words:
            if record[j].strip().lower() in GAPS or len(record[j].strip()) > LONGEST_WORD:
                raise UnreadableError(f"expected a word, found {record[j][:40]!a}")
        row = dict(enumerate(record[j] for j in numbers))
        for j in sorted(kept & words):
            word = record[j].strip()
            row[values.setdefault((j, word), len(numbers) + len(values))] = "1"
        parts = {name: record[j].strip() for name, j in roles.items()}
        known = {
            name: w if roles[name] in words else _written(w, number) for name, w in parts.items()
        }
        found.append((record[target].strip(), row, known))
    return found


def _is_numeric(field: str) -> bool:
    """Whether it is a finite number, or stands for one that is missing."""
    number = _written(field, float)
    return field.strip().lower() in GAPS or (number is not None and math.isfinite(number))


def _svmlight(lines: list[str], reading: Fields) -> Tokens:
    rows: Tokens = []
    for line in lines:
        label, *pairs = line.partition("#")[0].split() or [""]
        found = [re.fullmatch(r"([0-9]{1,10}):([^\s:]+)", pair) for pair in pairs]
        row = {int(pair[1]): pair[2] for pair in found if pair}
        if ":" in label or len(row) < len(pairs):
            raise UnreadableError(f"expected a label and index:value pairs, found {line[:40]!a}")
        if label:
            rows.append((label, row, {}))
    base = 0 if reading.get("zero_based", any(0 in row for _, row, _ in rows)) else 1
    return [(label, {j - base: token for j, token in row.items()}, {}) for label, row, _ in rows]


def _written(token: str, number: Any) -> Any:
    """The number, or None if it is none: underscores and digits of other scripts do not count."""
    try:
        return number(token.strip()) if token.isascii() and "_" not in token else None
    except (ValueError, ArithmeticError):
        return None


def main(arguments: list[str] | None = None) -> int:
    """The command line: 0 if the certificate is valid, 1 if not, 2 if there is nothing to check."""
    parser = argparse.ArgumentParser(description="Check a novikoff certificate against its data.")
    parser.add_argument("certificate", type=Path, help="a JSON file")
    parser.add_argument("data", type=Path, help="the rows it is about: .csv, .tsv or .svm")
    parser.add_argument("--target", help="the column of labels: its name, or its place from 0")
    options = parser.parse_args(arguments)
    try:
        with options.certificate.open("rb") as file:
            text = file.read(LARGEST_FILE + 1)
        verdict = check(text, lambda fields: _file_rows(options.data, options.target, fields))
    except (OSError, ValueError, csv.Error, MemoryError) as problem:
        sys.stderr.write(f"unreadable: {str(problem) or 'larger than the memory'}\n")
        return 2
    sys.stdout.write(f"{'valid' if verdict.valid else 'invalid'}: {verdict.reason}\n")
    return 0 if verdict.valid else 1


if __name__ == "__main__":
    sys.exit(main())
