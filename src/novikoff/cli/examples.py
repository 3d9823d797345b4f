"""`novikoff examples`: the built-in data."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.text import json_text, wrap

if TYPE_CHECKING:
    from novikoff.data import Source
    from novikoff.data.examples.registry import Example

INDENT = "    "


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
    from novikoff import data

    if name is not None:
        _print(data.open(name if name.startswith("example:") else f"example:{name}"), json)
        return
    if json:
        typer.echo(json_text([_as_json(each) for each in data.EXAMPLES.values()]))
        return
    for each in data.EXAMPLES.values():
        typer.echo(f"example:{each.name}, {'' if each.separable else 'not '}separable")
        typer.echo("\n".join(wrap(each.description, INDENT, INDENT)))
        if each.parameters:
            given = "&".join(f"{key}={value}" for key, value in each.parameters.items())
            typer.echo(f"{INDENT}with ?{given}")


def _as_json(example: "Example") -> dict[str, Any]:
    return {
        "name": example.name,
        "description": example.description,
        "separable": example.separable,
        "parameters": dict(example.parameters),
    }


def _print(source: "Source", json: bool) -> None:
    import numpy as np

    X, y, _ = source.read()
    assert isinstance(X, np.ndarray)  # every example is dense
    assert y is not None  # and has labels and names
    names = [*(source.feature_names or ()), source.target_name or "label"]
    if json:
        rows = [[*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True)]
        typer.echo(json_text({"columns": names, "rows": rows}))
        return
    typer.echo(",".join(names))
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        typer.echo(",".join(map(repr, row)) + f",{label}")
