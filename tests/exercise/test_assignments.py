"""Exercises from the list of students to their grades, by the commands, bad input included."""

import csv
import json
from html.parser import HTMLParser

import pytest

from novikoff.exercise.registry import kind_names
from novikoff.exercise.students import file_names
from tests.helpers.shell import novikoff

STUDENTS = "name,group\nAda Lovelace,1\nZoë  Fermi,2\nZoe Fermi,2\n\n\"<b>Bobby</b>, 'Tables'\",1\n"
NAMES = ["Ada Lovelace", "Zoë Fermi", "Zoe Fermi", "<b>Bobby</b>, 'Tables'"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "list.csv").write_text(STUDENTS)
    return tmp_path


def new(folder, kind="margin", *more, output="out"):
    words = ("exercise", "new", kind, "--students", "list.csv", "--output", output, *more)
    return novikoff(*words, cwd=folder)


def graded(folder, answers, *more):
    """The grades of some answers, by student."""
    code, out, err = novikoff("exercise", "grade", "out", answers, "--json", *more, cwd=folder)
    assert code in (0, 1), err
    grades = json.loads(out)["grades"]
    assert code == (0 if all(each["result"] == "correct" for each in grades) else 1)
    return {each["student"]: each for each in grades}


def keys(folder):
    files = sorted((folder / "out" / "keys").glob("*.json"))
    return {each["student"]: each["key"] for each in map(json.loads, map(read, files))}


def read(path):
    return path.read_text()


@pytest.mark.parametrize("kind", kind_names())
def test_every_student_has_a_sheet_and_a_key_that_is_graded_as_correct(folder, kind):
    code, out, err = new(folder, kind)
    assert (code, err) == (0, "")
    assert "4 sheets in" in out
    assert set(keys(folder)) == set(NAMES)
    (folder / "answers.json").write_text(
        json.dumps([{"student": name, **key} for name, key in keys(folder).items()])
    )
    grades = graded(folder, "answers.json")
    assert [grades[name]["result"] for name in NAMES] == ["correct"] * 4
    for name in NAMES:
        sheet = next((folder / "out" / "sheets").glob(f"{file_names(NAMES)[name]}.md"))
        assert all(field in read(sheet) for field in keys(folder)[name])


def test_data_depend_on_seed_and_name_alone(folder):
    new(folder, "separator", "--seed", "5")
    (folder / "list.csv").write_text("student\nZoe Fermi\nAda  Lovelace\n")
    new(folder, "separator", "--seed", "5", output="again")
    new(folder, "separator", "--seed", "6", output="other")

    def data(output):
        return read(folder / output / "sheets" / "ada-lovelace.csv")

    assert data("out") == data("again") != data("other")


