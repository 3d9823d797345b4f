"""Tables against the csv module and float(), and every way to get one wrong."""

import csv
import io
import json
import os
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data.files import blocks
from novikoff.data.text import labels
from novikoff.errors import DataError
from tests.helpers.chunks import Save, bits, check_chunk, dense, same_rows, together

VALUES = (
    st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.integers(-1000, 1000).map(str)
    | st.decimals(-10, 10, places=4).map(str)
)
PLAIN_WORDS = st.sampled_from(["cat", "dog", "a_b", "Ω"])
QUOTED_WORDS = st.sampled_from(["cat", 'a "b"', "one, two", "two\nlines", "a;b\tc"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], str, str, bool]:
    """Rows whose last field is a label, with a delimiter, a line end, and whether to quote all."""
    width = draw(st.integers(1, 5))
    labels = draw(st.sampled_from([PLAIN_WORDS, QUOTED_WORDS, st.sampled_from(["0", "1"])]))
    row = st.tuples(st.lists(VALUES, min_size=width, max_size=width), labels)
    rows = [[*values, label] for values, label in draw(st.lists(row, min_size=1, max_size=9))]
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", "§"]))
    return rows, delimiter, draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans())


def csv_text(rows: list[list[str]], delimiter: str, end: str, quoted: bool) -> str:
    file = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows(rows)
    return file.getvalue()


@given(table=tables(), header=st.booleans(), rows=st.integers(1, 10))
def test_numbers_are_those_of_float_whole_and_in_chunks(
    scratch: Path,
    table: tuple[list[list[str]], str, str, bool],
    header: bool,
    rows: int,
) -> None:
    records, delimiter, end, quoted = table
    names = [f"x{j}" for j in range(len(records[0]) - 1)] + ["kind"]
    path = scratch / "a.csv"
    text = csv_text([names, *records] if header else records, delimiter, end, quoted)
    path.write_bytes(text.encode())
    source = sources.open(path, delimiter=delimiter, header=header)
    whole = source.read()
    check_chunk(whole)
    assert bits(whole.X) == bits([[float(field) for field in record[:-1]] for record in records])
    assert [str(label) for label in whole.y.tolist()] == [record[-1] for record in records]
    assert source.feature_names == (names[:-1] if header else None)
    assert source.target_name == ("kind" if header else None)
    assert same_rows(whole, together(sources.open(path, delimiter=delimiter, header=header), rows))


def test_lines_are_those_where_a_record_starts(save: Save) -> None:
    path = save("a.csv", 'x,kind\n1,"two\nlines"\n\n2,cat\n3,"a\n\nb"\n4,dog\n')
    for rows in (1, 2, 9):
        chunk = together(sources.open(path), rows)
        assert chunk.lines.tolist() == [2, 5, 6, 9]
        assert chunk.y.tolist() == ["two\nlines", "cat", "a\n\nb", "dog"]


def test_a_quote_that_comes_late_is_read_as_well(save: Save) -> None:
    path = save("a.csv", "".join(f"{i},a\n" for i in range(20)) + '20,"b,c"\n21,d\n')
    for rows in (1, 3, 4096):
        chunk = together(sources.open(path), rows)
        assert chunk.X[:, 0].tolist() == list(range(22))
        assert chunk.y.tolist() == ["a"] * 20 + ["b,c", "d"]
        assert chunk.lines.tolist() == list(range(1, 23))


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("a,b,c\n1,2,3\n", ["a", "b", "c"]),
        ("a,b,c\n1,2,cat\n", ["a", "b", "c"]),
        (",b,c\n1,2,3\n", ["", "b", "c"]),
        ('"a","b","c"\n1,2,3\n', ["a", "b", "c"]),
        ("a, b , c\n1,2,3\n", ["a", "b", "c"]),
        ("\n\na,b,c\n1,2,3\n", ["a", "b", "c"]),
        ("1,2,3\n4,5,6\n", None),
        ("1,2,cat\n4,5,dog\n", None),
        ("1,2,cat\n", None),
        ("1,2,3\n", None),
    ],
)
def test_a_header_is_told_from_a_row(save: Save, content: str, names: list[str] | None) -> None:
    source = sources.open(save("a.csv", content))
    expected = None if names is None else [n for n in names if n != source.target_name]
    assert source.feature_names == expected
    first = 1 + content.count("\n") - (content.count("4,5") + 1)
    assert source.read().lines[0] == first


