"""Certificates as files: numbers, seals and digests as the page has them, and strict reading."""

import hashlib
import json
import math
import os
import struct
import tracemalloc
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff.errors import CertificateError, DataError
from novikoff.verdict.certificate import (
    Certificate,
    digest,
    format_number,
    make,
    parse_number,
    read,
)
from novikoff.verdict.certificate.parser import LARGEST_FILE
from novikoff.verdict.signed import Signed
from tests.helpers import certificates
from tests.helpers.certificates import CASES, leaves, value_at, variants

CASE = CASES["separable"]
FIELDS = CASE.certificate.fields

doubles = st.floats(allow_nan=False, allow_infinity=False)


# Numbers


@given(st.one_of(doubles, st.integers(), st.fractions()))
@example(0.0)
@example(-0.0)
@example(5e-324)
@example(1.7976931348623157e308)
@example(2**300 - 1)
@example(-(2**300))
@example(Fraction(10**400, 3**900))
def test_numbers_come_back_as_they_were(value):
    assert parse_number(format_number(value)) == value


def test_the_forms_that_numbers_are_written_in():
    assert format_number(0.0) == format_number(-0.0) == format_number(0) == "0"
    assert format_number(0.1) == "0x1.999999999999ap-4"
    assert format_number(Fraction(-6, 4)) == "-3/2"
    assert format_number(2**299) == str(2**299)
    assert format_number(2**300) == hex(2**300)
    assert format_number(-(2**300)) == "-" + hex(2**300)
    assert format_number(True) == "1"
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(CertificateError, match="not a number"):
            format_number(bad)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-0", 0),
        ("4/6", Fraction(2, 3)),
        ("0x1f/3", Fraction(31, 3)),
        ("-0x1f/0x2b", Fraction(-31, 43)),
        ("0x1.8p-3", Fraction(3, 16)),
        ("-0x0.0p+0", 0),
        ("0x0.0000000000001p-1022", Fraction(1, 2**1074)),
        ("0x0.8p-1021", Fraction(1, 2**1022)),
    ],
)
def test_numbers_that_are_in_a_form(text, value):
    assert parse_number(text) == value


def test_long_numbers():
    assert parse_number("9" * 1000) == 10**1000 - 1
    assert parse_number("-0x" + "f" * 131_072) == 1 - 16**131_072
    for long in ("1" * 1001, "0x" + "1" * 131_073):
        with pytest.raises(CertificateError):
            parse_number(long)


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1\n", "+1", "01", "-", "--1", "1.5", "1e3", "1_000", "٣", "0x", "0X1f"),
        *("0x01", "0x1F", "0x0", "1/0", "1/-2", "1/00", "1//2", "1/2/3", "/2", "1/", "1/0.5"),
        *("nan", "inf", "0x1p+0", "0x1.p+0", "0x2.0p+0", "0x1.0p0", "0x1.0p+99999", "0x1.0P+0"),
        *("0x1.0p+1024", "0x1.0p-1075", "0x1.8p-1074", "0x0.00000000000008p+0", "0x1.0p-9999"),
    ],
)
def test_numbers_in_no_form_are_refused(text):
    with pytest.raises(CertificateError):
        parse_number(text)


@pytest.mark.parametrize("value", [1, 1.0, None, True, ["1"], {"1": 1}, b"1"])
def test_a_number_is_text(value):
    with pytest.raises(CertificateError, match="expected a number as text"):
        parse_number(value)


# The digest, by the page's words


def by_the_page(X, signs, *, family="binary", bias=1, unit_length=0, numbers="binary64"):
    """The digest, with X a list of lists of floats or Fractions."""
    ones = 2**64 - 1
    text = f"novikoff rows 1\nfamily {family}\nbias {bias}\nunit_length {unit_length}\n"
    text += f"numbers {numbers}\nrows {len(X)}\nfeatures {len(X[0])}\n"
    content = text.encode()
    for row, sign in zip(X, signs, strict=True):
        total = 0
        for j, entry in enumerate(row):
            if entry == 0:
                continue
            if numbers == "binary64":
                (b,) = struct.unpack("<Q", struct.pack("<d", entry))
            else:
                exact = Fraction(entry)
                written = f"{exact.numerator}/{exact.denominator}".encode()
                b = int.from_bytes(hashlib.sha256(written).digest()[:8], "little")
            x = (b + (j + 1) * 0x9E3779B97F4A7C15) & ones
            x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & ones
            x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & ones
            total = (total + (x ^ (x >> 31))) & ones
        content += bytes([int(sign > 0)]) + total.to_bytes(8, "little")
    return hashlib.sha256(content).hexdigest()


