"""Place six points so that the bound on mistakes is small."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from random import Random

from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import verdict

title = "Place six points"
fields = (
    Field("positives", "three points, such as (1, 2) (3, 4) (5, 6)"),
    Field("negatives", "three points"),
)
EACH, LARGEST, BOUND = 3, 9, 10  # points of a class, a coordinate, mistakes


def make(draw: Random) -> Task:
    """Two points that must be among the six, with four more that the key needs."""
    while True:
        x, y = draw.choice((1, -1)) * draw.randint(1, 4), draw.choice((1, -1)) * draw.randint(1, 4)
        away = (draw.randint(-2, 2) - x, draw.randint(-2, 2) - y)
        task = Task(("x1", "x2", "label"), ((x, y, 1), (*away, -1)))
        if away != (x, y) and _places(task) is not None:
            return task


def question(task: Task) -> list[str]:
    positive, negative = (f"({x}, {y})".replace("-", "−") for x, y, _ in task.rows)
    return [
        f"Place six different points with whole coordinates from −{LARGEST} to {LARGEST}: three of"
        f" label 1, one of them {positive}, and three of label −1, one of them {negative}, so"
        f" that a perceptron with an intercept, started at zero, makes at most {BOUND} mistakes in"
        f" any order: ⌊(D/γ)²⌋ must be at most {BOUND}.",
        "D and γ are of the rows (x1, x2, 1), as the learner sees them.",
    ]


def _places(task: Task) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
    """Three points of each class, near the given ones, that have a small bound."""
    near = [(dx, dy) for dx, dy in product((0, 1, -1), repeat=2) if dx or dy]
    classes = [(x, y) for x, y, _ in task.rows]
    for one, other in pairwise(near):
        both = [[(x + dx, y + dy) for dx, dy in ((0, 0), one, other)] for x, y in classes]
        if len({*both[0], *both[1]}) == 2 * EACH and (_squared_ratio(*both) or BOUND + 1) <= BOUND:
            return both[0], both[1]
    return None


def _squared_ratio(
    positives: Sequence[tuple[int, int]], negatives: Sequence[tuple[int, int]]
) -> Fraction | None:
    """(D/γ)² of these points; None if no line separates them."""
    rows = [(x, y, 1) for x, y in positives] + [(x, y, -1) for x, y in negatives]
    margin = verdict(rows).margin.squared
    return max(x * x + y * y + 1 for x, y, _ in rows) / margin if margin else None


def key(task: Task) -> Mapping[str, str]:
    places = _places(task)
    assert places is not None  # as `make` saw to
    texts = [" ".join(f"({x}, {y})" for x, y in each) for each in places]
    return {"positives": texts[0], "negatives": texts[1]}


def grade(task: Task, answer: Answer) -> list[str]:
    both = {name: answer.points(name) for name in ("positives", "negatives")}
    said = []
    for (name, points), (x, y, _) in zip(both.items(), task.rows, strict=True):
        if len(points) != EACH:
            said.append(f"{name}: {len(points)} points, expected {EACH}")
        if (x, y) not in points:
            said.append(f"{name}: the given point ({x}, {y}) is not among them")
        if any(abs(v) > LARGEST for point in points for v in point):
            said.append(f"{name}: a coordinate is beyond {LARGEST}")
    if len({*both["positives"], *both["negatives"]}) < 2 * EACH and not said:
        said.append("a point is there twice; all six must be different")
    if said:
        return said
    ratio = _squared_ratio(both["positives"], both["negatives"])
    if ratio is None:
        return ["no line separates these points, so nothing bounds the mistakes of pass after pass"]
    if ratio < BOUND + 1:  # a number of mistakes is whole
        return []
    return [f"(D/γ)² is {float(ratio):.6g}: at most {math.floor(ratio)} mistakes, not {BOUND}"]
