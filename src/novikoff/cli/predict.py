"""`novikoff predict`: label rows with a saved model."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, reads_data
from novikoff.cli.shared.text import json_text
from novikoff.errors import DataError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.data import Chunk, Source
    from novikoff.data.chunk import LabelArray
    from novikoff.data.sparse import Matrix
    from novikoff.learning.model_file import Model

    Pair: TypeAlias = tuple[LabelArray, LabelArray | None]  # predicted classes, true ones


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
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Print the class of each row, one a line; mistakes, if there are labels, on standard error.

    Example: novikoff predict setosa.model example:iris-setosa
    """
    import numpy as np

    from novikoff.data.files.parallel import processors
    from novikoff.learning import model_file

    loaded = model_file.read(model)
    loaded.learner.threads = processors()

    def open_data(labelled: bool) -> "Source":
        return reading.open(data, labelled=labelled, fallback=_index_options(loaded))

    source = open_data(labels is not False)
    chunks = source.chunks()
    first = next(chunks)
    one_short = first.X.shape[1] == loaded.learner.features - 1
    # a table without a label column has lost its last feature to the labels
    if labels is None and source.replayable and one_short and isinstance(first.X, np.ndarray):
        source = open_data(False)
        chunks = source.chunks()
        first = next(chunks)
    pairs = _predict(loaded, source, itertools.chain([first], chunks))
    rows = mistakes = 0
    predictions: list[Any] = []
    for found, truth in pairs:
        rows += len(found)
        mistakes += 0 if truth is None else int((found != truth).sum())
        if json:
            predictions += found.tolist()
        else:
            typer.echo("\n".join(map(str, found.tolist())))
    if json:
        answer = {
            "model": str(model),
            "rows": rows,
            "mistakes": None if truth is None else mistakes,
            "predictions": predictions,
            "skipped": source.skipped,
            "remarks": source.notes(),
        }
        typer.echo(json_text(answer))
        return
    if truth is not None:
        typer.echo(f"{count(mistakes, 'mistake')} in {count(rows, 'row')}", err=True)
    for remark in source.notes():
        typer.echo(remark, err=True)


def _index_options(model: "Model") -> dict[str, Any]:
    """Options of `nk.open` that number the features as the model has them."""
    names = model.feature_names
    known = {"weightless": True} | dict(model.numbering)
    return known | ({} if names is None else {"names": names})


def _predict(model: "Model", source: "Source", chunks: Iterator["Chunk"]) -> Iterator["Pair"]:
    """Predict the classes of each chunk; the true ones, if there are any, get the same type."""
    from novikoff.data.matrices import as_matrix
    from novikoff.learning.rows import make_rows

    learner = model.learner
    for chunk in chunks:
        matrix = _align(model, source, as_matrix(chunk.X))
        found = model.predict(make_rows(matrix, learner.bias, learner.unit_length))
        truth = chunk.y
        if truth is not None and (truth.dtype.kind == "U") != (found.dtype.kind == "U"):
            truth, found = truth.astype(str), found.astype(str)
        yield found, truth


def _align(model: "Model", source: "Source", matrix: "Matrix") -> "Matrix":
    """Give a matrix the model's features, in the model's order."""
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
