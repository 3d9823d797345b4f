"""Certificates of every claim, small enough to be seen through, and ways to corrupt them."""

import copy
import hashlib
import json
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novikoff.verdict.certificate import Certificate, format_number, make, parse_number
from novikoff.verdict.certificate.build import certify_run, certify_separator
from novikoff.verdict.signed import Signed


class Case(NamedTuple):
    """Data and a certificate that is right about them."""

    X: Any
    y: Any
    certificate: Certificate


def _separable(**options):
    X = np.array([[2.0, 1.0], [0.5, 2.0], [-1.0, -0.25], [-0.5, -2.0], [3.0, 0.0]])
    y = np.array([1, 1, 0, 0, 1])
    X, y = options.pop("X", X), options.pop("y", y)
    signed = Signed.of(X, y, **options)
    weights = [0.75, 0.5, -0.125][: signed.dim]
    found = certify_separator(signed, weights, [(0, 0.5), (2, Fraction(1, 3)), (3, 1)])
    assert found is not None
    return Case(X, y, found)


def _rational():
    X = np.array([[Fraction(1, 3), 2], [Fraction(2, 7), 1], [-1, Fraction(-1, 5)]], object)
    y = np.array(["up", "up", "down"])
    signed = Signed.of(X, y, positive="up")
    found = certify_separator(signed, [Fraction(1, 3), 1, Fraction(0)], [(1, 1), (2, 2)])
    return Case(X, y, found)


def _one_against_all():
    X = np.array([[2.0], [3.0], [-1.0], [-2.0]])
    y = np.array(["a", "a", "b", "c"])
    signed = Signed.of(X, y, positive="a")
    return Case(X, y, certify_separator(signed, [1.0, -0.5], [(0, 1), (2, 1)]))


def _inseparable(X, y, conflict, rank, spanning=None, complement=None, **options):
    signed = Signed.of(X, y, **options)
    witness = {"conflict": conflict, "spanning": spanning, "complement": complement}
    return Case(X, y, make(signed, "inseparable", witness, {"rank": rank}))


def _quasi(X, y, weights, strict, rank, conflict, spanning=None, complement=None, **options):
    signed = Signed.of(X, y, **options)
    witness = {"conflict": conflict, "spanning": spanning, "complement": complement}
    figures = {"strict": strict, "rank": rank}
    return Case(X, y, make(signed, "quasi-separable", {"weights": weights} | witness, figures))


def _second(X, y, conflict, boundary, weights=None, strict=None):
    """A certificate of version 2."""
    signed, witness = Signed.of(X, y), {"conflict": conflict, "boundary": boundary}
    if weights is None:
        return Case(X, y, make(signed, "inseparable", witness, {}, version=2))
    witness["weights"] = weights
    return Case(X, y, make(signed, "quasi-separable", witness, {"strict": strict}, version=2))


def _run(updates, start=(0, 0, 0), eta=1, tie="mistake", **options):
    X = np.array([[1.0, 0.5], [0.25, 2.0], [-1.0, 0.125], [-0.5, -2.0], [3.0, 0.1]])
    y = np.array([1, 1, -1, -1, 1])
    signed = Signed.of(X, y, **options)
    start = start[: signed.dim]
    if updates is None:
        updates = learned(signed, start, eta, tie)
    return Case(X, y, certify_run(signed, start, eta, tie, updates))


def learned(signed, start, eta, tie):
    """The updates of the perceptron, in exact arithmetic, until an epoch without one."""
    w, updates, before = [Fraction(each) for each in start], [], -1
    at_zero = {"mistake": (-1, 1), "positive": (-1,), "negative": (1,), "keep": ()}[tie]
    while len(updates) != before:
        before = len(updates)
        for i in range(signed.count):
            row = signed.row(i)
            score = sum(v * w[j] for j, v in zip(row.columns, row.values, strict=True))
            if score < 0 or (score == 0 and signed.signs[i] in at_zero):
                updates.append(i)
                for j, v in zip(row.columns, row.values, strict=True):
                    w[j] += Fraction(eta) * Fraction(v, row.denominator)
    return updates


XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
LINE = np.array([[0.0], [1], [1], [2]]), np.array([0, 0, 1, 1])
FLAT = np.array([[1.0, 2], [2, 4], [3, 6], [-1, -2]])  # all on one line through zero
COUNTS = np.array([[0.0], [1], [1], [2]]), np.array([0, 3, 0, 0])


