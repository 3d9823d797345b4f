"""Classes in an order: proportional odds, ordered probit, and other cumulative links.

*Why.* P(class <= k) = F(a_k - x . b) with thresholds a_1 < ... < a_{K-1}, so a row of class k has
the probability F(a_k - x . b) - F(a_{k-1} - x . b), the first term being 1 for the last class and
the second 0 for the first. Along a direction it falls to 0 if the upper argument falls or the lower
one rises, and never falls otherwise. So z = (e_k, -x) for k < K and z = (-e_{k-1}, x) for k > 1.
Both hold in every class between the first and the last, so no direction disturbs the thresholds'
order as long as every class has a row.
"""

from itertools import pairwise

import numpy as np

from novikoff.verdict.cones.rows import BlockRows
from novikoff.verdict.scan import Indices
from novikoff.verdict.signed import Classes, Cone, Table

ROLES = ("weights",)


def cone(table: Table) -> Cone:
    """For each row: the threshold above its class, then the one below, where there are such."""
    assert isinstance(table.labels, Classes)
    classes = len(table.labels.names)
    thresholds = classes - 1
    both = np.repeat(table.kept, 2)
    upper = np.tile([True, False], len(table.kept))
    own = table.outcome[both].astype(np.int64)
    real = np.where(upper, own < thresholds, own > 0)
    owners, upper, own = both[real], upper[real], own[real]
    blocks = BlockRows(table)
    for sign, side in ((1, upper), (-1, ~upper)):
        at: Indices = np.flatnonzero(side)
        blocks.add_ones(at, sign, own[at] - (sign < 0))
        blocks.add(at, owners[at], -sign, np.full(len(at), thresholds))
    matrix, exact = blocks.matrix(len(owners), thresholds + table.features)

    def tell(k: int) -> str:
        where = "below" if upper[k] else "above"
        name = threshold_names[own[k] - (not upper[k])]
        return f"{table.where(owners[k])} ({table.class_name(own[k])}) {where} the threshold {name}"

    names = [str(name) for name in table.labels.names]
    threshold_names = [f"{low}|{high}" for low, high in pairwise(names)]
    return Cone(
        table=table,
        matrix=matrix,
        exact=exact,
        bias=False,
        signs=np.ones(len(owners), np.int8),
        held=np.zeros(len(owners), np.bool_),
        owners=owners,
        others=np.full(len(owners), -1),
        names=[*threshold_names, *table.names],
        tell=tell,
    )
