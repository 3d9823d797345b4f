"""The answers that students handed in: text, CSV or JSON, in one file or a folder of them.

    student: Ada Lovelace            {"student": "Ada Lovelace",         student,weights,intercept
    weights: 1, -2/3                  "weights": ["1", "-2/3"],          Ada Lovelace,"1, -2/3",0.5
    intercept: 0.5                    "intercept": 0.5}

A text file is one answer; lines that begin with # are left out. A JSON file is one object or a list
of them, whose numbers are read as they are written, digit by digit. Of a CSV file each line is one
answer.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

from novikoff.errors import DataError, NovikoffError
from novikoff.exercise.students import csv_rows, normal_name, read_text

LARGEST = 10**6  # bytes of one file
SUFFIXES = (".txt", ".csv", ".json")


class Submission(NamedTuple):
    """One answer: where it stands, whose it is, its fields; or the problem in reading it."""

    place: str
    student: str
    fields: dict[str, str]
    problem: str = ""


def read_submissions(path: Path) -> list[Submission]:
    """All answers of a file, or of the files of a folder; what cannot be read is among them."""
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return _read_file(path)
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
    if not files:
        raise DataError(f"{path}: no answers there: no file ends in {', '.join(SUFFIXES)}")
    return [each for file in files for each in _readable(file)]


def _readable(path: Path) -> list[Submission]:
    """The answers of a file; one that cannot be read does not keep others from being graded."""
    try:
        return _read_file(path)
    except NovikoffError as error:
        return [Submission(str(path), "", {}, str(error).removeprefix(f"{path}: "))]


def _read_file(path: Path) -> list[Submission]:
    text = read_text(path, LARGEST)
    if path.suffix.lower() == ".json":
        return _from_json(path, text)
    if path.suffix.lower() == ".csv":
        return _from_csv(path, text)
    return [_submission(str(path), _from_text(path, text))]


def _submission(place: str, fields: dict[str, str]) -> Submission:
    fields = {name.strip().lower(): value for name, value in fields.items()}
    student = normal_name(fields.pop("student", ""))
    if not student:
        return Submission(place, "", fields, "no student is named; write: student: YOUR NAME")
    return Submission(place, student, fields)


def _from_text(path: Path, text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, colon, value = line.partition(":")
        name = name.strip().lower()
        if not colon:
            raise DataError(f"{path}: line {number}: expected a field, such as weights: 1, 2")
        if name in fields:
            raise DataError(f"{path}: line {number}: {name[:30]} is given twice")
        fields[name] = value.strip()
    return fields


def _from_csv(path: Path, text: str) -> list[Submission]:
    lines = csv_rows(path, text)
    header = [cell.strip().lower() for cell in lines[0][1]] if lines else []
    if "student" not in header:
        raise DataError(f"{path}: no column is called student; the first line names the columns")
    if len(set(header)) < len(header):
        raise DataError(f"{path}: two columns have the same name")
    found = []
    for line, row in lines[1:]:
        place = f"{path}: line {line}"
        if len(row) != len(header):
            said = f"{len(row)} cells under {len(header)} names; put a list between quotes"
            found.append(Submission(place, normal_name(row[0]), {}, said))
        else:
            found.append(_submission(place, dict(zip(header, row, strict=True))))
    return found


def _from_json(path: Path, text: str) -> list[Submission]:
    try:
        content = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise DataError(f"{path}: not JSON: {reason}") from None
    answers = content if isinstance(content, list) else [content]
    found = []
    for number, each in enumerate(answers, start=1):
        place = f"{path}: answer {number}" if isinstance(content, list) else str(path)
        if not isinstance(each, dict):
            raise DataError(f"{place}: expected an object with the fields of an answer")
        found.append(_submission(place, {name: _as_text(v) for name, v in each.items()}))
    return found


def _as_text(value: object, depth: int = 0) -> str:
    """A JSON value as a student would write it in a text file."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and depth < 2:
        points = any(isinstance(each, list) for each in value)
        return ("; " if points else ", ").join(_as_text(each, depth + 1) for each in value)
    return value if isinstance(value, str) else re.sub(r"\s+", " ", repr(value))[:100]