@pytest.mark.parametrize("line", ["1.0,oops,3", "id,2019,2020", "1,2,cat"])
def test_words_above_numbers_beside_numbers_are_not_guessed_at(save: Save, line: str) -> None:
    path = save("a.csv", f"{line}\n4,5,6\n")
    with pytest.raises(DataError, match=r"a.csv:1: cannot tell whether this line is a header"):
        sources.open(path)
    assert sources.open(path, header=True).read().X.tolist() == [[4, 5]]


def test_a_first_row_with_a_gap_is_no_header(save: Save) -> None:
    with pytest.raises(DataError, match=r"a.csv:1:1: column 1: the value is missing \('NA'\)"):
        sources.open(save("a.csv", "NA,2,cat\n1,2,dog\n")).read()


@pytest.mark.parametrize(
    ("header", "target", "place"),
    [
        ("a,b,c", None, 2),
        ("a,Label,c", None, 1),
        ("y,target,label", None, 1),
        ("CLASS,y,c", None, 0),
        ("a,b,y", "a", 0),
        ("a,b,y", 1, 1),
        ("a,b,y", -3, 0),
        ("a,b,y", "1", 1),
        ("a,b,y", "-1", 2),
        ("a,1,y", "1", 1),
    ],
)
def test_the_target_by_name_or_place(
    save: Save, header: str, target: str | int | None, place: int
) -> None:
    source = sources.open(save("a.csv", f"{header}\n10,11,12\n"), target=target, header=True)
    assert source.read().y.tolist() == [10 + place]
    names = header.split(",")
    assert source.target_name == names.pop(place)
    assert source.feature_names == names
    assert source.read().X.tolist() == [[10.0 + i for i in range(3) if i != place]]


@pytest.mark.parametrize(
    ("content", "target", "reason"),
    [
        ("alpha,beta\n1,2\n", "alhpa", "no column 'alhpa', expected a name in the header: did you "
         "mean 'alpha'?"),
        ("a,b\n1,2\n", "zzz", "the header has 'a', 'b'"),
        ("1,2\n3,4\n", "a", "the file has no header"),
        ("1,2\n3,4\n", 2, "no column 2, expected a column from 0 to 1"),
        ("1,2\n3,4\n", -3, "no column -3"),
        ("a,a,b\n1,2,3\n", "a", "2 columns are called 'a'"),
        ("y,Y,b\n1,2,3\n", None, "2 columns are called 'y'"),
    ],
)  # fmt: skip
def test_a_target_that_is_not_there(
    save: Save, content: str, target: str | int | None, reason: str
) -> None:
    with pytest.raises(DataError) as caught:
        sources.open(save("a.csv", content), target=target)
    assert reason in str(caught.value)


def test_without_labels_every_column_is_a_feature(save: Save) -> None:
    source = sources.open(save("a.csv", "a,target\n1,2\n"), labelled=False)
    assert source.feature_names == ["a", "target"]
    assert source.target_name is None
    assert source.read().y is None
    assert source.read().X.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "1;2;3\n"),
        ("a.csv", "1|2|3\n"),
        ("a.csv", "1\t2\t3\n"),
        ("a.tsv", "1\t2\t3\n"),
        ("a.csv", "1, 2, 3\n"),
        ("a.txt", "  1   2 3  \n"),
        ("a.txt", "1,2,3\n"),
        ("a.txt", "1\t2\t3\n"),
        ("a", "1 2 3\n"),
    ],
)
def test_the_delimiter_is_found(save: Save, name: str, content: str) -> None:
    chunk = sources.open(save(name, content * 3)).read()
    assert chunk.X.tolist() == [[1, 2]] * 3
    assert chunk.y.tolist() == [3] * 3


def test_the_delimiter_is_obeyed(save: Save) -> None:
    path = save("a.csv", "1:2:3,5\n")
    assert sources.open(path, delimiter=":").read().y.tolist() == ["3,5"]
    tabs = save("b.csv", "1\t2\n")
    assert sources.open(tabs, delimiter="\\t").read().y.tolist() == [2]


