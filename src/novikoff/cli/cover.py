"""`novikoff cover`: how many labellings a hyperplane realises, and where some data stand."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import options, reporting
from novikoff.cli.reading import PANEL, DecimalOption, Reading, reads_data
from novikoff.errors import ParameterError

COUNTING, TRYING = "Counting", "Trying it out"
RATIOS, TRIALS = "0.5,1,1.5,2,2.5,3,3.5,4", 200


@reads_data
def cover(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="P N | DATA",
            help="Two whole numbers, points and dimensions; or data: a path, - for standard input,"
            " or example:NAME.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        bool,
        typer.Option(
            "--threshold",
            help="With P and N: hyperplanes need not pass through the origin.",
            rich_help_panel=COUNTING,
        ),
    ] = False,
    bias: Annotated[
        bool | None,
        typer.Option(
            "--bias/--no-bias",
            help="With data: whether hyperplanes have an intercept.",
            show_default="yes",
            rich_help_panel=COUNTING,
        ),
    ] = None,
    dichotomies: Annotated[
        bool,
        typer.Option(
            "--dichotomies",
            help="Count the labellings of these very rows that some hyperplane realises.",
            rich_help_panel=COUNTING,
        ),
    ] = False,
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="PRODUCTS",
            help="After how many products of two numbers to give up on general position, or none.",
            show_default="100000000",
            rich_help_panel=COUNTING,
        ),
    ] = None,
    capacity: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Try random labellings of random points in N dimensions; may be repeated.",
            rich_help_panel=TRYING,
        ),
    ] = None,
    ratios: Annotated[
        str | None,
        typer.Option(help="The ratios P / N to try.", show_default=RATIOS, rich_help_panel=TRYING),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Labellings for each of them.",
            show_default=str(TRIALS),
            rich_help_panel=TRYING,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, help="For points and labels.", show_default="0", rich_help_panel=TRYING
        ),
    ] = None,
    report: reporting.ReportOption = None,
    plot: reporting.PlotOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    labels: Annotated[
        bool,
        typer.Option(
            "--labels/--no-labels",
            help="Whether the data have labels, which do not matter here.",
            rich_help_panel=PANEL,
        ),
    ] = True,
    decimal: DecimalOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Count the labellings that a hyperplane realises: Cover's C(P, N), exactly.

    With data, the count is for as many points in as many dimensions; whether the rows are in
    general position, where it is reached, is decided exactly, or not refuted within --limit.

    Examples: novikoff cover 100 20, novikoff cover example:iris-setosa
    """
    from novikoff.cli import counts

    words = data or []
    about = dict.fromkeys(reading.given(), True) | {
        "--decimal": decimal or None,
        "--bias/--no-bias": bias,
        "--limit": limit,
        "--no-labels": None if labels else labels,
    }
    if len(words) != 1:
        _refuse_ignored("data", about | {"--dichotomies": dichotomies or None})
    if len(words) != 2:
        _refuse_ignored("P and N", {"--threshold": threshold or None})
    if not capacity:
        _refuse_ignored("--capacity", {"--ratios": ratios, "--trials": trials, "--seed": seed})
    if len(words) > 2 or (not words and not capacity):
        raise ParameterError("name P and N, such as 100 20, or data, or --capacity N")
    if len(words) == 1 and words[0].isdigit() and not Path(words[0]).exists():
        raise ParameterError(f"{words[0]} alone is no file: name both P and N, or data")
    outputs = {"--report": report, "--plot": plot}
    options.refuse_overwriting(words if len(words) == 1 else [], outputs)
    reporting.refuse(report, plot)
    found = counts.Counted()
    if len(words) == 2:
        found = counts.of_numbers(_number("P", words[0]), _number("N", words[1]), threshold)
    elif words:
        source = reading.open(words[0], decimal=decimal, labelled=labels)
        found = counts.of_data(source, bias is not False, dichotomies, _limit(limit), quiet or json)
    if capacity:
        asked = [_ratio(word) for word in (ratios or RATIOS).split(",")]
        curves = counts.tried(capacity, asked, trials or TRIALS, seed or 0, quiet or json)
        found = found._replace(capacity=curves)
    text = counts.tell(found)
    if report is not None or plot is not None:
        reporting.write(reporting.cover_page(found, text), report, plot)
    answer = counts.as_json(found) | reporting.as_json(report, plot)
    lines = [text, *reporting.told(report, plot)]
    typer.echo(json_format.dumps(answer) if json else "\n".join(lines))


def _refuse_ignored(what: str, given: dict[str, Any]) -> None:
    """Whoever gave an option meant something by it."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"{name} needs {what}")


def _number(name: str, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise ParameterError(
            f"{name} must be a whole number, not {word!r}; data are named by one word"
        ) from None


def _limit(word: str | None) -> Any:
    from novikoff.cover.position import LIMIT

    if word is None or word.lower() == "none":
        return LIMIT if word is None else None
    if not (word.isascii() and word.isdigit()):
        raise ParameterError(f"--limit {word}: expected a whole number, or none")
    return int(word)


def _ratio(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ParameterError(
            f"--ratios: {word!r} is not a number; expected numbers with commas between"
        ) from None
