"""Tables of formulas in files, and designs as files."""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.chunk import Lines
from novikoff.data.formula.design import Design
from novikoff.data.formula.parse import formulaic
from novikoff.errors import DataError
from novikoff.files import atomic_open


class TableFile(NamedTuple):
    """A table as a frame of pandas; the line of each row, where each is one line."""

    frame: Any
    lines: Lines | None


def read_table(path: str, delimiter: str | None = None) -> TableFile:
    """A table in a file: CSV, TSV or Parquet."""
    formulaic()  # which brings pandas
    import pandas as pd

    suffixes = [each.lower() for each in Path(path).suffixes]
    try:
        if suffixes[-1:] == [".parquet"]:
            return TableFile(pd.read_parquet(path), None)
        if not {".csv", ".tsv"} & {*suffixes[-2:]}:
            raise DataError(f"{path}: a formula needs a table with names: .csv, .tsv or .parquet")
        mark = delimiter or ("\t" if ".tsv" in suffixes else _delimiter(path))
        with warnings.catch_warnings():  # newer ones call this option the default
            warnings.simplefilter("ignore")
            frame = pd.read_csv(path, sep=mark, float_precision="round_trip", skipinitialspace=True)
        lines = _lines(path, len(frame)) if suffixes[-1:] in ([".csv"], [".tsv"]) else None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise DataError(f"{path}: cannot be read as a table: {error!s:.200}") from None
    frame.columns = [str(each).strip() for each in frame.columns]
    return TableFile(frame, lines)


def _delimiter(path: str) -> str:
    """The character between the names of a table's columns."""
    import pandas as pd

    head = pd.read_csv(path, sep=",", nrows=0).columns
    return next((mark for mark in "\t;" if len(head) == 1 and mark in head[0]), ",")


def _lines(path: str, rows: int) -> Lines | None:
    """The line of each row below the header; None where some take several lines, or are blank."""
    whole = Path(path).read_bytes().rstrip(b"\r\n")
    return np.arange(2, rows + 2) if whole.count(b"\n") == rows else None


def write_design(design: Design, path: Path) -> None:
    """Write a design as CSV: the columns of its terms, the outcome, and the roles."""
    import pandas as pd

    rows, chunk = design.rows, design.rows.chunk
    X = chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.toarray()
    frame = pd.DataFrame(X, columns=rows.feature_names)
    for name, values in ((str(rows.target_name), rows.labels), *rows.aside.items()):
        if name in frame.columns:
            raise DataError(f"{name} is both a term and the outcome or a role: rename one")
        frame[name] = values
    with atomic_open(path, text=True) as file:
        frame.to_csv(file, index=False)
