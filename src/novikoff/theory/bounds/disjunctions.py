"""Winnow's hypotheses on data: every entry 0 or 1, and the label the OR of some variables.

A variable that is 1 in a negative row is in no such OR. So the OR of all the others is positive
wherever any consistent OR is: if it misses a positive row, there is none, and that row shows it.
"""

import contextlib
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse

from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import HypothesisError, ParameterError
from novikoff.learning.rows import CsrRows, make_rows, matrix_of
from novikoff.learning.rules.winnow import binarized
from novikoff.theory.bounds.formulas import winnow
from novikoff.theory.bounds.hypotheses import column_name, row_name
from novikoff.theory.bounds.user_input import signed_rows
from novikoff.verdict.scan import Indices
from novikoff.verdict.signed import Signed

BLOCK = 2**22  # entries looked at together
SLACK = 1.0 + 2.0**-48  # more than the formula can lose to rounding


class Disjunction(NamedTuple):
    """The label is the OR of these columns on every row.

    relevant: the columns, by number.
    names: what they are called.
    features: how many columns there are.

    >>> import novikoff as nk
    >>> nk.bounds.disjunction([[0, 1], [1, 0], [0, 0]], [1, 0, 0]).relevant
    [1]
    """

    relevant: list[int]
    names: list[str]
    features: int


class WinnowBound(NamedTuple):
    """The most mistakes of Winnow on these rows.

    value: a whole number.
    real: the formula, before it is rounded down; itself not rounded down.
    relevant: the columns whose OR the label is.
    features: how many columns there are.

    >>> import novikoff as nk
    >>> nk.bounds.winnow_on([[0, 1], [1, 0], [0, 0]], [1, 0, 0]).value
    8
    """

    value: int
    real: float
    relevant: list[int]
    features: int


def disjunction(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    relevant: Sequence[int | str] | None = None,
    positive: Label | None = None,
) -> Disjunction:
    """An OR of few columns that is the label on every row.

    Without `relevant` a small OR is sought: of the columns that are 1 in no negative row, again and
    again the one in most positive rows that are still left; then those that the others make
    needless are dropped. Refused with the row that shows that there is none.

    X: rows of 0 and 1; as for `check`.
    y: two labels, the larger being positive if `positive` names none.
    relevant: columns by place or by name, whose OR it has to be.
    positive: the label of the rows in which the OR holds.

    >>> import novikoff as nk
    >>> nk.bounds.disjunction([[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]], [1, 1, 0, 1]).relevant
    [0, 1]
    """
    return find_disjunction(signed_rows(X, y, fit_intercept=False, positive=positive), relevant)


def winnow_on(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    relevant: Sequence[int | str] | None = None,
    alpha: float = 2.0,
    theta: float | None = None,
    positive: Label | None = None,
) -> WinnowBound:
    """`winnow` on data: 2 + 3 r (1 + lg n) for the r columns of a `disjunction` found or given.

    X: as for `bounds.disjunction`.
    y: as for `bounds.disjunction`.
    relevant: as for `bounds.disjunction`.
    alpha: as for `Winnow`.
    theta: as for `Winnow`.
    positive: as for `bounds.disjunction`.

    >>> import novikoff as nk
    >>> X, y = [[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]], [1, 1, 0, 1]
    >>> nk.bounds.winnow_on(X, y).value
    17
    """
    known = disjunction(X, y, relevant=relevant, positive=positive)
    return winnow_bound(known, alpha, theta)


def winnow_bound(known: Disjunction, alpha: float = 2.0, theta: float | None = None) -> WinnowBound:
    """Winnow's bound where the label is this disjunction."""
    real = SLACK * winnow(len(known.relevant), known.features, alpha=alpha, theta=theta)
    return WinnowBound(math.floor(real), real, known.relevant, known.features)


def find_disjunction(signed: Signed, relevant: Sequence[int | str] | None = None) -> Disjunction:
    """The `disjunction` of signed rows without a bias."""
    require_bits(signed)
    on = scipy.sparse.csr_array(matrix_of(signed.rows) == 1.0)  # where variables are 1
    if relevant is None:
        chosen = _search(signed, on)
    else:
        chosen = sorted({_column_index(signed, each) for each in relevant})
        _refuse_mismatch(signed, on, chosen)
    names = [column_name(signed, j) for j in chosen]
    return Disjunction(chosen, names, signed.features)


