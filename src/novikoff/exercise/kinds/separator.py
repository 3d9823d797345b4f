"""Find weights that separate the points of a plane."""

from collections.abc import Mapping
from random import Random

from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import distinct_points, numbered
from novikoff.number_text import count

title = "Find separating weights"
fields = (
    Field("weights", "two numbers, such as 1, -2/3"),
    Field("intercept", "one number, such as 0.5"),
)
POINTS = 8


def make(draw: Random) -> Task:
    """Points of two classes, and one separator that is kept for the key."""
    while True:
        a, b = draw.randint(-3, 3), draw.randint(-3, 3)
        c = draw.randint(-4, 4)
        points = [(x, y) for x, y in distinct_points(draw, 30, 6) if abs(a * x + b * y + c) >= 2]
        rows = [(x, y, 1 if a * x + b * y + c > 0 else -1) for x, y in points[:POINTS]]
        if a and b and abs(sum(label for *_, label in rows)) <= 2 and len(rows) == POINTS:
            return Task(("x1", "x2", "label"), tuple(rows), {"a": a, "b": b, "c": c})


def question(task: Task) -> list[str]:
    return [
        f"Find weights w1, w2 and an intercept b with w1·x1 + w2·x2 + b > 0 for each of the"
        f" {len(task.rows)} points whose label is 1, and < 0 for each whose label is −1. A point on"
        " the line itself counts as wrong.",
        "The perceptron finds such weights, by hand in a few dozen updates; so may a ruler.",
    ]


def key(task: Task) -> Mapping[str, str]:
    given = task.given
    return {"weights": f"{given['a']}, {given['b']}", "intercept": str(given["c"])}


def grade(task: Task, answer: Answer) -> list[str]:
    w1, w2 = answer.numbers("weights", 2)
    b = answer.number("intercept")
    if w1 == w2 == 0:
        return ["weights: with both weights 0 there is no line at all"]
    scores = [label * (w1 * x + w2 * y + b) for x, y, label in task.rows]
    if max(scores) < 0:
        return ["every point is on the wrong side: the line is right, its signs are not"]
    wrong = [row for row, score in enumerate(scores) if score < 0]
    on_line = [row for row, score in enumerate(scores) if score == 0]
    said = []
    if wrong:
        said.append(f"{count(len(wrong), 'point')} on the wrong side: {numbered(wrong)}")
    if on_line:
        said.append(f"{count(len(on_line), 'point')} on the line itself: {numbered(on_line)}")
    return said
