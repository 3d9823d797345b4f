"""Which variables are relevant? A disjunction, and Winnow's bound for it."""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random

from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import numbered
from novikoff.theory.bounds import winnow

title = "Which variables are relevant?"
fields = (
    Field("variables", "their names, such as x2, x7"),
    Field("bound", "Winnow's bound on mistakes, a whole number"),
)
VARIABLES, ROWS = 16, 14
NAMES = tuple(f"x{k + 1}" for k in range(VARIABLES))


def make(draw: Random) -> Task:
    """Rows of 0 and 1, labelled by the OR of a few variables, which no others explain."""
    while True:
        relevant = draw.sample(range(VARIABLES), draw.choice((2, 3)))
        rows = []
        for k in range(ROWS):
            row = [int(draw.random() < 0.4) for _ in range(VARIABLES)]
            for j in relevant:
                row[j] = 0
            if k % 2:
                row[draw.choice(relevant)] = 1
            rows.append((*row, k % 2))
        draw.shuffle(rows)
        task = Task((*NAMES, "label"), tuple(rows), {"relevant": len(relevant)})
        if sum(1 for _ in explanations(task)) == 1:
            return task


def explanations(task: Task) -> Iterator[tuple[int, ...]]:
    """The disjunctions of at most as many variables that agree with every row."""
    for size in range(1, task.given["relevant"] + 1):
        for chosen in combinations(range(VARIABLES), size):
            if all(any(row[j] for j in chosen) == bool(row[-1]) for row in task.rows):
                yield chosen


def question(task: Task) -> list[str]:
    r = task.given["relevant"]
    return [
        f"The label is the OR of {r} of the {VARIABLES} variables: it is 1 if and only if one of"
        f" these {r} is 1. Which ones? Only one choice agrees with all rows.",
        "And how many mistakes can Winnow make on such rows at most, in any order and however many"
        " there are? Its bound is 2 + 3r(1 + lg n) for r relevant ones among n variables, with lg"
        " the logarithm to base 2.",
    ]


def key(task: Task) -> Mapping[str, str]:
    chosen = next(explanations(task))
    bound = math.floor(winnow(task.given["relevant"], VARIABLES))
    return {"variables": ", ".join(NAMES[j] for j in chosen), "bound": str(bound)}


def grade(task: Task, answer: Answer) -> list[str]:
    chosen = [NAMES.index(name) for name in answer.names("variables", NAMES)]
    bound, r, said = answer.number("bound"), task.given["relevant"], []
    if len(chosen) != r:
        said.append(f"variables: {len(chosen)} named, {r} are relevant")
    missed = [k for k, row in enumerate(task.rows) if row[-1] and not any(row[j] for j in chosen)]
    wrong = [k for k, row in enumerate(task.rows) if not row[-1] and any(row[j] for j in chosen)]
    if missed:
        said.append(f"label 1, but none of your variables is 1: {numbered(missed)}")
    if wrong:
        said.append(f"label 0, but one of your variables is 1: {numbered(wrong)}")
    if bound != math.floor(winnow(r, VARIABLES)):
        said.append(f"bound: not the formula's value for r = {r} and n = {VARIABLES}")
    return said
