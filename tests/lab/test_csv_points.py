"""Tables become points: two columns and two labels, or a sentence that says why not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.errors import DataError, NovikoffError
from novikoff.lab.state.csv_points import pasted
from novikoff.lab.state.url_values import MOST_POINTS, Point, read_points

TABLE = "id,size,weight,kind\n1,0.1,2.5,cat\n2,3,-4e-3,dog\n3,0,7,cat\n"


def refused(text, **asked):
    """Why there are no points: of a table, whose columns are told, or of what is none."""
    try:
        found = pasted(text, **asked)
    except DataError as error:
        return str(error)
    assert found["columns"]
    assert found["points"] == ""
    return found["problem"]


def test_columns_are_chosen_or_asked_for():
    found = pasted(TABLE)
    assert found == {
        "columns": ["id", "size", "weight", "kind"],
        "x": "id",
        "y": "size",
        "target": "kind",
        "labels": ["cat", "dog"],
        "names": {"x": "id", "y": "size", "minus": "cat", "plus": "dog"},
        "points": "n1,0.1p2,3n3,0",
        "note": "1 other column is not used.",
        "problem": None,
    }
    asked = pasted(TABLE, "weight", "size")
    assert (asked["x"], asked["y"]) == ("weight", "size")
    assert asked["points"] == "n2.5,0.1p-0.004,3n7,0"
    assert pasted(TABLE, None, "id")["x"] == "size"  # the first that is free


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("x,y,colour\n1,2,red\n3,4,blue\n", "colour"),
        ("Class,x,y\n1,2,3\n0,3,4\n", "Class"),
        ("x,label,y\n1,0,3\n0,1,4\n", "label"),
        ("1,2,a\n3,4,b\n", "column 3"),
    ],
)
def test_the_target_is_called_so_or_the_last(text, target):
    assert pasted(text)["target"] == target


@pytest.mark.parametrize(
    "text",
    [
        "a,b,t\n1,2,u\n3,4.5,v\n",
        "a\tb\tt\n1\t2\tu\n3\t4.5\tv\n",
        "a;b;t\r\n1;2;u\r\n3;4.5;v\r\n",
        "a b t\n1 2 u\n3 4.5 v\n",
        '"a","b","t"\n"1","2","u"\n"3","4.5","v"',
        "\ufeffa,b,t\n1,2,u\n\n3,4.5,v\n",
    ],
)
def test_delimiters_and_line_ends_are_found_out(text):
    found = pasted(text)
    assert found["points"] == "n1,2p3,4.5"
    assert found["columns"] == ["a", "b", "t"]


def test_rows_without_a_header_have_numbered_columns():
    found = pasted("1,2,a,9\n3,4,b,8\n", target="column 3", y="column 4")
    assert found["columns"] == ["column 1", "column 2", "column 3", "column 4"]
    assert found["points"] == "n1,9p3,8"


def test_labels_are_taken_in_sorted_order():
    assert pasted("a,b,t\n1,2,10\n3,4,9\n")["labels"] == ["9", "10"]  # numbers, not words
    assert pasted("a,b,t\n1,2,1\n3,4,-1\n")["points"] == "p1,2n3,4"


def test_columns_that_are_not_asked_for_may_hold_anything():
    assert pasted("a,b,c,t\n1,2,,u\n3,4,?,v\n")["points"] == "n1,2p3,4"


def test_as_many_points_as_there_may_be():
    lines = "".join(f"{k},{k * k},{k % 2}\n" for k in range(MOST_POINTS))
    found = read_points(pasted(f"a,b,t\n{lines}")["points"])
    assert found[3] == Point(3.0, 9.0, 1)
    assert len(found) == MOST_POINTS
    assert "501 rows, expected at most 500: leave some out" in refused(f"a,b,t\n{lines}1,2,1\n")


@pytest.mark.parametrize(
    ("text", "asked", "words"),
    [
        ("", {}, ["the text is empty"]),
        ("a,b,t\n", {}, ["line 1", "no rows after the header"]),
        ("a,b,t\n1,2,u\n3,zz,v\n", {}, ["line 3", "'b'", "'zz'", "expected a number"]),
        ("a,b,t\n1,2,u\n3,,v\n", {}, ["line 3", "'b'", "missing"]),
        ("a,b,t\n1,2,u\n3,4,\n", {}, ["line 3", "label is missing"]),
        ("a,b,t\n1,2,u\n3,v\n", {}, ["line 3", "number of fields is 2, expected 3"]),
        ("a,b,t\n1,nan,u\n3,4,v\n", {}, ["line 2", "nan"]),
        ("a,b,t\n1,2,u\n3,4,v\n5,6,w\n", {}, ["'t' has 3 different labels", "'u', 'v', 'w'"]),
        ("a,b,t\n1,2,u\n3,4,u\n", {}, ["1 different label ", "expected two"]),
        ("a,b,t\n1,2e7,u\n3,4,v\n", {}, ["line 2", "'b' is 2e+07", "another unit"]),
        ("a,b,t\n1,2,u\n3e-9,4,v\n", {}, ["line 3", "'a' is 3e-09"]),
        ("a,t\n1,u\n3,v\n", {}, ["1 column of numbers besides the target 't'"]),
        ("a,b,t\nx,2,u\ny,4,v\n", {}, ["1 column of numbers"]),
        ("a,b,t\n1,2,u\n3,4,v\n", {"x": "q"}, ["no column is called 'q'", "'a', 'b', 't'"]),
        ("a,a,t\n1,2,u\n3,4,v\n", {}, ["2 columns are called 'a'"]),
        ("a,b,t\n1,2,u\n3,4,v\n", {"x": "a", "y": "a"}, ["three different columns"]),
        ("a,b,t\n1,2,u\n3,4,v\n", {"x": "t", "y": "a"}, ["three different columns"]),
        ("1,x\n2,3\n", {}, ["line 1", "header", "put a line with a name for each column first"]),
        ("\x00\x01", {}, ["NUL"]),
        ("\ud800", {}, ["half a character"]),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(text, asked, words):
    message = refused(text, **asked)
    assert all(word in message for word in words), message
    assert "pasted.csv" not in message
    assert "=True" not in message
    assert "categorical" not in message


@given(
    st.one_of(st.text(), st.text('0123456789,;\t\n" .eax-', max_size=60)),
    st.sampled_from([None, "a", "column 1"]),
)
@example("a,b,t\n1,2,u\n" * 2, None)
def test_any_text_is_points_or_refused(text, x):
    try:
        found = pasted(text, x)
    except NovikoffError:
        return
    if found["problem"] is None:
        assert 2 <= len(read_points(found["points"])) <= MOST_POINTS
        assert len(found["labels"]) == 2
    else:
        assert found["points"] == ""


def test_where_the_first_choice_fails_another_can_be_made():
    text = "a,b,kind,sort\n1,2,u,x\n3,4,v,y\n5,6,v,z\n"
    found = pasted(text)
    assert "'sort' has 3 different labels" in found["problem"]
    assert found["columns"] == ["a", "b", "kind", "sort"]
    assert pasted(text, found["x"], found["y"], "kind")["points"] == "n1,2p3,4p5,6"


def test_the_points_are_the_file_s(tmp_path):
    """What the command line reads from a file is what the lab takes from its text."""
    text = "a,b,t\n" + "".join(
        f"{k / 7},{k / 3 - 5},{'no' if k % 3 else 'yes'}\n" for k in range(30)
    )
    path = tmp_path / "points.csv"
    path.write_text(text, encoding="utf-8")
    chunk = nk.open(path, target="t").read()
    points = read_points(pasted(text)["points"])
    assert [list(point[:2]) for point in points] == chunk.X.tolist()
    assert [point.label > 0 for point in points] == (chunk.y == "yes").tolist()
