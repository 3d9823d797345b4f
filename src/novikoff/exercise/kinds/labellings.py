"""Count the labellings that a line realises."""

from collections.abc import Mapping
from random import Random

from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import distinct_points
from novikoff.theory import cover

title = "Count the labellings"
fields = (
    Field("formula", "Cover's C(P, N), a whole number"),
    Field("general", "yes or no"),
    Field("labellings", "a whole number"),
)


def make(draw: Random) -> Task:
    """Five or six points, some of them on a line with others as often as not."""
    while True:
        special = draw.random() < 0.6
        points = distinct_points(draw, draw.choice((5, 6)), 3)
        if bool(cover.in_general_position(points, affine=True)) != special:
            return Task(("x1", "x2"), tuple(points))


def question(task: Task) -> list[str]:
    P = len(task.rows)
    return [
        f"Each of these {P} points gets a label, 1 or −1: there are 2^{P} = {2**P} labellings. A"
        " line realises a labelling if all points of label 1 are strictly on one side of it and all"
        " others strictly on the other; a line that has all points on one side realises two.",
        f"(a) `formula`: how many labellings of {P} points of a plane in general position does"
        " Cover's count C(P, N) give, where N counts the threshold as well? (b) `general`: are"
        " these points in general position, no three of them on a line? (c) `labellings`: how many"
        " labellings of these very points are realised?",
    ]


def figures(task: Task) -> tuple[int, bool, int]:
    """Cover's count, whether the points are in general position, and the labellings realised."""
    points = [list(row) for row in task.rows]
    return (
        cover.count(len(points), 2, threshold=True),
        bool(cover.in_general_position(points, affine=True)),
        cover.dichotomy_count(points, affine=True),
    )


def key(task: Task) -> Mapping[str, str]:
    formula, general, realised = figures(task)
    return {
        "formula": str(formula),
        "general": "yes" if general else "no",
        "labellings": str(realised),
    }


def grade(task: Task, answer: Answer) -> list[str]:
    formula, general, realised = figures(task)
    given, said = answer.number("labellings"), []
    if answer.number("formula") != formula:
        said.append(f"formula: not C(P, N) for P = {len(task.rows)} points of a plane")
    if answer.flag("general") != general:
        said.append("general: look again whether three of the points are on a line")
    if given == realised:
        return said
    if given % 2:
        said.append("labellings: with a labelling its opposite is realised too: an even number")
    elif given > formula:
        said.append("labellings: more than any points have, wherever they are")
    else:
        said.append(f"labellings: {given} is not the number of those that a line realises")
    return said
