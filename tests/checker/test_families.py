"""Both checkers on certificates of version 3: true ones of every family, and forged ones."""

import copy

import numpy as np
import pytest

import novikoff as nk
from novikoff.checker import check_arrays
from novikoff.errors import DataError
from tests.helpers.certificate_reference import sealed
from tests.verdict.test_families import FAMILIES, draw

SEEDS = range(25)
NAMES = ["binary", *FAMILIES]


def table(name, seed):
    """Rows, outcome and roles of a family; None where the draw is not of it."""
    rng, X, weights = draw(seed)
    kept = np.flatnonzero(weights).tolist()
    if name == "binary":
        return X, rng.integers(0, 2, len(X)), {"weights": weights}
    y, roles, _, _ = FAMILIES[name](rng, X, kept)
    return X, y, {"weights": weights, **roles}


def proven(name):
    """True certificates of the family, as JSON, with their tables."""
    found = []
    for seed in SEEDS:
        X, y, roles = table(name, seed)
        try:
            verdict = nk.check(X, y, family=name.split()[0], **roles)
        except DataError:
            continue
        found.append((verdict.certificate.fields, X, y, roles))
    assert len(found) > 5
    return found


def answers(fields, X, y, roles):
    return check_arrays(fields, X, y, **roles).valid, nk.verify(fields, X, y, **roles).valid


def forgeries(fields):
    """Each with a field changed, and a seal that fits."""

    def other(*path, value):
        changed = copy.deepcopy(fields)
        place = changed
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        return sealed(changed)

    yield other("roles", value=[])
    yield other("roles", value=["weights", *fields["roles"]])
    yield other("cone", "rows", value=fields["cone"]["rows"] + 1)
    yield other("cone", "columns", value=fields["cone"]["columns"] + 1)
    yield other("lift", "bias", value=not fields["lift"]["bias"])
    yield other("lift", "unit_length", value=True)
    yield other("digest", value=64 * "0")
    yield other("version", value=1)
    yield other("rows", value=fields["rows"] + 1)
    for reading in ([], "a.csv", 1, {"colour": "red"}, {"time": 3}, {"header": "yes"}):
        yield other("reading", value=reading)
    labels = fields["labels"]
    if labels is not None and "classes" in labels:
        yield other("labels", "classes", value=labels["classes"][::-1])
        yield other("labels", "classes", value=[*labels["classes"], "99"])
    elif labels is not None:
        swapped = {"negative": labels["positive"], "positive": labels["negative"]}
        yield other("labels", value=labels | swapped)
    for family in ("binary", "binomial", "poisson", "cox", "cone", "gamma"):
        if family != fields["family"]:
            yield other("family", value=family)
    conflict = fields["witness"].get("conflict", [])
    for k, term in enumerate(conflict):
        yield other("witness", "conflict", k, "row", value=fields["cone"]["rows"])
        if len(conflict) > 1:  # a row of zeros is a conflict with any multiplier
            yield other("witness", "conflict", k, "multiplier", value=term["multiplier"] + "1")


@pytest.mark.parametrize("name", NAMES)
def test_both_checkers_accept_what_is_true_and_nothing_else(name):
    for fields, X, y, roles in proven(name):
        assert fields["version"] == 3
        assert answers(fields, X, y, roles) == (True, True)
        for k, forged in enumerate(forgeries(fields)):
            assert answers(forged, X, y, roles) == (False, False), (k, forged)
        for role in roles:
            values = np.asarray(roles[role])
            # Strata are the same by other names: there one row gets a stratum of its own.
            other = np.append(values[:-1], 9) if role == "strata" else values[::-1] + 1
            if role != "strata" or (values[:-1] == values[-1]).any():
                assert answers(fields, X, y, roles | {role: other}) == (False, False), role


@pytest.mark.parametrize("held", [None, [[1, 1]], [[0, 1], [1, 0]]])
def test_a_cone_is_checked_by_its_rows(held):
    Z = [[1, 0], [0, 1], [1, -1]]
    fields = nk.cone(Z, held).certificate.fields
    rows = [*Z, *(held or [])]
    sides = [1] * len(Z) + [0] * len(held or [])
    assert check_arrays(fields, rows, sides).valid
    assert nk.verify(fields, Z, held=held).valid
    assert not check_arrays(fields, rows, [0, *sides[1:]]).valid


def test_held_rows_are_never_strict():
    """A direction that is above 0 on a held row separates nothing."""
    free = copy.deepcopy(nk.cone([[1, 0], [1, 1]]).certificate.fields)
    bound = nk.cone([[1, 0]], [[1, 1]]).certificate.fields
    forged = sealed(bound | {name: free[name] for name in ("claim", "witness", "figures")})
    assert not check_arrays(forged, [[1, 0], [1, 1]], [1, 0]).valid
    assert not nk.verify(forged, [[1, 0]], held=[[1, 1]]).valid
