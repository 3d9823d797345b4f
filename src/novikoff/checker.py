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
from collections.abc import Callable, Iterable, Mapping
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
Rows = Iterable[tuple[Any, Any]]  # (label, values) for each
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
    """
    try:
        fields = _certificate(certificate)
        signed = _signed_rows(fields, rows(fields) if callable(rows) else rows)
        claims = {"separable": _check_separable, "training run": _check_training_run}
        claims["repair"] = _check_repair
        claims.get(fields["claim"], _check_overlap)(*signed, fields)
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


def _certificate(given: Any) -> Fields:
    """The fields, all in their forms; added is dim, the number of coordinates of a lifted row."""
    try:
        text = given if isinstance(given, str | bytes) else json.dumps(given)
        data = text.encode() if isinstance(text, str) else text
        _require(len(data) <= LARGEST_FILE, f"more than {LARGEST_FILE} bytes")
        fields = json.loads(data.decode(), object_pairs_hook=_object)
        version = 2 if fields["version"] == 2 else 1
        forms = WITNESS_AND_FIGURES_2 if version == 2 else WITNESS_AND_FIGURES
        witness, figures = forms[fields["claim"]]
        counts, run = fields["family"] == "poisson", fields["claim"] in ("training run", "repair")
        form: Fields = {"format": "novikoff certificate", "version": version, "seal": TEXT}
        form["claim"] = ("inseparable", "quasi-separable") if counts else fields["claim"]
        form["lift"] = {"bias": TRUTH, "unit_length": False if run else TRUTH}
        form["labels"] = None if counts else (NUMBERS, WORDS)
        form |= {"family": ("binary", "poisson"), "numbers": ("binary64", "rational")}
        form |= {"rows": int, "features": int, "digest": TEXT}
        form |= {"witness": witness, "figures": figures}
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
    _require(max(rows, default=0) < fields["rows"], "a combination has a row that is not there")
    multipliers, _ = _integers([term["multiplier"] for term in terms], len(terms))
    return dict(zip(rows, multipliers.values(), strict=True))


# The rows: exact, signed and lifted, and known by their digest.


def _signed_rows(fields: Fields, given: Rows) -> tuple[list[Vector], list[bool], int]:
    """The rows z, all times one scale that makes them integers; their sides; and that scale."""
    head = "novikoff rows 1\nfamily {family}\nbias {bias:d}\nunit_length {unit_length:d}\n"
    head += "numbers {numbers}\nrows {rows}\nfeatures {features}\n"
    digest = hashlib.sha256(head.format(**fields, **fields["lift"]).encode())
    features, sides, lifted = fields["features"], list[bool](), list[dict[int, Ratio]]()
    for label, values in given:
        where, sparse = f"row {len(sides)}", isinstance(values, Mapping)
        _require(len(sides) < fields["rows"], "rows: there are more")
        _require(sparse or len(values) == features, f"features: {where} has others")
        pairs = values.items() if sparse else enumerate(values)
        row = {operator.index(j): x for j, value in pairs if (x := _exact(value, where))[0]}
        _require(all(0 <= j < features for j in row), f"features: {where} has others")
        sides.append(_is_positive(label, fields["labels"], where))
        digest.update(bytes(sides[-1:]) + _fingerprint(row, fields["numbers"], where))
        lifted.append({**row, features: (1, 1)} if fields["lift"]["bias"] else row)
    _require(len(sides) == fields["rows"], "rows: there are fewer")
    _require(digest.hexdigest() == fields["digest"], "digest: these are other rows or labels")
    scale, rows = math.lcm(*{bottom for row in lifted for _, bottom in row.values()}), []
    for row, side in zip(lifted, sides, strict=True):
        factor = scale if side else -scale
        rows.append({j: factor // bottom * top for j, (top, bottom) in row.items()})
    return rows, sides, scale


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
    witness, dim, counts = fields["witness"], fields["dim"], fields["family"] == "poisson"
    pinned = {i for i, positive in enumerate(sides) if positive and counts}
    on = set(range(len(rows)))
    if fields["claim"] == "quasi-separable":
        w, _ = _integers(witness["weights"], dim)
        scores = [_dot(z, w) for z in rows]
        _require(min(scores) == 0 < max(scores), "weights: a row on the wrong side, or no S or O")
        on = {i for i, score in enumerate(scores) if score == 0}
        _require(pinned <= on, "weights: a pinned row is not on the hyperplane")
        _require(fields["figures"]["strict"] == len(rows) - len(on), "strict: another number")
    spanning = conflict = _combination(witness["conflict"], fields)
    listed = "boundary" if fields["version"] == 2 else "spanning"
    if witness[listed] is not None:
        spanning = _combination(witness[listed], fields)
    _require(len(conflict) <= fields["features"] + 2, "conflict: too many rows")
    _require(all(conflict.values()), "conflict: a multiplier is 0")
    _require(bool(conflict) or pinned >= spanning.keys(), "conflict: empty")
    for name, terms in (("conflict", conflict), (listed, spanning)):
        _require(bool(terms) or counts, f"{name}: empty")
        positive = all(multiplier > 0 or i in pinned for i, multiplier in terms.items())
        _require(positive, f"{name}: a multiplier is not positive")
        _require(not any(_sum(terms, rows).values()), f"{name}: it does not sum to zero")
    if fields["version"] == 2:
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
Tokens = list[tuple[str, dict[int, str]]]  # (label, {column: number}) for each row, as written


def _file_rows(path: Path, told: str | None, fields: Fields) -> Rows:
    text, suffix = path.read_bytes().decode("utf-8-sig"), path.suffix.lower()
    if suffix not in (".csv", ".tsv", ".svm", ".svmlight", ".libsvm") or "\0" in text:
        raise UnreadableError("expected text in a file .csv, .tsv, .svm, .svmlight or .libsvm")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    table, marks = suffix in (".csv", ".tsv"), "\t" if suffix == ".tsv" else ",\t;"
    rows = _table(lines, marks, told) if table else _svmlight(lines)
    labels = {label: _written(label, float) for label, _ in rows}
    if not rows or any(label.lower() in ("", "na", "nan") for label in labels):
        raise UnreadableError("expected rows, and a label in each")
    columns = {column for _, tokens in rows for column in tokens}
    _require(not table or len(columns) == fields["features"], "features: the table has others")
    if None in labels.values():
        labels = {label: label for label in labels}
    elif all(re.fullmatch("[+-]?[0-9]{1,18}", label) for label in labels):
        labels = {label: int(label) for label in labels}
    number: Any = float if fields["numbers"] == "binary64" else Decimal
    for label, tokens in rows:
        yield labels[label], {j: _written(token, number) for j, token in tokens.items()}


def _table(lines: list[str], marks: str, told: str | None) -> Tokens:
    first = next(filter(str.strip, lines), "").strip()
    mark = next((mark for mark in marks if mark in first), marks[0])
    reader = csv.reader((line + "\n" for line in lines), delimiter=mark, strict=True)
    records = [record for record in reader if len(record) > 1 or "".join(record).strip()]
    head = [field.strip() for field in records[0]] if records else []
    names, target = [name.lower() for name in head], -1
    words = [j for j, name in enumerate(names) if not _is_numeric(name)]
    if words and len(words) == len(names):  # a header
        usual = [name for name in ("target", "label", "class", "y") if name in names]
        target = names.index(usual[0]) if usual else -1
        records = [] if usual and names.count(usual[0]) > 1 and told is None else records[1:]
    elif any(_is_numeric(row[j]) for row in records[1:2] for j in words if j < len(row)):
        raise UnreadableError("expected a header of words only, or rows only")
    if told is not None:
        target = head.index(told) if head.count(told) == 1 else int(told)
        if not -len(head) <= target < len(head):
            raise UnreadableError(f"expected a column {told}, found {len(head)} columns")
    if len(names) < 2 or any(len(record) != len(names) for record in records):
        raise UnreadableError("expected two or more fields, and as many in every row")
    return _features([(record.pop(target).strip(), record) for record in records])


def _features(rows: list[tuple[str, list[str]]]) -> Tokens:
    """The numbers of each row, then a 1 for each of its words: a column for each, as they come.

    A column holds words if the first row has one there.
    """
    fields = dict(enumerate(rows[0][1] if rows else []))
    numbers = [j for j, field in fields.items() if _is_numeric(field)]
    values, found = dict[tuple[int, str], int](), Tokens()
    for label, record in rows:
        row = dict(enumerate(record[j] for j in numbers))
        for j in sorted(fields.keys() - numbers):
            value = record[j].strip()
            if value.lower() in GAPS or len(value) > LONGEST_WORD:
                raise UnreadableError(f"expected a word, found {value[:40]!a}")
            row[values.setdefault((j, value), len(numbers) + len(values))] = "1"
        found.append((label, row))
    return found


def _is_numeric(field: str) -> bool:
    """Whether it is a finite number, or stands for one that is missing."""
    number = _written(field, float)
    return field.strip().lower() in GAPS or (number is not None and math.isfinite(number))


def _svmlight(lines: list[str]) -> Tokens:
    rows: Tokens = []
    for line in lines:
        label, *pairs = line.partition("#")[0].split() or [""]
        found = [re.fullmatch(r"([0-9]{1,10}):([^\s:]+)", pair) for pair in pairs]
        row = {int(pair[1]): pair[2] for pair in found if pair}
        if ":" in label or len(row) < len(pairs):
            raise UnreadableError(f"expected a label and index:value pairs, found {line[:40]!a}")
        if label:
            rows.append((label, row))
    base = 0 if any(0 in row for _, row in rows) else 1
    return [(label, {j - base: token for j, token in row.items()}) for label, row in rows]


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
