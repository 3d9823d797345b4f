"""Vowpal Wabbit's text: which rows known lines are, what is refused where, and reading on."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from novikoff.data.errors import RereadError
from novikoff.data.files import blocks
from novikoff.data.files.inputs import Input
from novikoff.data.text.source import TextSource
from novikoff.data.text.vw.feature_index import hash_of
from novikoff.data.text.vw.format import VwFormat
from novikoff.errors import DataError, ParameterError
from tests.helpers.chunks import Save, bits, check_chunk, dense, same_rows

Rows = list[dict[str, float]]


def vw_source(inputs: list[Input], *, skipped_to: str | None = None, **options: Any) -> TextSource:
    return TextSource(inputs, VwFormat(**options), skipped_to=skipped_to)


def stored_rows(source: TextSource) -> Rows:
    """The rows as dictionaries of what is stored in them."""
    chunk = source.read()
    check_chunk(chunk)
    names, X = source.feature_names, chunk.X
    assert names is not None
    assert X.shape[1] == len(names)
    parts = [slice(a, b) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]
    return [
        dict(zip((names[j] for j in X.indices[part]), X.data[part].tolist(), strict=True))
        for part in parts
    ]


KNOWN = [
    ("1 |a x:2 y |b:0.5 x:3", {"a^x": 2.0, "a^y": 1.0, "b^x": 1.5}),
    ("1 | x a:-1e-3 |", {"x": 1.0, "a": -1e-3}),
    ("1 |", {}),
    ("1 |ns", {}),
    ("1 1.0 zebra|animal:3.28 height:1.5", {"animal^height": 3.28 * 1.5}),
    ("1 'tag |ns a", {"ns^a": 1.0}),
    ("1 tag|ns a", {"ns^a": 1.0}),
    ("1 1 0 'tag|ns a", {"ns^a": 1.0}),
    ("1 1 'tag| a", {"a": 1.0}),
    ("1 1 0 |ns a", {"ns^a": 1.0}),
    ("1 1e0 -0.0 |ns a", {"ns^a": 1.0}),
    ("   1    |ns   a\t\tb  ", {"ns^a": 1.0, "ns^b": 1.0}),
    ("1 |ns a|m b|n", {"ns^a": 1.0, "m^b": 1.0}),
    ("1 |ns:2|m b", {"m^b": 1.0}),
    ("1 |ns:2 a:3|m:4 a:3", {"ns^a": 6.0, "m^a": 12.0}),
    ("1 |ns x:0.1 x:0.2 |m y |ns x:0.3", {"ns^x": 0.1 + 0.2 + 0.3, "m^y": 1.0}),
    ("1 |ns a:0 b:-0", {"ns^a": 0.0, "ns^b": -0.0}),
    ("1 |ns:0 a", {"ns^a": 0.0}),
    ("1 |ns a:+.5 b:5. c:1E+2", {"ns^a": 0.5, "ns^b": 5.0, "ns^c": 100.0}),
    ("1 |ns:2 city:paris url:http://x", {"ns^city^paris": 1.0, "ns^url^http://x": 1.0}),
    ("1 | state:IN note:nano in:na", {"state^IN": 1.0, "note^nano": 1.0, "in^na": 1.0}),
    ("1 |é ü:2 日本", {"é^ü": 2.0, "é^日本": 1.0}),
    ("1 |n^x a", {"n^x^a": 1.0}),
    ("1 | 12:3 'q \"s #c", {"12": 3.0, "'q": 1.0, '"s': 1.0, "#c": 1.0}),
    ("1 |ns a\r", {"ns^a": 1.0}),
    ("1 |ns:1e-300 a:1e300 b:1e-300", {"ns^a": 1.0, "ns^b": 0.0}),
    ("1 | a:179769313486231570000000000000000000000e270", {"a": 1.7976931348623157e308}),
    ("1 | a:1e308 a:-1e308 b:1e308", {"a": 0.0, "b": 1e308}),
]


@pytest.mark.parametrize(("line", "row"), KNOWN)
def test_known_lines(save: Save, line: str, row: dict[str, float]) -> None:
    source = vw_source([Input(save("f.vw", f"1 |only here\n{line}\n"))])
    found = stored_rows(source)[1]
    assert list(found) == list(row)  # in the order of their first appearance
    assert bits(list(found.values())) == bits(list(row.values()))


def test_columns_are_sorted_in_every_row(save: Save) -> None:
    source = vw_source([Input(save("f.vw", "1 | a b c\n-1 | c b:2 d a\n1 | d a:5 d:2\n"))])
    chunk = source.read()
    check_chunk(chunk)
    assert source.feature_names == ["a", "b", "c", "d"]
    assert dense(chunk).tolist() == [[1, 1, 1, 0], [1, 2, 1, 1], [5, 0, 0, 3]]
    assert chunk.y is not None
    assert chunk.y.tolist() == [1, -1, 1]


def test_blank_lines_line_ends_and_a_missing_last_one(save: Save) -> None:
    source = vw_source([Input(save("f.vw", "\n1 | a\r\n \t\r\n\n-1 | b\r\n\n1 | c"))])
    chunk = source.read()
    assert chunk.lines is not None
    assert chunk.lines.tolist() == [2, 5, 7]
    assert dense(chunk).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("1 | a\n-1.5 | a\n", [1.0, -1.5]),
        ("+1 | a\n2 | a\n", [1, 2]),
        ("spam | a\nno 'x| a\n", ["spam", "no"]),
        ("1 | a\nspam | a\n", ["1", "spam"]),
        ("3rd | a\n1,2 | a\n", ["3rd", "1,2"]),
        ("1e3 | a\n-1_0 | a\n", ["1e3", "-1_0"]),
    ],
)
def test_labels(save: Save, text: str, labels: list[object]) -> None:
    chunk = vw_source([Input(save("f.vw", text))]).read()
    assert chunk.y is not None
    assert chunk.y.tolist() == labels
    words = vw_source([Input(save("f.vw", text))], word_labels=True).read()
    assert words.y is not None
    assert words.y.dtype.kind == "U"


def test_a_word_after_a_block_of_numbers_names_the_remedy(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8)
    source = vw_source([Input(save("f.vw", "1 | a\n2 | a\nspam | a\n"))])
    with pytest.raises(RereadError, match=r"f.vw:3: .*'spam'.*word_labels=True") as late:
        list(source.chunks())
    assert late.value.remedy == {"word_labels": True}


def test_without_labels_all_before_the_bar_is_dropped(save: Save) -> None:
    text = "| a\n1 | b\n1:2:3 7 x\ty'z| c\n\xff| d\n"
    source = vw_source([Input(save("f.vw", text.encode("latin-1")))], labelled=False)
    chunk = source.read()
    assert chunk.y is None
    assert source.feature_names == ["a", "b", "c", "d"]


REFUSED = [
    ("1 -2 | a", 3, "importance '-2', expected 0 or more: drop the row, or turn its label"),
    ("1 -0.5 'tag | a", 3, "importance '-0.5'"),
    ("1 1 0.5 | a", 5, "base '0.5', expected 0"),
    ("1 1 0 7 | a", 7, "found '7', expected at most a label, an importance and a base"),
    ("1 tag | a", 3, "found 'tag', expected the importance 1, or a tag that begins with a quote"),
    ("1:2:0.5 | a", 1, "label '1:2:0.5', expected one number or word: labels with costs"),
    ("1:1 2:0 | a", 1, "label '1:1'"),
    ("| a", 1, "found no label before the bar, expected one"),
    ("1| a", 1, "'1' touches the bar, so that it is a tag.*labelled=False"),
    ("'x | a", 1, "found no label"),
    ("'x 1 | a", 1, 'found the tag "\'x", expected a label before it'),
    ("nan | a", 1, "the label is missing"),
    ("1e999 | a", 1, "the label '1e999' is not finite"),
    ("\x0cnan | a", 1, "the label .* is not finite"),
    ("x" * 201 + " | a", 1, "201 characters"),
    ("1\t| a", 2, "found a tab before the first bar"),
    ("1 a b c", 8, "found no bar"),
    ("1 |:2 a", 4, "found ':2', expected the name of a namespace"),
    ("1 |n: a", 4, "in 'n:': the value is missing"),
    ("1 |n:2:3 a", 4, "in 'n:2:3': found '2:3', expected a number"),
    ("1 |n:x a", 4, "in 'n:x': found 'x', expected a number"),
    ("1 |n :3", 6, "found ':3', expected a name before the colon"),
    ("1 |n ü a:", 8, "found 'a:', expected a value after the colon"),
    ("1 | a:1d", 5, "in 'a:1d': found '1d', expected a number such as"),
    ("1 | a:12:30", 5, "in 'a:12:30': found '12:30'"),
    ("1 | a:-x", 5, "in 'a:-x'"),
    ("1 | a:nan", 5, "in 'a:nan': the value is missing"),
    ("1 | a:Inf", 5, "in 'a:Inf': .* finite"),
    ("1 | a:infinity", 5, "in 'a:infinity'"),
    ("1 | a:1e999", 5, "in 'a:1e999': .* finite"),
    ("1 | a:1_0", 5, "without underscores"),
    ("1 | a:0x10", 5, "not in hexadecimal"),
    ("1 | a:b|c d", 8, "bar that touches the value of 'a:b'"),
    ("1 |n:1e200 b a:-1e200", 14, "'a:-1e200' times the scale 1e\\+200 .* not finite"),
    ("1 | a:1e308 b a:1e308", 15, "the values of 'a' in this row add up to more"),
    ("1 | a\rb", 6, "carriage return inside of a line"),
    ("1 | " + "x" * 1001, 5, "has 1001 bytes, expected at most 1000"),
    ("1 |" + "n" * 1001, 4, "has 1001 bytes"),
    ("1 |" + "n" * 500 + " " + "x" * 500, 505, "has 1001 bytes"),
]


@pytest.mark.parametrize(("line", "column", "problem"), REFUSED)
def test_refused(save: Save, line: str, column: int, problem: str) -> None:
    path = save("f.vw", f"1 | first\n\n{line}\n1 | last\n")
    with pytest.raises(DataError) as error:
        vw_source([Input(path)]).read()
    message = str(error.value)
    assert message.startswith(f"{path}:3:{column}: ")
    assert re.search(problem, message)
    source = vw_source([Input(path)], skip=True)
    assert stored_rows(source) == [{"first": 1.0}, {"last": 1.0}]  # it left no name behind
    assert source.skipped == 1


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        (b"1 |n a\xff:2 b", 6, r"the name 'n\^a\\xff' is not UTF-8"),
        (b"1 |n \xc3\xbc a\xff", 8, r"the name 'n\^a\\xff' is not UTF-8"),
        (b"1 |\xed\xa0\x80 b", 4, "is not UTF-8"),
        (b"\xff | a", 1, r"the label '\\xff' is not UTF-8"),
    ],
)
def test_names_that_are_not_utf8(save: Save, line: bytes, column: int, problem: str) -> None:
    path = save("f.vw", b"1 | first\n" + line + b"\n1 t\xff| last\n")
    with pytest.raises(DataError, match=problem) as error:
        vw_source([Input(path)], hash_bits=4).read()
    assert str(error.value).startswith(f"{path}:2:{column}: ")
    assert stored_rows(vw_source([Input(path)], skip=True)) == [{"first": 1.0}, {"last": 1.0}]


def test_only_the_lines_that_are_not_utf8_are_left_out(save: Save) -> None:
    bad = {7, 8, 20, 39}
    lines = [f"1 |é f{k}:{k}\n".encode() for k in range(40)]
    for k in bad:
        lines[k] = b"1 |n \xff\n"
    source = vw_source([Input(save("f.vw", b"".join(lines)))], skip=True)
    assert stored_rows(source) == [{f"é^f{k}": float(k)} for k in range(40) if k not in bad]
    assert source.skipped == len(bad)


def test_skipped_rows_are_listed(save: Save, tmp_path: Path) -> None:
    side = tmp_path / "skipped.jsonl"
    path = save("f.vw", "1 | a\n1 | b:x:\x01|c\n1 -7 | d\n1 | a:2\n")
    source = vw_source([Input(path)], skip=True, skipped_to=str(side))
    assert stored_rows(source) == [{"a": 1.0}, {"a": 2.0}]
    entries = [json.loads(line) for line in side.read_text().splitlines()]
    assert [(entry["line"], entry["column"]) for entry in entries] == [(2, 10), (3, 3)]
    assert entries[1]["text"] == "1 -7 | d"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", "no rows"), ("\n \n", "no rows"), ("1 |\n-1 |n\n", "no row has a feature")],
)
def test_nothing_to_learn_from(save: Save, text: str, problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        vw_source([Input(save("f.vw", text))]).read()


def test_hashing(save: Save) -> None:
    lines = ["1 |f " + " ".join(f"w{k * j}:{k}.5" for k in range(1, 9)) for j in range(1, 40)]
    path = save("f.vw", "\n".join(lines))
    source = vw_source([Input(path)], hash_bits=6)
    chunk = source.read()
    check_chunk(chunk)
    expected = np.zeros((39, 64))
    for row, j in enumerate(range(1, 40)):
        for k in range(1, 9):
            expected[row, hash_of(b"f^w%d" % (k * j)) % 64] += k + 0.5
    assert dense(chunk).tolist() == expected.tolist()
    assert source.feature_names is None
    names = {f"f^w{k * j}" for k in range(1, 9) for j in range(1, 40)}
    columns = [hash_of(name.encode()) % 64 for name in names]
    shared = sum(columns.count(column) > 1 for column in set(columns))
    assert source.notes() == [
        f"{len(names)} names in 64 columns: {shared} columns are shared by two or more names"
    ]


@pytest.mark.parametrize("bits", [0, 31, -1, 1.5, True, "18"])
def test_bits_that_cannot_be(save: Save, bits: int) -> None:
    with pytest.raises(ParameterError, match="expected a whole number from 1 to 30"):
        vw_source([Input(save("f.vw", "1 | a\n"))], hash_bits=bits)


@pytest.mark.parametrize("bits", [1, 30])
def test_bits_that_can_just_be(save: Save, bits: int) -> None:
    chunk = vw_source([Input(save("f.vw", "1 | a\n"))], hash_bits=bits).read()
    assert chunk.X.shape == (1, 2**bits)
    assert chunk.X.indices.tolist() == [hash_of(b"a") % 2**bits]


def test_a_closed_dictionary(save: Save) -> None:
    text = "1 |n b:2 c a\n-1 |n d:1e999x c\n1 |n a|m a\n"
    names = ["n^a", "m^x", "n^b"]
    source = vw_source([Input(save("f.vw", text))], names=names, skip=True)
    chunk = source.read()
    assert dense(chunk).tolist() == [[1, 0, 2], [1, 0, 0]]
    assert source.feature_names == names
    assert source.notes() == [
        "1 bad row left out",
        "2 features were left out, whose names are not known",
    ]
    text = "1 |n b:1e301 c:1e301\n1 |z z\n"  # by the careful way
    source = vw_source([Input(save("f.vw", text))], names=names)
    assert dense(source.read()).tolist() == [[0, 0, 1e301], [0, 0, 0]]
    assert source.notes() == ["2 features were left out, whose names are not known"]


def test_features_is_the_width(save: Save) -> None:
    path = save("f.vw", "1 | a b\n1 | c a\n")
    assert vw_source([Input(path)], features=5).read().X.shape == (2, 5)
    with pytest.raises(DataError, match=r"f.vw:2: found the name 'c' after 2 different ones"):
        vw_source([Input(path)], features=2).read()
    with pytest.raises(ParameterError, match="features=5, expected 8"):
        vw_source([Input(path)], features=5, hash_bits=3)
    with pytest.raises(ParameterError, match="features=5, expected 2"):
        vw_source([Input(path)], features=5, names=["a", "b"])
    with pytest.raises(ParameterError, match="contradict"):
        vw_source([Input(path)], names=["a", "b"], hash_bits=3)
    with pytest.raises(ParameterError, match="'a' comes twice"):
        vw_source([Input(path)], names=["a", "b", "a"])


def text_of(rows: int, seed: int) -> str:
    """Rows whose names keep being new, and are met again."""
    random = np.random.default_rng(seed)
    lines = []
    for row in range(rows):
        words = " ".join(
            f"w{j}:{value}" if j % 3 else f"w{j}"
            for j, value in zip(
                random.integers(0, 3 * row + 2, 9), random.normal(size=9), strict=True
            )
        )
        odd = f" z{row}:1e301" if row % 7 == 0 else ""  # which only the careful way takes
        lines.append(f"{row % 2} 'r{row} |s {words} |t:0.25 {words}{odd}\n")
    return "".join(lines)


@pytest.mark.parametrize("options", [{}, {"hash_bits": 7}, {"names": ["s^w3", "t^w1", "s^w0"]}])
def test_reading_on_from_any_place(
    save: Save, monkeypatch: pytest.MonkeyPatch, options: dict[str, object]
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1500)
    paths = [save("a.vw", text_of(60, 0)), save("b.vw", text_of(40, 1))]

    def opened() -> TextSource:
        return vw_source([Input(path) for path in paths], **options)  # type: ignore[arg-type]

    source = opened()
    whole, known = [], []
    for chunk in source.chunks():
        check_chunk(chunk)
        whole.append(chunk)
        known.append(json.loads(json.dumps(source.state_dict())))
    assert len(whole) > 10
    for k in range(0, len(whole), 3):
        later = opened()
        later.load_state_dict(known[k])
        end = whole[k].end
        assert end is not None
        rest = list(later.chunks(start=end))
        assert len(rest) == len(whole) - k - 1
        for ours, theirs in zip(rest, whole[k + 1 :], strict=True):
            assert ours.X.shape == theirs.X.shape
            assert ours.X.indices.tolist() == theirs.X.indices.tolist()
            assert bits(ours.X.data) == bits(theirs.X.data)
            assert np.array_equal(ours.lines, theirs.lines)
        assert later.feature_names == source.feature_names
        assert later.notes() == source.notes()
        assert later.files == source.files


@pytest.mark.parametrize("options", [{}, {"hash_bits": 7}, {"names": ["s^w3", "t^w1", "s^w0"]}])
def test_names_stay_known_in_a_later_pass(
    save: Save, monkeypatch: pytest.MonkeyPatch, options: dict[str, object]
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1500)
    path = save("a.vw", text_of(60, 0))

    def opened() -> TextSource:
        return vw_source([Input(path)], **options)  # type: ignore[arg-type]

    source = opened()
    stopped = source.chunks()
    next(stopped)
    stopped.close()  # what part of a pass has found changes nothing
    first = list(source.chunks())
    names, remarks, width = source.feature_names, source.notes(), first[-1].X.shape[1]
    second, known = [], []
    for chunk in source.chunks():
        assert source.feature_names == names
        assert chunk.X.shape[1] == width
        second.append(chunk)
        known.append(json.loads(json.dumps(source.state_dict())))
    assert source.notes() == remarks  # nothing is counted twice
    later = opened()
    later.load_state_dict(known[2])
    assert later.feature_names == names
    rest = list(later.chunks(start=second[2].end))
    for ours, theirs in zip([*second[:3], *rest], first, strict=True):
        assert ours.X.indices.tolist() == theirs.X.indices.tolist()
        assert bits(ours.X.data) == bits(theirs.X.data)
    assert same_rows(source.read(), opened().read())


def test_a_second_pass_comes_to_a_name_too_many_again(save: Save) -> None:
    source = vw_source([Input(save("f.vw", "1 | a b\n1 | c a\n"))], features=2)
    for _ in range(2):
        with pytest.raises(DataError, match=r"f.vw:2: found the name 'c' after 2 different ones"):
            source.read()


def test_labels_that_are_words_are_remembered(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 8)
    path = save("f.vw", "1 | a\n2 | a\nspam | a\n")
    told = vw_source([Input(path)], word_labels=True)
    told.read()
    source = vw_source([Input(path)])
    source.load_state_dict(json.loads(json.dumps(told.state_dict())))
    labels = [chunk.y.tolist() for chunk in source.chunks() if chunk.y is not None]
    assert labels == [["1"], ["2"], ["spam"]]


def test_skipped_rows_are_remarked_on(save: Save) -> None:
    path = save("f.vw", "1 | a\n1 | a:x:y:z |b:c\n-1 | b\n")
    source = vw_source([Input(path)], hash_bits=4, skip=True)
    source.read()
    assert source.skipped == 1
    assert len(source.notes()) == 2
    assert source.notes()[0] == "1 bad row left out"


@pytest.mark.parametrize("size", [8, 2**21])
def test_rows_of_importance_0_count_wherever_blocks_end(
    save: Save, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    source = vw_source([Input(save("f.vw", "1 | a\n-1 0 | a\n1 0 | b\n-1 | b\n"))])
    assert source.read().X.shape[0] == 2
    assert source.notes() == ["2 rows of importance 0 left out"]


def test_blocks_of_any_size_give_the_same_rows(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save("f.vw", text_of(300, 2))
    source = vw_source([Input(path)])
    expected = source.read()
    assert source.feature_names is not None
    assert len(source.feature_names) > 1000  # so that the table had to grow
    for size in (1, 700, 5000, 20_000):
        monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
        again = vw_source([Input(path)])
        found = again.read()
        assert again.feature_names == source.feature_names
        assert found.X.indices.tolist() == expected.X.indices.tolist()
        assert bits(found.X.data) == bits(expected.X.data)
        assert np.array_equal(found.lines, expected.lines)


def test_names_come_in_the_order_of_their_first_appearance(save: Save) -> None:
    text = text_of(200, 3)
    source = vw_source([Input(save("f.vw", text))])
    source.read()
    names: dict[str, None] = {}
    for line in text.splitlines():
        for part in line.split("|")[1:]:
            space, *features = part.split()
            for feature in features:
                names[f"{space.partition(':')[0]}^{feature.partition(':')[0]}"] = None
    assert source.feature_names == list(names)


def test_a_row_of_very_many_features(save: Save) -> None:
    names = [f"f{k}" for k in range(200_000)]
    source = vw_source([Input(save("f.vw", f"1 |{'n' * 40} " + " ".join(names[::-1]) + "\n1 | a"))])
    chunk = source.read()
    check_chunk(chunk)
    assert chunk.X.shape == (2, 200_001)
    assert source.feature_names is not None
    assert source.feature_names[-2] == "n" * 40 + "^f0"
