"""Many rows of `decide_many` as a matrix of the columns that a learner has."""

from collections.abc import Mapping, Sequence
from itertools import chain, repeat

import numpy as np

from novikoff.learning.learner import Learner
from novikoff.learning.rows import CsrRows, read_only


def rows_from_dicts(
    dicts: Sequence[Mapping[str, float]], names: Mapping[str, int], learner: Learner
) -> CsrRows:
    """Rows of named features, without the names that are unknown."""
    sizes = np.fromiter(map(len, dicts), np.int64, len(dicts))
    total = int(sizes.sum())
    numbers = map(names.get, chain.from_iterable(dicts), repeat(-1))
    columns = np.fromiter(numbers, np.int64, total)
    each_values = (each.values() for each in dicts)
    values = np.fromiter(chain.from_iterable(each_values), np.float64, total)
    rows = np.repeat(np.arange(len(dicts)), sizes)
    known = columns >= 0
    if not known.all():
        columns, values, rows = columns[known], values[known], rows[known]
        sizes = np.bincount(rows, minlength=len(dicts))
    order = np.argsort(rows * learner.features + columns)  # columns ascend within their rows
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    return CsrRows(
        read_only(values[order]),
        read_only(columns[order].astype(np.uint32)),
        read_only(starts),
        learner.features,
        learner.bias,
        learner.unit_length,
    )
