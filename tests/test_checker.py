"""The checker: true certificates are valid, and nothing that was tampered with is.

The certificates here are made by hand, and `concluded` works out their figures with Fractions, one
sentence of docs/certificate.md after the other; neither knows the package.
"""

import ast
import copy
import gzip
import hashlib
import itertools
import json
import math
import shutil
import struct
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff import checker, sources
from novikoff.checker import UnreadableError, check, check_arrays

# A slow reading of the page.


class Case(NamedTuple):
    """A certificate, and the rows and labels it is about."""

    certificate: dict[str, Any]
    X: list[list[Any]]
    y: list[Any]


def value(text):
    if "p" in text:
        return Fraction(float.fromhex(text))
    return Fraction(*(int(part, 0) for part in text.split("/")))


def text(number):
    if isinstance(number, float):
        return number.hex()
    top, bottom = (hex(n) if abs(n) > 10**300 else str(n) for n in number.as_integer_ratio())
    return top if bottom == "1" else f"{top}/{bottom}"


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def rank(vectors):
    rows, found = [list(map(Fraction, vector)) for vector in vectors], 0
    for column in range(len(rows[0]) if rows else 0):
        place = next((i for i in range(found, len(rows)) if rows[i][column]), None)
        if place is None:
            continue
        rows[found], rows[place] = rows[place], rows[found]
        for row in rows[found + 1 :]:
            factor = row[column] / rows[found][column]
            row[:] = [x - factor * y for x, y in zip(row, rows[found], strict=True)]
        found += 1
    return found


def positives(fields, y):
    if fields["family"] == "poisson":
        return [count > 0 for count in y]
    labels = fields["labels"]
    read = value if labels["kind"] == "number" else str
    return [label == read(labels["positive"]) for label in y]


def signed(fields, X, y):
    lifted = [[*map(Fraction, row), *[Fraction(1)] * fields["lift"]["bias"]] for row in X]
    sides = positives(fields, y)
    return [[x if side else -x for x in row] for row, side in zip(lifted, sides, strict=True)]


def digest(fields, X, y):
    lift, mask = fields["lift"], 2**64 - 1
    lines = ["novikoff rows 1", f"family {fields['family']}", f"bias {int(lift['bias'])}"]
    lines += [f"unit_length {int(lift['unit_length'])}", f"numbers {fields['numbers']}"]
    lines += [f"rows {fields['rows']}", f"features {fields['features']}"]
    content = "".join(line + "\n" for line in lines).encode()
    for row, side in zip(X, positives(fields, y), strict=True):
        total = 0
        for j, entry in enumerate(row):
            if entry == 0:
                continue
            if fields["numbers"] == "binary64":
                (bits,) = struct.unpack("<Q", struct.pack("<d", entry))
            else:
                top, bottom = Fraction(entry).as_integer_ratio()
                known = hashlib.sha256(f"{top}/{bottom}".encode()).digest()
                (bits,) = struct.unpack("<Q", known[:8])
            x = bits + (j + 1) * 0x9E3779B97F4A7C15 & mask
            x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
            x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
            total += x ^ (x >> 31)
        content += struct.pack("<BQ", side, total & mask)
    return hashlib.sha256(content).hexdigest()


def sealed(fields):
    rest = {name: each for name, each in fields.items() if name != "seal"}
    written = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return {**rest, "seal": hashlib.sha256(written.encode()).hexdigest()}


def separable_figures(fields, z):
    w = [value(each) for each in fields["witness"]["weights"]]
    support = {term["row"]: value(term["multiplier"]) for term in fields["witness"]["support"]}
    unit = fields["lift"]["unit_length"]
    scores = [dot(row, w) for row in z]
    assert all(score > 0 for score in scores)
    assert support
    assert all(each > 0 for each in support.values())
    sizes = [dot(row, row) for row in z]
    lower = min(s * s / (m if unit else 1) for s, m in zip(scores, sizes, strict=True)) / dot(w, w)
    total = [sum(each * z[i][j] for i, each in support.items()) for j in range(len(w))]
    weight = sum(support.values())
    if unit:
        weight = Fraction(0)
        for i, each in support.items():
            a, b = sizes[i].as_integer_ratio()
            weight += each * Fraction(math.isqrt(a * b * 4**64), b * 2**64)
    radius = Fraction(1) if unit else max(sizes)
    return {
        "margin_squared": {"lower": lower, "upper": dot(total, total) / weight**2},
        "radius_squared": radius,
        "mistake_bound": Fraction(math.floor(radius / lower)),
    }


def overlap_figures(fields, z, on):
    witness, dim = fields["witness"], len(z[0])
    counts, sides = fields["family"] == "poisson", [row[-1] > 0 for row in z]  # cases have a bias
    for name in ("conflict", "spanning"):
        for term in witness[name] or []:
            pinned = counts and sides[term["row"]]
            assert pinned or value(term["multiplier"]) > 0
    spanning = witness["conflict"] if witness["spanning"] is None else witness["spanning"]
    for terms in (witness["conflict"], spanning):
        for j in range(dim):
            assert sum(value(term["multiplier"]) * z[term["row"]][j] for term in terms) == 0
    listed = [term["row"] for term in spanning]
    known = rank([z[i] for i in listed])
    assert rank([z[i] for i in listed] + [z[i] for i in on]) == known
    if witness["complement"] is None:
        assert known == dim or set(on) <= set(listed)
    else:
        normals = [[value(each) for each in vector] for vector in witness["complement"]]
        assert len(normals) == dim - known == rank(normals)
        assert all(dot(normal, z[i]) == 0 for normal in normals for i in on)
    return {"rank": known}


def quasi_figures(fields, z):
    w = [value(each) for each in fields["witness"]["weights"]]
    scores = [dot(row, w) for row in z]
    assert min(scores) == 0 < max(scores)
    on = [i for i, score in enumerate(scores) if score == 0]
    if fields["family"] == "poisson":
        assert all(i in on for i, row in enumerate(z) if row[-1] > 0)
    return {"strict": len(z) - len(on), **overlap_figures(fields, z, on)}


