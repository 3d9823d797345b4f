"""`novikoff bound`: the most mistakes that theorems allow, from numbers or on data."""

import enum
import json as json_format
from typing import Annotated, Any

import typer

from novikoff.cli import options
from novikoff.cli.reading import DATA_HELP, DecimalOption, Reading, reads_data
from novikoff.cli.watching import Watching
from novikoff.errors import ParameterError

NUMBERS, LEARNER = "Numbers, instead of DATA", "The learner"
NO, UNDECIDED = 1, 3


class Start(enum.StrEnum):
    ZEROS = "zeros"
    RANDOM = "random"


def _number(text: str) -> Any:
    return typer.Option(metavar="NUMBER", help=text, rich_help_panel=NUMBERS)


@reads_data
def bound(
    data: Annotated[list[str] | None, typer.Argument(help=DATA_HELP)] = None,
    radius: Annotated[str | None, _number("D: no row is longer.")] = None,
    margin: Annotated[str | None, _number("γ; without --radius, of rows of length 1.")] = None,
    gap: Annotated[str | None, _number("g, of the one-sided perceptron.")] = None,
    length: Annotated[
        str | None, _number("|w_k - w_0|: how far from its start a run ended; with --margin.")
    ] = None,
    relevant: Annotated[
        int | None,
        typer.Option(help="r: the variables in the OR.", rich_help_panel=NUMBERS),
    ] = None,
    features: Annotated[
        int | None, typer.Option(help="n: all variables.", rich_help_panel=NUMBERS)
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="Winnow's factor.", show_default="2", rich_help_panel=NUMBERS),
    ] = None,
    theta: Annotated[
        float | None,
        typer.Option(help="Winnow's threshold.", show_default="n", rich_help_panel=NUMBERS),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Look at this bound alone: novikoff, unit-length, fixed-increment, one-sided,"
            " winnow, balanced-winnow, freund-schapire or hinge; may be repeated.",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    bias: options.BiasOption = True,
    unit_length: options.ScaledOption = False,
    positive: options.PositiveOption = None,
    variables: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="The variables whose OR the label is, by name or place, for Winnow.",
            show_default="found out",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Stop looking for the margin after so long.",
            show_default="none",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    eta: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="The step.", show_default="1", rich_help_panel=LEARNER),
    ] = None,
    start: Annotated[
        Start, typer.Option(help="The start: zeros or random.", rich_help_panel=LEARNER)
    ] = Start.ZEROS,
    seed: Annotated[
        int, typer.Option(min=0, help="For a random start.", rich_help_panel=LEARNER)
    ] = 0,
    passes: Annotated[
        int,
        typer.Option(
            min=1, help="Over the rows, for freund-schapire and hinge.", rich_help_panel=LEARNER
        ),
    ] = 1,
    run: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Train as well: mistakes made beside the bounds, and what the run proves.",
            rich_help_panel=LEARNER,
        ),
    ] = False,
    max_epochs: Annotated[
        int, typer.Option(min=1, help="The budget of --run.", rich_help_panel=LEARNER)
    ] = 1000,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Say how many mistakes theorems allow: from numbers, or by every bound on some data.

    On data each theorem's hypotheses are checked, and a bound that they do not allow is refused
    with the reason. Numbers are exact: 0.1 is a tenth, and 1/3 a third.

    Exit codes: 0 done; with --only, 1 if a bound asked for is refused, 3 if that is not decided.

    Example: novikoff bound example:iris-setosa --run
    """
    from novikoff.cli import bounding

    numbers = bounding.Numbers(radius, margin, gap, length, relevant, features, alpha, theta, eta)
    if not data:
        _refuse_idle(
            {
                "--only": only,
                "--positive": positive,
                "--variables": variables,
                "--time-limit": time_limit,
                "--run": run,
                "--unit-length": unit_length,
                "--no-bias": not bias,
                "--start": start is not Start.ZEROS,
                "--passes": passes > 1,
                "--decimal": decimal,
            }
            | dict.fromkeys(reading.given(), True)
        )
        bounds = bounding.computed(numbers)
        told = {"bounds": [bounding.as_json(each) for each in bounds]}
        typer.echo(json_format.dumps(told) if json else bounding.tell(bounds))
        return
    bounding.refuse_beside_data(numbers)
    from novikoff.cli import surveying

    source = reading.open(data, decimal=decimal)
    question = surveying.Question(
        fit_intercept=bias,
        unit_length=unit_length,
        positive=positive,
        variables=variables,
        eta=bounding.exact_number("--eta", eta or "1"),
        random_start=start is Start.RANDOM,
        seed=seed,
        passes=passes,
        only=only,
        time_limit=time_limit,
        max_epochs=max_epochs if run else None,
    )
    with Watching(quiet or json) as progress:
        found = surveying.survey(question, source, progress.watch)
    typer.echo(json_format.dumps(found.as_json()) if json else found.as_text())
    refused = [each for each in found.bounds if each.refused is not None]
    if only and refused:
        raise typer.Exit(UNDECIDED if all(each.undecided for each in refused) else NO)


def _refuse_idle(given: dict[str, Any]) -> None:
    """Options about data, where there are none."""
    for name, value in given.items():
        if value:
            raise ParameterError(f"{name} is about DATA, and none is given")
