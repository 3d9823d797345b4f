"""SVMlight files against a parser too simple to be wrong, and every way to get one wrong."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
import novikoff.data as sources
from novikoff.data import Source, matrices
from novikoff.data.errors import RereadError
from novikoff.errors import DataError, ParameterError
from tests.helpers.chunks import (
    Save,
    bits,
    blocks_of,
    check_chunk,
    dense,
    same_rows,
    together,
)
from tests.helpers.examples import examples

VALUES = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.integers(-1000, 1000).map(str)
    | st.decimals(-10, 10, places=4).map(str)
)
PAIRS = st.dictionaries(st.integers(1, 40), VALUES, max_size=8)
GAP = st.sampled_from([" ", "  ", "\t"])
NUMBERS = st.sampled_from(["-1", "+1", "0", "2"])
WORDS = st.sampled_from(["cat", "dog", "a_b", "Ω"])


def line_by_line(source: Source) -> Iterator[sources.Chunk]:
    """The chunks of blocks as small as can be."""
    with blocks_of(1):
        yield from source.chunks()


@st.composite
def files(draw: st.DrawFn, first_index: int = 1) -> str:
    """A file with at least one pair, with comments, blank lines, and pairs in any order."""
    labels = draw(st.sampled_from([NUMBERS, WORDS]))
    shift = first_index - 1
    lines = [f"{draw(labels)} {first_index}:1"]
    for _ in range(draw(st.integers(0, 12))):
        pairs = draw(PAIRS)
        order = draw(st.permutations(sorted(pairs)))
        gap = draw(GAP)
        words = [draw(labels), *(f"{index + shift}:{pairs[index]}" for index in order)]
        lines.append(gap.join(words) + draw(st.sampled_from(["", " ", " # 3:4 note", "#x"])))
        lines.extend(draw(st.sampled_from([[], [""], ["# comment"], ["  "]])))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end]))


def naive(text: str, base: int) -> tuple[np.ndarray, list[str], list[int]]:
    rows, labels, lines = [], [], []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split("#")[0].split()
        if words:
            labels.append(words[0])
            rows.append({int(w.split(":")[0]) - base: float(w.split(":")[1]) for w in words[1:]})
            lines.append(number)
    X = np.zeros((len(rows), 1 + max(max(row, default=0) for row in rows)))
    for i, row in enumerate(rows):
        for column, value in row.items():
            X[i, column] = value
    return X, labels, lines


@examples(60)
@given(text=files(), rows=st.integers(1, 14), size=st.integers(1, 200))
def test_agrees_with_a_naive_parser_whole_and_in_chunks(
    scratch: Path, text: str, rows: int, size: int
) -> None:
    path = scratch / "a.svm"
    path.write_text(text, newline="", encoding="utf-8")
    source = sources.open(path)
    whole = source.read()
    check_chunk(whole)
    X, labels, lines = naive(text, base=1)
    assert bits(dense(whole)) == bits(X)
    assert whole.lines.tolist() == lines
    expected = labels if whole.y.dtype.kind == "U" else [int(label) for label in labels]
    assert whole.y.tolist() == expected
    assert source.text_format.index_base == 1
    assert source.notes() == ["indices count from 1: no index 0 was found"]
    with blocks_of(size):
        assert same_rows(whole, together(sources.open(path), rows))


@examples(40)
@given(text=files(first_index=0))
def test_an_index_zero_anywhere_means_zero_based(scratch: Path, text: str) -> None:
    path = scratch / "b.svm"
    path.write_text(text, newline="", encoding="utf-8")
    source = sources.open(path)
    assert bits(dense(source.read())) == bits(naive(text, base=0)[0])
    assert source.text_format.index_base == 0
    assert source.notes() == ["indices count from 0: an index 0 was found"]
    assert same_rows(source.read(), together(sources.open(path), 3))


def test_told_the_base_it_does_not_guess(save: Save) -> None:
    path = save("a.svm", "1 1:5\n")
    assert dense(sources.open(path, zero_based=True).read()).tolist() == [[0, 5]]
    told = sources.open(path, zero_based=False)
    assert dense(told.read()).tolist() == [[5]]
    assert told.notes() == []
    with pytest.raises(DataError, match=r"z.svm:1:3: found index '0', expected an index from 1 on"):
        sources.open(save("z.svm", "1 0:5\n"), zero_based=False).read()


def test_an_index_zero_is_remarked_on_when_told_too(save: Save) -> None:
    found = ["indices count from 0: an index 0 was found"]
    path = save("a.svm", "1 1:5\n1 0:4\n1 2:1\n")
    told = sources.open(path, zero_based=True)
    stream = line_by_line(told)
    assert told.notes() == []
    chunks = [next(stream), next(stream)]
    assert told.notes() == found
    other = sources.open(path, zero_based=True)
    other.load_state_dict(json.loads(json.dumps(told.state_dict())))
    list(other.chunks(start=chunks[-1].end))
    assert other.notes() == found
    late = sources.open(path)
    with blocks_of(1):
        late.read()
    assert late.notes() == found
    none = sources.open(save("b.svm", "1 1:5\n"), zero_based=True)
    none.read()
    assert none.notes() == []


def test_skipped_rows_are_remarked_on(save: Save) -> None:
    source = sources.open(save("a.svm", "1 1:5\n1 1:x\n1 2:1\n"), bad_rows="skip")
    source.read()
    assert source.notes() == [
        "1 bad row left out",
        "indices count from 1: no index 0 was found",
    ]


def test_a_late_zero_stops_a_stream_but_not_a_read(save: Save) -> None:
    path = save("a.svm", "1 1:5\n# note\n1 3:2 0:4\n")
    stream = line_by_line(sources.open(path))
    assert dense(next(stream)).tolist() == [[5]]
    with pytest.raises(RereadError, match=r"a.svm:3:7: found index '0'.*zero_based=True") as late:
        next(stream)
    assert late.value.remedy == {"zero_based": True}
    with blocks_of(1):
        assert dense(sources.open(path).read()).tolist() == [[0, 5, 0, 0], [4, 0, 0, 2]]
    told = sources.open(path, zero_based=True)
    assert [chunk.X.shape for chunk in line_by_line(told)] == [(1, 2), (1, 4)]


def test_what_a_read_found_out_serves_a_later_stream(save: Save) -> None:
    source = sources.open(save("a.svm", "1 1:5\nx 0:4\n"))
    with blocks_of(1):
        whole = source.read()
        assert same_rows(whole, together(source, 1))
    assert whole.y.tolist() == ["1", "x"]


def test_chunks_grow_with_the_largest_index_so_far(save: Save) -> None:
    path = save("a.svm", "1 2:1\n1 5:1\n1 1:10\n1\n")
    assert [c.X.shape[1] for c in line_by_line(sources.open(path))] == [2, 5, 5, 5]
    assert [c.X.shape[1] for c in line_by_line(sources.open(path, features=9))] == [9] * 4
    with pytest.raises(DataError, match=r"a.svm:2:3: found index '5', expected at most 4"):
        list(line_by_line(sources.open(path, features=4)))


def test_a_pass_goes_on_from_where_another_was(save: Save) -> None:
    path = save("a.svm", "cat 5:1\n\n1 2:1\n# note\n2 9:1 3:2\n1 1:1 # the end")
    whole = list(line_by_line(sources.open(path)))
    for done in range(1, len(whole)):
        first = sources.open(path)
        stream = line_by_line(first)
        chunks = [next(stream) for _ in range(done)]
        memory = json.loads(json.dumps(first.state_dict()))
        stream.close()
        second = sources.open(path)
        second.load_state_dict(memory)
        with blocks_of(1):
            rest = list(second.chunks(start=chunks[-1].end))
        assert [c.y.tolist() for c in chunks + rest] == [c.y.tolist() for c in whole]
        assert [c.lines.tolist() for c in chunks + rest] == [[1], [3], [5], [6]]
        assert [c.X.shape for c in chunks + rest] == [(1, 5), (1, 5), (1, 9), (1, 9)]


def test_several_files_have_their_own_lines(save: Save) -> None:
    paths = [save("a.svm", "1 1:1\n1 2:1"), save("b.svm", "#\n1 3:1\n1 1:x\n")]
    source = sources.open(paths)
    stream = line_by_line(source)
    assert [next(stream).lines.tolist() for _ in range(3)] == [[1], [2], [2]]
    with pytest.raises(DataError, match=r"b.svm:3:5: in '1:x'"):
        next(stream)


def test_the_careful_way_gives_what_the_quick_way_gives(save: Save) -> None:
    quick = "1 2:0.5 3:-1e-3\n-1 1:7\n"
    careful = "1 qid:4 2:0.5 3:-1e-3\n-1 qid:x 1:7\n"
    assert same_rows(
        sources.open(save("q.svm", quick)).read(), sources.open(save("c.svm", careful)).read()
    )


def test_without_labels_pairs_come_first_and_a_label_is_passed_over(save: Save) -> None:
    chunk = sources.open(save("a.svm", "1:2 2:3\n+1 1:4\n"), labelled=False).read()
    assert chunk.y is None
    assert dense(chunk).tolist() == [[2, 3], [4, 0]]


@pytest.mark.parametrize(
    ("tokens", "kind", "expected"),
    [
        (["+1", "-1"], np.int64, [1, -1]),
        (["1", "0.5"], np.float64, [1.0, 0.5]),
        (["1e2", "3"], np.float64, [100.0, 3.0]),
        (["8", "other"], np.str_, ["8", "other"]),
        (["1_0", "2"], np.str_, ["1_0", "2"]),
        (["1,2", "3"], np.str_, ["1,2", "3"]),
        (["99999999999999999999", "1"], np.float64, [1e20, 1.0]),
    ],
)
def test_labels_are_numbers_if_all_of_them_are(
    save: Save, tokens: list[str], kind: type, expected: list[object]
) -> None:
    y = sources.open(save("a.svm", "".join(f"{t} 1:1\n" for t in tokens))).read().y
    assert np.issubdtype(y.dtype, kind)
    assert y.tolist() == expected


def test_a_stream_cannot_turn_numbers_into_words(save: Save) -> None:
    path = save("a.svm", "1 1:1\ncat 1:1\n")
    with pytest.raises(RereadError, match=r"a.svm:2: found the label 'cat'.*word_labels=True"):
        list(line_by_line(sources.open(path)))
    assert sources.open(path).read().y.tolist() == ["1", "cat"]
    told = sources.open(path, word_labels=True)
    assert [c.y.tolist() for c in line_by_line(told)] == [["1"], ["cat"]]
    words_first = save("b.svm", "cat 1:1\n1 1:1\n")
    assert [c.y.tolist() for c in line_by_line(sources.open(words_first))] == [["cat"], ["1"]]


BAD_LINES = {
    "1 1:x": (5, "in '1:x': found 'x', expected a number"),
    "1 1:1e999": (5, "found '1e999', expected a number that is finite"),
    "1 1:nan": (5, "the value is missing ('nan')"),
    "1 1:": (5, "the value is missing ('')"),
    "1 1:1_000": (5, "without underscores"),
    "1 1:0x1f": (5, "not in hexadecimal"),
    "1 1:2 3": (7, "found '3', expected index:value: a colon is missing"),
    "1 1 :2": (3, "found '1', expected index:value: a colon is missing"),
    "1 :2": (3, "found the index '' in ':2', expected a whole number"),
    "1 1:2:3": (5, "found '2:3', expected a number"),
    "1 -1:2": (3, "found the index '-1' in '-1:2', expected a whole number that is not negative"),
    "1 +1:2": (3, "found the index '+1'"),
    "1 1.0:2": (3, "found the index '1.0'"),
    "1 1_0:2": (3, "found the index '1_0'"),
    "1 ٣:2": (3, "found the index '٣'"),
    "1 2147483648:1": (3, "expected a whole number up to 2147483647"),
    "1 99999999999999999999:1": (3, "expected a whole number up to 2147483647"),
    f"1 {'9' * 5000}:1": (3, "999...' in '99"),
    "1 2:1 5:1 2:3": (11, "index '2' appears twice in this row"),
    "1:2 2:3": (1, "found '1:2', expected a label before the first index:value pair"),
    "nan 1:2": (1, "the label is missing ('nan')"),
    "NA 1:2": (1, "the label is missing ('NA')"),
    "1e999 1:2": (1, "the label '1e999' is not finite"),
    f"{'w' * 201} 1:2": (1, "has 201 characters, expected at most 200"),
    f"1 {'x' * 99}": (3, "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'"),
    "1 1:2\0": (6, "found a NUL byte"),
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_refused_with_its_place(save: Save, line: str) -> None:
    column, reason = BAD_LINES[line]
    path = save("bad.svm", f"# head\n1 1:1\n\n{line}\n1 1:2\n")
    for rows in (1, 100):
        with pytest.raises(DataError) as caught:
            list(sources.open(path).chunks(rows))
        assert str(caught.value).startswith(f"{path}:4:{column}: ")
        assert reason in str(caught.value)
    with pytest.raises(DataError) as whole:
        sources.open(path).read()
    assert str(whole.value) == str(caught.value)


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_left_out_if_asked_to(save: Save, tmp_path: Path, line: str) -> None:
    column, reason = BAD_LINES[line]
    path = save("bad.svm", f"{line}\n# head\n1 1:1\n\n{line}\n-1 3:2 1:4\n{line}")
    side = tmp_path / "side.jsonl"
    source = sources.open(path, bad_rows="skip", skipped_to=side)
    good = sources.open(save("good.svm", "#\n#\n1 1:1\n\n#\n-1 3:2 1:4\n")).read()
    for size in (1, 2**20):
        with blocks_of(size):
            assert same_rows(source.read(), good)
        assert source.skipped == 3
        entries = [json.loads(each) for each in side.read_text(encoding="utf-8").splitlines()]
        assert [each["line"] for each in entries] == [1, 5, 7]
        assert {each["column"] for each in entries} == {column}
        assert all(reason in each["problem"] for each in entries)
        assert {each["text"] for each in entries} == {line[:200]}


def test_the_first_bad_line_is_named_whatever_is_wrong_with_it(save: Save) -> None:
    path = save("a.svm", "1 1:1\nnan 1:1\n1 2:1 2:1\n1 x\n")
    with pytest.raises(DataError, match=r"a.svm:2:1: the label is missing"):
        sources.open(path).read()


def test_columns_count_characters(save: Save) -> None:
    with pytest.raises(DataError, match=r"a.svm:1:7: in '1:x'"):
        sources.open(save("a.svm", "ΩΩ\t 1:x\n")).read()


def test_the_largest_index_and_odd_zeros_are_accepted(save: Save) -> None:
    chunk = sources.open(save("a.svm", f"1 2147483647:1 {'0' * 5000}3:2\n# é\n")).read()
    assert chunk.X.shape == (1, 2147483647)
    assert chunk.X.indices.tolist() == [2, 2147483646]
    assert chunk.X.data.tolist() == [2, 1]


@pytest.mark.parametrize("content", ["", "\n\n", "# only\n# comments", "   \n"])
def test_no_rows_at_all(save: Save, content: str) -> None:
    source = sources.open(save("a.svm", content))
    for attempt in (source.read, lambda: list(source.chunks())):
        with pytest.raises(DataError, match=r"a.svm: no rows: the file is empty or all comments"):
            attempt()


def test_rows_without_any_feature(save: Save) -> None:
    source = sources.open(save("a.svm", "1\n-1\n"))
    for attempt in (source.read, lambda: list(source.chunks())):
        with pytest.raises(DataError, match=r"a.svm: no row has a feature"):
            attempt()


def test_a_chunk_needs_a_row(save: Save) -> None:
    with pytest.raises(ParameterError, match="at least one row, not rows=0"):
        next(sources.open(save("a.svm", "1 1:1\n")).chunks(0))


@pytest.mark.parametrize("count", [2, 3, 50, 1000])
def test_pairs_in_any_order_are_put_in_order(save: Save, count: int) -> None:
    order = np.random.default_rng(count).permutation(count) + 1
    text = "".join(f"1 {' '.join(f'{j}:{j / 4}' for j in some)}\n" for some in (order, order[::-1]))
    chunk = sources.open(save("a.svm", text)).read()
    check_chunk(chunk)
    assert dense(chunk).tolist() == [[j / 4 for j in range(1, count + 1)]] * 2
    with pytest.raises(DataError, match=rf"b.svm:3:\d+: index '{order[0]}' appears twice"):
        sources.open(
            save("b.svm", f"{text}1 7777:1 {text[2:].split(chr(10))[0]} {order[0]}:9")
        ).read()


def test_bytes_that_are_no_text_are_refused_in_comments_too(save: Save) -> None:
    with pytest.raises(DataError, match=r"a.svm:2:10: byte 0xff is not UTF-8"):
        sources.open(save("a.svm", b"1 1:1\n1 1:1 # d\xff\n")).read()


def test_blanks_of_other_scripts_are_blanks(save: Save) -> None:
    chunk = sources.open(save("a.svm", "1\u00a01:2\u20032:3\n\u3000\n1\x0b1:4\x1c2:1\n")).read()
    assert dense(chunk).tolist() == [[2, 3], [4, 1]]
    assert chunk.lines.tolist() == [1, 3]


@pytest.mark.parametrize("use", [nk.Perceptron().fit, nk.MulticlassPerceptron().fit, nk.check,
                                 nk.trace, nk.repair, nk.bounds.on])  # fmt: skip
def test_a_column_beyond_all_memory_is_refused(use, tmp_path, monkeypatch):
    """Twenty bytes of text must not take as much memory as the machine lends."""
    monkeypatch.setattr(matrices, "_memory", lambda: 2.0**30)
    path = tmp_path / "wide.svm"
    path.write_text("1 2147483647:1\n-1 1:3\n")
    with pytest.raises(DataError, match=r"2,147,483,647 features.*too little memory"):
        use(nk.open(path))