def run_figures(fields, z, sides):
    witness = fields["witness"]
    w = start = [value(each) for each in witness["start"]]
    eta, odd = value(witness["eta"]), []
    assert eta > 0
    for place, i in enumerate(witness["updates"]):
        score = dot(z[i], w)
        at_zero = {"mistake": True, "positive": not sides[i], "negative": sides[i], "keep": False}
        if not (score < 0 or (score == 0 and at_zero[witness["tie"]])):
            odd.append(place)
        w = [x + eta * y for x, y in zip(w, z[i], strict=True)]
    assert odd == witness["rounded"]
    a, most = min(dot(row, w) for row in z), None
    if a > 0 and not odd:
        radius, most = max(dot(row, row) for row in z), 0

        # left^2 <= right as whole numbers, which bisection tries thousands of
        slope, offset, wide = eta * a, dot(start, w), dot(w, w)
        m = math.lcm(slope.denominator, offset.denominator)
        grows, begins = wide * eta**2 * radius * m * m, wide * dot(start, start) * m * m
        n = math.lcm(grows.denominator, begins.denominator)
        slope, offset, grows, begins = map(int, (slope * m, offset * m, grows * n, begins * n))

        def possible(k):
            left = k * slope + offset
            return left <= 0 or n * left * left <= begins + k * grows

        steps = itertools.takewhile(possible, (2**n for n in itertools.count()))
        for step in reversed(list(steps)):
            most += step if possible(most + step) else 0
        assert most >= len(witness["updates"])
    figures = {"weights": w, "mistakes": len(witness["updates"])}
    bound = None if most is None else Fraction(most)
    return {**figures, "separates": a > 0, "mistake_bound": bound}


def concluded(fields, X, y):
    """The figures that follow from the witness; AssertionError where it proves nothing."""
    z = signed(fields, X, y)
    if fields["claim"] == "separable":
        return separable_figures(fields, z)
    if fields["claim"] == "inseparable":
        return overlap_figures(fields, z, range(len(z)))
    if fields["claim"] == "quasi-separable":
        return quasi_figures(fields, z)
    return run_figures(fields, z, positives(fields, y))


def written(figures):
    """Figures as JSON has them."""
    if isinstance(figures, dict):
        return {name: written(each) for name, each in figures.items()}
    if isinstance(figures, list):
        return [written(each) for each in figures]
    return text(figures) if isinstance(figures, Fraction) else figures


NUMBER_LABELS = {"kind": "number", "negative": "0", "positive": "1"}


def make(claim, X, y, *, bias=True, unit=False, labels=NUMBER_LABELS, rational=False, **witness):
    """A certificate with the figures that follow, as a Case."""
    fields = {
        "format": "novikoff certificate",
        "version": 1,
        "claim": claim,
        "family": "poisson" if labels is None else "binary",
        "rows": len(X),
        "features": len(X[0]),
        "lift": {"bias": bias, "unit_length": unit},
        "numbers": "rational" if rational else "binary64",
        "labels": labels,
        "witness": witness,
    }
    fields["digest"] = digest(fields, X, y)
    fields["figures"] = written(concluded(fields, X, y))
    return Case(sealed(fields), X, y)


def terms(**multipliers):
    """terms(_0="1", _3="1/2") is the combination of rows 0 and 3."""
    return [
        {"row": int(row[1:]), "multiplier": multiplier} for row, multiplier in multipliers.items()
    ]


# The cases. No two signed rows are alike, and hardly a change of one place leaves a claim proven;
# `STILL_PROVEN` lists those that do.

