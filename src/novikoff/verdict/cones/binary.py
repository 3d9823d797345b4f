"""Two labels: logit, probit, cauchit and complementary log-log have the same cone.

*Why.* A row of the positive label adds log F(x . b) to the log-likelihood, one of the negative
label log(1 - F(x . b)), where F rises from 0 to 1. Along b + t d the first tends to 0 from below if
x . d > 0, stays if x . d = 0, and falls without bound if x . d < 0; the second likewise with -x. So
the likelihood never falls along d if and only if z . d >= 0 for all signed rows z = x or -x.
"""

import numpy as np

from novikoff.verdict.cones.rows import signed_cone
from novikoff.verdict.signed import Cone, Table

ROLES = ("weights",)


def cone(table: Table) -> Cone:
    """z = x for rows of the positive label, -x for the others; none is held."""
    positive = table.outcome[table.kept] == 1.0
    return signed_cone(table, positive, np.zeros(len(positive), np.bool_))
