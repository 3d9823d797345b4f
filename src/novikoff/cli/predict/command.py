"""`novikoff predict`: label rows with a saved model."""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, reads_data
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError
from novikoff.number_text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from novikoff.cli.predict.answers import Answers
    from novikoff.data import Source
    from novikoff.learning.files.model_file import Model


@reads_data
def predict(
    model: Annotated[Path, typer.Argument(help="A file that fit --save wrote.", dir_okay=False)],
    data: DataArgument,
    labels: Annotated[
        bool | None,
        typer.Option(
            "--labels/--no-labels",
            help="Whether the data have labels too, to count mistakes.",
            show_default="detected from the number of columns",
        ),
    ] = None,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="Add the score behind each class; beyond two classes, one for each class.",
        ),
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Predict the second of two classes where the score is above this.",
            show_default="0",
        ),
    ] = None,
    extra_features: Annotated[
        options.ExtraFeatures,
        typer.Option(help="What to do about sparse rows with features that the model lacks."),
    ] = options.ExtraFeatures.REFUSE,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a table, .csv or .parquet, instead of lines.",
            dir_okay=False,
        ),
    ] = None,
    json: options.JsonOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Print the class of each row, one per line; with labels, count mistakes on standard error.

    Example: novikoff predict setosa.model example:iris-setosa
    """
    from novikoff.cli.predict.answers import Predictor
    from novikoff.cli.predict.outputs import collected, require_table, written
    from novikoff.data.files.parallel import processors
    from novikoff.learning.files import model_file

    options.refuse_overwriting(data, {"MODEL": model, "--output": output})
    if output is not None:
        require_table(output)
    loaded = model_file.read(model)
    loaded.learner.threads = processors()
    if threshold is not None and len(loaded.learner.outputs()) > 1:
        raise ParameterError(
            f"--threshold is for one score; the model has one for each of {len(loaded.classes)}"
            " classes"
        )
    drop = extra_features is options.ExtraFeatures.DROP
    predictor = Predictor(loaded, threshold, drop=drop, may_lack_labels=labels is None)
    source, found = _opened(predictor, data, labels, reading)
    if output is not None:
        found = written(found, output, loaded, scores)
    if json:
        answer = {"model": str(model), **collected(found, loaded, scores, kept=output is None)}
        answer |= {"skipped": source.skipped, "remarks": predictor.notes(source)}
        typer.echo(json_text(answer | {"output": None if output is None else str(output)}))
        return
    rows = mistakes = 0
    truth = None
    for each in found:
        rows, mistakes, truth = rows + len(each.labels), mistakes + each.mistakes, each.truth
        if output is None:
            typer.echo("\n".join(each.lines(scores)))
    if truth is not None:
        typer.echo(f"{count(mistakes, 'mistake')} in {count(rows, 'row')}", err=True)
    for remark in predictor.notes(source):
        typer.echo(remark, err=True)


def _opened(
    predictor: Any, data: list[str], labels: bool | None, reading: DataOptions
) -> "tuple[Source, Iterator[Answers]]":
    """The source, and the answers for its chunks; whether rows have labels may have to be found
    out: a table without a label column has lost its last feature to the labels.
    """
    import numpy as np

    model: Model = predictor.model
    known = _index_options(model)
    source = reading.open(data, labelled=labels is not False, fallback=known)
    chunks = source.chunks()
    first = next(chunks)
    one_short = first.X.shape[1] == model.learner.features - 1
    if labels is None and source.replayable and one_short and isinstance(first.X, np.ndarray):
        source = reading.open(data, labelled=False, fallback=known)
        chunks = source.chunks()
        first = next(chunks)
    return source, predictor.answers(source, itertools.chain([first], chunks))


def _index_options(model: "Model") -> dict[str, Any]:
    """Options of `nk.open` that number the features as the model has them."""
    names = model.feature_names
    known = {"weightless": True} | dict(model.numbering)
    return known | ({} if names is None else {"names": names})
