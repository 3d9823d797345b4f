"""A token of text is the number that float() makes of it, or none, and labels keep to one kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.errors import RereadError
from novikoff.data.text.labels import LabelPart, Labels, parse_labels
from novikoff.data.text.tokens import NotANumberError, number, shown
from novikoff.errors import DataError
from tests.helpers.chunks import bits

DIGITS = st.text("0123456789", max_size=24)
DECIMALS = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", min_size=1, max_size=24),
    st.sampled_from(["", "."]),
    DIGITS,
    st.sampled_from(["", "", "", "e5", "E-7", "e+12", "e-300", "e280"]),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(repr)
AWKWARD = [
    "0", "-0", "+0.0", ".5", "-.5", "5.", "00012", "0.1", "0.30000000000000004",
    "9007199254740992", "9007199254740993", "900719925474099.3", "123456789012345678",
    "1234567890123456789", "0.0000000000000000000001", "1e22", "1e23", "5e-324",
    "2.2250738585072011e-308", "1.7976931348623157e308", "999999999999999999",
    "-99999999.9999999999",
    "18446744073709551617",
    "-18446744073709551.617", "8.5", "72057594037927945", "0.000000000000000001",
]  # fmt: skip
NOT_NUMBERS = {
    "": "the value is missing ('')",
    "NA": "the value is missing ('NA')",
    "nan": "the value is missing ('nan')",
    "red": "found 'red', expected a number such as",
    "1_000": "without underscores",
    "0x1F": "in decimal, not in hexadecimal",
    "-0XAB": "in decimal, not in hexadecimal",
    "1e999": "found '1e999', expected a number that is finite",
    "-inf": "found '-inf', expected a number that is finite",
    "1,5": "found '1,5', expected a number",
    "1.2.3": "found '1.2.3', expected a number",
    "--1": "found '--1', expected a number",
    "-": "found '-', expected a number",
    ".": "found '.', expected a number",
    "1e": "found '1e', expected a number",
    "١٢": "found '١٢', expected a number",
    "1 2": "found '1 2', expected a number",
}


@pytest.mark.parametrize("word", AWKWARD)
def test_awkward_numbers_equal_float(word: str) -> None:
    assert bits(number(word)) == bits(float(word))


@pytest.mark.parametrize(("word", "reason"), NOT_NUMBERS.items())
def test_what_is_not_a_number_is_refused_with_its_reason(word: str, reason: str) -> None:
    with pytest.raises(NotANumberError) as alone:
        number(word)
    assert reason in str(alone.value)


def test_long_tokens_are_cut_in_messages() -> None:
    assert shown("x" * 40) == repr("x" * 40)
    assert shown("x" * 41) == repr("x" * 37 + "...")


def spans(words: list[str], gap: str = ",") -> LabelPart:
    """Labels with something between them, as they stand in a file."""
    raw = [word.encode() for word in words]
    text = b"".join(each + gap.encode() for each in raw)
    stops = np.cumsum([len(each) + len(gap) for each in raw], dtype=np.int64) - len(gap)
    starts = stops - np.array([len(each) for each in raw], dtype=np.int64)
    return parse_labels(np.frombuffer(text, np.uint8), starts, stops)


def taken(words: list[str], labels: Labels | None = None) -> np.ndarray:
    lines = np.arange(1, len(words) + 1)
    return (labels or Labels()).take(spans(words), lines, "here")


@given(st.lists(st.integers(1 - 10**18, 10**18 - 1), min_size=1), st.sampled_from(["", "+", "00"]))
def test_whole_labels_are_integers(numbers: list[int], before: str) -> None:
    words = [str(n) if n < 0 else f"{before}{n}"[-18:] for n in numbers]
    y = taken(words)
    assert y.dtype == np.int64
    assert y.tolist() == [int(word) for word in words]


@given(st.lists(DECIMALS | FLOATS, min_size=1))
def test_other_numbers_are_doubles(words: list[str]) -> None:
    finite = [word for word in words if np.isfinite(float(word))]
    y = taken([*finite, "0.5"])
    assert y.dtype == np.float64
    assert bits(y) == bits([float(word) for word in [*finite, "0.5"]])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["1", "cat", "Ω"], ["1", "cat", "Ω"]),
        (["1_0", "2"], ["1_0", "2"]),
        (["1 2", "2"], ["1 2", "2"]),
        (["0x1", "2"], ["0x1", "2"]),
        (["1", "-1", "+1"], [1, -1, 1]),
        (["1234567890123456789", "7"], [1234567890123456789.0, 7.0]),
        (["-0", "0"], [0, 0]),
    ],
)
def test_labels_are_words_if_one_of_them_is(words: list[str], expected: list[object]) -> None:
    assert taken(words).tolist() == expected
    assert taken(words, Labels(always_words=True)).tolist() == words


def test_words_after_numbers_come_too_late() -> None:
    labels = Labels()
    taken(["1", "2"], labels)
    with pytest.raises(RereadError, match=r"here:2: found .*word_labels=True") as late:
        taken(["1", "cat"], labels)
    assert late.value.remedy == {"word_labels": True}
    assert labels.words is False
    words = Labels()
    assert taken(["1", "cat"], words).tolist() == ["1", "cat"]
    assert taken(["1", "2"], words).tolist() == ["1", "2"]


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("", r"the label is missing \(''\)"),
        ("NaN", r"the label is missing \('NaN'\)"),
        ("1e999", "the label '1e999' is not finite"),
        ("-inf", "the label '-inf' is not finite"),
        ("x" * 201, "has 201 characters, expected at most 200"),
    ],
)
def test_what_can_be_no_label_is_refused(label: str, reason: str, words: bool) -> None:
    part = spans(["1", "2", label, "3", label])
    assert [row for row, _ in part.bad] == [2, 4]
    with pytest.raises(DataError, match=rf"there:7: .*{reason}"):
        Labels(words).take(part, np.array([1, 2, 7, 8, 9]), "there")


def test_a_label_that_is_no_text_is_bad() -> None:
    text = np.frombuffer(b"1 \xff 2", np.uint8)
    part = parse_labels(text, np.array([0, 2, 4]), np.array([1, 3, 5]))
    ((row, problem),) = part.bad
    assert row == 1
    assert "not UTF-8" in problem