def awkward_rows(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 7)).astype(np.float32)
    X[rng.random(X.shape) < 0.4] = 0.0
    X[0, 0], X[1] = -0.0, 0.0
    y = rng.integers(0, 2, 40)
    y[:2] = 0, 1
    return X, y


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("unit_length", [True, False])
def test_the_digest_is_the_page_s_whatever_the_layout(bias, unit_length):
    X, y = awkward_rows()
    expected = by_the_page(X.tolist(), 2 * y - 1, bias=int(bias), unit_length=int(unit_length))
    stored_zeros = scipy.sparse.csr_array(X)
    stored_zeros.data[3] = 0.0
    changed = X.copy()
    changed[np.nonzero(X)[0][3], np.nonzero(X)[1][3]] = 0.0
    for given_rows in (X, X.astype(float), np.asfortranarray(X), scipy.sparse.csr_array(X)):
        signed = Signed.of(given_rows, y, fit_intercept=bias, unit_length=unit_length)
        assert digest(signed) == expected
    assert digest(Signed.of(stored_zeros, y)) == digest(Signed.of(changed, y))


def test_the_digest_of_rationals_and_of_counts():
    exact = [[Fraction(1, 3), 0], [Fraction(10**30), Fraction(-7, 2)], [Fraction(1), Fraction(2)]]
    signed = Signed.of(np.array(exact, object), [0, 1, 1])
    assert digest(signed) == by_the_page(exact, [-1, 1, 1], numbers="rational")
    signed = Signed.of(np.array([[Decimal("0.1")], [Decimal("1e-4400")]]), [0, 1])
    small = Fraction(1, 10**4400)
    hexadecimal = digest(signed)
    assert hexadecimal != digest(Signed.of(np.array([[Decimal("0.1")], [small + small]]), [0, 1]))
    X = [[1.0, 0.0], [0.0, 2.0]]
    counted = Signed.of(np.array(X), [0, 7], family="poisson")
    assert digest(counted) == by_the_page(X, [-1, 1], family="poisson")


def test_large_rows_have_the_digest_that_their_parts_give():
    """On several threads as on one."""
    X = np.random.default_rng(1).standard_normal((70_000, 33))
    y = (X[:, 0] > 0).astype(int)
    signed = Signed.of(X, y)
    dense, sparse = digest(signed), digest(Signed.of(scipy.sparse.csr_array(X), y))
    assert dense == sparse
    some = slice(0, 200)
    assert digest(Signed.of(X[some], y[some])) == by_the_page(X[some].tolist(), 2 * y[some] - 1)


@given(st.data())
def test_every_change_of_a_row_or_label_changes_the_digest(data):
    X, y = awkward_rows()
    i, j = data.draw(st.integers(0, 39)), data.draw(st.integers(0, 6))
    other, labels = X.copy(), y.copy()
    if data.draw(st.booleans()):
        other[i, j] = np.nextafter(X[i, j], np.float32(np.inf))
    else:
        labels[i] = 1 - labels[i]
    assert digest(Signed.of(other, labels)) != digest(Signed.of(X, y))


# Making and reading


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_written_can_be_read(case, tmp_path):
    path = tmp_path / "certificate.json"
    case.certificate.write(path)
    text = path.read_text()
    assert text == case.certificate.text
    assert text.endswith("}\n")
    assert json.loads(text) == case.certificate.fields
    for form in (path, str(path), text, json.loads(text), case.certificate):
        found = read(form)
        assert found.fields == case.certificate.fields
        assert found.claim == case.certificate.claim
        assert found.witness == case.certificate.witness
        assert found.figures == case.certificate.figures


def test_the_seal_is_the_page_s():
    fields = dict(FIELDS)
    stated = fields.pop("seal")
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    assert stated == hashlib.sha256(text.encode()).hexdigest()


