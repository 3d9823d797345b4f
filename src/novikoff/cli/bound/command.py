"""`novikoff bound`: the most mistakes that theorems allow, from numbers or on data."""

import enum
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.data_options import DATA_HELP, DataOptions, DecimalOption, reads_data
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError

number_option = options.panel("Numbers, instead of DATA")
learner_option = options.panel("The learner")
NO, UNDECIDED = 1, 3


class Start(enum.StrEnum):
    ZEROS = "zeros"
    RANDOM = "random"


def _number(text: str) -> Any:
    return number_option(metavar="NUMBER", help=text)


@reads_data
def bound(
    data: Annotated[list[str] | None, typer.Argument(help=DATA_HELP)] = None,
    radius: Annotated[str | None, _number("D: no row is longer.")] = None,
    margin: Annotated[str | None, _number("γ; without --radius, of rows of length 1.")] = None,
    gap: Annotated[str | None, _number("g, of the one-sided perceptron.")] = None,
    length: Annotated[
        str | None, _number("|w_k - w_0|: how far from its start a run ended; with --margin.")
    ] = None,
    relevant: Annotated[int | None, number_option(help="r: the variables in the OR.")] = None,
    features: Annotated[int | None, number_option(help="n: all variables.")] = None,
    alpha: Annotated[float | None, number_option(help="Winnow's factor.", show_default="2")] = None,
    theta: Annotated[
        float | None, number_option(help="Winnow's threshold.", show_default="n")
    ] = None,
    only: Annotated[
        list[str] | None,
        options.question_option(
            metavar="NAME",
            help="Compute only this bound: novikoff, unit-length, fixed-increment, one-sided,"
            " winnow, balanced-winnow, freund-schapire or hinge; may be repeated.",
        ),
    ] = None,
    bias: options.BiasOption = True,
    unit_length: options.ScaledOption = False,
    positive: options.PositiveOption = None,
    variables: Annotated[
        str | None,
        options.question_option(
            metavar="NAME,...",
            help="The variables whose OR the label is, by name or place, for Winnow.",
            show_default="detected",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        options.question_option(
            metavar="SECONDS",
            help="Stop looking for the margin after this long.",
            show_default="none",
        ),
    ] = None,
    eta: Annotated[
        str | None, learner_option(metavar="NUMBER", help="The step.", show_default="1")
    ] = None,
    start: Annotated[Start, learner_option(help="The start: zeros or random.")] = Start.ZEROS,
    seed: Annotated[int, learner_option(min=0, help="For a random start.")] = 0,
    passes: Annotated[
        int, learner_option(min=1, help="Over the rows, for freund-schapire and hinge.")
    ] = 1,
    run: Annotated[
        bool,
        learner_option(
            "--run", help="Train as well: mistakes made beside the bounds, and what the run proves."
        ),
    ] = False,
    max_epochs: Annotated[int, learner_option(min=1, help="The budget of --run.")] = 1000,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Compute bounds on mistakes: from given numbers, or every bound that applies to some data.

    On data each theorem's hypotheses are checked, and a bound that they do not allow is refused
    with the reason. Numbers are exact: 0.1 is a tenth, and 1/3 a third.

    Exit codes: 0 done; with --only, 1 if a bound asked for is refused, 3 if that is not decided.

    Example: novikoff bound example:iris-setosa --run
    """
    from novikoff.cli.bound import from_numbers

    numbers = from_numbers.Numbers(
        radius, margin, gap, length, relevant, features, alpha, theta, eta
    )
    if not data:
        _reject_unused_options(
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
            | dict.fromkeys(reading.used_options(), True)
        )
        bounds = from_numbers.bounds_from_numbers(numbers)
        answer = {"bounds": [from_numbers.as_json(each) for each in bounds]}
        show(json_text(answer) if json else from_numbers.format_bounds(bounds), plain=json)
        return
    from_numbers.refuse_beside_data(numbers)
    from novikoff.cli.bound import from_data

    source = reading.open(data, decimal=decimal)
    step = from_numbers.exact_number("--eta", eta or "1")
    with SearchProgress(quiet or json) as progress:
        found = from_data.evaluate_bounds(
            source,
            progress,
            fit_intercept=bias,
            unit_length=unit_length,
            positive=positive,
            variables=variables,
            eta=step,
            start_seed=seed if start is Start.RANDOM else None,
            passes=passes,
            only=only,
            time_limit=time_limit,
            max_epochs=max_epochs if run else None,
        )
    show(json_text(found.as_json()) if json else found.as_text(), plain=json)
    refused = [each for each in found.bounds if each.refused is not None]
    if only and refused:
        raise typer.Exit(UNDECIDED if all(each.undecided for each in refused) else NO)


def _reject_unused_options(given: Mapping[str, object]) -> None:
    """Reject options about data, where there are none."""
    for name, value in given.items():
        if value:
            raise ParameterError(f"{name} is about DATA, and none is given")
