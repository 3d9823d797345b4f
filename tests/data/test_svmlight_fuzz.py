"""SVMlight rows in every legal spelling, and bytes of every kind: the right rows or an error.

The last test runs the others once more with the compiled code looking at every index.
"""

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.errors import BadRowError
from novikoff.data.sparse import LARGEST_INDEX
from novikoff.data.text.svmlight import block, kernel
from novikoff.data.text.svmlight.block import SvmlightBlock, SvmlightOptions, parse_block
from tests.helpers.bounds_checks import run_with_bounds_checks
from tests.helpers.chunks import as_text, bits
from tests.helpers.examples import examples

FINITE = st.floats(allow_nan=False, allow_infinity=False)
GAPS = st.text(" \t", min_size=1, max_size=3) | st.just(" ")
ENDS = st.sampled_from(["\n", "\r\n", " \n", "\t\r\n", " # 1:2 x\n", "#\n", "\n\n", "\n # Ω\r\n"])
QID = st.sampled_from(["", "", "qid:7", "qid:x:y", "qid:"])
SPELLINGS = st.sampled_from(
    [repr, "{:+}".format, "{:.16e}".format, "{:.20E}".format, lambda x: f"{Decimal(x):f}"]
)
LABELS = st.sampled_from(["1", "-1", "+1", "0", "2.5", "cat", "Ω", "a_b", "1e3"])
ROWS = st.lists(
    st.tuples(LABELS, st.dictionaries(st.integers(0, 50) | st.integers(0, LARGEST_INDEX), FINITE)),
    max_size=8,
)


def row_of(found: SvmlightBlock, i: int) -> dict[int, bytes]:
    part = slice(found.starts[i], found.starts[i + 1])
    columns, values = found.indices[part].tolist(), found.values[part]
    assert columns == sorted(set(columns))
    return {index: bits(value) for index, value in zip(columns, values, strict=True)}


@st.composite
def spelled(draw: st.DrawFn, rows: list[tuple[str, dict[int, float]]], labelled: bool) -> str:
    text = draw(st.sampled_from(["", "\n", "# 5:6\n", " \t\n"]))
    for label, row in rows:
        tokens = [draw(QID)] if labelled else []
        for index in draw(st.permutations(list(row))):
            zeros = draw(st.sampled_from(["", "", "0", "000000000"]))
            tokens.append(f"{zeros}{index}:{draw(SPELLINGS)(row[index])}")
        tokens.insert(draw(st.integers(0, len(tokens))), draw(QID))
        gap = draw(GAPS)
        words = [label, *filter(None, tokens)] if labelled else list(filter(None, tokens)) or ["1"]
        text += draw(st.sampled_from(["", " "])) + gap.join(words) + draw(ENDS)
    return text if draw(st.booleans()) else text.rstrip("\r\n")


@examples(80)
@given(rows=ROWS, labelled=st.booleans(), data=st.data())
def test_rows_in_any_spelling_are_these_rows(
    rows: list[tuple[str, dict[int, float]]], labelled: bool, data: st.DataObject
) -> None:
    text = data.draw(spelled(rows, labelled))

    def never(raw: bytes, *_: object, **__: object) -> None:
        raise AssertionError(f"not taken by the compiled loop: {raw!r}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block, "parse_line", never)
        found = parse_block(as_text(text.encode()), SvmlightOptions(labelled=labelled))
    assert found.rows == len(rows)
    for i, (_, row) in enumerate(rows):
        assert row_of(found, i) == {index: bits(value) for index, value in row.items()}
    if labelled:
        assert found.labels.as_words() == [label for label, _ in rows]
    assert found.line_ends == text.count("\n")


TOKENS = ["1", "-1", "cat", "Ω", "1:2", "3:0.5", "0:1", "2:", "qid:7", "qid", "#", ":", "nan",
          "3:1e999", "1e999", "4:1e-9", "5:nan", "7:-0", "2147483647:1", "2147483648:1", "6:+.5e1",
          "007:1", "8:1_0", "x" * 201, "9:" + "1" * 25, "\x0b", "\x1c", "\x00", "\u00a0", "10:5.",
          "12:2470328229206232720882843964341106861825299013e-370", "\x85"]  # fmt: skip
GLUE = [" ", " ", " ", "\t", "\n", "\n", "\r\n", "\r", ""]
RAGGED = st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(GLUE)), max_size=30).map(
    lambda parts: "".join(token + glue for token, glue in parts).encode()
)
TEXTLIKE = st.text("0123456789:.-+eE_#\n\r\t qidnaΩ", max_size=60).map(str.encode)
DAMAGED = st.tuples(RAGGED, st.integers(0, 300), st.integers(0, 255)).map(
    lambda each: each[0][: each[1]] + bytes([each[2]]) + each[0][each[1] :]
)


def outcome(raw: bytes, labelled: bool, skip: bool) -> list[object]:
    """All there is to say about what was read."""
    try:
        found = parse_block(as_text(raw), SvmlightOptions(labelled=labelled, skip=skip))
    except BadRowError as bad:
        return [bad.line, bad.column, bad.problem, bad.text]
    rows = [row_of(found, i) for i in range(found.rows)]
    skipped = [(bad.line, bad.column, bad.problem, bad.text) for bad in found.skipped]
    words = found.labels.as_words() if labelled else []
    numbers = None if found.labels.numbers is None else found.labels.numbers.tolist()
    assert (found.lines.dtype, found.starts.dtype, found.indices.dtype) == ("i8", "i4", "i4")
    return [rows, skipped, words, numbers, found.lines.tolist(), found.line_ends]


@examples(500)
@given(
    raw=st.one_of(st.binary(max_size=60), TEXTLIKE, RAGGED, DAMAGED),
    labelled=st.booleans(),
    skip=st.booleans(),
)
def test_the_quick_way_gives_what_the_careful_way_gives(
    raw: bytes, labelled: bool, skip: bool
) -> None:
    quick = outcome(raw, labelled, skip)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "scan_rows", lambda text, scan, into, labelled: scan)
        assert outcome(raw, labelled, skip) == quick


def test_no_index_is_ever_out_of_bounds(tmp_path: Path) -> None:
    run_with_bounds_checks(__file__, tmp_path, passed=2)
