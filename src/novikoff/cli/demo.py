"""`novikoff demo`: the main job in a few seconds, on data that separate and on data that cannot."""

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import typer

from novikoff.cli.shared import terminal
from novikoff.cli.shared.text import wrap

if TYPE_CHECKING:
    from novikoff.learning.learner import Learner
    from novikoff.verdict import Verdict

SEPARATES = "example:separable?rows=300&features=10&margin=0.02"
CANNOT = "example:iris-versicolor"
WIDTH = 40  # characters of the longest bar
EIGHTHS = " ▏▎▍▌▋▊▉█"  # of a character, for the end of a bar
INDENT = "   "
FEW_EPOCHS = 100  # enough to see that there is no end, and nothing has to be compiled
PAUSE = 0.15  # seconds between two epochs, for a person to see


class Epoch(NamedTuple):
    """An epoch: one line of the picture."""

    mistakes: int
    ceiling: float


def demo() -> None:
    """Watch a perceptron learn: where the theorem promises an end, and where there is none."""
    from novikoff.number_text import rounded_up

    _head(f"1. Separable data: {SEPARATES}")
    learner, epochs, verdict = _train(SEPARATES, 1000)
    _draw(epochs)
    bound, mistakes = f"{verdict.mistake_bound:,}", learner.total("mistakes")
    _say(
        f"The last epoch passed without a mistake: it has converged. The verdict is:"
        f" {verdict.outcome}, with a margin of {verdict.margin.lower:.3g} (its square is known"
        " exactly). So by the theorem of Block and Novikoff (1962), however these rows are ordered,"
        f" the perceptron makes at most (D / margin)^2 = {bound} mistakes. It made {mistakes}."
    )
    _head(f"2. Data that no hyperplane separates: {CANNOT}")
    learner, epochs, verdict = _train(CANNOT, FEW_EPOCHS)
    _draw(epochs)
    ceiling = rounded_up(epochs[-1].ceiling, 2)
    rows = ", ".join(str(row) for row, _ in verdict.conflict)
    _say(
        f"{len(epochs):,} epochs, {learner.total('mistakes'):,} mistakes, and it would go on for"
        " ever. Every run proves something: no separator of these rows has a margin above"
        f" {ceiling}. The verdict needs no run: {verdict.outcome}, because the rows {rows} sum to"
        " zero exactly, each with a multiplier of its own. Both verdicts come with a certificate"
        " that anybody can check."
    )
    typer.echo("Try next:")
    for command, what in (
        ("novikoff check example:xor", "separable? why not?"),
        ("novikoff fit example:iris-setosa --save setosa.model", "learn, and keep it"),
        ("novikoff predict setosa.model example:iris-setosa", "use it"),
        ("novikoff check YOUR.csv --target COLUMN", "your own data"),
    ):
        typer.echo(f"  {command:<54}{what}")


def _head(text: str) -> None:
    typer.echo(f"{typer.style(text, bold=True) if terminal.has_colour() else text}\n")


def _say(text: str) -> None:
    typer.echo("\n".join(["", *wrap(text, INDENT, INDENT), ""]))


def _train(example: str, max_epochs: int) -> tuple["Learner", list[Epoch], "Verdict"]:
    """Train on an example: the learner after its run, its epochs, and the verdict."""
    from novikoff import data
    from novikoff.data.matrices import encode
    from novikoff.learning.epochs import learn
    from novikoff.learning.spec import TrainingSpec
    from novikoff.verdict import check

    spec = TrainingSpec("perceptron", {})
    X, y = data.open(example).read()[:2]
    learner = spec.learner(X.shape[1], 1)
    epochs: list[Epoch] = []

    def watch(
        learner: "Learner", _: int
    ) -> None:  # so few rows are one block, and a block is an epoch
        before = sum(epoch.mistakes for epoch in epochs)
        epochs.append(Epoch(learner.total("mistakes") - before, float(learner.ceilings()[0])))

    learn(learner, spec.rows(X), encode(y)[1], max_epochs=max_epochs, watch=watch)
    return learner, epochs, check(X, y)


def _draw(epochs: list[Epoch]) -> None:
    """Draw a bar for each epoch, or for some of them, closer together at the start."""
    from novikoff.number_text import rounded_up

    last = len(epochs) - 1
    shown = sorted({*range(min(6, last)), *(last // 10**k for k in range(4)), last})
    shown = list(range(last + 1)) if last < 12 else [k for k in shown if k <= last]
    most = max(epoch.mistakes for epoch in epochs)
    typer.echo(f"   {'epoch':>6}  {'mistakes':<{WIDTH + 5}}no margin above")
    for k in shown:
        mistakes, ceiling = epochs[k]
        text = f"{_bar(mistakes / most)} {mistakes}".strip()
        text = f"{text:<{WIDTH + 5}}"
        if terminal.has_colour():
            look = terminal.BAD if mistakes else terminal.GOOD
            text = typer.style(text, fg=look["fg"])
        typer.echo(f"   {k + 1:>6,}  {text}{rounded_up(ceiling)}")
        if sys.stdout.isatty():
            time.sleep(PAUSE)


def _bar(part: float) -> str:
    """A bar for a part of the whole, to an eighth of a character where those can be written.

    >>> len(_bar(1.0))
    40
    """
    whole, rest = divmod(round(8 * WIDTH * part), 8)
    bar = EIGHTHS[8] * whole + EIGHTHS[rest].strip()
    try:
        bar.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#" * round(WIDTH * part)
    return bar
