"""Certificates by hand, with figures worked out in Fractions, one sentence of docs/certificate.md
after the other. Nothing here knows the package.
"""

import hashlib
import itertools
import json
import math
import struct
from fractions import Fraction
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A certificate, and the rows and labels it is about."""

    certificate: dict[str, Any]
    X: list[list[Any]]
    y: list[Any]


def value(text):
    if "p" in text:
        return Fraction(float.fromhex(text))
    return Fraction(*(int(part, 0) for part in text.split("/")))


def number_text(number):
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
    second = "spanning" if fields["version"] == 1 else "boundary"
    for name in ("conflict", second):
        for term in witness[name] or []:
            pinned = counts and sides[term["row"]]
            assert pinned or value(term["multiplier"]) > 0
    spanning = witness["conflict"] if witness[second] is None else witness[second]
    for terms in (witness["conflict"], spanning):
        for j in range(dim):
            assert sum(value(term["multiplier"]) * z[term["row"]][j] for term in terms) == 0
    listed = [term["row"] for term in spanning]
    if fields["version"] == 2:
        assert all(i in listed for i in on if not (counts and sides[i]))
        return {}
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


def as_json(figures):
    """Figures as JSON has them."""
    if isinstance(figures, dict):
        return {name: as_json(each) for name, each in figures.items()}
    if isinstance(figures, list):
        return [as_json(each) for each in figures]
    return number_text(figures) if isinstance(figures, Fraction) else figures


NUMBER_LABELS = {"kind": "number", "negative": "0", "positive": "1"}


def make(claim, X, y, *, bias=True, unit=False, labels=NUMBER_LABELS, rational=False, **witness):
    """A certificate with the figures that follow, as a Case."""
    fields = {
        "format": "novikoff certificate",
        "version": 2 if "boundary" in witness else 1,
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
    fields["figures"] = as_json(concluded(fields, X, y))
    return Case(sealed(fields), X, y)


def terms(**multipliers):
    """terms(_0="1", _3="1/2") is the combination of rows 0 and 3."""
    return [
        {"row": int(row[1:]), "multiplier": multiplier} for row, multiplier in multipliers.items()
    ]
