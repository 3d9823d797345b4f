"""Options that several commands take, and how their words become values."""

import enum
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.errors import ParameterError

DATA_HELP = "A path, - for standard input, or example:NAME."


class Order(enum.StrEnum):
    GIVEN = "given"
    SHUFFLE = "shuffle"


class Format(enum.StrEnum):
    CSV = "csv"
    TSV = "tsv"
    SVMLIGHT = "svmlight"
    NPY = "npy"
    NPZ = "npz"


RULE = "The rule"

EtaOption = Annotated[
    float | None,
    typer.Option(help="The step.", show_default="the rule's", rich_help_panel=RULE),
]
TieOption = Annotated[
    str | None,
    typer.Option(
        help="What a score of exactly 0 means: mistake, positive, negative or keep.",
        show_default="mistake",
        rich_help_panel=RULE,
    ),
]
ParamOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Any other parameter of the rule, such as alpha=1.5; may be repeated.",
        rich_help_panel=RULE,
    ),
]
InitOption = Annotated[str, typer.Option(help="The start: zeros or random.", rich_help_panel=RULE)]
LearnBiasOption = Annotated[
    bool | None,
    typer.Option(
        "--bias/--no-bias",
        help="Learn an intercept.",
        show_default="where the rule has one",
        rich_help_panel=RULE,
    ),
]
UnitLengthOption = Annotated[
    bool, typer.Option("--unit-length", help="Scale rows to length 1.", rich_help_panel=RULE)
]
OrderOption = Annotated[Order, typer.Option(help="given, or shuffle: anew each epoch.")]
SeedOption = Annotated[int, typer.Option(min=0, help="For shuffling and a random start.")]

QUESTION = "The question"

BiasOption = Annotated[
    bool,
    typer.Option(
        "--bias/--no-bias",
        help="Whether the hyperplane has an intercept.",
        rich_help_panel=QUESTION,
    ),
]
ScaledOption = Annotated[
    bool,
    typer.Option("--unit-length", help="Scale rows to length 1.", rich_help_panel=QUESTION),
]
PositiveOption = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL", help="Tell this label from all the others.", rich_help_panel=QUESTION
    ),
]

READING = "How the data are read"

FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="How the data are written: csv, tsv, svmlight, npy or npz.",
        show_default="by the name, or the first lines",
        rich_help_panel=READING,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option(
        help="The label's column: its name, or its place from 0 (-1: the last).",
        show_default="target, label, class or y, else the last",
        rich_help_panel=READING,
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether a table's first line names its columns.",
        show_default="found out",
        rich_help_panel=READING,
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        help="What stands between a table's fields.",
        show_default="found out",
        rich_help_panel=READING,
    ),
]
ZeroBasedOption = Annotated[
    bool | None,
    typer.Option(
        "--zero-based/--one-based",
        help="The first index of svmlight data.",
        show_default="found out",
        rich_help_panel=READING,
    ),
]
DecimalOption = Annotated[
    bool,
    typer.Option(
        "--decimal",
        help="Take numbers in text as the exact decimals they write, not as doubles.",
        rich_help_panel=READING,
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def open_source(
    data: str,
    format: Format | None,
    target: str | None,
    header: bool | None,
    delimiter: str | None,
    zero_based: bool | None,
    **more: Any,
) -> Any:
    """The source that the options describe."""
    from novikoff import sources

    return sources.open(
        data,
        format=None if format is None else format.value,
        target=as_place(target),
        header=header,
        delimiter=delimiter,
        zero_based=zero_based,
        **more,
    )


def as_place(target: str | None) -> str | int | None:
    """A column given as a whole number is a place; anything else is a name."""
    try:
        return None if target is None else int(target)
    except ValueError:
        return target


def as_parameters(words: list[str], defaults: dict[str, Any]) -> dict[str, Any]:
    """NAME=VALUE words as values of the kinds that the defaults have."""
    chosen = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in defaults:
            known = ", ".join(defaults) or "none"
            raise ParameterError(f"--param {word}: expected NAME=VALUE with a NAME of: {known}")
        chosen[name] = _as_value(name, text, defaults[name])
    return chosen


def _as_value(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise ParameterError(f"--param {name}={text}: expected true or false")
        return text.lower() == "true"
    if isinstance(default, str):
        return text
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"--param {name}={text}: expected a number") from None


def refuse_overwriting(data: str, outputs: dict[str, Path | None]) -> None:
    """No output may replace the data, or another output."""
    taken: list[tuple[str, Path]] = [("the data", Path(data))]
    for name, path in outputs.items():
        if path is None:
            continue
        for what, other in taken:
            if path.resolve() == other.resolve() or (
                path.exists() and other.exists() and path.samefile(other)
            ):
                raise ParameterError(f"{name} {path}: that is {what}; choose another name")
        taken.append((name, path))
