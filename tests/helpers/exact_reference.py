"""Separation decided from its definitions, in rational numbers, slowly, sharing no code.

The rows come lifted and signed, as lists of numbers: `sides` must have z . w >= 0, `pinned` rows
z . w = 0. All such w are the cone. Everything asked of it is asked of a linear program, and the
margin of the nearest point of the convex hull; both are solved exactly.
"""

import math
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple


class Facts(NamedTuple):
    """All that there is to know about some labelled rows."""

    outcome: str
    strict: list[bool]
    margin_squared: Fraction
    radius_squared: Fraction
    coefficients: list[tuple[str, str | None]]


def facts(X, positive, *, bias=True, family="binary"):
    """The facts about rows X with labels `positive` (poisson: whether the count is above 0)."""
    z = signed_rows(X, positive, bias, family)
    pins = [bool(p) and family == "poisson" for p in positive]
    sides = [row for row, pin in zip(z, pins, strict=True) if not pin]
    pinned = [row for row, pin in zip(z, pins, strict=True) if pin]
    above = iter(strict_sides(sides, pinned))
    strict = [False if pin else next(above) for pin in pins]
    outcome = "separable" if all(strict) else "quasi-separable" if any(strict) else "inseparable"
    margin = nearest_square(z) if outcome == "separable" else Fraction(0)
    on_all = [row for row, is_strict in zip(z, strict, strict=True) if not is_strict]
    found = coefficients(sides, pinned, on_all, [len(z[0]) - 1] if bias else [])
    return Facts(outcome, strict, margin, max(dot(r, r) for r in z), found)


def signed_rows(X, positive, bias, family="binary"):
    """The signed rows as Fractions; a poisson row with count 0 is negative, others positive."""
    return [
        [Fraction(v) * (1 if p else -1) for v in [*row, 1][: len(row) + bias]]
        for row, p in zip(X, positive, strict=True)
    ]


def unit_rows(z, bits):
    """The rows scaled to length 1, each entry cut to so many bits; a row of zeros stays."""
    scaled = []
    for row in z:
        square = Fraction(dot(row, row))
        places = 4 ** (bits + square.denominator.bit_length())
        length = Fraction(math.isqrt(math.floor(square * places)), math.isqrt(places))
        unit = [v / length for v in row] if square else row
        scaled.append([Fraction(math.floor(v * 2**bits), 2**bits) for v in unit])
    return scaled


def unit_margin_squared(z):
    """Bounds on the squared margin of the rows scaled to length 1, very close to each other."""
    entries = [Fraction(v) for row in z for v in row]
    sizes = [max(v.numerator.bit_length(), v.denominator.bit_length()) for v in entries]
    bits = 200 + 4 * max(sizes)
    found, slack = nearest_square(unit_rows(z, bits)), Fraction(1, 2 ** (bits - 10))
    return found - slack, found + slack


# The cone


def strict_sides(sides, pinned=()):
    """For each side whether some w of the cone has z . w > 0, by directions that find several."""
    found = [False] * len(sides)
    while not all(found):
        rest = [whole(z) for z, is_found in zip(sides, found, strict=True) if not is_found]
        w = reach([sum(column) for column in zip(*rest, strict=True)], sides, pinned)
        if w is None:
            break
        found = [was or dot(z, w) > 0 for was, z in zip(found, sides, strict=True)]
    return found


def strict_sides_one_by_one(sides, pinned=()):
    """The same straight from the definition."""
    return [reach(z, sides, pinned) is not None for z in sides]


def coefficients(sides, pinned, on_all, first=()):
    """(status, sign) of each coordinate of w, where `on_all` lie on every plane of the cone.

    Columns that depend on those before them are left out. first: those before all, of intercepts.
    """
    rows = [*sides, *pinned]
    width = len(rows[0])
    order = sorted(range(width), key=lambda j: (j not in first, j))
    _, pivots = eliminate([[whole(row)[j] for j in order] for row in rows])
    kept = [order[place] for place in pivots]
    sides, pinned, on_all = (
        [[row[j] for j in kept] for row in part] for part in (sides, pinned, on_all)
    )
    found = {j: coefficient(k, sides, pinned, on_all) for k, j in enumerate(kept)}
    zero = [j for j in range(width) if not any(row[j] for row in rows)]
    found |= dict.fromkeys(zero, ("unidentified", None))
    return [found.get(j, ("aliased", None)) for j in range(width)]