XOR = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
TRIANGLE = [[0.0, 0.0], [2.0, 0.0], [3.0, 1.0]]
RUN = [[0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [0.5, -1.0]]


def xor():
    conflict = terms(_0="1", _1="1", _2="1", _3="1")
    return make("inseparable", XOR, [0, 1, 1, 0], conflict=conflict, spanning=None, complement=None)


def exact_margin():
    support = terms(_0="3/4", _1="1/4")
    return make("separable", TRIANGLE, [0, 1, 1], weights=["1/2", "0", "-1/2"], support=support)


def rough_margin():
    labels = {"kind": "text", "negative": "ham", "positive": "späm"}
    X = [[-1.0, 0.25], [0.1, -3.0], [2.0, 1e-300]]
    return make(
        "separable",
        X,
        ["ham", "späm", "späm"],
        bias=False,
        labels=labels,
        weights=[(1.5).hex(), (-0.1).hex()],
        support=terms(_0="2", _1=(0.3).hex(), _2="0x1f/0x2b"),
    )


def unit_length():
    support = terms(_0="2", _2="1/3")
    return make(
        "separable", TRIANGLE, [0, 1, 1], unit=True, weights=["2", "-3", "-1"], support=support
    )


def short_rows():
    """All rows shorter than 1, and scaled to length 1; the nearest is neither first nor last."""
    X = [[0.25, 0.0], [0.01, 0.03], [0.125, 0.5]]
    support = terms(_0="1", _1="7")
    options = {"bias": False, "unit": True, "labels": {**NUMBER_LABELS, "negative": None}}
    return make("separable", X, [1, 1, 1], weights=["3", "1"], support=support, **options)


def rational():
    X = [[Fraction(1, 3), Fraction(2, 7)], [Fraction(-1, 10), Fraction(0)], [5, Fraction(1, 9)]]
    return make(
        "separable",
        X,
        [1, 0, 1],
        rational=True,
        weights=["3", "-15/4", "1/7"],
        support=terms(_0="1", _1="1/2"),
    )


def wide_rows():
    """A column twice: the rank is 3 in 4 dimensions, and every row is listed."""
    X = [[*row, row[1]] for row in XOR]
    conflict = terms(_0="1", _1="1", _2="1", _3="1")
    return make("inseparable", X, [0, 1, 1, 0], conflict=conflict, spanning=None, complement=None)


def complement():
    """A column twice, and a row that no combination needs."""
    X = [[*row, 2 * row[1]] for row in [*XOR, [5.0, -7.0]]]
    conflict = terms(_0="1/2", _1="1/2", _2="1/2", _3="1/2")
    normal = [["0", "2", "-1", "0"]]
    return make(
        "inseparable", X, [0, 1, 1, 0, 1], conflict=conflict, spanning=None, complement=normal
    )


def spanning():
    """Two rows conflict; the others are held by a combination of their own."""
    X = [*XOR, [0.0, 0.0]]
    return make(
        "inseparable",
        X,
        [0, 1, 1, 0, 1],
        conflict=terms(_0="1", _4="1"),
        spanning=terms(_0="2", _1="1", _2="1", _3="1", _4="1"),
        complement=None,
    )


def quasi():
    X = [[0.0, 1.0], [0.0, 1.0], [0.0, 3.0], [0.0, 3.0], [1.0, 0.0], [-2.0, 5.0], [0.0, 2.0]]
    return make(
        "quasi-separable",
        X,
        [0, 1, 0, 1, 1, 0, 1],
        weights=["1", "0", "0"],
        conflict=terms(_0="1", _1="1"),
        spanning=terms(_0="1", _1="1", _2="5", _3="5"),
        complement=[["1", "0", "0"]],
    )


def quasi_listed():
    X = [[0.0], [0.0], [1.0], [-3.0]]
    return make(
        "quasi-separable",
        X,
        [1, 0, 1, 0],
        labels={"kind": "number", "negative": None, "positive": "1"},
        weights=["1", "0"],
        conflict=terms(_0="1/3", _1="1/3"),
        spanning=None,
        complement=None,
    )


def poisson():
    """Pinned rows 0 and 1; row 2 is pulled into their span by a negative multiplier."""
    X = [[1.0, 0.0], [0.0, 1.0], [2.0, -1.0], [1.0, 1.0], [-1.0, 0.0]]
    return make(
        "inseparable",
        X,
        [4, 1, 0, 0, 2],
        labels=None,
        conflict=terms(_0="2", _1="-1", _2="1"),
        spanning=terms(_0="0", _1="0", _4="0"),
        complement=None,
    )


def poisson_quasi():
    """Nothing but pinned rows holds the others: the conflict is empty."""
    X = [[0.0, 1.0], [0.0, 2.0], [1.0, 0.0], [0.0, -4.0]]
    return make(
        "quasi-separable",
        X,
        [3, 1, 0, 0],
        labels=None,
        weights=["-1", "0", "0"],
        conflict=[],
        spanning=terms(_0="0", _1="0"),
        complement=[["1", "0", "0"]],
    )


def perceptron(X, y, start, eta, tie, rounded_at=()):
    """A run over the rows, again and again, until most of the tenth pass is over."""
    fields = {"family": "binary", "labels": NUMBER_LABELS, "lift": {"bias": True}}
    z, w, updates, rounded = signed(fields, X, y), list(map(Fraction, start)), [], []
    for step in range(10 * len(z) - 2):
        i = step % len(z)
        score = dot(z[i], w)
        zero = {"mistake": True, "positive": not y[i], "negative": y[i], "keep": False}[tie]
        wrong = score < 0 or (score == 0 and zero)
        if wrong or step in rounded_at:
            rounded += [] if wrong else [len(updates)]
            updates.append(i)
            w = [a + Fraction(eta) * b for a, b in zip(w, z[i], strict=True)]
    return {
        "start": [text(each) for each in start],
        "eta": text(eta),
        "tie": tie,
        "updates": updates,
        "rounded": rounded,
    }


def training(start=(0, 0, 0), eta=1, tie="mistake", rounded_at=(), X=RUN, y=(0, 1, 1, 0)):
    witness = perceptron(X, y, start, eta, tie, rounded_at)
    return make("training run", X, list(y), **witness)


CASES = {
    "xor": xor(),
    "exact margin": exact_margin(),
    "rough margin": rough_margin(),
    "unit length": unit_length(),
    "short rows": short_rows(),
    "rational": rational(),
    "wide rows": wide_rows(),
    "complement": complement(),
    "spanning": spanning(),
    "quasi": quasi(),
    "quasi listed": quasi_listed(),
    "poisson": poisson(),
    "poisson quasi": poisson_quasi(),
    "run": training(),
    "run from elsewhere": training((0.1, -1, 3), Fraction(1, 3)),
    "run with rounding": training(tie="keep", start=(0, 1, 0), rounded_at=(0, 5)),
    "run to nowhere": training(X=XOR, y=(0, 1, 1, 0)),
}
every_case = pytest.mark.parametrize("name", CASES)


@every_case
def test_a_true_certificate_is_valid_however_it_is_given(name):
    certificate, X, y = CASES[name]
    for given_as in (certificate, json.dumps(certificate), json.dumps(certificate).encode()):
        assert check_arrays(given_as, X, y) == (True, check_arrays(certificate, X, y).reason)
    rows = [
        (label, {j: x for j, x in enumerate(row) if x}) for label, row in zip(y, X, strict=True)
    ]
    assert check(certificate, iter(rows)).valid
    shuffled = dict(reversed(certificate.items()))
    assert check_arrays(json.dumps(shuffled, indent=3, ensure_ascii=False), X, y).valid


# Tampering. Every place of the JSON is changed in several ways, sealed as before and sealed anew.


def places(node, path=()):
    """Every path into the JSON, to leaves and to what holds them."""
    yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from places(node[key], (*path, key))


def looked_up(node, path):
    for key in path:
        node = node[key]
    return node


def replaced(node, path, new):
    if not path:
        return new
    changed = copy.copy(node)
    changed[path[0]] = replaced(node[path[0]], path[1:], new)
    return changed


def is_number(node):
    return isinstance(node, str) and ("0x" in node or node.lstrip("-").replace("/", "").isdigit())


WORDS = ["separable", "inseparable", "quasi-separable", "training run", "binary", "poisson", "text"]
WORDS += ["binary64", "rational", "number", "mistake", "positive", "negative", "keep"]


def other_texts(node):
    if not is_number(node):
        return [*WORDS, "", node + " ", node.upper(), node[:-1], node[::-1], "0" * 64]
    number = value(node)
    numbers = [number + 1, number - 1, -number, 2 * number, number / 3, Fraction(0)]
    numbers += [number + Fraction(1, 10**30), Fraction(10) ** 40]
    wrong = ["", " 1", "+1", "01", "1.0", "1e3", "1/0", "1/-2", "0x", "0X1", "0x01", "1_0", "nan"]
    wrong += ["inf", "٣", "0x1.8p3", "0x1.8p+99999", "0x1.8p+9999", "0x1.1p-1074", "1\n", "--1"]
    return [text(each) for each in numbers if each != number] + wrong


def others(node):
    """Other things to put in the place of some JSON."""
    common = [None, True, False, 0, 1, -1, 1.0, 0.5, "1", "", [], {}, [node], {"": node}, 10**30]
    if isinstance(node, str):
        common += other_texts(node)
    elif isinstance(node, bool):
        common += [not node, int(node), str(node).lower()]
    elif isinstance(node, int):
        common += [node + 1, node - 1, -node, 2 * node, float(node), str(node), f"{node}/1"]
    elif isinstance(node, list):
        common += [node[:-1], node[1:], node[::-1], node + node[:1], node[:1] + node, [*node, None]]
        common += [[*node, "0"], [*node, 0], dict(enumerate(node))]
    elif isinstance(node, dict):
        common += [{k: v for k, v in node.items() if k != key} for key in node]
        common += [{**node, "more": 1}, {**node, "": None}, list(node.items())]
        common += [{**node, key: other} for key in node for other in node.values()]
    return [each for each in common if json.dumps(each) != json.dumps(node)]


def tampered(certificate):
    """(path, certificate) for every change of one place."""
    for path in places(certificate):
        for new in others(looked_up(certificate, path)):
            yield path, replaced(certificate, path, new)


#: Changes of one place that leave a proof, though another one. (Case, path): why.
STILL_PROVEN = {
    **{
        (name, ("labels", "negative")): "null, every other label, is this label alone here"
        for name, case in CASES.items()
        if case.certificate["labels"] is not None and case.certificate["labels"]["negative"]
    },
    ("xor", ("witness", "complement")): "no vectors, since the rank is full",
    ("spanning", ("witness", "complement")): "no vectors, since the rank is full",
    ("poisson", ("witness", "complement")): "no vectors, since the rank is full",
    ("poisson", ("witness", "conflict")): "may be empty, since the pinned rows span all",
    ("xor", ("witness",)): "the conflict as spanning is what null means",
    ("wide rows", ("witness",)): "the conflict as spanning is what null means",
    ("complement", ("witness",)): "the conflict as spanning is what null means",
    ("quasi listed", ("witness",)): "the conflict as spanning is what null means",
    ("quasi", ("witness",)): "what spans is few enough rows to be a conflict",
    ("quasi", ("witness", "weights", 0)): "the same direction",
    ("quasi listed", ("witness", "weights", 0)): "the same direction",
    ("poisson quasi", ("witness", "weights", 0)): "the same direction",
    ("quasi", ("witness", "complement", 0, 0)): "the same direction, or its opposite",
    ("poisson quasi", ("witness", "complement", 0, 0)): "the same direction, or its opposite",
    ("run", ("witness", "updates")): "backwards each is a mistake too, and the sum is the same",
    ("run with rounding", ("witness", "updates")): "backwards it is so too",
    ("run", ("witness", "tie")): "only negative rows have a score of 0",
    ("run from elsewhere", ("witness", "tie")): "no row has a score of 0",
    ("run with rounding", ("witness", "tie")): "the row with a score of 0 is positive",
    ("run to nowhere", ("witness", "updates")): "backwards it is so too",
}


@every_case
def test_whatever_is_changed_is_noticed(name):
    certificate, X, y = CASES[name]
    survived = set()
    for path, changed in tampered(certificate):
        assert not check_arrays(changed, X, y).valid, (path, changed)
        if not isinstance(changed, dict) or sealed(changed) == certificate:
            continue
        if check_arrays(sealed(changed), X, y).valid:
            assert written(concluded(changed, X, y)) == changed["figures"], (path, changed)
            survived.add((name, path))
    assert survived == {each for each in STILL_PROVEN if each[0] == name}


def other_data(X, y, words):
    """(X, y) with one entry or one label changed."""
    for i, row in enumerate(X):
        for j, entry in enumerate(row):
            for new in {entry + 1, -entry, entry * 2, entry / 3, entry - 0.5} - {entry}:
                yield [*X[:i], [*row[:j], new, *row[j + 1 :]], *X[i + 1 :]], y
        for label in set(words) - {y[i]}:
            yield X, [*y[:i], label, *y[i + 1 :]]


@every_case
def test_other_data_are_noticed_and_with_their_digest_judged_anew(name):
    certificate, X, y = CASES[name]
    proven = set()
    for X2, y2 in other_data(X, y, set(y) | ({0, 7} if name.startswith("poisson") else set())):
        same = positives(certificate, y) == positives(certificate, y2) and X == X2
        assert check_arrays(certificate, X2, y2).valid == same
        moved = sealed({**certificate, "digest": digest(certificate, X2, y2)})
        try:
            holds = written(concluded(moved, X2, y2)) == certificate["figures"]
        except AssertionError:
            holds = False
        assert check_arrays(moved, X2, y2).valid == holds, (X2, y2)
        proven.add(holds)
    assert False in proven


@every_case
def test_rows_too_few_too_many_too_wide_or_in_another_order(name):
    certificate, X, y = CASES[name]
    assert not check_arrays(certificate, X[:-1], y[:-1]).valid
    assert not check_arrays(certificate, X + X[:1], y + y[:1]).valid
    assert not check_arrays(certificate, X[::-1], y[::-1]).valid
    assert not check_arrays(certificate, [[*row, 0.0] for row in X], y).valid
    assert not check_arrays(certificate, [row[:-1] for row in X], y).valid
    wide = [(label, {**dict(enumerate(row)), len(row): 1}) for label, row in zip(y, X, strict=True)]
    assert not check(certificate, wide).valid
    assert not check(certificate, []).valid
    endless = ((y[0], {0: X[0][0]}) for _ in iter(int, 1))
    assert not check(certificate, endless).valid
    with pytest.raises(UnreadableError):
        check_arrays(certificate, X, y[:-1])


# What the page says in so many words.


def changed(case, path, new):
    """Whether the case stays valid with something else in one place, sealed anew."""
    return check_arrays(sealed(replaced(case.certificate, path, new)), case.X, case.y).valid


@pytest.mark.parametrize(
    "form", ["1/2", "0x1/0x2", "2/0x4", "0x1.0p-1", "0x1.0000000000000p-1", "0x0.8p+0", "500/1000"]
)
def test_a_number_has_many_forms(form):
    assert changed(CASES["exact margin"], ("figures", "margin_squared", "lower"), form)
    assert changed(CASES["exact margin"], ("witness", "weights", 0), form)
    assert not changed(CASES["exact margin"], ("witness", "weights", 1), form)
    assert changed(CASES["exact margin"], ("witness", "weights", 1), "-0")
    assert changed(CASES["exact margin"], ("witness", "weights", 1), "-0x0.0p+0")


@pytest.mark.parametrize(
    ("tie", "rounded"), [("mistake", []), ("positive", [0]), ("negative", [1])]
)
def test_a_tie_says_where_a_score_of_0_is_a_mistake(tie, rounded):
    X, y = [[1.0, 0.0], [0.0, 1.0]], [1, 0]
    run = {"start": ["0", "0"], "eta": "1", "tie": tie, "updates": [0, 1], "rounded": rounded}
    case = make("training run", X, y, bias=False, **run)
    assert check_arrays(case.certificate, X, y).valid
    for other in ([], [0], [1], [0, 1], [1, 0], [0, 0], [2]):
        assert changed(case, ("witness", "rounded"), other) == (other == rounded)
    assert not changed(case, ("witness", "rounded"), [bool(each) for each in rounded] or [True])
    assert not changed(case, ("witness", "tie"), "keep")
    assert (case.certificate["figures"]["mistake_bound"] is None) == bool(rounded)


def test_a_run_from_zero_has_novikoffs_bound():
    figures = CASES["run"].certificate["figures"]
    z, w = signed(CASES["run"].certificate, RUN, [0, 1, 1, 0]), list(map(value, figures["weights"]))
    bound = max(dot(row, row) for row in z) * dot(w, w) / min(dot(row, w) for row in z) ** 2
    assert value(figures["mistake_bound"]) == math.floor(bound)
    elsewhere = CASES["run from elsewhere"].certificate
    assert value(elsewhere["figures"]["mistake_bound"]) >= elsewhere["figures"]["mistakes"]


def test_a_bound_is_a_number_of_any_length():
    assert CASES["exact margin"].certificate["figures"]["mistake_bound"] == "22"
    for form in ("22", "0x16", "44/2", "0x1.6p+4"):
        assert changed(CASES["exact margin"], ("figures", "mistake_bound"), form)
    for form in (22, "21", "23", "45/2", "-22", None):
        assert not changed(CASES["exact margin"], ("figures", "mistake_bound"), form)
    X, labels = [[Fraction(1)], [Fraction(1, 10**3000)]], {**NUMBER_LABELS, "negative": None}
    options = {"bias": False, "rational": True, "labels": labels}
    long = make("separable", X, [1, 1], weights=["1"], support=terms(_1="1"), **options)
    assert value(long.certificate["figures"]["mistake_bound"]) == 10**6000
    assert check_arrays(*long).valid
    run = {"start": ["0"], "eta": "1", "tie": "mistake", "updates": [1], "rounded": []}
    long = make("training run", X, [1, 1], **options, **run)
    assert value(long.certificate["figures"]["mistake_bound"]) == 10**6000
    assert check_arrays(*long).valid
    assert not changed(long, ("figures", "mistake_bound"), hex(10**6000 + 1))
    assert not changed(long, ("figures", "mistake_bound"), hex(10**6000 - 1))
    for form in ("-1", "1/2", "-0"):
        assert not changed(CASES["run"], ("figures", "mistake_bound"), form)


def test_columns_may_be_numbers_of_numpy():
    certificate, X, y = CASES["quasi"]
    rows = [
        (label, dict(zip(np.arange(2), row, strict=True))) for label, row in zip(y, X, strict=True)
    ]
    assert check(certificate, rows).valid


def test_a_conflict_of_too_many_rows_is_none():
    X = [[float(i)] for i in (0, 1, 2, 3)]
    conflict = terms(_0="1", _1="3", _2="3", _3="1")
    case = make("inseparable", X, [0, 1, 0, 1], conflict=conflict, spanning=None, complement=None)
    assert "too many" in check_arrays(case.certificate, X, case.y).reason
    few = [terms(_0="1", _1="2", _2="1"), conflict]
    assert changed(case, ("witness",), {"conflict": few[0], "spanning": few[1], "complement": None})


def test_counts_pin_rows():
    case = CASES["poisson quasi"]
    assert not changed(case, ("witness", "spanning", 0, "multiplier"), "1")
    # The empty conflict proves nothing about rows that nobody pinned.
    unpinned = make(
        "quasi-separable",
        [[0.0], [0.0], [1.0]],
        [0, 5, 0],
        labels=None,
        weights=["-1", "0"],
        conflict=terms(_0="1", _1="1"),
        spanning=None,
        complement=None,
    )
    assert check_arrays(unpinned.certificate, unpinned.X, unpinned.y).valid
    witness = unpinned.certificate["witness"]
    listed = {**witness, "conflict": [], "spanning": witness["conflict"]}
    assert not changed(unpinned, ("witness",), listed)
    for bad in (-1, "1", Decimal(-1)):
        assert not check_arrays(unpinned.certificate, unpinned.X, [0, bad, 0]).valid
    assert check_arrays(unpinned.certificate, unpinned.X, [0, 0.5, Fraction(0)]).valid


def test_labels_are_compared_by_their_kind():
    certificate, X, _ = CASES["exact margin"]
    assert check_arrays(certificate, X, [0.0, True, Fraction(1)]).valid
    assert check_arrays(certificate, np.array(X), np.array([False, True, True])).valid
    for other in (["0", "1", "1"], [0, 1, 2], [0, 1, "1"]):
        assert not check_arrays(certificate, X, other).valid
    others = sealed({**certificate, "labels": {**NUMBER_LABELS, "negative": None}})
    assert check_arrays(others, X, [-7, 1, 1]).valid
    same = sealed({**certificate, "labels": {**NUMBER_LABELS, "negative": "2/2"}})
    assert not check_arrays(same, X, [0, 1, 1]).valid
    one = make("separable", [[1.0]], [1], weights=["1", "0"], support=terms(_0="1"))
    for negative in ("1", "2/2", "0x1.0p+0"):
        assert not changed(one, ("labels", "negative"), negative)
    for bad in (math.nan, math.inf, None, [], Decimal("NaN"), Decimal("sNaN")):
        with pytest.raises(UnreadableError, match="row 1"):
            check_arrays(certificate, X, [0, bad, 1])


def test_entries_are_taken_exactly():
    certificate, X, y = CASES["exact margin"]
    kinds = [int, float, Fraction, Decimal, np.float32, np.int64, np.float16]
    for kind in kinds:
        assert check_arrays(certificate, [[kind(x) for x in row] for row in X], y).valid
    assert check_arrays(certificate, np.array(X), np.array(y)).valid
    zeros = [[-0.0 if x == 0 else x for x in row] for row in X]
    assert check_arrays(certificate, zeros, y).valid
    for bad in (2**53 + 1, Fraction(1, 3), Decimal("0.1"), 10**400, 2**1024 - 1):
        assert "binary64" in check_arrays(certificate, [[bad, 0], *X[1:]], y).reason
    for bad in (math.nan, -math.inf, "0", None, b"", Decimal("1e999999999"), 1j):
        with pytest.raises(UnreadableError, match="row 0"):
            check_arrays(certificate, [[bad, 0], *X[1:]], y)
    certificate, X, y = CASES["rational"]
    with pytest.raises(UnreadableError, match="row 0"):
        check_arrays(certificate, [[Decimal("-1e-999999999"), 0], *X[1:]], y)
    long = [[Fraction(7, 10**5000), Fraction(10**4999)], *X[1:]]
    assert "digest" in check_arrays(certificate, long, y).reason


# Proofs at random.

entries = st.integers(-3, 3) | st.sampled_from([0.5, -0.1, 1e-3, 3e5, 2.0**-60])
matrices = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(entries.map(float), min_size=width, max_size=width), min_size=2, max_size=7
    )
)


