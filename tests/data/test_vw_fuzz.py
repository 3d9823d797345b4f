"""Vowpal Wabbit's rows in any legal spelling, and bytes of every kind: the right rows or an error.

The last test runs the others once more with the compiled code looking at every index.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.errors import BadRowError
from novikoff.data.text.vw import block, kernel
from novikoff.data.text.vw.block import VwBlock, VwOptions, parse_block
from novikoff.data.text.vw.feature_index import FeatureIndex, hash_of, new_names
from tests.helpers.bounds_checks import run_with_bounds_checks
from tests.helpers.chunks import as_text, bits
from tests.helpers.examples import examples

NUMBERS = st.floats(-1e100, 1e100) | st.integers(-1000, 1000).map(float)
SPELLINGS = st.sampled_from([repr, "{:+}".format, "{:.16e}".format, "{:.20E}".format])
LETTERS = st.characters(exclude_characters=" \t\n\r:|", exclude_categories=["Cs"])
NAMES = st.sampled_from(["a", "b", "f1", "f2", "longer_than_eight", "ü", "'q"]) | st.text(
    LETTERS, min_size=1, max_size=12
)
WORDS = st.sampled_from(["paris", "x:y", "na", "Infinit", "no", "http://x", "ü"])
GAPS = st.sampled_from([" ", " ", "  ", "\t", " \t "])
ENDS = st.sampled_from(["\n", "\n", "\r\n", " \n", "\t\r\n", "\n\n", "\n \t\r\n"])
HEADS = st.sampled_from(["", "", " 1", " 1.0", " 1.00 0", " 1 0.0"])
TAGS = st.sampled_from([" ", " ", " 'tag ", " 'tag", " tag", " ' "])
LABELS = st.sampled_from(["1", "-1", "+1.5", "0", "spam", "no", "ü", "in", "1234567890123456"])


class Space(NamedTuple):
    name: str
    scale: float | None
    features: list[tuple[str, float | str | None]]


SPACES = st.builds(
    Space,
    st.just("") | NAMES,
    st.none() | NUMBERS,
    st.lists(st.tuples(NAMES, st.none() | NUMBERS | WORDS), max_size=6),
)
ROWS = st.lists(st.tuples(LABELS, st.lists(SPACES, min_size=1, max_size=3)), max_size=6)


@st.composite
def spelled(draw: st.DrawFn, rows: list[tuple[str, list[Space]]]) -> str:
    text = draw(st.sampled_from(["", "\n", " \t\n"]))
    for label, spaces in rows:
        text += draw(st.sampled_from(["", " "])) + label + draw(HEADS) + draw(TAGS)
        for name, scale, features in spaces:
            text += f"|{name}"
            if name and scale is not None:
                text += f":{draw(SPELLINGS)(scale)}"
            for feature, value in features:
                text += draw(GAPS) + feature
                if value is not None:
                    text += ":" + (value if isinstance(value, str) else draw(SPELLINGS)(value))
            word = bool(features) and isinstance(features[-1][1], str)
            text += draw(st.sampled_from([" ", "" if not word else " "]))
        text += draw(ENDS)
    return text if draw(st.booleans()) else text.rstrip("\r\n")


def meant(spaces: list[Space]) -> dict[str, float]:
    """What a row means: values times scales, those of one name added in their order."""
    row: dict[str, float] = {}
    for name, scale, features in spaces:
        factor = 1.0 if scale is None or not name else scale
        for feature, value in features:
            full, number = f"{name}^{feature}" if name else feature, factor
            if isinstance(value, str):
                full, number = f"{full}^{value}", 1.0
            elif value is not None:
                number = factor * value
            row[full] = row[full] + number if full in row else number
    return row


def block_rows(found: VwBlock, table: FeatureIndex) -> list[dict[str, bytes]]:
    found.columns[found.columns < 0] = table.add(found.fresh)
    starts, columns, values = found.ordered()
    names, rows = table.names(), []
    for i in range(found.rows):
        part = slice(starts[i], starts[i + 1])
        assert (np.diff(columns[part]) > 0).all()
        rows.append({names[j]: bits(v) for j, v in zip(columns[part], values[part], strict=True)})
    return rows


@examples(150)
@given(rows=ROWS, known=st.lists(NAMES, unique=True, max_size=5), data=st.data())
def test_rows_in_any_spelling_are_these_rows(
    rows: list[tuple[str, list[Space]]], known: list[str], data: st.DataObject
) -> None:
    text = data.draw(spelled(rows))

    def never(line: bytes, *_: object, **__: object) -> None:
        raise AssertionError(f"not taken by the compiled loop: {line!r}")

    table = FeatureIndex.of(known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block, "parse_line", never)
        found = parse_block(as_text(text.encode()), VwOptions(True, table.known()), skip=False)
    expected = [meant(spaces) for _, spaces in rows]
    assert block_rows(found, table) == [
        {name: bits(value) for name, value in row.items()} for row in expected
    ]
    assert table.names() == list(dict.fromkeys(known + [name for row in expected for name in row]))
    assert found.labels is not None
    assert found.labels.as_words() == [label for label, _ in rows]
    assert found.line_ends == text.count("\n")


TOKENS = ["1", "-1", "cat", "ü", "|", "|", "|n", "|n:2", "|n:", "|:2", "|n:x", "a", "a:2", "a:0.5",
          "b:1e-9", "c:nan", "c:Inf", "d:1e999", "d:1e308", "e:", ":1", "f:word", "f:infinity",
          "f:in", "g:1:2", "'tag", "tag|", "1.0", "0", "2", "1:2:0.5", "nan", "na", "infinity",
          "h:" + "1" * 25, "h:-0", "x" * 201, "y" * 1001, "\x0b", "\x0cnan", "\x00", "\u00a0",
          "|" + "m" * 999, "i:1\x0c", "j:1_0", "k:2470328229206232720882843964341106861e-360",
          ]  # fmt: skip
GLUE = [" ", " ", " ", " ", "\t", "\n", "\n", "\r\n", "\r", "", ":", "|"]
RAGGED = st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from(GLUE)), max_size=30).map(
    lambda parts: "".join(token + glue for token, glue in parts).encode()
)
LINES = st.lists(
    st.lists(st.sampled_from(TOKENS), max_size=6).map(lambda tokens: "1 |n " + " ".join(tokens)),
    max_size=8,
).map(lambda lines: "\n".join(lines).encode())
TEXTLIKE = st.text("019:.-+eE|'\n\r\t nafiü", max_size=60).map(str.encode)
DAMAGED = st.tuples(LINES | RAGGED, st.integers(0, 300), st.integers(0, 255)).map(
    lambda each: each[0][: each[1]] + bytes([each[2]]) + each[0][each[1] :]
)
KNOWN = FeatureIndex.of(["a", "n^a", "n^f^word"])
COUNTED = FeatureIndex(named=False)
COUNTED.add(new_names(["a", "n^a"])._replace(letters=np.empty(0, np.uint8)))
WAYS = {
    "open": VwOptions(True, KNOWN.known()),
    "unlabelled": VwOptions(False, KNOWN.known()),
    "closed": VwOptions(True, KNOWN.known(), closed=True),
    "hashed": VwOptions(True, COUNTED.known(), mask=np.uint64(2**3 - 1), counting=True),
    "uncounted": VwOptions(False, COUNTED.known(), mask=np.uint64(2**30 - 1)),
}


def outcome(raw: bytes, asked: VwOptions, skip: bool) -> list[object]:
    """All there is to say about what was read."""
    try:
        found = parse_block(as_text(raw), asked, skip=skip)
    except BadRowError as bad:
        return [bad.line, bad.column, bad.problem, bad.text]
    skipped = [(bad.line, bad.column, bad.problem, bad.text) for bad in found.skipped]
    labels = None if found.labels is None else (found.labels.as_words(), found.labels.bad)
    assert labels is None or not labels[1]
    new = [found.fresh.name(k) for k in range(len(found.fresh.hashes))]
    if not asked.mask:
        assert [hash_of(name.encode()) for name in new] == found.fresh.hashes.tolist()
    waiting = [(row < 0).any() for row in np.split(found.columns, found.starts[1:-1])]
    assert found.rows == 0 or (found.lengths < 0).tolist() == waiting
    arrays = [found.columns, found.starts, found.lines, found.lengths, found.fresh.hashes]
    facts = [found.rows, found.line_ends, found.left_out, bits(found.values)]
    return [*facts, skipped, labels, new, *(each.tolist() for each in arrays)]


@examples(500)
@given(
    raw=st.one_of(st.binary(max_size=60), TEXTLIKE, RAGGED, LINES, DAMAGED),
    way=st.sampled_from(sorted(WAYS)),
    skip=st.booleans(),
)
def test_the_quick_way_gives_what_the_careful_way_gives(raw: bytes, way: str, skip: bool) -> None:
    def leave_it(text: object, until: int, how: object, out: kernel.VwOutput) -> int:
        return kernel.ODD if out.cursor[kernel.AT] < until else kernel.DONE

    quick = outcome(raw, WAYS[way], skip)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "parse", leave_it)
        assert outcome(raw, WAYS[way], skip) == quick


def test_no_index_is_ever_out_of_bounds(tmp_path: Path) -> None:
    run_with_bounds_checks(__file__, tmp_path, passed=2, NUMBA_OPT="0")
