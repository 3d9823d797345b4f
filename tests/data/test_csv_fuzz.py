"""The compiled reader of tables and the careful one: the same rows, or the same complaint."""

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data.files import blocks
from novikoff.data.text.csv import block, kernel
from novikoff.errors import DataError
from tests.helpers.bounds_checks import bounds_checks_environment
from tests.helpers.chunks import attempt, check_chunk, same_rows, together
from tests.helpers.csv_texts import Told, differences, random_text, read_both
from tests.helpers.examples import examples

FIELDS = st.sampled_from(
    ["1", "-2.5", "+3e4", ".5", "5.", "1e-400", "1e400", "nan", "", "NA", "inf", "0x1", "1_0", "٣",
     "word", "été", "Ω", "a b", " 7 ", "\t8", '"9"', '" 1 "', '"word"', '"a b"', '"a,b"', '"a""b"',
     '"two\nlines"', 'qu"ote', '"odd"x', '"open', "\u00a0pad", "pad\u2003", "x\u3000", "\x0c1",
     "\x1cz", "1\r", "\0", "\ufeff", "0.1234567890123456789012345", "12345678901234567890"]
)  # fmt: skip
DELIMITERS = st.sampled_from([",", ";", "\t", "|", " ", "§"])


@st.composite
def table_texts(draw: st.DrawFn) -> tuple[bytes, Told]:
    """Lines of mostly the right number of fields, for columns of any kind."""
    told = draw(st.builds(Told, DELIMITERS, st.lists(st.integers(0, 2), min_size=1, max_size=4)))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    easy = st.sampled_from(["1", "-0.25", "7e2", "cat", "dog", '"3"', '"cat"'])
    field = draw(st.sampled_from([easy, FIELDS, easy | FIELDS]))
    width = len(told.roles)
    row = st.lists(field, min_size=width, max_size=width) | st.lists(field, max_size=5)
    rows = draw(st.lists(row, max_size=8))
    text = end.join(told.delimiter.join(fields) for fields in rows)
    return (text + draw(st.sampled_from(["", end, "\n\n"]))).encode(), told


@examples(300)
@given(case=table_texts(), skip=st.booleans(), labelled=st.booleans())
def test_both_ways_give_the_same(case: tuple[bytes, Told], skip: bool, labelled: bool) -> None:
    text, told = case
    assert differences(*read_both(text, told, skip, labelled)) == []


@examples(200)
@given(
    text=st.binary(max_size=60) | st.text('01.,;-e"\n\r\t ab\u00a0é', max_size=60).map(str.encode),
    told=st.builds(Told, DELIMITERS, st.lists(st.integers(0, 2), min_size=1, max_size=3)),
    skip=st.booleans(),
)
def test_bytes_of_any_kind(text: bytes, told: Told, skip: bool) -> None:
    assert differences(*read_both(text, told, skip, labelled=False)) == []


def test_no_kernel_looks_outside_of_its_arrays(tmp_path: Path) -> None:
    """The same on many random texts, compiled with every index checked, in a process of its own."""
    environment = bounds_checks_environment(tmp_path)
    script = "from tests.helpers import csv_texts; csv_texts.main(2000)"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("2000 texts\n", 0), done.stderr


@given(
    words=st.lists(st.lists(st.sampled_from("abcdef"), min_size=3, max_size=3), max_size=9),
    seed=st.integers(0, 2**63),
)
def test_values_in_a_table_without_room_to_spare(words: list[list[str]], seed: int) -> None:
    """Six words in three columns, in a table so small that they all get in each other's way."""
    text = np.frombuffer("".join(map("".join, words)).encode(), np.uint8)
    places = np.arange(text.size).reshape(-1, 3).T.copy()
    codes = np.empty((len(words), 3), dtype=np.int32)
    expected: dict[tuple[int, str], int] = {}
    for row in words:
        for column, word in enumerate(row):
            expected.setdefault((column, word), len(expected))
    ways = kernel.find_values.compiled, kernel.find_values.plain
    for size, find_values in itertools.product((2, 8, 64), ways):
        table, firsts = np.full(size, -1, dtype=np.int32), np.empty(size, dtype=np.int64)
        found = find_values(text, places, places + 1, np.uint64(seed), table, firsts, codes)
        if len(expected) > size // 2:
            assert found == -1
        else:
            assert found == len(expected)
            assert codes.tolist() == [
                [expected[column, word] for column, word in enumerate(row)] for row in words
            ]
            assert [(k % 3, words[k // 3][k % 3]) for k in firsts[:found]] == list(expected)


def test_regular_rows_need_no_care(monkeypatch: pytest.MonkeyPatch) -> None:
    """What real files have is all for the compiled reader."""

    def refuse(*_: Any) -> Any:
        raise AssertionError("a regular row was read with care")

    monkeypatch.setattr(block._CsvParser, "_parse_strict", refuse)
    comma = Told(",", [0, 0, 1, 1])
    for text in (
        "1,2,cat,dog\n-1.5,+2e-3,a b,Ω\n",
        '"1","2","cat","d,og"\r\n\r\n3,4,"x ",été\r\n',
        " 1 , 2\t, cat ,dog \n  \n5.,.5,x,y",
    ):
        rows = read_both(text.encode(), comma, False, False, careful=False)[0]
        assert not isinstance(rows, Exception)
        assert rows.rows == 2
    for text in ("  1  2\tcat dog \n\n3 4 \"x\" 'y'", '"1" 2 c d\r\n3 4 e f\r\n'):
        rows = read_both(text.encode(), Told(" ", [0, 0, 1, 1]), False, False, careful=False)[0]
        assert not isinstance(rows, Exception)
        assert rows.rows == 2


@examples(200)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 50), skip=st.booleans())
@example(seed=292529, size=19, skip=True)
def test_files_of_any_kind_in_blocks_of_any_size(
    scratch: Path, seed: int, size: int, skip: bool
) -> None:
    path = scratch / "f.csv"
    path.write_bytes(random_text(np.random.default_rng(seed))[0])
    options = {"bad_rows": "skip" if skip else "refuse", "word_labels": True}
    whole = attempt(lambda: sources.open(path, **options).read())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", size)
        pieces = attempt(lambda: together(sources.open(path, **options), 3))
    if isinstance(whole, DataError):
        assert isinstance(pieces, DataError)
        assert str(path) in str(whole)
    else:
        assert not isinstance(pieces, DataError), str(pieces)
        check_chunk(whole)
        assert same_rows(whole, pieces)
