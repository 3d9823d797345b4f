"""`novikoff cover`, and what `check` says of so few rows."""

import json
import math
import os
import signal
import sys

import numpy as np
import pytest

import novikoff as nk
from tests.helpers.shell import answer, novikoff, on_terminal

LINE = "u,v,label\n1,2,x\n2,4,y\n3,6,x\n0,1,y\n"
#: An enumeration that goes on for ever.
ENDLESS = """
import sys, time
from novikoff.cli import main
from novikoff.theory.cover import enumeration

def endless(lines):
    while True:
        yield 0
        time.sleep(0.01)

enumeration.half_of_dichotomies = endless
sys.argv = ["novikoff", "cover", "example:iris-setosa", "--dichotomies"]
main()
"""


@pytest.fixture
def cover(here, empty_folder):
    """Run `novikoff cover` in an empty folder; its text is 80 columns wide."""

    def run(*words):
        code, out, err = here("cover", *words)
        assert "--json" in words or widest(out) <= 80
        return code, out, err

    return run


def widest(text):
    """The length of the longest line."""
    return max(map(len, text.splitlines()), default=0)


@pytest.fixture
def found(cover):
    """The JSON object that a command prints."""

    def run(*words):
        code, out, err = cover(*words, "--json")
        assert (code, err, out.count("\n")) == (0, "", 1)
        return json.loads(out)

    return run


def test_counting_for_scripts():
    found = answer("cover", 100, 20)
    assert (found["P"], found["N"], found["threshold"], found["dimensions"]) == (100, 20, False, 20)
    assert int(found["count"]) == nk.cover.count(100, 20)
    assert found["digits"] == len(found["count"]) == 21
    assert found["fraction"] == nk.cover.fraction(100, 20)
    assert found["log2_fraction"] == nk.cover.log2_fraction(100, 20)
    assert found["regime"] == nk.cover.regime(100, 20)._asdict()
    assert found["general_position"] is found["dichotomies"] is found["data"] is None
    assert found["capacity"] == []


def test_counting_needs_no_compiler():
    code = "import sys; from novikoff.cli import main; sys.argv[1:] = ['cover', '9', '4']\n"
    code += "try: main()\nexcept SystemExit: pass\nassert 'numba' not in sys.modules"
    process = os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code])
    assert process == 0


def test_a_threshold_is_a_dimension(found):
    with_threshold, without = found(4, 2, "--threshold"), found(4, 3)
    assert (with_threshold["N"], with_threshold["dimensions"]) == (2, 3)
    assert with_threshold["count"] == without["count"] == "14"


def test_long_counts_are_written_whole(found):
    number = found(100_000, 10_000)
    assert number["digits"] == len(number["count"]) == 14_116
    limit = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(0)
        assert int(number["count"]) == nk.cover.count(100_000, 10_000)
    finally:
        sys.set_int_max_str_digits(limit)
    assert number["fraction"] == 0.0
    assert found(5, 0)["log2_fraction"] is None
    number = found(10**7, 4_990_000)
    assert (number["count"], number["digits"]) == (None, 3_010_291)
    assert number["fraction"] == nk.cover.fraction(10**7, 4_990_000)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((3, 5), ["C(3, 5) = 8 of 2^3 labellings", "share        1\n", "P <= N: in general"]),
        ((7, 5), ["C(7, 5) = 114 of 2^7", "share        0.8906\n", "N < P < 2N: in general"]),
        ((10, 5), ["C(10, 5) = 512 of 2^10", "share        0.5\n", "P = 2N, the capacity"]),
        ((60, 5), ["C(60, 5) = 978,812 of", "share        8.49e-13\n", "P > 2N: fewer than half"]),
        ((2000, 3), ["grow like 2P^2/2!", "share        2^-1,978.1, too small for a double\n"]),
        ((1000, 900), ["C(1000, 900) = 1.072e+301 (302 digits)", "share        1 - 1.34e-162\n"]),
        ((10**4, 9900), ["share        1 but for less than any double"]),
        ((100_000, 10_000), ["1.413e+14115 (14,116 digits)", "2^-53,110.5, too small"]),
        ((10**7, 5 * 10**6), ["4.525e+3010299 (3,010,300 digits)", "share        0.5\n"]),
        ((10**7, 499 * 10**4), ["share        1.27e-10\n"]),
        ((10**12, 10**11), ["2^-531,004,406,432.4, too small for a double"]),
        ((5, 0), ["C(5, 0) = 0 of 2^5", "share        0\n", "no labelling is realised"]),
        ((4, 2, "--threshold"), ["N = 3 dimensions, including the threshold", "C(4, 3) = 14"]),
    ],
    ids=str,
)
def test_counting_for_people(cover, words, expected):
    code, out, err = cover(*words)
    assert (code, err) == (0, "")
    for part in expected:
        assert part in out


