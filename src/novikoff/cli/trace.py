"""`novikoff trace`: a run update by update, held against the theorem at every one of them."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import filming, options, reporting
from novikoff.cli.reading import DataArgument, DecimalOption, Reading, reads_data
from novikoff.errors import ParameterError

EPOCHS = 1000
PROOF = "The proof"


@reads_data
def trace(
    data: DataArgument,
    rule: Annotated[
        str,
        typer.Option(
            help="perceptron, one-sided, averaged, voted, margin, passive-aggressive or winnow.",
            rich_help_panel=options.RULE,
        ),
    ] = "perceptron",
    eta: options.EtaOption = None,
    tie: options.TieOption = None,
    param: options.ParamOption = None,
    init: options.InitOption = "zeros",
    bias: options.LearnBiasOption = None,
    unit_length: options.UnitLengthOption = False,
    max_epochs: Annotated[int, typer.Option(min=1, help="The budget.")] = EPOCHS,
    order: options.OrderOption = options.Order.GIVEN,
    seed: options.SeedOption = 0,
    positive: options.PositiveOption = None,
    towards: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="w*, with commas between, the intercept last; for Winnow the relevant variables.",
            show_default="the separator of largest margin",
            rich_help_panel=PROOF,
        ),
    ] = None,
    exact: Annotated[
        bool | None,
        typer.Option(
            "--exact/--rounded",
            help="Check over the rationals, or in floating point with an allowance for rounding.",
            show_default="exactly where that takes a second or two",
            rich_help_panel=PROOF,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Write every update to this .csv or .parquet file.", dir_okay=False),
    ] = None,
    report: reporting.ReportOption = None,
    plot: reporting.PlotOption = None,
    html: filming.HtmlOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Run a rule, and hold each update against the inequalities of its convergence proof.

    Every update is checked, of long runs too; one that broke an inequality would be an error that
    names it. Rows that no hyperplane separates have no w*; what is left of the theorem is checked.

    Example: novikoff trace example:iris-setosa --output setosa.csv
    """
    from novikoff.cli.plans import Plan
    from novikoff.cli.steps import as_json, interrupted, tell
    from novikoff.tracing.plan import refuse_unfollowed

    refuse_unfollowed(rule)
    source = reading.open(data, decimal=decimal)
    named = {"--output": output, "--report": report, "--plot": plot, "--html": html}
    options.refuse_overwriting(source.paths, named)
    reporting.refuse(report, plot, html)
    plan = Plan.of(rule, {"eta": eta, "tie": tie}, param or [], init, bias, unit_length, seed)
    plan = plan._replace(max_epochs=max_epochs, order=order.value, quiet=quiet or json)
    target = _numbers(rule, towards)
    found, code, left_out = _run(plan, source, positive, target, exact, output, html)
    text = tell(found, source, output)
    if report is not None or plot is not None:
        reporting.write(reporting.trace_page(found, source, text), report, plot)
    answer = as_json(found, output) | reporting.as_json(report, plot) | filming.as_json(html)
    lines = [text, *reporting.told(report, plot), *filming.told(html, left_out)]
    typer.echo(json_format.dumps(answer) if json else "\n".join(lines))
    if interrupted(found):
        raise typer.Exit(code)


def _run(
    plan: Any,
    source: Any,
    positive: Any,
    target: Any,
    exact: bool | None,
    output: Path | None,
    html: Path | None,
) -> tuple[Any, int, list[str]]:
    """The trace, the exit code if it was interrupted, and what a film of it does not show."""
    from novikoff.cli.findings import Kept, as_label
    from novikoff.cli.progress import Pace, Progress, Task
    from novikoff.cli.watching import Watching
    from novikoff.tracing import trace as run

    estimator = plan.estimator()
    kept = Kept(source)
    task = Task(kept.chunk.X.shape[0], None, plan.max_epochs)
    with Watching(plan.quiet) as judging, Progress(task, plan.quiet) as progress:

        def learning(learner: Any, stop: int) -> None:
            judging.stop()
            if not progress.busy:
                progress.started()
            progress.busy = True
            progress.watch(Pace.of(learner, stop, kept.chunk.X.shape[0]))
            progress.stop_if_pressed()

        chosen = None if positive is None else as_label(positive, kept.chunk.y)

        def again(most: int | None = None, write: Path | None = None) -> Any:
            return run(
                kept,
                None,
                estimator,
                target,
                positive=chosen,
                exact=exact,
                write=write,
                max_updates=most,
                watch=learning,
                judging=judging.watch,
                interruptible=True,
            )

        found, left_out = again(write=output), []
        if html is not None:
            left_out = filming.write(html, found, estimator, again, source.name)
    return found, progress.exit_code, left_out


def _numbers(rule: str, words: str | None) -> list[Any] | None:
    """--towards as numbers, or as names of variables where they are not."""
    if words is None:
        return None
    if rule == "winnow":
        parts = [part.strip() for part in words.split(",")]
        return [int(part) if part.isdecimal() else part for part in parts]
    try:
        return [float(part) for part in words.split(",")]
    except ValueError:
        raise ParameterError(f"--towards {words}: expected numbers with commas between") from None
