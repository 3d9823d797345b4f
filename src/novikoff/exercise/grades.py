"""Grades: every answer held against its student's own data, in exact arithmetic."""

import difflib
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from novikoff.exercise.answer import Answer, AnswerError
from novikoff.exercise.assignment import Assignment
from novikoff.exercise.kind import Kind
from novikoff.exercise.submissions import Submission


class Result(StrEnum):
    """What became of an answer."""

    CORRECT = "correct"
    WRONG = "wrong"
    REFUSED = "refused"  # it cannot be read, or is nobody's
    MISSING = "missing"


class Grade(NamedTuple):
    """The result of one student, what is wrong in sentences, and where the answer stands."""

    student: str
    result: Result
    remarks: list[str]
    place: str = ""


def grade_all(assignment: Assignment, kind: Kind, answers: Iterable[Submission]) -> list[Grade]:
    """A grade for each student of the list, in its order, and then for what is nobody's."""
    answers = list(answers)
    times = Counter(each.student for each in answers)
    graded = [_grade(assignment, kind, each, times[each.student]) for each in answers]
    handed_in = {each.student for each in graded}
    missing = [
        Grade(name, Result.MISSING, ["no answer was handed in"])
        for name in assignment.files
        if name not in handed_in
    ]
    place = {name: k for k, name in enumerate(assignment.files)}
    return sorted([*graded, *missing], key=lambda each: place.get(each.student, len(place)))


def _grade(assignment: Assignment, kind: Kind, given: Submission, times: int) -> Grade:
    problem = given.problem or _whose(assignment, given, times) or _fields(kind, given)
    if problem:
        return Grade(given.student, Result.REFUSED, [problem], given.place)
    task = assignment.task(given.student)
    try:
        wrong = kind.grade(task, Answer(given.fields))
    except AnswerError as error:
        return Grade(given.student, Result.REFUSED, [str(error)], given.place)
    result = Result.WRONG if wrong else Result.CORRECT
    return Grade(given.student, result, wrong, given.place)


def _whose(assignment: Assignment, given: Submission, times: int) -> str:
    """The problem with an answer's student; "" if there is none."""
    if given.student not in assignment.files:
        near = difflib.get_close_matches(given.student, assignment.files, 1)
        meant = f"; is it {near[0]!r}?" if near else ""
        return f"no student of this exercise is called {given.student[:100]!r}{meant}"
    return f"{times} answers of this student were handed in; keep one" if times > 1 else ""


def _fields(kind: Kind, given: Submission) -> str:
    """The problem with an answer's fields; "" if there is none."""
    wanted = [each.name for each in kind.fields]
    lacking = [name for name in wanted if not given.fields.get(name, "").strip()]
    if lacking:
        return f"nothing is given for {', '.join(lacking)}"
    unknown = [name[:30] for name in given.fields if name not in wanted]
    return f"unknown field {unknown[0]!r}; expected {', '.join(wanted)}" if unknown else ""