def test_the_place_of_data(cover, found, tmp_path):
    (tmp_path / "line.csv").write_text(LINE)
    number = found("line.csv")
    assert number["data"] == "line.csv"
    assert (number["P"], number["N"], number["dimensions"], number["count"]) == (4, 2, 3, "14")
    assert number["general_position"] == {
        "holds": False,
        "dependent": [0, 1, 2],
        "examined": "0",
        "subsets": "4",
        "reason": "the rows 0, 1, 2 are linearly dependent",
    }
    assert number["dichotomies"] is None
    out = cover("line.csv", "--dichotomies")[1]
    assert "fewer than C(4, 3) = 14 of 2^4 labellings" in out
    assert "not general: lines 2, 3 and 4 are affinely dependent" in out
    assert "12 labellings of these rows are realised, 2 fewer than in" in out
    out = cover("line.csv", "--dichotomies", "--no-bias")[1]
    assert "not general: lines 2 and 3 are multiples of each other" in out
    assert "4 labellings of these rows are realised, 4 fewer than in" in out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["example:iris-setosa"], "not general: rows 101 and 142 are identical"),
        (["example:xor", "--no-bias"], "not general: row 0 is zero"),
        (["example:xor"], "general: no 3 of the rows are affinely dependent"),
        (
            ["example:separable?rows=100&features=9", "--limit", "1000"],
            "general as far as is known: not refuted after",
        ),
        (["example:separable?rows=12&features=4", "--limit", "none"], "general: no 5 of the rows"),
        (["example:xor", "--dichotomies"], "14 labellings of these rows are realised, as many as"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(each),
)
def test_the_position_of_data(cover, words, expected):
    code, out, err = cover(*words)
    assert (code, err) == (0, "")
    assert expected in out


def test_what_is_not_known_is_null(found):
    number = found("example:separable?rows=100&features=9", "--limit", "1000")["general_position"]
    assert number["holds"] is None
    assert 0 < int(number["examined"]) < int(number["subsets"]) == math.comb(100, 10)


def test_rows_without_labels(found, tmp_path):
    (tmp_path / "points.csv").write_text("1,2\n3,4\n5,7\n")
    number = found("points.csv", "--no-labels", "--dichotomies")
    assert (number["N"], number["dichotomies"]) == (2, "8")
    (tmp_path / "tenths.csv").write_text("0.1,0.2\n0.2,0.5\n0.3,0.8\n")
    words = ("tenths.csv", "--no-labels", "--dichotomies")
    assert found(*words)["dichotomies"] == "8"
    assert found(*words, "--decimal")["dichotomies"] == "6"


def test_rows_from_standard_input():
    code, out, err = novikoff("cover", "-", "--dichotomies", stdin=LINE)
    assert (code, err) == (0, "")
    assert "12 labellings of these rows are realised" in out


