"""Counts with a logarithmic link: Poisson, negative binomial, and pseudo-likelihood (PPML).

*Why.* A row with count y and exposure e adds y x . b - e exp(x . b) to the log-likelihood, but for
a constant. Along b + t d, if y > 0 it falls without bound unless x . d = 0: the row is held. If
y = 0, then -e exp(x . b) rises towards 0 if x . d < 0, stays if x . d = 0, and falls without bound
if x . d > 0: z = -x. A positive exposure or weight changes none of this; a row with an exposure or
weight of 0 adds nothing, and is left out. The negative binomial's terms behave alike for any fixed
dispersion.
"""

import numpy as np

from novikoff.errors import DataError
from novikoff.verdict.cones.roles import refuse
from novikoff.verdict.cones.rows import signed_cone
from novikoff.verdict.signed import Cone, Table

ROLES = ("weights", "exposure")


def cone(table: Table) -> Cone:
    """z = -x for counts of 0; x is held for counts above."""
    counts, exposure = table.outcome, table.roles.get("exposure")
    refuse(table.given, counts, counts < 0.0, "y", "a count, not below 0")
    if exposure is not None and (bad := np.flatnonzero((counts > 0.0) & (exposure == 0.0))).size:
        row = int(bad[0])
        raise DataError(f"{table.where(row)} has the count {counts[row]:g} with an exposure of 0")
    some = counts[table.kept] > 0.0
    if not some.any():
        raise DataError("every count is 0: no fit has a finite intercept, nothing else to decide")
    return signed_cone(table, some, some)
