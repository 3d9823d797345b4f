"""A run's table as CSV: every column of the trace in full, with the weights after each update."""

import csv
import io

import numpy as np

from novikoff.errors import ParameterError
from novikoff.lab.film.run import FilmRun
from novikoff.theory.trace.table import csv_lines
from novikoff.theory.trace.weights import weight_columns


def as_csv(run: FilmRun) -> str:
    """As `nk.trace(weights=True)` writes it, rows by their numbers in the order given."""
    table = run.trace.table
    if not run.steps:
        raise ParameterError("the run has no update: no row was ever a mistake")
    weights = np.vstack([*run.weights()])[1:]
    table = table | {"row": run.as_numbered(table["row"])} | weight_columns(weights, run.trace.bias)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(csv_lines(table))
    return text.getvalue()
