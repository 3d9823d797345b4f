"""The checker: whatever is changed in a certificate or its data is noticed."""

import json
from fractions import Fraction

import pytest

from novikoff.checker import UnreadableError, check, check_arrays
from tests.helpers.certificate_cases import (
    CASES,
    WORDS,
    every_case,
    is_number,
    json_paths,
    replaced,
    value_at,
)
from tests.helpers.certificate_reference import (
    as_json,
    concluded,
    digest,
    number_text,
    positives,
    sealed,
    value,
)


def other_texts(node):
    if not is_number(node):
        return [*WORDS, "", node + " ", node.upper(), node[:-1], node[::-1], "0" * 64]
    number = value(node)
    numbers = [number + 1, number - 1, -number, 2 * number, number / 3, Fraction(0)]
    numbers += [number + Fraction(1, 10**30), Fraction(10) ** 40]
    wrong = ["", " 1", "+1", "01", "1.0", "1e3", "1/0", "1/-2", "0x", "0X1", "0x01", "1_0", "nan"]
    wrong += ["inf", "٣", "0x1.8p3", "0x1.8p+99999", "0x1.8p+9999", "0x1.1p-1074", "1\n", "--1"]
    return [number_text(each) for each in numbers if each != number] + wrong


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
    for path in json_paths(certificate):
        for new in others(value_at(certificate, path)):
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
    ("quasi boundary", ("witness",)): "what is listed is few enough rows to be a conflict",
    ("poisson boundary", ("witness",)): "what is listed is few enough rows to be a conflict",
    ("quasi boundary", ("witness", "weights", 0)): "the same direction",
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
            assert as_json(concluded(changed, X, y)) == changed["figures"], (path, changed)
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
            holds = as_json(concluded(moved, X2, y2)) == certificate["figures"]
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
