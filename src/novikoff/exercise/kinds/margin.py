"""Compute the radius, the margin and the bound on mistakes."""

import math
from collections.abc import Mapping
from fractions import Fraction
from random import Random

from novikoff.exercise.answer import Answer
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import distinct_points, verdict

title = "Compute γ and the bound"
fields = (
    Field("radius_squared", "D², a number such as 25"),
    Field("margin_squared", "γ², an exact number such as 9/2"),
    Field("bound", "the most mistakes, a whole number"),
)
POINTS = 4


def make(draw: Random) -> Task:
    """Separable points, none of which is the point of their hull nearest to the origin."""
    while True:
        points = distinct_points(draw, POINTS, 5)
        labels = draw.sample([1, 1, -1, -1], POINTS)
        rows = tuple((x, y, label) for (x, y), label in zip(points, labels, strict=True))
        found = verdict(rows, intercept=False)
        nearest = min(x * x + y * y for x, y, _ in rows)
        if found.margin.squared not in (None, 0, nearest) and (found.mistake_bound or 0) <= 60:
            return Task(("x1", "x2", "label"), rows)


def question(task: Task) -> list[str]:
    return [
        "A perceptron without an intercept, started at zero, learns these rows. Compute D², the"
        " squared length of the longest row; γ², the square of the largest margin min label ·"
        " (w·x) / ‖w‖ that any w has; and the most mistakes that Block and Novikoff's theorem"
        " allows, a whole number.",
        "γ is the distance from the origin to the convex hull of the signed rows label · x. Give"
        " γ² exactly, as a whole number or a fraction.",
    ]


def figures(task: Task) -> tuple[int, Fraction]:
    """D² and γ²."""
    found = verdict(task.rows, intercept=False).margin.squared
    assert found is not None  # as `make` saw to
    return max(x * x + y * y for x, y, _ in task.rows), found


def key(task: Task) -> Mapping[str, str]:
    radius, margin = figures(task)
    bound = math.floor(radius / margin)
    return {"radius_squared": str(radius), "margin_squared": str(margin), "bound": str(bound)}


def grade(task: Task, answer: Answer) -> list[str]:
    radius, margin = figures(task)
    given_radius, given_margin = answer.number("radius_squared"), answer.number("margin_squared")
    given_bound = answer.number("bound")
    lengths = [x * x + y * y for x, y, _ in task.rows]
    said = []
    if given_radius != radius:
        known = "that row is not the longest" if given_radius in lengths else "no row has it"
        said.append(f"radius_squared: {given_radius} is not D²: {known}")
    if given_margin != margin:
        said.append(_about_margin(given_margin, min(lengths)))
    if given_margin > 0 and given_bound != math.floor(given_radius / given_margin):
        said.append("bound: not ⌊D²/γ²⌋ of your own figures")
    return said


def _about_margin(given: Fraction, nearest: int) -> str:
    if given <= 0:
        return "margin_squared: these rows are separable, so γ² is above 0"
    if given == nearest:
        return "margin_squared: the hull comes nearer to the origin than its nearest corner"
    return f"margin_squared: {given} is not γ²"
