"""A folder with an exercise for each student: sheets to hand out, keys to keep.

    exercise.json          the kind, the seed, and the students with their file names
    sheets.html            all sheets in one file, to print
    sheets/NAME.md .html .csv .svg      a student's sheet, data, and a plot of points
    sheets/NAME.answer.txt a form to fill in and hand back
    keys/NAME.json         the data again, and a right answer

A student's data depend on the seed, the kind and the name alone, not on the others in the list.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from novikoff.errors import DataError, ParameterError, WriteError
from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Kind, Task
from novikoff.exercise.sheet import Sheet, printable
from novikoff.exercise.students import file_names, read_text
from novikoff.files import atomic_write

FORMAT, VERSION = "novikoff exercise", 1
LARGEST = 10**7  # bytes of a file of ours


class Assignment(NamedTuple):
    """An exercise that was made: its folder, its kind's name, and each student's file name."""

    folder: Path
    kind: str
    seed: int
    files: Mapping[str, str]

    def task(self, student: str) -> Task:
        """A student's data, as they were written."""
        path = self.folder / "keys" / f"{self.files[student]}.json"
        content = _json(path)
        try:
            columns, rows, given = (content[name] for name in ("columns", "rows", "given"))
            task = Task(tuple(columns), tuple(map(tuple, rows)), dict(given))
            problem = defect(task)
        except (KeyError, TypeError, ValueError):
            problem = "columns, rows and given are not as novikoff wrote them"
        if problem:
            raise DataError(f"{path}: damaged: {problem}")
        return task


def defect(task: object) -> str:
    """What keeps a task from being one of whole numbers under names; "" if nothing does."""
    if not isinstance(task, Task):
        return "not a Task"
    if not task.rows or not task.columns or not all(isinstance(c, str) for c in task.columns):
        return "no rows, or columns without names"
    if any(len(row) != len(task.columns) for row in task.rows):
        return "a row has more or fewer numbers than there are columns"
    values = [*task.given.values(), *(v for row in task.rows for v in row)]
    return "" if all(type(v) is int for v in values) else "a number is not a whole number"


def make_assignment(
    kind: Kind, name: str, students: list[str], seed: int, folder: Path
) -> Assignment:
    """Write a folder with a task for each student."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ParameterError(f"{folder}: exists and is not an empty folder; choose another name")
    made = Assignment(folder, name, seed, file_names(students))
    sheets = {
        each: _sheet(kind, name, each, seed) for each in students
    }  # all, before any is written
    try:
        for part in ("sheets", "keys"):
            (folder / part).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{folder}: cannot be made: {error.strerror}") from None
    for student, sheet in sheets.items():
        for file, text in _files(kind, made.files[student], sheet):
            atomic_write(folder / file, text.encode())
    atomic_write(folder / "sheets.html", printable(sheets.values()).encode())
    atomic_write(folder / "exercise.json", _manifest(made).encode())
    return made


def _sheet(kind: Kind, name: str, student: str, seed: int) -> Sheet:
    task = kind.make(Random(f"{seed}\n{name}\n{student}"))
    problem = defect(task)
    if not problem:
        wrong = kind.grade(task, Answer(kind.key(task)))
        problem = f"its own key is graded as wrong: {'; '.join(wrong)}" if wrong else ""
    if problem:
        raise ParameterError(f"{name}: make is not right for {student!r}: {problem}")
    return Sheet(student, kind.title, kind.question(task), kind.fields, task)


def _files(kind: Kind, name: str, sheet: Sheet) -> Iterator[tuple[str, str]]:
    """The files of a student, with their places in the folder."""
    yield f"sheets/{name}.md", sheet.markdown(name)
    yield f"sheets/{name}.html", printable([sheet])
    yield f"sheets/{name}.csv", sheet.csv()
    yield f"sheets/{name}.answer.txt", sheet.form()
    if sheet.plot:
        yield f"sheets/{name}.svg", sheet.plot
    task = sheet.task
    key = {"columns": task.columns, "rows": task.rows, "given": dict(task.given)}
    content = {"student": sheet.student, **key, "key": dict(kind.key(task))}
    yield f"keys/{name}.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _manifest(made: Assignment) -> str:
    content = {
        "format": FORMAT, "version": VERSION, "kind": made.kind, "seed": made.seed,
        "students": [{"student": name, "file": file} for name, file in made.files.items()],
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def open_assignment(folder: Path) -> Assignment:
    """The assignment that was written to a folder."""
    path = folder / "exercise.json"
    if not path.is_file():
        raise DataError(f"{folder}: not a folder of novikoff exercise new: it has no exercise.json")
    content = _json(path)
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise DataError(f"{path}: not an exercise of this version ({FORMAT}, {VERSION})")
    try:
        files = {str(each["student"]): str(each["file"]) for each in content["students"]}
        found = Assignment(folder, str(content["kind"]), int(content["seed"]), files)
    except (KeyError, TypeError, ValueError):
        raise DataError(f"{path}: damaged: kind, seed or students are not as written") from None
    if any(not name.replace("-", "").isalnum() or not name.isascii() for name in files.values()):
        raise DataError(f"{path}: damaged: a student's file name is not one that novikoff gives")
    return found


def _json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(path, LARGEST))
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path}: damaged: not JSON") from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: damaged: not a JSON object")
    return content