@given(matrices, st.data())
def test_runs_and_margins_of_any_rows(X, data):
    y = data.draw(st.lists(st.integers(0, 1), min_size=len(X), max_size=len(X)))
    start = data.draw(st.lists(entries, min_size=len(X[0]) + 1, max_size=len(X[0]) + 1))
    eta, tie = (
        data.draw(st.sampled_from([1, 0.1, Fraction(2, 3)])),
        data.draw(st.sampled_from(checker.TIE)),
    )
    witness = perceptron(X, y, start, eta, tie, data.draw(st.sets(st.integers(0, 20))))
    run = make("training run", X, y, **witness)
    assert check_arrays(run.certificate, X, y).valid
    if run.certificate["figures"]["separates"]:
        weights = run.certificate["figures"]["weights"]
        unit = data.draw(st.booleans())
        some = sorted(data.draw(st.sets(st.integers(0, len(X) - 1), min_size=1)))
        support = [{"row": i, "multiplier": data.draw(st.sampled_from(["1", "2/3"]))} for i in some]
        margin = make("separable", X, y, unit=unit, weights=weights, support=support)
        assert check_arrays(margin.certificate, X, y).valid


@given(matrices, st.data())
def test_conflicts_of_any_rows(X, data):
    """Some rows, and the one that balances them; a column may be a copy, so that ranks are low."""
    X = [[*row, *row[: data.draw(st.integers(0, 1))]] for row in X] if len(X) % 2 else X
    multipliers = [Fraction(data.draw(st.integers(1, 9)), 7) for _ in X]
    last = [-dot(multipliers, column) for column in map(list, zip(*as_fractions(X), strict=True))]
    X, dim = [*as_fractions(X), last], len(last)
    conflict = [{"row": i, "multiplier": text(each)} for i, each in enumerate([*multipliers, 1])]
    y = [1] * len(X)
    labels = {"kind": "number", "negative": None, "positive": "1"}
    options = {"bias": False, "rational": True, "labels": labels}
    if len(X) <= dim + 2:
        case = make(
            "inseparable", X, y, conflict=conflict, spanning=None, complement=None, **options
        )
        assert check_arrays(case.certificate, X, y).valid
        wrong = case.certificate["figures"]["rank"] + data.draw(st.sampled_from([-1, 1]))
        assert not changed(case, ("figures", "rank"), wrong)