def test_a_certificate_reads_well():
    signed = Signed.of(np.eye(40), np.arange(40) % 2)
    long = {"weights": [0.1] * 41, "support": [(i, Fraction(1, 3)) for i in range(40)]}
    figures = {"margin_squared": (1, 2), "radius_squared": 3, "mistake_bound": 4}
    text = make(signed, "separable", long, figures).text
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) < 60
    assert repr(CASE.certificate) == "<Certificate: separable, 5 rows of 2 features>"


def test_labels_of_all_kinds_are_named():
    X = np.eye(2)
    for labels, expected in [
        ([False, True], ("number", "0", "1")),
        ([-1.5, 2], ("number", "-0x1.8000000000000p+0", "0x1.0000000000000p+1")),
        (["a", "ü"], ("text", "a", "ü")),
        (np.array([Decimal("0.1"), Fraction(1, 3)], object), ("number", "1/10", "1/3")),
    ]:
        signed = Signed.of(X, labels)
        witness = {"weights": [1, 1, 1], "support": [(0, 1)]}
        figures = {"margin_squared": (1, 2), "radius_squared": 3, "mistake_bound": 4}
        found = make(signed, "separable", witness, figures)
        assert tuple(found.fields["labels"].values()) == expected
        assert read(found.text).labels is not None


def test_labels_that_have_no_name_are_refused():
    signed = Signed.of(np.eye(2), np.array([b"a", b"b"]))
    with pytest.raises(DataError, match="neither numbers nor text"):
        make(signed, "inseparable", {}, {})


def test_a_count_too_long_to_be_written_is_refused():
    signed = Signed.of(np.eye(2), [0, 1])
    witness = {"conflict": [(0, 1)], "spanning": None, "complement": None}
    with pytest.raises(CertificateError, match="cannot be written"):
        make(signed, "inseparable", witness, {"rank": 10**5000})


def test_writing_refuses_what_is_not_a_file(tmp_path):
    with pytest.raises(CertificateError, match="not a regular file"):
        CASE.certificate.write(tmp_path)
    with pytest.raises(CertificateError, match="cannot be written"):
        CASE.certificate.write(tmp_path / "nowhere" / "certificate.json")


def test_reading_says_what_is_wrong_with_a_file(tmp_path):
    with pytest.raises(CertificateError, match="cannot be read: No such file"):
        read(tmp_path / "none.json")
    with pytest.raises(CertificateError, match="not a regular file"):
        read(tmp_path)
    with pytest.raises(CertificateError, match="not a regular file"):
        read("/dev/zero")
    (tmp_path / "binary").write_bytes(b"\xff\xfe{}")
    with pytest.raises(CertificateError, match="not text"):
        read(tmp_path / "binary")
    with pytest.raises(CertificateError, match="not text"):
        read("a\0b")
    with pytest.raises(CertificateError, match="cannot be read: File name too long"):
        read("[" * 10_000)
    for odd in (None, 7, [], b"{}", math.nan):
        with pytest.raises(CertificateError, match="a path, text or a dict"):
            read(odd)


TEXT = CASE.certificate.text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "Expecting property name"),
        ("{}", "its format does not say"),
        (TEXT[:-3], "not a certificate"),
        (TEXT + "{}", "Extra data"),
        (TEXT.replace('"version": 1', '"version": 4'), "of version 4; this program reads 1, 2 and"),
        (TEXT.replace('"version": 1', '"version": 3'), "the field 'roles' is missing"),
        (TEXT.replace('"version": 1', '"version": 2'), "claim: found 'separable', expected one of"),
        (TEXT.replace('"version": 1', '"version": true'), "of version True"),
        (TEXT.replace('"version": 1', '"version": 1.0'), "no certificate contains"),
        (TEXT.replace('"rows": 5', '"rows": 5e0'), "no certificate contains"),
        (TEXT.replace('"rows": 5', '"rows": NaN'), "no certificate contains"),
        (TEXT.replace('"rows": 5', f'"rows": {"9" * 4301}'), "no certificate contains"),
        (TEXT.replace('"rows": 5', '"rows": 5, "rows": 5'), "comes twice"),
        (TEXT.replace('"row": 0', '"row": 0, "row": 0'), "comes twice"),
        (TEXT.replace('"rows": 5', '"rows": 6'), "its seal does not fit"),
        (TEXT.replace('"claim": "separable",', ""), "'claim' is missing"),
        (TEXT.replace('"claim"', '"claims": [], "claim"'), "'claims' is unknown"),
        ('{"format": ' + "[" * 100_000, "nested too deep"),
        ('{"format": ' + '{"a":' * 100_000, "nested too deep"),
    ],
    ids=lambda value: value[:30],
)
def test_hostile_text_is_refused(text, reason):
    with pytest.raises(CertificateError, match=reason):
        read(text)