def test_three_formats_say_the_same(folder):
    new(folder)
    key = keys(folder)["Ada Lovelace"]
    text = read(folder / "out" / "sheets" / "ada-lovelace.answer.txt")
    for name, value in key.items():
        text = text.replace(f"\n{name}:\n", f"\n{name.upper()} : {value}\n")
    (folder / "ada.txt").write_text(text)
    (folder / "ada.json").write_text(json.dumps({"student": "Ada Lovelace", **key}))
    with (folder / "ada.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["Student", *key], ["Ada Lovelace", *key.values()]])
    for name in ("ada.txt", "ada.json", "ada.csv"):
        assert graded(folder, name)["Ada Lovelace"]["result"] == "correct", name


def test_json_numbers_are_read_as_they_are_written(folder):
    """0.1 is a tenth there, and a list of points is one."""
    new(folder, "placement")
    key = keys(folder)["Ada Lovelace"]
    points = {
        name: [[int(v) for v in p.split(",")] for p in text.strip("()").split(") (")]
        for name, text in key.items()
    }
    (folder / "a.json").write_text(json.dumps({"student": "Ada Lovelace", **points}))
    assert graded(folder, "a.json")["Ada Lovelace"]["result"] == "correct"


def test_grades_say_what_is_wrong_and_go_on(folder):
    new(folder)
    answers = folder / "answers"
    answers.mkdir()
    (answers / "ada.txt").write_text(
        "student: Ada Lovelace\nradius_squared: 1\nmargin_squared: 1/2\nbound: 2\n"
    )
    (answers / "zoe.txt").write_text("student: Zoe Fermi\nbound: 2\nmargin_squared: 1\n")
    (answers / "zoe2.txt").write_text("student: Zoë Fermi\nbound: 2\nbound: 3\n")
    (answers / "who.json").write_text('{"student": "Ada Lovelac", "bound": 2}')
    (answers / "nobody.txt").write_text("bound: 2\n")
    (answers / "bad.json").write_text("{")
    (answers / "deep.json").write_text("[" * 10**5)
    (answers / "bytes.txt").write_bytes(b"student: \xff\n")
    (answers / "more.csv").write_text("student,bound\nBobby,1,2\n")
    (answers / "notes.pdf").write_bytes(b"%PDF")
    code, out, _ = novikoff(
        "exercise", "grade", "out", "answers", "--output", "g.csv", cwd=folder
    )  # fmt: skip
    assert code == 1
    for words in (
        "wrong    Ada Lovelace\n         radius_squared: 1 is not D²: no row has it",
        "margin_squared: 1/2 is not γ²",
        "refused  Zoe Fermi\n         nothing is given for radius_squared",
        "line 3: bound is given twice",
        "no student of this exercise is called 'Ada Lovelac'; is it 'Ada Lovelace'?",
        "no student is named; write: student: YOUR NAME",
        "not JSON: Expecting property name",
        "not JSON: nested too deeply",
        "not UTF-8: byte 9 cannot be read",
        "3 cells under 2 names; put a list between quotes",
        "missing  <b>Bobby</b>, 'Tables'",
        "2 missing, 8 refused, 1 wrong",
    ):
        assert words in out or words in " ".join(out.split()), words
    with (folder / "g.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"student": "Ada Lovelace", "result": "wrong"}.items() <= rows[0].items()
    assert len(rows) == 11


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"colour": "blue"}, "unknown field 'colour'; expected radius_squared, margin_squared"),
        ({"bound": "9" * 10**5}, "bound: a number of 100,000 characters is too long; at most 60"),
        ({"bound": {"a": 1}}, "is not a number"),
        ({"bound": None}, "is not a number"),
        ({"bound": 1e400}, "bound: 'Infinity' is not a number"),
        ({"bound": ""}, "nothing is given for bound"),
        ({"bound": [[[[1]]]]}, "is not a number"),
    ],
)
def test_answers_that_cannot_be_read_are_refused_with_the_reason(folder, fields, words):
    new(folder)
    answer = {"student": "Ada Lovelace", **keys(folder)["Ada Lovelace"], **fields}
    (folder / "a.json").write_text(json.dumps(answer))
    grade = graded(folder, "a.json")["Ada Lovelace"]
    assert grade["result"] == "refused"
    assert words in grade["remarks"][0]


def test_two_answers_of_one_student_are_refused(folder):
    new(folder)
    answer = {"student": "Ada Lovelace", **keys(folder)["Ada Lovelace"]}
    (folder / "a.json").write_text(json.dumps([answer, answer]))
    grade = graded(folder, "a.json")["Ada Lovelace"]
    assert grade["remarks"] == ["2 answers of this student were handed in; keep one"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column is called student or name"),
        ("Ada\nBob\n", "no column is called student or name"),
        ("name\n", "there are no students below the first line"),
        ("name\nAda\n Ada \n", "line 3: 'Ada' is on line 2 too; tell them apart"),
        ("name,x\n,1\n", "line 2: the student has no name"),
        (f"name\n{'a' * 201}\n", "line 2: a name of 201 characters; at most 200"),
        ("name\nA\x07da\n", "has characters that cannot be printed"),
        ('name\n"Ada\n', "line 2: unexpected end of data"),
        (b"name\n\xff\n", "not UTF-8: byte 5"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused(folder, text, words):
    (folder / "list.csv").write_bytes(text.encode() if isinstance(text, str) else text)
    code, out, err = new(folder)
    assert (code, out) == (2, "")
    assert words in err
    assert not (folder / "out").exists()


def test_usage_that_cannot_be_right_is_refused(folder):
    (folder / "out").mkdir()
    (folder / "out" / "file").touch()
    code, _, err = new(folder)
    assert code == 2
    assert "out: exists and is not an empty folder" in err
    code, _, err = new(folder, "margins")
    assert code == 2
    assert "no kind of exercise is called 'margins': choose one of conflict, " in err
    for words, said in (
        (("out", "list.csv"), "it has no exercise.json"),
        (("nowhere", "list.csv"), "it has no exercise.json"),
    ):
        code, _, err = novikoff("exercise", "grade", *words, cwd=folder)
        assert (code, said in err) == (2, True), err
    new(folder, output="ok")
    code, _, err = novikoff("exercise", "grade", "ok", "nothing.txt", cwd=folder)
    assert (code, err) == (2, "novikoff: nothing.txt: there is no such file or folder\n")
    (folder / "empty").mkdir()
    code, _, err = novikoff("exercise", "grade", "ok", "empty", cwd=folder)
    assert "no file ends in .txt, .csv, .json" in err


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        ("exercise.json", lambda text: text[:-5], "damaged: not JSON"),
        ("exercise.json", lambda _: "[]", "damaged: not a JSON object"),
        ("exercise.json", lambda text: text.replace('"version": 1', '"version": 2'), "version"),
        ("exercise.json", lambda text: text.replace("ada-lovelace", "../../x"), "file name"),
        ("exercise.json", lambda text: text.replace('"students"', '"pupils"'), "damaged"),
        ("keys/ada-lovelace.json", lambda text: text.replace("rows", "lines"), "as novikoff wrote"),
        ("keys/ada-lovelace.json", lambda text: text.replace("-1", "0.5"), "not a whole number"),
        ("keys/ada-lovelace.json", lambda text: text.replace('  "x1",\n', ""), "more or fewer"),
    ],
)
def test_a_damaged_folder_is_refused(folder, file, change, words):
    new(folder)
    path = folder / "out" / file
    (folder / "a.json").write_text(
        json.dumps({"student": "Ada Lovelace", **keys(folder)["Ada Lovelace"]})
    )
    path.write_text(change(read(path)))
    code, _, err = novikoff("exercise", "grade", "out", "a.json", cwd=folder)
    assert code == 2
    assert words in err