def as_fractions(X):
    width = min(map(len, X))
    return [[Fraction(x) for x in row[:width]] for row in X]


@given(st.lists(st.lists(st.integers(-4, 4), min_size=4, max_size=4), max_size=7), st.data())
def test_ranks(vectors, data):
    factors = [data.draw(st.sampled_from([1, -7, 2**80, checker.PRIME])) for _ in vectors]
    known = rank(vectors)
    rows = [dict(enumerate(row)) for row in vectors]
    assert [checker._rank(rows, most) for most in range(9)] == [min(known, k) for k in range(9)]
    assert checker._rank(rows, 9, checker.PRIME) == known
    rows = [{j: f * x for j, x in row.items()} for f, row in zip(factors, rows, strict=True)]
    assert checker._rank(rows, 9) == known
    assert checker._rank(rows, 9, checker.PRIME) <= known


# Hostile files.


def soon(certificate, X=XOR, y=(0, 1, 1, 0)):
    """Refused, and quickly."""
    began = time.process_time()
    verdict = check_arrays(certificate, X, list(y))
    assert not verdict.valid
    assert time.process_time() - began < 20
    return verdict.reason


def test_what_is_not_json_or_not_all_of_it():
    whole = json.dumps(CASES["xor"].certificate).encode()
    assert check_arrays(whole, XOR, [0, 1, 1, 0]).valid
    assert check_arrays(b"\n " + whole + b"\r\n", XOR, [0, 1, 1, 0]).valid
    for end in range(len(whole)):
        assert "not a certificate" in soon(whole[:end])
    for odd in (b"\xff", b"\xef\xbb\xbf", b"\0", b"[", b","):
        assert "not a certificate" in soon(odd + whole)
        assert "not a certificate" in soon(whole + odd)
    for odd in (whole.decode().encode("utf-16"), whole.replace(b"binary", b"binar\xff"), "\ud800"):
        assert "not a certificate" in soon(odd)
    for odd in (None, 7, [], [CASES["xor"].certificate], object(), {1: 2}, {(): 1}, math.nan):
        soon(odd)


