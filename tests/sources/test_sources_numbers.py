"""Numbers out of text are those of float(), bit for bit, and nothing else is a number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_checks import bits, unhurried

from novikoff.sources.decimals import BadTokenError, numbers, tokens
from novikoff.sources.tokens import NotANumberError, number, shown

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


def parsed(words: list[str], separator: str = ",") -> np.ndarray:
    found = tokens("".join(word + separator for word in words).encode(), separator.encode())
    return numbers(found, np.arange(len(words)))


@unhurried
@given(st.lists(DECIMALS | FLOATS | st.sampled_from(AWKWARD), max_size=60))
def test_many_tokens_at_once_equal_float(words: list[str]) -> None:
    finite = [word for word in words if abs(float(word)) != float("inf")]
    assert bits(parsed(finite)) == bits([float(word) for word in finite])


@pytest.mark.parametrize("word", AWKWARD)
def test_awkward_numbers_equal_float(word: str) -> None:
    # Alone and beside others: how many characters are looked at depends on the longest.
    assert bits(parsed([word])) == bits([float(word)])
    assert bits(parsed(["1", word, "-123456.75"])) == bits([1.0, float(word), -123456.75])
    assert bits(number(word)) == bits(float(word))


def test_most_numbers_of_real_files_are_read_the_quick_way() -> None:
    words = [str(round(x, 6)) for x in np.random.default_rng(0).uniform(-99, 99, 1000)]
    for separator in (" ", ", "):
        raw = "".join(word + separator for word in words).encode()
        assert tokens(raw, separator[:1].encode()).known[: len(words)].mean() > 0.99


def test_more_tokens_than_fit_into_one_block() -> None:
    words = [str(i / 8) for i in range(70_000)]
    assert bits(parsed(words)) == bits(np.arange(70_000) / 8)


def test_blanks_around_a_number_do_not_matter() -> None:
    assert parsed([" 1", "2 ", "  -3.5", "\t4\t"]).tolist() == [1, 2, -3.5, 4]


@pytest.mark.parametrize(("word", "reason"), NOT_NUMBERS.items())
def test_what_is_not_a_number_is_refused_with_its_reason(word: str, reason: str) -> None:
    with pytest.raises(NotANumberError) as alone:
        number(word)
    assert reason in str(alone.value)
    with pytest.raises(BadTokenError) as among_others:
        parsed(["1", "1e-5", word, "x"], separator=";")
    assert among_others.value.place == 2
    assert str(among_others.value) == str(alone.value)


@unhurried
@given(st.text(st.characters(blacklist_characters=",", codec="utf-8"), max_size=12))
def test_any_text_is_the_same_number_or_refused_alone_and_in_bulk(word: str) -> None:
    try:
        expected = bits(number(word))
    except NotANumberError:
        with pytest.raises(BadTokenError):
            parsed([word])
    else:
        assert bits(parsed([word])) == expected == bits(float(word))


def test_long_tokens_are_cut_in_messages() -> None:
    assert shown("x" * 40) == repr("x" * 40)
    assert shown("x" * 41) == repr("x" * 37 + "...")
