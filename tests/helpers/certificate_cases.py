"""Small certificates of every claim, and the places of their JSON.

No two signed rows are alike, and hardly a change of one place leaves a claim proven.
"""

import copy
from fractions import Fraction

import pytest

from novikoff.checker import check_arrays
from tests.helpers.certificate_reference import (
    NUMBER_LABELS,
    dot,
    make,
    number_text,
    sealed,
    signed,
    terms,
)

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


def boundary():
    """Version 2: every row is listed, and no rank is given."""
    listed = terms(_0="1", _1="1", _2="1", _3="1")
    return make("inseparable", XOR, [0, 1, 1, 0], conflict=listed, boundary=listed)


def quasi_boundary():
    X = [[0.0, 1.0], [0.0, 1.0], [0.0, 3.0], [0.0, 3.0], [1.0, 0.0], [-2.0, 5.0]]
    return make(
        "quasi-separable",
        X,
        [0, 1, 0, 1, 1, 0],
        weights=["1", "0", "0"],
        conflict=terms(_2="1", _3="1"),
        boundary=terms(_0="1/2", _1="1/2", _2="0x5", _3="5"),
    )


def poisson_boundary():
    """Pinned rows need not be listed, and may have any multiplier where they are."""
    X = [[1.0, 0.0], [0.0, 1.0], [2.0, -1.0], [1.0, 1.0], [-1.0, 0.0]]
    return make(
        "inseparable",
        X,
        [4, 1, 0, 1, 2],
        labels=None,
        conflict=terms(_0="2", _1="-1", _2="1"),
        boundary=terms(_0="4", _1="-2", _2="2"),
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
        "start": [number_text(each) for each in start],
        "eta": number_text(eta),
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
    "boundary": boundary(),
    "quasi boundary": quasi_boundary(),
    "poisson boundary": poisson_boundary(),
    "run": training(),
    "run from elsewhere": training((0.1, -1, 3), Fraction(1, 3)),
    "run with rounding": training(tie="keep", start=(0, 1, 0), rounded_at=(0, 5)),
    "run to nowhere": training(X=XOR, y=(0, 1, 1, 0)),
}
every_case = pytest.mark.parametrize("name", CASES)


def json_paths(node, path=()):
    """Every path into the JSON, to leaves and to what holds them."""
    yield path
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from json_paths(node[key], (*path, key))


def value_at(node, path):
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


def stays_valid(case, path, new):
    """Whether the case stays valid with something else in one place, sealed anew."""
    return check_arrays(sealed(replaced(case.certificate, path, new)), case.X, case.y).valid