def test_a_file_too_large_is_refused(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.write(b"{")
        os.truncate(file.fileno(), LARGEST_FILE + 2)
    tracemalloc.start()
    try:
        with pytest.raises(CertificateError, match="more than"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < LARGEST_FILE / 100  # its size tells
    finally:
        tracemalloc.stop()


def test_dicts_that_are_not_json_are_refused():
    loop: dict = {}
    loop["self"] = loop
    for odd in (FIELDS | {"rows": {1}}, FIELDS | {"rows": np.int64(5)}, loop):
        with pytest.raises(CertificateError, match="not JSON"):
            read(odd)


def test_numbers_that_are_unwieldy_together_are_refused():
    """A small file must not take forever."""
    long = [f"1/{hex(3**k)}" for k in (90_000, 90_001)] + [f"1/{hex(5**90_000)}"]
    fields = certificates.changed(FIELDS, ("witness", "weights"), long)
    with pytest.raises(CertificateError, match="common denominator has more than"):
        read(certificates.seal(fields))
    fields = certificates.changed(FIELDS, ("witness", "weights"), [hex(2**300_000), "1", "1"])
    with pytest.raises(CertificateError, match="one has more than"):
        read(certificates.seal(fields))


def test_start_and_step_of_a_run_are_not_unwieldy_together():
    fields = CASES["training run"].certificate.fields
    witness = fields["witness"] | {
        "start": [f"1/{hex(3**90_000)}", "0", "0"],
        "eta": f"1/{hex(5**90_000)}",
    }
    with pytest.raises(CertificateError, match=r"witness\.start and witness\.eta: their common"):
        read(certificates.seal(fields | {"witness": witness}))


@pytest.mark.parametrize("name", ["rows", "features"])
def test_a_certificate_is_about_something(name):
    with pytest.raises(CertificateError, match=f"{name}: found 0, expected at least 1"):
        read(certificates.seal(FIELDS | {name: 0}))


def of_wrong_form(value):
    """Variants that no certificate can have at the place of the value."""
    return [other for other in variants(value) if type(other) is not type(value)]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_field_of_the_wrong_kind_is_refused(case):
    """With a seal that fits, and the place named."""
    fields = case.certificate.fields
    for path in leaves(fields):
        if path in ((), ("seal",)):
            continue
        for other in of_wrong_form(value_at(fields, path)):
            if _may_be(path, other):
                continue
            changed = certificates.changed(fields, path, other)
            reason = "no certificate contains" if isinstance(other, float) else path[0]
            with pytest.raises(CertificateError, match=reason):
                read(certificates.seal(changed))


def _may_be(path, other):
    """Where null and something else are both in order."""
    allowed = {
        "spanning": (None, []),
        "complement": (None, []),
        "negative": (None, ""),
        "mistake_bound": (None, 0),
    }
    written = [json.dumps(each) for each in allowed.get(path[-1], ())]
    return json.dumps(other) in written


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_change_breaks_the_seal(case):
    fields = case.certificate.fields
    for path in leaves(fields):
        for other in variants(value_at(fields, path)):
            with pytest.raises(CertificateError):
                read(certificates.changed(fields, path, other))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_anything_else_is_refused(value):
    for name in FIELDS:
        if FIELDS[name] != value:
            with pytest.raises(CertificateError):
                read(FIELDS | {name: value})


@given(st.text(max_size=40))
def test_any_text_is_refused(text):
    with pytest.raises(CertificateError):
        read("{" + text)


@given(st.binary(max_size=30), st.integers(0, len(TEXT) - 1), st.integers(0, 40))
def test_damaged_files_are_refused(tmp_path_factory, damage, start, length):
    content = TEXT.encode()
    damaged = content[:start] + damage + content[start + length :]
    path = tmp_path_factory.mktemp("damaged") / "certificate.json"
    path.write_bytes(damaged)
    try:
        same = json.loads(damaged.decode()) == FIELDS
    except ValueError:
        same = False
    if same:
        assert isinstance(read(path), Certificate)
    else:
        with pytest.raises(CertificateError):
            read(path)
