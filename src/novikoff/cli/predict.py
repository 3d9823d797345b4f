"""`novikoff predict`: label rows with a saved model."""

import itertools
import json as json_format
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import options
from novikoff.cli.reading import DataArgument, Reading, reads_data
from novikoff.errors import DataError


@reads_data
def predict(
    model: Annotated[Path, typer.Argument(help="A file that fit --save wrote.", dir_okay=False)],
    data: DataArgument,
    labels: Annotated[
        bool | None,
        typer.Option(
            "--labels/--no-labels",
            help="Whether the data have labels too, to count mistakes.",
            show_default="found out from the number of columns",
        ),
    ] = None,
    json: options.JsonOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Print the class of each row, one a line; mistakes, if there are labels, on standard error.

    Example: novikoff predict setosa.model example:iris-setosa
    """
    from novikoff import models

    loaded = models.read(model)

    def opened(labelled: bool) -> Any:
        return reading.open(data, labelled=labelled, fallback=_numbered_as(loaded))

    source = opened(labels is not False)
    chunks = source.chunks()
    first = next(chunks)
    one_short = first.X.shape[1] == loaded.learner.features - 1
    # a table without a label column has lost its last feature to the labels
    if labels is None and source.replayable and one_short and isinstance(first.X, _dense()):
        source = opened(False)
        chunks = source.chunks()
        first = next(chunks)
    pairs = _predicted(loaded, source, itertools.chain([first], chunks))
    if json:
        typer.echo(
            json_format.dumps(
                _as_json(model, pairs) | {"skipped": source.skipped, "remarks": source.remarks()}
            )
        )
        return
    rows = mistakes = 0
    for found, truth in pairs:
        typer.echo("\n".join(map(str, found.tolist())))
        rows += len(found)
        mistakes += 0 if truth is None else int((found != truth).sum())
    if truth is not None:
        from novikoff.cli.results import count

        typer.echo(f"{count(mistakes, 'mistake')} in {count(rows, 'row')}", err=True)
    for remark in source.remarks():
        typer.echo(remark, err=True)


def _numbered_as(model: Any) -> dict[str, Any]:
    """How to number the features so that they are the model's."""
    names = model.feature_names
    return dict(model.numbering) | ({} if names is None else {"names": names})


def _dense() -> Any:
    import numpy as np

    return np.ndarray


def _as_json(model: Path, pairs: Iterator[Any]) -> dict[str, Any]:
    predictions: list[Any] = []
    mistakes: int | None = 0
    for found, truth in pairs:
        predictions += found.tolist()
        mistakes = None if truth is None else (mistakes or 0) + int((found != truth).sum())
    return {
        "model": str(model),
        "rows": len(predictions),
        "mistakes": mistakes,
        "predictions": predictions,
    }


def _predicted(model: Any, source: Any, chunks: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    """For each chunk the predicted classes, and the true ones in the same type if there are any."""
    from novikoff.rows import make_rows
    from novikoff.sources.arrays import as_matrix

    learner = model.learner
    for chunk in chunks:
        matrix = _fitted_to(model, source, as_matrix(chunk.X))
        found = model.predict(make_rows(matrix, learner.bias, learner.unit_length))
        truth = chunk.y
        if truth is not None and (truth.dtype.kind == "U") != (found.dtype.kind == "U"):
            truth, found = truth.astype(str), found.astype(str)
        yield found, truth


def _fitted_to(model: Any, source: Any, matrix: Any) -> Any:
    """The matrix with the model's features, in the model's order."""
    names, features = model.feature_names, model.learner.features
    if names and source.feature_names and names != source.feature_names:
        absent = [name for name in names if name not in source.feature_names]
        if absent:
            raise DataError(
                f"{source.name}: the model needs a feature {absent[0]!r}, not found here"
            )
        return matrix[:, [source.feature_names.index(name) for name in names]].copy()
    if matrix.shape[1] < features and hasattr(matrix, "tocsr"):
        matrix.resize(matrix.shape[0], features)  # trailing features that no row here has
    if matrix.shape[1] != features:
        raise DataError(
            f"{source.name}: the rows have {matrix.shape[1]} features; the model was fitted on"
            f" {features}"
        )
    return matrix
