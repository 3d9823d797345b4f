"""Options that several commands take, and the values of their words."""

import contextlib
import enum
import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.errors import ParameterError


class StopChoice(enum.StrEnum):
    PROVEN = "proven"
    BUDGET = "budget"


class Order(enum.StrEnum):
    GIVEN = "given"
    SHUFFLE = "shuffle"


class ExtraFeatures(enum.StrEnum):
    REFUSE = "refuse"
    DROP = "drop"


def panel(name: str) -> Callable[..., Any]:
    """A `typer.Option` whose options are in this panel of the help."""
    return partial(typer.Option, rich_help_panel=name)


rule_option, question_option = panel("The rule"), panel("The question")

EtaOption = Annotated[float | None, rule_option(help="The step.", show_default="the rule's")]
TieOption = Annotated[
    str | None,
    rule_option(
        help="What a score of exactly 0 means: mistake, positive, negative or keep.",
        show_default="mistake",
    ),
]
ParamOption = Annotated[
    list[str] | None,
    rule_option(
        metavar="NAME=VALUE",
        help="Any other parameter of the rule, such as alpha=1.5; may be repeated.",
    ),
]
InitOption = Annotated[str, rule_option(help="The start: zeros or random.")]
LearnBiasOption = Annotated[
    bool | None,
    rule_option(
        "--bias/--no-bias", help="Learn an intercept.", show_default="where the rule has one"
    ),
]
UnitLengthOption = Annotated[bool, rule_option("--unit-length", help="Scale rows to length 1.")]
ClassWeightOption = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL=WEIGHT,...",
        help="Multiply the rows of a class by its weight, 1 unless given; 0 leaves the class out."
        " Or balanced: rows / (classes * rows of the class).",
    ),
]
OrderOption = Annotated[Order, typer.Option(help="given, or shuffle: anew each epoch.")]
StopOption = Annotated[
    StopChoice,
    typer.Option(
        help="proven: end once the rows are proven inseparable and mistakes no longer fall; or go"
        " on to the budget of epochs."
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="For shuffling and a random start.")]

BiasOption = Annotated[
    bool, question_option("--bias/--no-bias", help="Whether the hyperplane has an intercept.")
]
ScaledOption = Annotated[bool, question_option("--unit-length", help="Scale rows to length 1.")]
PositiveOption = Annotated[
    str | None,
    question_option(metavar="LABEL", help="Take this label as one class, all others as the other."),
]

LevelsOption = Annotated[
    str | None,
    question_option(
        metavar="LABEL,...",
        help="The classes of multinomial (the first is the reference) or cumulative in order.",
        show_default="sorted",
    ),
]
FormulaOption = Annotated[
    str | None,
    question_option(
        metavar="FORMULA",
        help="The model's outcome and terms, such as 'low ~ age + C(race)*smoke'; with the extra"
        " novikoff[stats].",
    ),
]
role_option = partial(panel("Roles of columns"), metavar="COLUMN")
WeightsOption = Annotated[
    str | None, role_option(help="Weights or frequencies; a row of weight 0 does not count.")
]
TrialsOption = Annotated[
    str | None, role_option(help="binomial: of how many the target counts the successes.")
]
ExposureOption = Annotated[
    str | None, role_option(help="poisson: how long, or of how many, was counted.")
]
StrataOption = Annotated[
    str | None, role_option(help="conditional: groups of cases and controls; cox: strata.")
]
TimeOption = Annotated[
    str | None, role_option(help="cox: the time of the event, or of leaving without one.")
]
EventOption = Annotated[
    str | None, role_option(help="cox: 1 for an event, 0 where it is censored; it is the target.")
]
EntryOption = Annotated[
    str | None, role_option(help="cox: the time from which on a row is at risk.")
]

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def given(**values: str | None) -> dict[str, str]:
    """The options that were given."""
    return {name: value for name, value in values.items() if value is not None}


def as_parameters(words: list[str], defaults: dict[str, Any]) -> dict[str, Any]:
    """Convert NAME=VALUE words to values of the types that the defaults have."""
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


def as_class_weight(words: str | None) -> str | dict[Any, float] | None:
    """Weights by label from LABEL=WEIGHT,...; labels are numbers where all of them are."""
    if words is None or words == "balanced":
        return words
    found: dict[str, float] = {}
    for word in words.split(","):
        label, equals, text = (part.strip() for part in word.rpartition("="))
        try:
            weight = float(text)
        except ValueError:
            weight = math.nan
        if not equals or label in found or not 0.0 <= weight < math.inf:
            raise ParameterError(
                f"--class-weight {words}: expected balanced, or LABEL=WEIGHT with commas between,"
                f" each label once and each weight 0 or above; {word!r} is not such"
            )
        found[label] = weight
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return {kind(label): weight for label, weight in found.items()}
    return dict(found)


def refuse_overwriting(data: Sequence[str], outputs: dict[str, Path | None]) -> None:
    """Refuse an output that would replace the data, or another output."""
    # fsspec's address of a file here is that file
    taken = [("the data", Path(each.removeprefix("file://"))) for each in data]
    for name, path in outputs.items():
        if path is None:
            continue
        for what, other in taken:
            if path.resolve() == other.resolve() or (
                path.exists() and other.exists() and path.samefile(other)
            ):
                raise ParameterError(f"{name} {path}: that is {what}; choose another name")
        taken.append((name, path))
