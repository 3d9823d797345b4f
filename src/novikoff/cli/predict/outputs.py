"""Answers as JSON, and as tables in files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.cli.predict.answers import Answers
from novikoff.errors import ParameterError
from novikoff.files import atomic_open
from novikoff.learning.files.model_file import Model


def collected(
    found: Iterator[Answers], model: Model, scores: bool, *, kept: bool
) -> dict[str, Any]:
    """The answers as a JSON object has them; kept: with one for each row."""
    rows = mistakes = 0
    predictions: list[Any] = []
    each_score: list[Any] = []
    truth = None
    for each in found:
        rows, mistakes, truth = rows + len(each.labels), mistakes + each.mistakes, each.truth
        if kept:
            predictions += each.labels.tolist()
        if kept and scores:
            several = each.scores.shape[1] > 1
            each_score += (each.scores if several else each.scores[:, 0]).tolist()
    answer = {
        "rows": rows,
        "mistakes": None if truth is None else mistakes,
        "predictions": predictions if kept else None,
    }
    if scores:
        answer |= {"classes": model.classes.tolist(), "scores": each_score if kept else None}
    return answer


def written(found: Iterator[Answers], path: Path, model: Model, scores: bool) -> Iterator[Answers]:
    """The same answers, while they are written to a table: all of it, or nothing."""
    import pyarrow as pa

    names = _score_columns(model) if scores else []
    with atomic_open(path) as file:
        writer = None
        for each in found:
            columns = [each.labels, *each.scores.T] if scores else [each.labels]
            batch = pa.record_batch(
                [pa.array(np.ascontiguousarray(column)) for column in columns],
                names=["prediction", *names],
            )
            writer = writer or _writer(path, file, batch.schema)
            writer.write_batch(batch)
            yield each
        if writer is not None:
            writer.close()


def _score_columns(model: Model) -> list[str]:
    if not model.learner.joint and len(model.learner.states) == 1:
        return ["score"]
    return [f"score_{label}" for label in model.classes.tolist()]


def _writer(path: Path, file: Any, schema: Any) -> Any:
    if path.suffix == ".csv":
        from pyarrow.csv import CSVWriter

        return CSVWriter(file, schema)
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(file, schema)


def require_table(path: Path) -> None:
    """Refuse a file whose name does not say how to write it."""
    if path.suffix not in (".csv", ".parquet"):
        raise ParameterError(f"--output {path}: the name must end in .csv or .parquet")
