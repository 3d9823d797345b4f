"""`novikoff examples`: the built-in data."""

import json as json_format
import textwrap
from typing import Annotated, Any

import typer

from novikoff.cli import options

WIDTH, INDENT = 72, "    "


def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Print this example as CSV, such as xor or separable?rows=9&margin=0.2."
        ),
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """List the built-in data, or print one of them as CSV.

    Example: novikoff examples xor > xor.csv
    """
    from novikoff import sources

    if name is not None:
        _print(sources.open(name if name.startswith("example:") else f"example:{name}"), json)
        return
    if json:
        typer.echo(json_format.dumps([_as_json(each) for each in sources.EXAMPLES.values()]))
        return
    for each in sources.EXAMPLES.values():
        typer.echo(f"example:{each.name}, {'' if each.separable else 'not '}separable")
        typer.echo(textwrap.indent(textwrap.fill(each.description, WIDTH), INDENT))
        if each.parameters:
            given = "&".join(f"{key}={value}" for key, value in each.parameters.items())
            typer.echo(f"{INDENT}with ?{given}")


def _as_json(example: Any) -> dict[str, Any]:
    return {
        "name": example.name,
        "description": example.description,
        "separable": example.separable,
        "parameters": dict(example.parameters),
    }


def _print(source: Any, json: bool) -> None:
    X, y, _ = source.read()
    names = [*source.feature_names, source.target_name or "label"]
    if json:
        rows = [[*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True)]
        typer.echo(json_format.dumps({"columns": names, "rows": rows}))
        return
    typer.echo(",".join(names))
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        typer.echo(",".join(map(repr, row)) + f",{label}")