BAD_ROWS = {
    "1,red,cat": (3, "column 2 ('width'): found 'red', expected a number such as -1.5 or 2e-3; if "
    "the column's values are categories, pass categorical=['width']"),
    "1,,cat": (3, "column 2 ('width'): the value is missing ('')"),
    "NA,2,cat": (1, "column 1 ('height'): the value is missing ('NA')"),
    "nan,2,cat": (1, "column 1 ('height'): the value is missing ('nan')"),
    "inf,2,cat": (1, "column 1 ('height'): found 'inf', expected a number that is finite"),
    "1,1e999,cat": (3, "column 2 ('width'): found '1e999', expected a number that is finite"),
    "1_000,2,cat": (1, "column 1 ('height'): found '1_000', expected a number: write its digits"),
    "0x1F,2,cat": (1, "column 1 ('height'): found '0x1F', expected a number: write it in decimal"),
    "1,٣,cat": (3, "column 2 ('width'): found '٣', expected a number"),
    '"1,5",2,cat': (1, "column 1 ('height'): found '1,5', expected a number"),
    '"1","a,""b""",cat': (5, "column 2 ('width'): found 'a,\"b\"', expected a number"),
    "1,2": (4, "the number of fields is 2, expected 3 as in the first row"),
    "1,2,3,4": (7, "the number of fields is 4, expected 3 as in the first row"),
    '"1","2"': (8, "the number of fields is 2, expected 3 as in the first row"),
    ",,": (1, "column 1 ('height'): the value is missing ('')"),
    "1,2,": (5, "column 3 ('kind'): the label is missing (''), expected a number or a word"),
    "1,2,NA": (5, "column 3 ('kind'): the label is missing ('NA')"),
    f"1,2,{'x' * 201}": (5, "has 201 characters"),
    '1,2,"cat': (5, "not a CSV record ("),
    '1,"2"x,cat': (3, "not a CSV record ("),
    "1,2,cat\r3,4,dog": (8, "not a CSV record (a carriage return inside the line)"),
    "1,2,c\0t": (6, "found a NUL byte"),
    f"1,{'x' * 50},cat": (3, "found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', expected a number"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "reason"), BAD_ROWS.items())
def test_a_bad_row_is_refused_with_its_place(
    save: Save, line: str, reason: tuple[int, str]
) -> None:
    path = save("bad.csv", f"height,width,kind\n1,2,dog\n\n{line}\n5,6,cat\n")
    for rows in (1, 100):
        with pytest.raises(DataError) as caught:
            list(sources.open(path).chunks(rows))
        assert str(caught.value).startswith(f"{path}:4:{reason[0]}: ")
        assert reason[1] in str(caught.value)
    with pytest.raises(DataError) as whole:
        sources.open(path).read()
    assert str(whole.value) == str(caught.value)


@pytest.mark.parametrize("size", [8, 2**20])
@pytest.mark.parametrize("odd", ["1", "x,red,a", '1,"red"x,a', "1,red,a\0"])
@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("1,red,NA", "column 3 ('kind'): the label is missing"),
        ('1,"n/a",a', "column 2 ('colour'): the value is missing"),
    ],
)
def test_the_first_bad_row_is_named_whatever_is_wrong_with_it(
    save: Save, monkeypatch: pytest.MonkeyPatch, size: int, odd: str, first: str, reason: str
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    for lines in ([first, odd], [first, "2,blue,b", odd], [odd, first]):
        text = "\n".join(["size,colour,kind", "1,red,a", "2,blue,b", *lines, ""])
        path = save("bad.csv", text)
        with pytest.raises(DataError) as caught:
            sources.open(path).read()
        assert str(caught.value).startswith(f"{path}:4:")
        assert (reason in str(caught.value)) is (lines[0] == first)


def test_skipped_rows_are_remarked_on(save: Save) -> None:
    source = sources.open(save("a.csv", "1,a,x\n2,a,x,y\n3,,x\n4,b,y\n"), bad_rows="skip")
    source.read()
    assert source.notes() == [
        "2 bad rows left out",
        "Columns of words, with one feature for each value: column 2 (2 values).",
    ]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_label_of_too_many_digits_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch, compiled: bool
) -> None:
    monkeypatch.setattr(labels._budget, "_left", 0.0 if compiled else 1e9)
    path = save("a.csv", f"a,y\n1,0\n2,{'1' * 300}\n")
    with pytest.raises(DataError, match=r"a.csv:3:3: .*has 300 characters, expected at most 200"):
        sources.open(path).read()


def test_labels_that_are_words_are_remembered(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 4)
    source = sources.open(save("a.csv", "1,2\n2,3\n3,x\n"))
    whole = source.read()
    assert whole.y.tolist() == ["2", "3", "x"]
    assert [chunk.y.tolist() for chunk in source.chunks()] == [["2"], ["3"], ["x"]]