def coefficient(j, sides, pinned, on_all):
    """(status, sign) of coordinate j, where no columns depend on each other."""
    e = [int(k == j) for k in range(len([*sides, *pinned][0]))]
    if in_span(e, on_all):
        return "finite", None
    up = reach(e, sides, pinned) is not None
    down = reach([-v for v in e], sides, pinned) is not None
    return "diverges", {(1, 1): "either", (1, 0): "+", (0, 1): "-"}[up, down]


def reach(goal, sides, pinned=()):
    """A w of the cone with goal . w > 0, or None where there is none."""
    goal = whole(goal)
    at_most = [(free([-v for v in whole(z)]), 0) for z in sides] + [(free(goal), 1)]
    value, x = maximise(free(goal), at_most, [(free(whole(z)), 0) for z in pinned])
    return [x[j] - x[j + len(goal)] for j in range(len(goal))] if value > 0 else None


def free(row):
    """The row for u and v >= 0 in place of w = u - v."""
    return [*row, *(-v for v in row)]


# The nearest point


def nearest_square(points):
    """The squared distance from the origin to the convex hull of the points."""
    common = math.lcm(*(Fraction(v).denominator for row in points for v in row))
    p = nearest_point([[int(v * common) for v in row] for row in points])
    return dot(p, p) / common**2


def nearest_point(points):
    """The point of the convex hull of integer points that is nearest to the origin (Wolfe)."""
    corral, weights = [min(points, key=lambda q: dot(q, q))], [Fraction(1)]
    while True:
        p = combined(weights, corral)
        best = min(points, key=lambda q: dot(q, p))
        if dot(best, p) >= dot(p, p):
            return p
        corral, weights = [*corral, best], [*weights, Fraction(0)]
        while min(target := nearest_weights(corral)) <= 0:
            step = min(a / (a - b) for a, b in zip(weights, target, strict=True) if b <= 0)
            weights = [a + step * (b - a) for a, b in zip(weights, target, strict=True)]
            corral = [q for q, a in zip(corral, weights, strict=True) if a > 0]
            weights = [a for a in weights if a > 0]
        weights = target


def nearest_point_by_enumeration(points):
    """The same: of all subsets, the one whose nearest point is inside and beyond which none is."""
    for size in range(1, len(points[0]) + 2):
        for subset in combinations(points, size):
            weights = nearest_weights(subset)
            if weights is None or min(weights) < 0:
                continue
            p = combined(weights, subset)
            if all(dot(q, p) >= dot(p, p) for q in points):
                return p
    raise AssertionError("every convex hull has a nearest point")


def is_in_hull(p, points):
    """Whether p is a convex combination of the points."""
    equal = [(list(column), v) for column, v in zip(zip(*points, strict=True), p, strict=True)]
    equal.append(([1] * len(points), 1))
    return maximise([0] * len(points), [], equal) is not None


def nearest_weights(points):
    """Weights of sum 1 of the nearest point of the affine hull; None if they are not unique."""
    system = [[*(dot(p, q) for q in points), 1, 0] for p in points]
    system.append([1] * len(points) + [0, 1])
    reduced, pivots = eliminate(system)
    if pivots != list(range(len(system))):
        return None
    return [Fraction(row[-1], row[k]) for k, row in enumerate(reduced)][:-1]


# Linear algebra in integers


def dot(a, b):
    return sum(v * w for v, w in zip(a, b, strict=True))


def combined(weights, points):
    return [dot(weights, column) for column in zip(*points, strict=True)]