def require_bits(signed: Signed) -> None:
    """Refuse rows with an entry other than 0 and 1."""
    values = signed.rows.values if signed.exact is None else signed.exact
    each = max(1, BLOCK // max(1, values[0].size if values.ndim > 1 else 1))
    for start in range(0, len(values), each):
        part = values[start : start + each]
        bad = np.argwhere((part != 0) & (part != 1))
        if bad.size:
            i, j = _entry(signed, start + int(bad[0][0]), int(bad[0][-1]))
            entry = f"{float(part[tuple(bad[0])]):g}"
            near = "not quite " if entry in ("0", "1") else ""
            where = f"{row_name(signed, i)} has {near}{entry} in {column_name(signed, j)}"
            raise HypothesisError(f"{where}; Winnow's bound is for variables that are 0 or 1")


def _entry(signed: Signed, first: int, second: int) -> tuple[int, int]:
    """The row and column of an entry, given its index in `values`."""
    rows = signed.rows
    if not isinstance(rows, CsrRows):
        return first, second
    return int(np.searchsorted(rows.starts, first, "right")) - 1, int(rows.columns[first])


def as_bits(signed: Signed, limit: float) -> Signed:
    """The rows as Winnow sees them: see `binarized`."""
    matrix = binarized(matrix_of(signed.rows), limit)
    bits = Signed(make_rows(matrix, False, False), signed.signs, signed.labels)
    bits.lines, bits.feature_names = signed.lines, signed.feature_names
    return bits


def _counts(on: Any) -> Indices:
    """In how many rows each variable is 1."""
    return np.bincount(on.indices, minlength=on.shape[1])


def _search(signed: Signed, on: Any) -> list[int]:
    """A small set of columns whose OR is the label."""
    positive = np.flatnonzero(signed.signs > 0)
    if not positive.size:
        raise HypothesisError("no row is positive, so the label is no OR of variables")
    against = _counts(on[np.flatnonzero(signed.signs < 0)])
    candidates = np.flatnonzero(against == 0)
    left = scipy.sparse.csr_array(on[positive][:, candidates])
    missed = np.flatnonzero(np.diff(left.indptr) == 0)
    if missed.size:
        raise HypothesisError(_why_none(signed, on, int(positive[missed[0]])))
    return sorted(candidates[_cover(left)].tolist())


def _why_none(signed: Signed, on: Any, i: int) -> str:
    """Why no OR of variables is positive in row i."""
    row = row_name(signed, i)
    columns = on.indices[on.indptr[i] : on.indptr[i + 1]]
    if not columns.size:
        return (
            f"{row} is positive though every variable is 0 in it: no OR of variables gives these"
            " labels"
        )
    negative = (on[:, [int(columns[0])]].toarray()[:, 0] != 0) & (signed.signs < 0)
    other = row_name(signed, int(np.flatnonzero(negative)[0]))
    such = f"such as {column_name(signed, int(columns[0]))} in {other}"
    return (
        f"{row} is positive, and each variable that is 1 in it is 1 in a negative row too ({such}):"
        " no OR of variables gives these labels"
    )


def _cover(rows: Any) -> Indices:
    """Few columns with a 1 in every row: greedily the fullest, then without those not needed."""
    columns, chosen = rows.tocsc(), []
    counts, covered = _counts(rows), np.zeros(rows.shape[0], np.int64)
    while not covered.all():
        best = int(np.argmax(counts))
        inside = columns.indices[columns.indptr[best] : columns.indptr[best + 1]]
        counts = counts - _counts(rows[inside[covered[inside] == 0]])
        covered[inside] += 1
        chosen.append(best)
    needed = []
    for best in reversed(chosen):
        inside = columns.indices[columns.indptr[best] : columns.indptr[best + 1]]
        if (covered[inside] > 1).all():
            covered[inside] -= 1
        else:
            needed.append(best)
    return np.array(needed, np.int64)


def _column_index(signed: Signed, name: int | str) -> int:
    """The index of a column that is given by its name or index."""
    names = signed.feature_names or []
    if isinstance(name, str) and name in names:
        return names.index(name)
    with contextlib.suppress(TypeError):  # names, and numbers that are not whole
        if 0 <= operator.index(name) < signed.features:  # type: ignore[arg-type]
            return operator.index(name)  # type: ignore[arg-type]
    raise ParameterError(
        f"there is no column {name!r}; give a name, or a place from 0 to {signed.features - 1}"
    )


def _refuse_mismatch(signed: Signed, on: Any, chosen: list[int]) -> None:
    """Refuse variables whose OR is not the label."""
    if not chosen:
        raise ParameterError("name at least one relevant variable")
    part = scipy.sparse.csr_array(on[:, chosen])
    wrong = np.flatnonzero((np.diff(part.indptr) > 0) != (signed.signs > 0))
    if not wrong.size:
        return
    i = int(wrong[0])
    if signed.signs[i] > 0:
        raise HypothesisError(
            f"{row_name(signed, i)} is positive, but none of the variables named is 1 in it"
        )
    j = chosen[int(part.indices[part.indptr[i]])]
    raise HypothesisError(
        f"{row_name(signed, i)} is negative, but {column_name(signed, j)} is 1 in it"
    )
