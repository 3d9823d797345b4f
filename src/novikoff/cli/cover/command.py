"""`novikoff cover`: how many labellings a hyperplane realises, and where some data stand."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli.shared import options, report_options
from novikoff.cli.shared.data_options import DataOptions, DecimalOption, data_option, reads_data
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError

counting_option, trial_option = options.panel("Counting"), options.panel("Trying it out")
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
        counting_option(
            "--threshold", help="With P and N: hyperplanes need not pass through the origin."
        ),
    ] = False,
    bias: Annotated[
        bool | None,
        counting_option(
            "--bias/--no-bias",
            help="With data: whether hyperplanes have an intercept.",
            show_default="yes",
        ),
    ] = None,
    dichotomies: Annotated[
        bool,
        counting_option(
            "--dichotomies",
            help="Count the labellings of these very rows that some hyperplane realises.",
        ),
    ] = False,
    limit: Annotated[
        str | None,
        counting_option(
            metavar="PRODUCTS",
            help="Give up on general position after this many multiplications; none: never.",
            show_default="100000000",
        ),
    ] = None,
    capacity: Annotated[
        list[int] | None,
        trial_option(
            metavar="N",
            min=1,
            help="Try random labellings of random points in N dimensions; may be repeated.",
        ),
    ] = None,
    ratios: Annotated[
        str | None, trial_option(help="The ratios P / N to try.", show_default=RATIOS)
    ] = None,
    trials: Annotated[
        int | None,
        trial_option(min=1, help="Labellings for each ratio.", show_default=str(TRIALS)),
    ] = None,
    seed: Annotated[
        int | None, trial_option(min=0, help="For points and labels.", show_default="0")
    ] = None,
    report: report_options.ReportOption = None,
    plot: report_options.PlotOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    labels: Annotated[
        bool,
        data_option(
            "--labels/--no-labels", help="Whether the data have labels, which do not matter here."
        ),
    ] = True,
    decimal: DecimalOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Count the labellings that a hyperplane realises: Cover's C(P, N), exactly.

    With data, the count is for that many points in that many dimensions. Rows in general position
    reach it; whether they are is decided exactly, or not refuted within --limit. In JSON, a count
    of more than a million digits is null.

    Examples: novikoff cover 100 20, novikoff cover example:iris-setosa
    """
    from novikoff.cli.cover import result

    words = data or []
    about = dict.fromkeys(reading.used_options(), True) | {
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
        raise ParameterError("give both P and N, such as 100 20, or a data file, or --capacity N")
    if len(words) == 1 and words[0].isdigit() and not Path(words[0]).exists():
        raise ParameterError(f"found {words[0]} alone: give both P and N, or a data file")
    files = report_options.ReportFiles(report, plot)
    options.refuse_overwriting(words if len(words) == 1 else [], files.by_option)
    files.refuse()
    found = result.CoverResult()
    if len(words) == 2:
        P, N = _number("P", words[0], 1), _number("N", words[1], 0)
        found = result.CoverResult(result.CoverPoint(P, N, threshold))
    elif words:
        source = reading.open(words[0], decimal=decimal, labelled=labels)
        found = result.of_data(source, bias is not False, dichotomies, _limit(limit), quiet or json)
    if capacity:
        asked = [_ratio(word) for word in (ratios or RATIOS).split(",")]
        curves = result.run_capacity(capacity, asked, trials or TRIALS, seed or 0, quiet or json)
        found = found._replace(capacity=curves)
    text = result.format_cover(found)
    if files.wanted:
        from novikoff.cli.cover.page import cover_page

        files.write(cover_page(found, text))
    answer = result.as_json(found) | files.as_json()
    show(json_text(answer) if json else "\n".join([text, *files.lines()]), plain=json)


def _refuse_ignored(what: str, given: Mapping[str, object]) -> None:
    """Refuse options without what they are about: whoever gave one meant something by it."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(f"{name} needs {what}")


def _number(name: str, word: str, least: int) -> int:
    from novikoff.cover_count import require_integer

    try:
        number = int(word)
    except ValueError:
        raise ParameterError(
            f"{name} must be a whole number, not {word!r}; data are named by one word"
        ) from None
    return require_integer(name, number, least)


def _limit(word: str | None) -> int | None:
    from novikoff.theory.cover.general_position import LIMIT

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