def whole(row):
    """The positive multiple of a row that is made of integers without a common factor."""
    if not all(isinstance(v, int) for v in row):
        row = [Fraction(v) for v in row]
        common = math.lcm(*(v.denominator for v in row))
        row = [v.numerator * (common // v.denominator) for v in row]
    factor = math.gcd(*row) or 1
    return [v // factor for v in row]


def eliminate(rows):
    """Gauss and Jordan without fractions: the rows with a pivot, and the columns of the pivots."""
    rows, done, pivots, unit = [list(row) for row in rows], 0, [], 1
    for column in range(len(rows[0]) if rows else 0):
        at = next((k for k in range(done, len(rows)) if rows[k][column]), None)
        if at is None:
            continue
        rows[done], rows[at] = rows[at], rows[done]
        unit = pivot(rows, done, column, unit)
        pivots.append(column)
        done += 1
    return rows[:done], pivots


def pivot(rows, at, column, unit):
    """Clear a column of all rows but one; divisions by the last pivot leave no remainder."""
    top = rows[at]
    p = top[column]
    for k, row in enumerate(rows):
        if k != at:
            q = row[column]
            rows[k] = [(v * p - q * t) // unit for v, t in zip(row, top, strict=True)]
    return p


def rank(rows):
    return len(eliminate([whole(row) for row in rows])[1])


def in_span(row, rows):
    return rank([*rows, row]) == rank(rows)


# Linear programs


def maximise(goal, at_most, equal=()):
    """The largest goal . x, and that x, with x >= 0, a . x <= b in `at_most`, a . x = b in `equal`.

    The simplex method in integers: all entries are meant as divided by `unit`. The last two rows
    are what is to be maximised: less of the artificial variables first, the goal then. Bland's
    rule keeps it from going in circles. None where there is no such x.
    """
    n, slacks = len(goal), len(at_most)
    rows, basis = [], []
    for k, (a, b) in enumerate([*at_most, *equal]):
        *a, b = whole([*a, b])
        row = [*a, *(int(j == k) for j in range(slacks)), b]
        rows.append(row if b >= 0 else [-v for v in row])
        basis.append(n + k if k < slacks and b >= 0 else n + slacks + k)
    lacking = [r for r, j in zip(rows, basis, strict=True) if j >= n + slacks]
    scale = math.lcm(*(Fraction(v).denominator for v in goal))
    rows.append([sum(column) for column in zip(*lacking, strict=True)] or [0] * (n + slacks + 1))
    rows.append([*(int(v * scale) for v in goal), *[0] * (slacks + 1)])
    unit = climb(rows, basis, -2, 1)
    if rows[-2][-1]:
        return None
    unit = drive_out(rows, basis, n + slacks, unit)
    unit = climb(rows, basis, -1, unit)
    x = [Fraction(0)] * (n + slacks)
    for row, j in zip(rows, basis, strict=False):
        x[j] = Fraction(row[-1], unit)
    return Fraction(-rows[-1][-1], unit * scale), x[:n]


def climb(rows, basis, cost, unit):
    """Pivot until no column raises the cost row."""
    while True:
        column = next((j for j, v in enumerate(rows[cost][:-1]) if v > 0), None)
        if column is None:
            return unit
        able = [k for k in range(len(basis)) if rows[k][column] > 0]
        if not able:
            raise ArithmeticError("the goal has no bound")
        at = min(able, key=lambda k: (Fraction(rows[k][-1], rows[k][column]), basis[k]))
        unit = pivot(rows, at, column, unit)
        basis[at] = column


def drive_out(rows, basis, columns, unit):
    """Artificial variables, all of them 0, leave the basis, or their rows are redundant."""
    for k in reversed(range(len(basis))):
        if basis[k] < columns:
            continue
        column = next((j for j in range(columns) if rows[k][j]), None)
        if column is None:
            del rows[k], basis[k]
            continue
        if rows[k][column] < 0:
            rows[k] = [-v for v in rows[k]]
        unit = pivot(rows, k, column, unit)
        basis[k] = column
    return unit
