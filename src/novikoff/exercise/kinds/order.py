"""Order rows so that the perceptron makes many mistakes."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from random import Random

from novikoff.exercise.answer import Answer, AnswerError
from novikoff.exercise.kind import Field, Task
from novikoff.exercise.points import distinct_points
from novikoff.number_text import count

title = "Order the rows"
fields = (Field("order", "all row numbers in your order, such as 3, 1, 5, 2, 4"),)
POINTS, RARE = 5, 10  # about one order in RARE reaches the mistakes asked for
FEWEST, MOST = 10, 40  # mistakes that are asked for


def mistakes(rows: Sequence[Sequence[int]], order: Sequence[int]) -> Iterator[int]:
    """The row of each mistake of a perceptron from zero, a tie being one, until a pass has none."""
    weights, clean = [0, 0, 0], 0
    while clean < len(order):
        for row in order:
            x, y, label = rows[row]
            signed = (label * x, label * y, label)
            if sum(v * w for v, w in zip(signed, weights, strict=True)) > 0:
                clean += 1
                continue
            weights, clean = [w + v for w, v in zip(weights, signed, strict=True)], 0
            yield row


def made(rows: Sequence[Sequence[int]], order: Sequence[int], most: int) -> int:
    """How many mistakes an order costs, counted up to `most`."""
    return sum(1 for _ in zip(range(most), mistakes(rows, order), strict=False))


def ranked(task: Task) -> list[tuple[int, tuple[int, ...]]]:
    """The orders with their mistakes, from the cheapest."""
    most = task.given.get("mistakes", 500)
    return sorted((made(task.rows, each, most), each) for each in permutations(range(POINTS)))


def make(draw: Random) -> Task:
    """Separable rows, and a number of mistakes that few of their orders reach."""
    while True:
        rows = [
            (x, y, 1 if x + 2 * y > 0 else -1) for x, y in distinct_points(draw, 20, 4) if x + 2 * y
        ][:POINTS]
        task = Task(("x1", "x2", "label"), tuple(rows))
        if len(rows) < POINTS or len({label for *_, label in rows}) == 1:
            continue
        counts = [number for number, _ in ranked(task)]
        wanted = counts[-len(counts) // RARE]
        rare = counts[len(counts) // 2] < wanted and FEWEST <= wanted <= MOST
        if rare and made(rows, range(POINTS), wanted) < wanted:
            return task._replace(given={"mistakes": wanted})


def question(task: Task) -> list[str]:
    return [
        "A perceptron starts with all weights at zero and reads rows (x1, x2, 1), in an order that"
        " you choose, the same in every pass, until a pass has no mistake. A score of 0 is"
        " a mistake too; at a mistake, label · (x1, x2, 1) is added to the weights.",
        f"Find an order in which it makes at least {task.given['mistakes']} mistakes.",
    ]


def key(task: Task) -> Mapping[str, str]:
    return {"order": ", ".join(str(row + 1) for row in ranked(task)[-1][1])}


def grade(task: Task, answer: Answer) -> list[str]:
    order, wanted = answer.rows("order", len(task.rows)), task.given["mistakes"]
    if len(order) != len(task.rows):
        raise AnswerError(f"order: {count(len(order), 'row')}, expected all {len(task.rows)}")
    number = made(task.rows, order, wanted)
    if number >= wanted:
        return []
    return [f"in this order it makes {count(number, 'mistake')}, and {wanted} are asked for"]