def test_a_field_that_comes_twice():
    whole = json.dumps(CASES["xor"].certificate)
    for field in ('"version": 1', '"bias": true', '"row": 2', '"rank": 3'):
        assert whole.count(field) == 1
        assert "twice" in soon(whole.replace(field, f"{field}, {field}"))


@pytest.mark.parametrize("number", ["1.0", "1e0", "NaN", "Infinity", "1e999999999", "1E-999999999"])
def test_json_numbers_are_integers(number):
    whole = json.dumps(CASES["xor"].certificate)
    for field, known in (("version", 1), ("rows", 4), ("rank", 3), ("row", 2)):
        assert whole.count(f'"{field}": {known}') == 1
        soon(whole.replace(f'"{field}": {known}', f'"{field}": {number}'))


def test_deep_nesting():
    for deep in ("[" * 10**6, '{"a":' * 10**5, "[" * 10**5 + "]" * 10**5):
        soon(deep)
    nested = copy.deepcopy(CASES["xor"].certificate)
    for depth in (100, 900, 5000, 10**5):
        text = json.dumps(nested).replace(
            '"spanning": null', f'"spanning": {"[" * depth + "]" * depth}'
        )
        soon(text)
    loop: list[Any] = []
    loop.append(loop)
    soon({**nested, "witness": loop})


@pytest.mark.parametrize("digits", [9, 18, 300, 4300, 4301, 10**6])
@pytest.mark.parametrize(
    "path",
    [
        ("rows",),
        ("features",),
        ("version",),
        ("figures", "rank"),
        ("witness", "conflict", 3, "row"),
    ],
)
def test_huge_sizes(path, digits):
    certificate, X, y = CASES["complement"]
    rest = {name: each for name, each in certificate.items() if name != "seal"}
    rest = json.dumps(replaced(rest, path, "huge"), sort_keys=True, separators=(",", ":"))
    rest = rest.replace('"huge"', "9" * digits)
    seal = hashlib.sha256(rest.encode()).hexdigest()
    soon(f'{rest[:-1]}, "seal": "{seal}"}}', X, y)


