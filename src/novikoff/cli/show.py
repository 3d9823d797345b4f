"""`novikoff show`: what a saved model is, and what it has learned."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.text import Fact, beside, finite, json_text, shorten
from novikoff.number_text import count, listed, rounded_up

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from novikoff.learning.files.model_file import Model

INTERCEPT = "(intercept)"
NAME_WIDTH, CLASSES_SHOWN = 40, 10


def show(
    model: Annotated[
        Path, typer.Argument(help="A file that fit --save or nk.save wrote.", dir_okay=False)
    ],
    top: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many of the largest coefficients to show.")
    ] = 10,
    coefficients: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write all coefficients and intercepts to this file, one feature per line.",
            dir_okay=False,
        ),
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Show a model: its rule, parameters, counts, and largest coefficients by name.

    Example: novikoff show setosa.model --top 3
    """
    from novikoff.learning.files import model_file

    loaded = model_file.read(model)
    weights, intercepts = loaded.learner.linear()
    if coefficients is not None:
        options.refuse_overwriting([], {"MODEL": model, "--coefficients": coefficients})
        _export(loaded, weights, intercepts, coefficients)
    if json:
        answer = {"model": str(model), **_facts(loaded)}
        answer["intercepts"] = intercepts.tolist()
        answer["coefficients"] = [
            {"class": label, "feature": name, "coefficient": value}
            for label, name, value in _largest(loaded, weights, top, len(weights))
        ]
        typer.echo(json_text(answer))
        return
    lines = [f"{model}: {loaded.rule}, classes {listed(loaded.classes.tolist())}"]
    for name, text in _lines(loaded):
        lines += beside(name, text)
    lines += _table(loaded, weights, intercepts, top)
    if coefficients is not None:
        lines.append(f"all coefficients: {coefficients}")
    typer.echo("\n".join(lines))


def _facts(model: "Model") -> dict[str, Any]:
    """What the file says, but for the weights."""
    learner = model.learner
    return {
        "rule": model.rule,
        "parameters": model.parameters,
        "options": model.options,
        "classes": model.classes.tolist(),
        "features": learner.features,
        "bias": learner.bias,
        "unit_length": learner.unit_length,
        "epochs": model.epochs,
        "seen": int(learner.tallies[0].seen[0]),
        "mistakes": learner.total("mistakes"),
        "weighted_mistakes": learner.weighted_mistakes,
        "mistakes_per_epoch": model.mistakes_per_epoch,
        "updates": learner.total("updates"),
        "converged": learner.total("updates") == model.settled_at,
        "radius": learner.radius,
        "margin_ceiling": finite(float(model.lowest.min())),
    }


def _lines(model: "Model") -> list[Fact]:
    facts = _facts(model)
    given = facts["parameters"] | facts["options"]
    counts = f"{count(facts['mistakes'], 'mistake')}, {count(facts['updates'], 'update')}"
    epochs = f"{count(facts['epochs'], 'epoch')}, " if facts["epochs"] else ""
    done = "; converged" if facts["converged"] else ""
    rows = "scaled to length 1" if facts["unit_length"] else "as they are"
    lines = [
        ("parameters", ", ".join(f"{name}={value}" for name, value in given.items()) or "none"),
        ("rows", f"{rows}, {'with' if facts['bias'] else 'without'} an intercept"),
        ("learned", f"{epochs}{count(facts['seen'], 'row')} seen, {counts}{done}"),
        ("radius", f"{facts['radius']:.6g}, the longest row"),
    ]
    if facts["margin_ceiling"] is not None:
        who = "no separator" if len(model.learner.states) == 1 else "for some class no separator"
        lines.append(("margin", f"{who} exceeds {rounded_up(facts['margin_ceiling'])}"))
    if model.rule == "voted":
        lines.append(("note", "the weights below are the last ones; all past ones vote"))
    return lines


def _names(model: "Model") -> "list[str]":
    """The features by name, or by the number that they have in the data."""
    first = 1 if model.numbering.get("zero_based") is False else 0
    numbers = range(first, first + model.learner.features)
    return model.feature_names or [str(number) for number in numbers]


def _labels(model: "Model", weights: "npt.NDArray[np.float64]") -> list[Any]:
    """The class that each line of weights is for; a single one is for the second of two."""
    classes: list[Any] = model.classes.tolist()
    return classes[-len(weights) :]


def _largest(
    model: "Model", weights: "npt.NDArray[np.float64]", top: int, most: int
) -> list[tuple[Any, str, float]]:
    """(class, feature, coefficient) of the largest by size, for as many classes."""
    import numpy as np

    names = _names(model)
    found = []
    for label, vector in zip(_labels(model, weights)[:most], weights, strict=False):
        order = np.argsort(-np.abs(vector), kind="stable")[:top]
        found += [(label, names[j], float(vector[j])) for j in order if vector[j] != 0.0]
    return found


def _table(
    model: "Model",
    weights: "npt.NDArray[np.float64]",
    intercepts: "npt.NDArray[np.float64]",
    top: int,
) -> list[str]:
    labels = _labels(model, weights)
    found = _largest(model, weights, top, CLASSES_SHOWN)
    lines = []
    for k, label in enumerate(labels[:CLASSES_SHOWN]):
        own = [(name, value) for each, name, value in found if each == label]
        nonzero, features = int((weights[k] != 0.0).sum()), weights.shape[1]
        size = f"{len(own)} largest of {nonzero:,} that are not 0, of {count(features, 'feature')}"
        lines.append(f"  coefficients of class {shorten(label, NAME_WIDTH)}: {size}")
        rows = [*own, (INTERCEPT, float(intercepts[k]))]
        width = max(len(shorten(name, NAME_WIDTH)) for name, _ in rows)
        lines += [f"    {shorten(name, NAME_WIDTH):<{width}}  {value: .6g}" for name, value in rows]
    if len(labels) > CLASSES_SHOWN:
        lines.append(f"  and {len(labels) - CLASSES_SHOWN:,} classes more")
    return lines


def _export(
    model: "Model",
    weights: "npt.NDArray[np.float64]",
    intercepts: "npt.NDArray[np.float64]",
    path: Path,
) -> None:
    """Write a line for each feature: its name, and its coefficient for each class."""
    from novikoff.files import atomic_open

    several = len(weights) > 1
    with atomic_open(path, text=True) as file:
        table = csv.writer(file, lineterminator="\n")
        heads = [str(label) for label in _labels(model, weights)] if several else ["coefficient"]
        table.writerow(["feature", *heads])
        for name, values in zip(_names(model), weights.T.tolist(), strict=True):
            table.writerow([name, *values])
        table.writerow([INTERCEPT, *intercepts.tolist()])
