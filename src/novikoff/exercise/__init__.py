"""Exercises: data of their own for each student, sheets, keys, and grades in exact arithmetic.

    kind          what a kind of exercise is
    kinds/        one short file for each built-in kind
    registry      finds a kind by its name, or by the path of a file of your own
    answer        an answer's fields, read as exact numbers
    submissions   the answers that students handed in: text, CSV or JSON
    students      the list of students
    assignment    the folder with everyone's sheets and keys
    sheet         a sheet as Markdown and as HTML to print, with a plot of the points
    grades        every answer held against its student's own data

The names below are what a kind of your own needs.
"""

from novikoff.exercise.answer import Answer, AnswerError
from novikoff.exercise.kind import Field, Kind, Task

__all__ = ["Answer", "AnswerError", "Field", "Kind", "Task"]