def test_bad_rows_can_be_left_out_and_are_listed(save: Save, tmp_path: Path) -> None:
    bad = [line for line in BAD_ROWS if line != '1,2,"cat']  # that quote goes on over the rest
    text = "".join(f"{k},2,dog\n{line}\n" for k, line in enumerate(bad))
    path = save("bad.csv", f"height,width,kind\n{text}5,6,cat")
    side = tmp_path / "left-out.jsonl"
    source = sources.open(path, bad_rows="skip", skipped_to=side)
    chunk = source.read()
    check_chunk(chunk)
    assert chunk.X[:, 0].tolist() == [*range(len(bad)), 5]
    assert chunk.y.tolist() == ["dog"] * len(bad) + ["cat"]
    assert source.skipped == len(bad)
    listed = [json.loads(entry) for entry in side.read_text().splitlines()]
    assert [entry["line"] for entry in listed] == [2 * k + 3 for k in range(len(bad))]
    assert [entry["column"] for entry in listed] == [BAD_ROWS[line][0] for line in bad]
    for entry, line in zip(listed, bad, strict=True):
        assert BAD_ROWS[line][1] in entry["problem"]
        assert entry["text"] == line.replace("\n", "")[:200]
        assert entry["file"] == path


@pytest.mark.parametrize("size", [1, 4, 7, 10, 2**20])
def test_a_record_that_is_left_out_ends_where_blocks_may_end(
    save: Save, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A quote opens in one line and closes in another, where more follows: all of it is bad."""
    monkeypatch.setattr("novikoff.data.files.blocks.BLOCK_BYTES", size)
    path = save("a.csv", 'x,y\n1,a\n"2,b\n3,"c\n4,d\n"5,\xff\n6",e\n7,f\n')
    Path(path).write_bytes(Path(path).read_bytes().replace("\xff".encode(), b"\xff"))
    source = sources.open(path, bad_rows="skip")
    chunk = together(source, 2)
    assert chunk.y.tolist() == ["a", "d", "f"]
    assert chunk.lines.tolist() == [2, 5, 8]
    assert source.skipped == 2


def test_a_quote_that_is_never_closed_costs_its_line_only(save: Save) -> None:
    source = sources.open(save("a.csv", '1,a\n2,"b\n3,c\n4,d\n'), bad_rows="skip")
    assert source.read().X[:, 0].tolist() == [1, 3, 4]
    assert source.skipped == 1


def test_bytes_that_are_no_text_cost_their_line_only(save: Save) -> None:
    path = save("a.csv", b"1,a\n2,\xff\xfe\n3,caf\xc3\xa9\n")
    with pytest.raises(DataError, match=r"a.csv:2:3: byte 0xff is not UTF-8"):
        sources.open(path).read()
    source = sources.open(path, bad_rows="skip")
    assert source.read().y.tolist() == ["a", "café"]
    assert source.skipped == 1


def test_nothing_is_left_of_bad_rows(save: Save) -> None:
    with pytest.raises(DataError, match=r"a.csv: no rows are left: all 2 are bad"):
        sources.open(save("a.csv", "x,y\n,1\nNA,2\n"), bad_rows="skip").read()


def test_a_line_of_tabs_is_a_row_with_nothing_in_it(save: Save) -> None:
    with pytest.raises(DataError, match=r"a.tsv:2:1: column 1: the value is missing"):
        sources.open(save("a.tsv", "1\t2\n\t\n3\t4\n")).read()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "a.csv: no rows: the file is empty"),
        ("\n \n", "a.csv: no rows: the file is empty"),
        ("a,b\n", "a.csv:1: no rows after the header 'a'"),
        ("1\n2\n", "a.csv: no feature columns"),
    ],
)
def test_nothing_to_learn_from(save: Save, content: str, reason: str) -> None:
    with pytest.raises(DataError, match=reason):
        sources.open(save("a.csv", content))


def test_the_number_of_features_is_checked(save: Save) -> None:
    path = save("a.csv", "1,2,3\n")
    assert sources.open(path, features=2).read().X.shape == (1, 2)
    with pytest.raises(DataError, match="the number of feature columns is 2, expected 3"):
        sources.open(path, features=3)


def test_mixed_labels_are_words_in_a_read_and_an_error_in_a_stream(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("a.csv", "1,8\n2,rest\n")
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 5)
    assert sources.open(path, header=False).read().y.tolist() == ["8", "rest"]
    with pytest.raises(DataError, match=r"a.csv:2: found the label 'rest', expected a number"):
        list(sources.open(path, header=False).chunks(1))
    chunk = together(sources.open(path, header=False, word_labels=True), 1)
    assert chunk.y.tolist() == ["8", "rest"]


@pytest.mark.parametrize("size", [1, 7, 40, 2**21])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_of_any_size_give_the_same_rows(
    save: Save, monkeypatch: pytest.MonkeyPatch, size: int, end: str
) -> None:
    lines = ['"a\n header"', *(f'{k / 3!r},"{k}","two\nlines",word{k % 3}' for k in range(40)), ""]
    text = "\n".join(["", "x,z,city,kind", *lines[1:]]).replace("\n", end)
    path = save("a.csv", text)
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    source = sources.open(path)
    chunk = together(source, 7)
    assert bits(chunk.X[:, 0]) == bits([k / 3 for k in range(40)])
    assert chunk.X[:, 1].tolist() == list(range(40))
    assert chunk.y.tolist() == [f"word{k % 3}" for k in range(40)]
    assert chunk.lines.tolist() == [2 * k + 3 for k in range(40)]
    assert source.feature_names == ["x", "z", f"city=two{end[:-1]}\nlines".replace("\r", "")]


def test_several_files_are_one_table(save: Save) -> None:
    first = save("a.csv", "x,y\n1,a\n2,b\n")
    second = save("b.csv", "\nx,y\n\n3,a\n4\n")
    source = sources.open([first, second], bad_rows="skip")
    chunk = source.read()
    assert chunk.X[:, 0].tolist() == [1, 2, 3]
    assert source.files == [(first, 0), (second, 2)]
    assert [part.lines.tolist() for part in source.chunks()] == [[2, 3], [4]]
    with pytest.raises(DataError, match=r"b.csv:5:2: the number of fields is 1"):
        sources.open([first, second]).read()


def test_a_pipe_comes_line_by_line(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = '\n\nx,"the\nkind",city\n1,a,"two\nlines"\n\n2,b,Rome\n3,a,Rome'
    writer = threading.Thread(target=pipe.write_text, args=(content,))
    writer.start()
    source = sources.open(pipe, target="the\nkind")
    chunk = source.read()
    writer.join()
    assert dense(chunk).tolist() == [[1, 1, 0], [2, 0, 1], [3, 0, 1]]
    assert chunk.y.tolist() == ["a", "b", "a"]
    assert chunk.lines.tolist() == [5, 8, 9]
    assert source.feature_names == ["x", "city=two\nlines", "city=Rome"]
    assert not source.replayable
    with pytest.raises(DataError, match="it is a pipe and can be read only once"):
        source.read()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("x;y\n3;a\n", "the delimiter is ';', expected ',' as in"),
        ("x,z,y\n3,4,a\n", "the number of columns is 3, expected 2 as in"),
        ("z,y\n3,a\n", "column 1 is called 'z', expected 'x' as in"),
        ("3,a\n", "has a header and"),
    ],
)
def test_files_that_do_not_go_together(save: Save, content: str, reason: str) -> None:
    with pytest.raises(DataError) as caught:
        sources.open([save("a.csv", "x,y\n1,a\n"), save("b.csv", content)])
    assert str(caught.value).partition(": ")[0].endswith("b.csv")
    assert reason in str(caught.value)


def test_reading_on_from_a_place(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 30)
    rows = "".join(f"{k},{'abc'[k % 3]},{k % 2}\n" for k in range(20))
    paths = [save("a.csv", "x,city,y\n" + rows), save("b.csv", "x,city,y\n" + rows)]
    source = sources.open(paths)
    parts = []
    for part in source.chunks():
        parts.append((part, source.state_dict()))
    for k, (part, memory) in enumerate(parts):
        other = sources.open(paths)
        other.load_state_dict(json.loads(json.dumps(memory)))
        rest = list(other.chunks(start=part.end))
        assert len(rest) == len(parts) - k - 1
        for left, (right, _) in zip(rest, parts[k + 1 :], strict=True):
            assert same_rows(left, right)
        assert other.state_dict() == source.state_dict()
        assert other.feature_names == source.feature_names


def test_a_wide_row_and_many_rows(save: Save) -> None:
    wide = np.arange(50_000) / 4
    path = save("wide.csv", ",".join(map(str, wide)) + ",1\n")
    assert bits(sources.open(path).read().X) == bits(wide)
    many = save("many.csv", "".join(f"{i / 4},{i % 2}\n" for i in range(10_000)))
    chunk = sources.open(many).read()
    assert bits(chunk.X) == bits(np.arange(10_000) / 4)
    assert chunk.y.sum() == 5000
