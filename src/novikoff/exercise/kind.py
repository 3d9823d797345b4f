"""A kind of exercise: a module that makes a task, asks about it, and grades an answer exactly.

A kind is a Python file with these names (`kinds/separator.py` is a short one to begin from):

    title      a few words
    fields     what an answer consists of: a tuple of `Field(name, hint)`
    make       make(draw) -> Task: a student's own data; draw is a random.Random
    question   question(task) -> list of paragraphs; `words` in backticks are set as code
    key        key(task) -> dict of field name to text: a right answer
    grade      grade(task, answer) -> list of what is wrong, in sentences; empty if all is right

`grade` should say what is wrong without giving the answer away. It reads fields through `Answer`,
as exact numbers. Tasks hold whole numbers only, so that everything can be done by hand.
"""

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol

from novikoff.exercise.answer import Answer


class Field(NamedTuple):
    """A field of an answer, and what to write there."""

    name: str
    hint: str


class Task(NamedTuple):
    """A student's data: rows of whole numbers under their names, and whatever else is given."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    given: Mapping[str, int] = MappingProxyType({})


class Kind(Protocol):
    """What a kind's module has; see above."""

    title: str
    fields: tuple[Field, ...]

    def make(self, draw: Random) -> Task: ...

    def question(self, task: Task) -> Sequence[str]: ...

    def key(self, task: Task) -> Mapping[str, str]: ...

    def grade(self, task: Task, answer: Answer) -> list[str]: ...