def test_rows_of_a_width_that_no_memory_holds():
    labels = {"kind": "number", "negative": None, "positive": "1"}
    X, y, rows = [[1.0], [-1.0]], [1, 1], [(1, {0: 1.0}), (1, {0: -1.0})]
    witness = {"conflict": terms(_0="1", _1="1"), "spanning": None, "complement": None}
    wide = make("inseparable", X, y, bias=False, labels=labels, **witness).certificate
    for features in (10**18, 1, 10**4000):
        wide = {**wide, "features": features}
        wide["digest"] = digest(wide, X, y)
        assert check(sealed(wide), rows).valid
    for odd in ([], [[]], [["1"]]):
        wide["witness"] = {**witness, "complement": odd}
        assert not check(sealed(wide), rows).valid


@pytest.mark.parametrize(
    "number",
    [
        "1e999999999",
        "9" * 1000,
        "9" * 1001,
        "9" * 10**7,
        "0x" + "f" * 10**6,
        "0x" + "f" * (10**6 + 1),
        "0x" + "f" * 10**6 + "/0x" + "d" * 10**6,
        "1/0x" + "d" * 10**6,
        "0x1.0p+9999",
        "0x1.0p-9999",
        "0x1.fffffffffffffp+1024",
        "0x0.0000000000001p-1023",
    ],
    ids=lambda number: f"{number[:8]}...{len(number)}",
)
def test_long_numbers(number):
    for name in CASES:
        certificate, X, y = CASES[name]
        leaves = [path for path in places(certificate) if is_number(looked_up(certificate, path))]
        kinds = {tuple(key for key in path if isinstance(key, str)): path for path in leaves}
        for path in kinds.values() if name in ("exact margin", "run", "complement") else []:
            soon(sealed(replaced(certificate, path, number)), X, y)


def test_many_different_denominators():
    """Brought over one denominator these would take a gigabyte each."""
    X, y = [[1.0] * 3000], [1]
    labels = {"kind": "number", "negative": None, "positive": "1"}
    case = make(
        "separable", X, y, bias=False, labels=labels, weights=["1"] * 3000, support=terms(_0="1")
    )
    assert check_arrays(case.certificate, X, y).valid
    weights = [f"1/{hex(3**500 + 2 * i)}" for i in range(3000)]
    reason = soon(sealed(replaced(case.certificate, ("witness", "weights"), weights)), X, y)
    assert "too large" in reason


def test_a_file_too_large(monkeypatch):
    whole = json.dumps(CASES["xor"].certificate)
    monkeypatch.setattr(checker, "LARGEST_FILE", len(whole))
    assert check_arrays(whole, XOR, [0, 1, 1, 0]).valid
    assert "bytes" in soon(whole + " ")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.binary() | st.text() | anything)
def test_nonsense_is_refused(nonsense):
    assert not check_arrays(nonsense, XOR, [0, 1, 1, 0]).valid


@settings(max_examples=300)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_parts_of_certificates_in_other_places_are_refused_or_right(name, data):
    certificate, X, y = CASES[name]
    donor = CASES[data.draw(st.sampled_from(sorted(CASES)))].certificate
    mixed = certificate
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(sorted(places(mixed), key=str)))
        part = looked_up(donor, data.draw(st.sampled_from(sorted(places(donor), key=str))))
        mixed = replaced(mixed, path, data.draw(st.just(part) | anything))
    if not isinstance(mixed, dict):
        return
    unsealed = {**mixed, "seal": certificate["seal"]}
    untouched = json.dumps(unsealed, sort_keys=True) == json.dumps(certificate, sort_keys=True)
    assert check_arrays(unsealed, X, y).valid == untouched
    if check_arrays(sealed(mixed), X, y).valid:
        assert written(concluded(mixed, X, y)) == mixed["figures"]


@settings(max_examples=300)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_flipped_bytes_are_refused(name, data):
    certificate, X, y = CASES[name]
    whole = bytearray(json.dumps(certificate, separators=(",", ":")).encode())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    assert not check_arrays(bytes(whole), X, y).valid


# Files, and the command line.