def test_the_capacity_curve(cover, found):
    words = ["--ratios", "1,2,3", "--trials", 20, "--seed", 3]
    number = found("--capacity", 4, "--capacity", 8, *words)
    assert "P" not in number
    expected = [
        each for N in (4, 8) for each in nk.cover.capacity_curve(N, [1, 2, 3], trials=20, seed=3)
    ]
    assert number["capacity"] == [each._asdict() for each in expected]
    out = cover(16, 8, "--capacity", 8, *words)[1]
    assert out.startswith("P = 16 points, N = 8 dimensions\n")
    assert "95 % interval" in out
    assert out.splitlines()[-2].split()[:3] == ["8", "16", "2"]
    assert out.splitlines()[-2].split()[-1] == "0.5"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give both P and N, such as 100 20, or a data file, or --capacity N"),
        ([1, 2, 3], "give both P and N, such as 100 20, or a data file, or --capacity N"),
        ([7], "found 7 alone: give both P and N, or a data file"),
        ([7, "x"], "N must be a whole number, not 'x'; data are named by one word"),
        ([0, 2], "P must be a whole number of 1 or more, not 0"),
        ([7, 2, "--no-bias"], "--bias/--no-bias needs data"),
        ([7, 2, "--limit", 5], "--limit needs data"),
        ([7, 2, "--dichotomies"], "--dichotomies needs data"),
        ([7, 2, "--target", "y"], "--target needs data"),
        ([7, 2, "--seed", 0], "--seed needs --capacity"),
        (["example:xor", "--trials", 9], "--trials needs --capacity"),
        (["example:xor", "--threshold"], "--threshold needs P and N"),
        (["example:xor", "--limit", "few"], "--limit few: expected a whole number, or none"),
        (["--capacity", 5, "--ratios", "1,x"], "--ratios: 'x' is not a number"),
        (["--capacity", 5, "--ratios", "0.01"], "a ratio P / N of 0.01 leaves no points"),
        (["nowhere.csv"], "nowhere.csv: no such file"),
    ],
    ids=lambda each: each if isinstance(each, str) else " ".join(map(str, each)),
)
def test_bad_questions(cover, words, message):
    code, out, err = cover(*words)
    assert (code, out) == (2, "")
    assert message in err


def test_progress_is_shown_and_ctrl_c_ends_it():
    with on_terminal("-c", ENDLESS) as command:
        assert "labellings" in command.until("realised so far")
        assert command.end(signal.SIGINT) == (130, "")


# What check says of so few rows


def check_few(here, X, y, folder, *words):
    """Run `novikoff check` on rows, for people and for scripts."""
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
    (folder / "few.csv").write_text("\n".join(lines) + "\n")
    code, text, _ = here("check", "few.csv", "--no-header", *words)
    assert widest(text) <= 80
    shown = here("check", "few.csv", "--no-header", "--json", *words)[1]
    return code, text, json.loads(shown)


def test_where_every_labelling_separates_it_means_nothing(here, empty_folder):
    code, text, shown = check_few(here, [[1, 0], [0, 1], [3, 3]], "aba", empty_folder)
    assert code == 0
    assert "\n  meaning      none: so few rows would separate whatever their labels\n" in text
    assert (shown["every_labelling"], shown["chance"]) == (True, 1.0)


def test_where_most_labellings_separate_it_means_little(here, empty_folder):
    code, text, shown = check_few(here, [[0, 0], [0, 1], [1, 0], [1, 1]], "aaab", empty_folder)
    assert code == 0
    words = "meaning little: up to 88 % of all labellings of so few rows would separate"
    assert words in " ".join(text.split())
    assert (shown["every_labelling"], shown["chance"]) == (False, 0.875)
    X = np.random.default_rng(0).integers(-9, 10, (40, 35))
    text = check_few(here, X.tolist(), ["b" if v > 0 else "a" for v in X[:, 0]], empty_folder)[1]
    assert "meaning      little: nearly all labellings of so few rows would" in text


def test_where_half_of_them_do_or_fewer_nothing_is_said(here, empty_folder):
    X = [[k, k * k] for k in range(6)]
    code, text, shown = check_few(here, X, "aaabbb", empty_folder)
    assert (code, shown["chance"]) == (0, 0.5)
    assert "meaning" not in text
    shown = check_few(here, X, "ababab", empty_folder)[2]
    assert (shown["outcome"], shown["every_labelling"], shown["chance"]) == (
        "inseparable",
        None,
        None,
    )


def test_counts_mean_nothing_of_the_kind(here, empty_folder):
    text, shown = check_few(here, [[1, 0], [0, 1]], [0, 2], empty_folder, "--family", "poisson")[1:]
    assert "meaning" not in text
    assert (shown["every_labelling"], shown["chance"]) == (None, None)


def test_where_it_would_take_long_it_is_said_with_its_condition(here, empty_folder, monkeypatch):
    monkeypatch.setattr("novikoff.verdict.result.QUICK_STEPS", 10)
    text, shown = check_few(here, [[1, 0], [0, 1], [3, 3]], "aba", empty_folder)[1:]
    assert "meaning none, unless some rows depend on each other: so few" in " ".join(text.split())
    assert (shown["every_labelling"], shown["chance"]) == (None, 1.0)
