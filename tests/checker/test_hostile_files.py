"""The checker on hostile certificates: refused, and quickly."""

import copy
import hashlib
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import checker
from novikoff.checker import check, check_arrays
from tests.helpers.certificate_cases import (
    CASES,
    WORDS,
    XOR,
    is_number,
    json_paths,
    replaced,
    value_at,
)
from tests.helpers.certificate_reference import as_json, concluded, digest, make, sealed, terms
from tests.helpers.examples import examples


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
        leaves = [
            path for path in json_paths(certificate) if is_number(value_at(certificate, path))
        ]
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


@examples(300)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_parts_of_certificates_in_other_places_are_refused_or_right(name, data):
    certificate, X, y = CASES[name]
    donor = CASES[data.draw(st.sampled_from(sorted(CASES)))].certificate
    mixed = certificate
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(sorted(json_paths(mixed), key=str)))
        part = value_at(donor, data.draw(st.sampled_from(sorted(json_paths(donor), key=str))))
        mixed = replaced(mixed, path, data.draw(st.just(part) | anything))
    if not isinstance(mixed, dict):
        return
    unsealed = {**mixed, "seal": certificate["seal"]}
    untouched = json.dumps(unsealed, sort_keys=True) == json.dumps(certificate, sort_keys=True)
    assert check_arrays(unsealed, X, y).valid == untouched
    if check_arrays(sealed(mixed), X, y).valid:
        assert as_json(concluded(mixed, X, y)) == mixed["figures"]


@examples(300)
@given(st.sampled_from(sorted(CASES)), st.data())
def test_flipped_bytes_are_refused(name, data):
    certificate, X, y = CASES[name]
    whole = bytearray(json.dumps(certificate, separators=(",", ":")).encode())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    assert not check_arrays(bytes(whole), X, y).valid