THREE = "a,b,label\n0,0,0\n0,1,1\n1,0,1\n"
CSV = THREE + "1,1,0\n"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The checker in a folder of its own."""
    return Path(shutil.copy(checker.__file__, tmp_path_factory.mktemp("alone")))


def run(alone, certificate, data, *options):
    command = [sys.executable, "-I", "-S", str(alone), str(certificate), str(data), *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=alone.parent, check=False)


def saved(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_the_command_line_needs_nothing_else(alone, tmp_path):
    certificate = saved(tmp_path, "c.json", json.dumps(CASES["xor"].certificate))
    done = run(alone, certificate, saved(tmp_path, "xor.csv", CSV))
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "valid: inseparable, 4 rows, 2 columns\n",
        "",
    )
    done = run(alone, certificate, saved(tmp_path, "xor.csv", CSV.replace("1,1,0", "1,1,1")))
    assert (done.returncode, done.stdout) == (
        1,
        "invalid: digest: these are other rows or labels\n",
    )
    assert [path.name for path in alone.parent.iterdir()] == ["checker.py"]


def test_the_column_of_labels_can_be_told(alone, tmp_path):
    certificate = saved(tmp_path, "c.json", json.dumps(CASES["xor"].certificate))
    fields = [line.split(",") for line in CSV.replace("label", "Group").splitlines()]
    turned = "".join(f"{c},{a},{b}\n" for a, b, c in fields)
    data = saved(tmp_path, "turned.csv", turned)
    for told in ("Group", "0", "-3"):
        assert run(alone, certificate, data, "--target", told).returncode == 0
    assert run(alone, certificate, data).returncode == 1
    for told in ("group", "3", "-4", ""):
        assert run(alone, certificate, data, "--target", told).returncode == 2


def test_the_command_line_tells_bad_data_from_bad_certificates(alone, tmp_path):
    certificate = saved(tmp_path, "c.json", json.dumps(CASES["xor"].certificate))
    data = saved(tmp_path, "xor.csv", CSV)
    for bad in (saved(tmp_path, "bad.csv", THREE + "1,x,1\n"), tmp_path / "none.csv", tmp_path):
        done = run(alone, certificate, bad)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("unreadable: ")
        assert done.stderr.count("\n") == 1
    assert run(alone, tmp_path / "none.json", data).returncode == 2
    assert run(alone, certificate, data, "--nonsense").returncode == 2
    for bad in ("", "{", "[" * 10**5, b"\xff\xfe", json.dumps(CASES["quasi"].certificate)):
        done = run(alone, saved(tmp_path, "bad.json", bad), data)
        assert done.returncode == 1
        assert done.stdout.startswith("invalid: ")
        assert done.stdout.count("\n") == 1


def judged(folder, case, name, content):
    certificate = saved(folder, "c.json", json.dumps(case.certificate))
    return checker.main([str(certificate), str(saved(folder, name, content))])


XOR_FILES = [
    ("xor.csv", CSV),
    ("xor.csv", CSV.encode("utf-8-sig")),
    ("xor.csv", CSV.replace("\n", "\r\n")),
    ("xor.csv", CSV.replace(",", ", ") + "\n\n"),
    ("xor.csv", CSV.replace("0,1,1", '"0","1",1')),
    ("xor.csv", CSV.replace("1,0,1", "1e0,-0,+1.0")),
    ("xor.csv", CSV.partition("\n")[2]),
    ("xor.csv", CSV.replace(",", ";")),
    ("xor.csv", CSV.replace(",", "\t")),
    ("XOR.CSV", CSV.partition("\n")[2].replace(",", ";")),
    ("xor.tsv", CSV.replace(",", "\t")),
    ("xor.csv", "a,b,Class\n" + CSV.partition("\n")[2]),
    ("xor.csv", "Y,a,b\n0,0,0\n1,0,1\n1,1,0\n0,1,1\n"),
    ("xor.csv", "y,a,target\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"),
    ("xor.svm", "0\n1 2:1\n1 1:1 # one\n# none\n0 2:1 1:1.0\n"),
    ("xor.svm", "0\n1 1:1\n1 0:1\n0 0:1 1:1\n"),
    ("xor.svmlight", "0 2:0\r\n1 2:1\r\n1 1:1\r\n0 1:1 2:1\r\n"),
    ("xor.libsvm", "0\n1 02:1\n1 1:1\n0 1:1\t2:1"),
]


@pytest.mark.parametrize(("name", "content"), XOR_FILES)
def test_files_are_read_as_the_package_reads_them(name, content, tmp_path, capsys):
    assert judged(tmp_path, CASES["xor"], name, content) == 0
    assert capsys.readouterr().out.startswith("valid")
    chunk = sources.open(tmp_path / name).read()
    X = chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.toarray()
    assert check_arrays(CASES["xor"].certificate, X, chunk.y).valid


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "\n \n"),
        ("a.csv", "a,b,label\n"),
        ("a.csv", THREE + "1,1\n"),
        ("a.csv", THREE + "1,1,\n"),
        ("a.csv", THREE + "1,nan,0\n"),
        ("a.csv", THREE + "1,inf,0\n"),
        ("a.csv", THREE + "1,1e999,0\n"),
        ("a.csv", THREE + "1,1_0,0\n"),
        ("a.csv", THREE + "1,0x1,0\n"),
        ("a.csv", THREE + "1,٣,0\n"),
        ("a.csv", THREE + "1,1,inf\n"),
        ("a.csv", THREE + "1,1,na\n"),
        ("a.csv", "NA,,yes\n" + CSV.partition("\n")[2]),
        ("a.csv", "a,2,label\n" + CSV.partition("\n")[2]),
        ("a.csv", THREE + '1,"1,0\n'),
        ("a.csv", THREE.encode() + b"\xff,1,0\n"),
        ("a.csv", THREE + "1,1\0,0\n"),
        ("a.csv", "x\n1\n"),
        ("a.csv", CSV.replace("a,b", "label,b")),
        # Unusual files are left to the package.
        ("a.csv", CSV.replace(",", "|")),
        ("a.csv", CSV.replace(",", "   ")),
        ("a.csv", ",b,label\n" + CSV.partition("\n")[2]),
        ("a.csv.gz", CSV),
        ("a.csv", gzip.compress(CSV.encode(), mtime=0)),
        ("a.data", CSV),
        ("a", CSV),
        ("a.svm", "1 qid:3 1:1\n"),
        ("a.svm", "1:1 2:1\n"),
        ("a.svm", "1 1\n"),
        ("a.svm", "1 -1:1\n"),
        ("a.svm", "1 1:\n"),
        ("a.svm", "1 1:x\n"),
        ("a.svm", "1 1:1 1:2\n"),
    ],
)
def test_files_that_cannot_be_read(name, content, tmp_path, capsys):
    assert judged(tmp_path, CASES["xor"], name, content) == 2
    assert capsys.readouterr().err.startswith("unreadable: ")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV.replace("label", "c,label").replace("0\n", "0,0\n").replace("1\n", "1,1\n")),
        ("a.csv", CSV.replace("1\n", "yes\n").replace("0\n", "no\n")),
        ("a.csv", CSV + "1,1,0\n"),
        ("a.csv", CSV + "1,1,2\n"),
        ("a.svm", "0\n1 2:1\n1 1:1\n0 1:1 2:1 3:1\n"),
        ("a.svm", "0\n1 2:1\n1 1:1\n0 1:1 2:1 9999999999:1\n"),
    ],
)
def test_files_of_other_rows(name, content, tmp_path, capsys):
    assert judged(tmp_path, CASES["xor"], name, content) == 1
    assert capsys.readouterr().out.startswith("invalid: ")


def test_words_as_labels_and_decimals_as_they_are_written(tmp_path, capsys):
    words = ("x,y,class\n-1,0.25,ham\n0.1,-3,späm\n2,1e-300,späm\n").replace("y", "z", 1)
    assert judged(tmp_path, CASES["rough margin"], "a.csv", words) == 0
    case = make(
        "separable",
        [[Fraction(1, 10), Fraction(1, 5)], [Fraction(-3, 10), Fraction(1, 10**320)]],
        [1, 0],
        rational=True,
        weights=["1", "1", "0"],
        support=terms(_0="1"),
    )
    table = "a,b,y\n0.1,2E-1,1\n-.3,{},0\n"
    assert judged(tmp_path, case, "a.csv", table.format("1e-320")) == 0
    assert judged(tmp_path, case, "a.svm", "1 1:0.10 2:.2\n0 1:-0.3 2:0.1e-319\n") == 0
    assert judged(tmp_path, case, "a.csv", table.format("1.0000000000000000001e-320")) == 1
    for far in ("1e-5001", "1e-999999999", "1e-99999999999999999999", "1e5001"):
        assert judged(tmp_path, case, "a.csv", table.format(far)) == 2
    capsys.readouterr()


def test_only_the_standard_library_is_imported():
    tree = ast.parse(Path(checker.__file__).read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module)
    assert names
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