class Text(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def test_sheets_print_one_to_a_page_and_escape_names(folder):
    new(folder, "separator")
    page = Text(read(folder / "out" / "sheets.html"))
    assert page.tags.count("section") == 4
    assert "b" not in page.tags
    assert "script" not in page.tags
    assert "<b>Bobby</b>, 'Tables'" in page.words
    assert "break-before: page" in read(folder / "out" / "sheets.html")
    bobby = read(folder / "out" / "sheets" / "b-bobby-b-tables.md")
    assert "\\<b\\>Bobby\\</b\\>" in bobby


OWN = """
from novikoff.exercise import Field, Task

title = "Add two numbers"
fields = (Field("sum", "a whole number"),)


def make(draw):
    return Task(("a", "b"), ((draw.randint(1, 9), draw.randint(1, 9)),))


def question(task):
    return ["Add `a` and `b`."]


def key(task):
    return {"sum": str(sum(task.rows[0]))}


def grade(task, answer):
    return [] if answer.number("sum") == sum(task.rows[0]) else ["sum: not the sum"]
"""


def test_a_lecturer_can_add_a_kind(folder):
    (folder / "addition.py").write_text(OWN)
    code, out, err = new(folder, "addition.py")
    assert (code, err) == (0, "")
    assert "--kind addition.py" in out
    answers = [{"student": name, **key} for name, key in keys(folder).items()]
    answers[0]["sum"] = "100"
    (folder / "a.json").write_text(json.dumps(answers))
    code, _, err = novikoff("exercise", "grade", "out", "a.json", cwd=folder)
    assert code == 2
    assert "made by a kind of your own, addition.py: give its file with --kind" in err
    code, _, err = novikoff("exercise", "grade", "out", "a.json", "--kind", "margin", cwd=folder)
    assert (code, "was made by the kind addition.py" in err) == (2, True)
    grades = graded(folder, "a.json", "--kind", "addition.py")
    assert sorted(each["result"] for each in grades.values()) == ["correct"] * 3 + ["wrong"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("def grade", "def graded"), "not a kind of exercise: it has no grade"),
        (('fields = (Field("sum", "a whole number"),)', "fields = ('sum',)"), "tuple of"),
        (('title = "Add', "title = 1 / 0  #"), "cannot be loaded: ZeroDivisionError"),
        (("== sum(", "!= sum("), "its own key is graded as wrong: sum: not the sum"),
        (("draw.randint(1, 9)),)", "0.5),)"), "a number is not a whole number"),
        (("return Task", "return list"), "not a Task"),
    ],
)
def test_a_kind_that_is_not_one_is_refused(folder, change, words):
    text = OWN.replace(*change)
    text = text.replace('return list(("a", "b"), ', "return list(") if "list((" in text else text
    (folder / "addition.py").write_text(text)
    code, _, err = new(folder, "addition.py")
    assert (code, words in err) == (2, True), err
    assert not (folder / "out").exists()
    assert "there is no such file" in new(folder, "other.py")[2]