def _made():
    once = [(i, 1) for i in range(4)]
    yield "separable", _separable()
    yield "separable without bias", _separable(fit_intercept=False)
    yield "separable, unit length", _separable(unit_length=True)
    yield "separable, float32", _separable(X=_separable().X.astype(np.float32))
    yield "separable, csr", _separable(X=scipy.sparse.csr_array(_separable().X))
    yield "separable, text", _separable(y=np.array(["yes", "yes", "no", "no", "yes"]))
    yield "separable, halves", _separable(y=np.array([0.5, 0.5, -0.5, -0.5, 0.5]))
    yield "separable, rational", _rational()
    yield "separable, one against all", _one_against_all()
    yield "inseparable", _inseparable(*XOR, once, 3)
    yield "inseparable, unit length", _inseparable(*XOR, once, 3, unit_length=True)
    bare = {"fit_intercept": False}
    conflict = [(0, Fraction(1, 2)), (3, Fraction(1, 2))]
    flat = np.array([1, 0, 1, 1])
    yield (
        "inseparable, flat",
        _inseparable(FLAT, flat, conflict, 1, complement=[[2, -1]], **bare),
    )
    listed = [(0, 1), (1, 1), (2, 1), (3, 2)]
    yield "inseparable, all listed", _inseparable(FLAT, flat, conflict, 1, listed, **bare)
    spread = np.vstack([FLAT[:, :1], FLAT[:, :1]]), np.array([0, 1, 0, 1, 1, 0, 1, 0])
    spanning = [(0, 1), (1, 1), (4, 1), (5, 1)]
    yield "inseparable, spanning", _inseparable(*spread, [(0, 1), (4, 1)], 2, spanning)
    yield (
        "quasi-separable",
        _quasi(*LINE, [1, -1], 2, 1, [(1, 1), (2, 1)], complement=[[1, -1]]),
    )
    yield "quasi-separable, listed", _quasi(*LINE, [0.5, -0.5], 2, 1, [(1, 2), (2, 2)])
    yield "inseparable, version 2", _second(*XOR, once, once)
    both = [(1, Fraction(2, 3)), (2, Fraction(2, 3))]
    yield "quasi-separable, version 2", _second(*LINE, [(1, 1), (2, 1)], both, [1, -1], 2)
    counts = {"family": "poisson"}
    yield "counts, inseparable", _inseparable(*COUNTS, [(0, 1), (1, 2), (3, 1)], 2, **counts)
    yield (
        "counts, quasi-separable",
        _quasi(
            COUNTS[0][:3], COUNTS[1][:3], [1, -1], 1, 1, [(1, 1), (2, 1)], None, [[1, -1]], **counts
        ),
    )
    yield (
        "counts, empty conflict",
        _quasi(COUNTS[0][:3], COUNTS[1][:3], [1, -1], 1, 1, [], [(1, 0)], [[1, -1]], **counts),
    )
    yield "training run", _run(None)
    yield "training run with a start", _run(None, (-1.5, Fraction(1, 3), 2), 0.5, "keep")
    yield "training run, ties positive", _run(None, (1, -1, 0), Fraction(1, 3), "positive")
    yield "training run, unfinished", _run([3])
    yield "training run, rounded", _run([0, 0, 2, 1], eta=Fraction(1, 10), tie="positive")
    yield "training run without bias", _run(None, fit_intercept=False, tie="negative")


CASES = dict(_made())


def seal(fields):
    """The fields with a seal that fits."""
    rest = {name: value for name, value in fields.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return rest | {"seal": hashlib.sha256(text.encode()).hexdigest()}


def leaves(fields, path=()):
    """The paths of everything in the JSON: objects, lists and what is in them."""
    yield path
    items = fields.items() if isinstance(fields, dict) else enumerate(fields)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key)


def value_at(fields, path):
    for key in path:
        fields = fields[key]
    return fields


def changed(fields, path, value):
    """A copy with another value at the path."""
    if not path:
        return value
    copied = copy.deepcopy(fields)
    value_at(copied, path[:-1])[path[-1]] = value
    return copied


def variants(value):
    """Other values for a place, near ones and odd ones."""
    return [other for other in _variants(value) if json.dumps(other) != json.dumps(value)]


def _variants(value):
    if isinstance(value, bool):
        return [not value, int(value), None]
    if isinstance(value, int):
        return [value + 1, value - 1, -value - 1, float(value), str(value), None, value + 10**30]
    if isinstance(value, dict):
        some = next(iter(value), None)
        fewer = {name: each for name, each in value.items() if name != some}
        return [fewer, value | {"other": 1}, list(value), None]
    if isinstance(value, list):
        found = [[], None, [*value, 0], {"0": value}]
        return found + ([value[:-1], [*value, value[-1]], value[::-1]] if value else [])
    if value is None:
        return [[], 0, False, "", {}]
    return _other_texts(value)


def _other_texts(text):
    found = ["", text + " ", text.upper() + "A", text + "\n", None, 1, [text], "nan", "1e3", "01"]
    try:
        exact = parse_number(text)
    except ValueError:
        return [*found, "0" * 64, "separable", "inseparable", "rational", "poisson", "keep", "text"]
    tiny = Fraction(1, 10**40)
    near = [exact + 1, exact - 1, exact + tiny, exact - tiny, -exact, 2 * exact, Fraction(0)]
    return found + [format_number(each) for each in near if each != exact]
