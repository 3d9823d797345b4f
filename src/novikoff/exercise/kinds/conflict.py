"""Find a conflict: few rows that alone rule out every separating line."""

from collections.abc import Mapping
from random import Random

from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import distinct_points, verdict

title = "Find a conflict"
fields = (
    Field("rows", "row numbers, such as 1, 4, 6"),
    Field("multipliers", "one positive number for each of these rows, such as 1, 1/2, 2"),
)
POINTS, MOST = 7, 4  # a conflict in the plane needs at most d + 2 rows


def make(draw: Random) -> Task:
    """Points that no line separates."""
    while True:
        points = distinct_points(draw, POINTS, 4)
        labels = draw.sample([1, 1, 1, 1, -1, -1, -1], POINTS)
        rows = tuple((x, y, label) for (x, y), label in zip(points, labels, strict=True))
        task = Task(("x1", "x2", "label"), rows)
        if verdict(rows).outcome == "inseparable":
            return task


def question(task: Task) -> list[str]:
    return [
        f"No line separates these {len(task.rows)} points. Prove it: name at most {MOST} of the"
        " rows, and a positive multiplier for each, so that the sum of multiplier · label ·"
        " (x1, x2, 1) over these rows is (0, 0, 0).",
        "A line would give each of those terms a positive score, and their sum a score of 0, which"
        " cannot be. In the plane: a point in the convex hulls of both classes is the same average"
        " of points of one class and of points of the other.",
    ]


def key(task: Task) -> Mapping[str, str]:
    found = verdict(task.rows).conflict
    return {
        "rows": ", ".join(str(row + 1) for row, _ in found),
        "multipliers": ", ".join(str(multiplier) for _, multiplier in found),
    }


def grade(task: Task, answer: Answer) -> list[str]:
    rows = answer.rows("rows", len(task.rows))
    multipliers = answer.numbers("multipliers", len(rows))
    if len(rows) > MOST:
        return [f"rows: {len(rows)} rows; {MOST} are enough for points of a plane"]
    if min(multipliers) <= 0:
        return ["multipliers: each must be positive, or the sum proves nothing"]
    terms = [
        [m * task.rows[row][2] * v for v in (*task.rows[row][:2], 1)]
        for row, m in zip(rows, multipliers, strict=True)
    ]
    sums = [sum(column) for column in zip(*terms, strict=True)]
    names = ("x1", "x2", "the constant 1")
    return [
        f"the signed rows do not cancel: {name} adds up to {total}, not 0"
        for name, total in zip(names, sums, strict=True)
        if total
    ]
