"""Several classes without an order: multinomial logit, and joint linear separability (Kesler).

*Why.* With weights b_k for each class, the reference's being 0, a row of class k adds
-log(1 + sum over j != k of exp((b_j - b_k) . x)) to the log-likelihood. Along b + t d a term
vanishes if (d_k - d_j) . x > 0, stays if that is 0, and grows without bound if it is below 0. So
the likelihood never falls along d if and only if (e_k - e_j) (x) x . d >= 0 for all rows and all
j != k, where (x) is the Kronecker product. That all are strict is Kesler's joint separability: some
weights give every row its own class the highest score.
"""

import numpy as np

from novikoff.errors import DataError
from novikoff.verdict.cones.rows import BlockRows
from novikoff.verdict.signed import INTERCEPT, Classes, Cone, Table

ROLES = ("weights",)
MOST_ENTRIES = 2**31 - 1


def cone(table: Table, *, reference: bool = True) -> Cone:
    """For each row of class k, and each class j != k in order: x in block k, -x in block j.

    reference: whether the first class has no columns, its weights being 0.
    """
    assert isinstance(table.labels, Classes)
    kept, classes, width = table.kept, len(table.labels.names), table.features + table.bias
    owners = np.repeat(kept, classes - 1)
    own = table.outcome[owners].astype(np.int64)
    against = np.tile(np.arange(classes - 1), len(kept))
    against = against + (against >= own)
    _refuse_many(table, classes)
    blocks = BlockRows(table)
    for sign, code in ((1, own), (-1, against)):
        at = np.flatnonzero(code >= reference)
        offsets = (code[at] - reference) * width
        blocks.add(at, owners[at], sign, offsets)
        if table.bias:
            blocks.add_ones(at, sign, offsets + table.features)
    matrix, exact = blocks.matrix(len(owners), (classes - reference) * width)

    def tell(k: int) -> str:
        names = table.class_name(own[k]), table.class_name(against[k])
        return f"{table.where(owners[k])} ({names[0]}) against the class {names[1]}"

    terms = [*table.names, INTERCEPT] if table.bias else table.names
    return Cone(
        table=table,
        matrix=matrix,
        exact=exact,
        bias=False,
        signs=np.ones(len(owners), np.int8),
        held=np.zeros(len(owners), np.bool_),
        owners=owners,
        others=np.full(len(owners), -1),
        names=[f"{name}: {term}" for name in table.labels.names[reference:] for term in terms],
        tell=tell,
    )


def _refuse_many(table: Table, classes: int) -> None:
    """Refuse so many classes that their rows cannot be numbered."""
    rows = len(table.kept)
    if rows * (classes - 1) * 2 * (table.features + 1) > MOST_ENTRIES:
        raise DataError(
            f"y has {classes:,} classes, and {rows:,} rows of {table.features:,} features: that is"
            f" {rows * (classes - 1):,} comparisons, more than can be held. Are the labels numbers"
            " to predict rather than classes? Otherwise, name one (positive=..., --positive ...)"
        )
