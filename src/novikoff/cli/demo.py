"""`novikoff demo`: the main job in a few seconds, on data that separate and on data that cannot."""

import typer

SEPARATES = "example:separable?rows=2000&features=10&margin=0.05"
CANNOT = "example:xor"
WIDTH = 40


def demo() -> None:
    """Watch a perceptron learn: once where the theorem promises an end, once where there is none."""
    from novikoff import sources
    from novikoff.cli.training import Plan, Result, run

    plan = Plan("perceptron", {"eta": 1.0, "tie": "mistake"}, quiet=True)

    typer.echo(f"1. Data that separate: {SEPARATES}\n")
    first = run(plan, sources.open(SEPARATES))
    _epochs(first.outcome.mistakes_per_epoch)
    _explain_end(first)

    typer.echo(f"2. Data that no line separates: {CANNOT}\n")
    second = run(plan._replace(max_epochs=200), sources.open(CANNOT))
    _epochs(second.outcome.mistakes_per_epoch)
    _explain_ceiling(second)

    typer.echo("Try next:")
    for command, what in (
        ("novikoff fit example:iris-setosa --save setosa.model", "learn and keep the model"),
        ("novikoff predict setosa.model example:iris-setosa", "use it"),
        ("novikoff fit your.csv --target label --rule averaged", "your own data"),
    ):
        typer.echo(f"  {command:<58}{what}")


def _epochs(mistakes: list[int]) -> None:
    """A bar for each of the first epochs and the last."""
    shown = [*range(min(len(mistakes), 6))]
    if len(mistakes) > 6:
        shown.append(len(mistakes) - 1)
    for k, (epoch, before) in enumerate(zip(shown, [-1, *shown], strict=False)):
        if k and epoch > before + 1:
            typer.echo("          ...")
        bar = "#" * -(-mistakes[epoch] * WIDTH // max(mistakes))
        typer.echo(f"   epoch {epoch + 1:<5}{bar or '-'} {mistakes[epoch]}")


def _explain_end(result: "Result") -> None:  # noqa: F821
    mistakes, bound = result.learner.total("mistakes"), result.bound
    typer.echo(
        f"""
   The last epoch passed without a mistake: a separator is found, with margin {result.margin:.3g}.
   Block and Novikoff (1962): no order of these rows can ever cost more than
   (D / margin)^2 = ({result.learner.radius:.3g} / {result.margin:.3g})^2 = {bound:,.0f} mistakes.
   It took {mistakes:,}.
"""
    )


def _explain_ceiling(result: "Result") -> None:  # noqa: F821
    mistakes = result.learner.total("mistakes")
    typer.echo(
        f"""
   {result.outcome.epochs} epochs, {mistakes:,} mistakes, and it would go on for ever. What the run proves
   on the way: no separator has a margin above {result.ceiling:.2g}, a ceiling that keeps falling.
   After k updates it is |w| / k, whatever the rows.
"""
    )
