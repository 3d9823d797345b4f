"""Columns that are plainly names of rows: numbers, or words, that are different in every row.

A name separates whatever the labels are, and says nothing of another row. Of numbers only whole
ones are names, for measurements too are different everywhere.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from novikoff.data.sparse import Matrix

FEWEST_ROWS = 20  # below, a column is different everywhere by chance
NEARLY = 0.95  # of the rows
SAMPLE = 1000  # rows that show of most columns that they are no names


def identifiers(
    X: Matrix, names: Sequence[str], levels: Mapping[str, Collection[str]]
) -> list[str]:
    """The columns that look like names. levels: the values of columns of words."""
    rows = X.shape[0]
    if rows < FEWEST_ROWS:
        return []
    found = [names[j] for j in _full_columns(X) if _names_rows(X, j)]  # of words they are 0 or 1
    return found + [name for name, values in levels.items() if len(values) >= NEARLY * rows]


def _full_columns(X: Matrix) -> list[int]:
    """The columns that are not mostly zeros, by their first rows."""
    if isinstance(X, np.ndarray):
        return [*range(X.shape[1])]
    entries = np.bincount(X[:SAMPLE].indices, minlength=X.shape[1])
    return np.flatnonzero(entries >= NEARLY * min(SAMPLE, X.shape[0]) - 1).tolist()


def _names_rows(X: Matrix, j: int) -> bool:
    for rows in (min(SAMPLE, X.shape[0]), X.shape[0]):
        part = X[:rows, [j]]
        column = np.asarray(part.toarray() if hasattr(part, "toarray") else part)[:, 0]
        different = len(np.unique(column)) >= NEARLY * rows
        if not different or not (column == np.rint(column)).all():
            return False
    return True


def identifier_note(name: str) -> str:
    """What to say of such a column, and what to do.

    >>> identifier_note("rownames")
    'rownames is different in every row, or nearly so: is it an identifier? --drop rownames'
    """
    option = f"--drop '{name}'" if " " in name else f"--drop {name}"
    return f"{name} is different in every row, or nearly so: is it an identifier? {option}"
