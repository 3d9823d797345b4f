"""Cases and controls in strata: conditional logit, fixed-effects logit, discrete choice.

*Why.* Given that m of a stratum's rows are cases, these have the probability exp(sum of x . b over
the cases) / (the sum of such terms over all choices of m rows). Along b + t d it never falls if and
only if no choice of m rows has a higher sum of x . d than the cases; exchanging one case for one
control shows that this means (case - control) . d >= 0 for all pairs within the stratum. What is
common to a stratum, such as an intercept, cancels.
"""

import numpy as np

from novikoff.errors import DataError
from novikoff.verdict.cones.rows import difference_cone
from novikoff.verdict.scan import Indices
from novikoff.verdict.signed import Cone, Table

ROLES = ("weights", "strata")


def cone(table: Table) -> Cone:
    """Stratum by stratum as they first come, for each case each control: case - control."""
    owners, others = [], []
    for cases, controls in _strata(table):
        owners.append(np.repeat(cases, len(controls)))
        others.append(np.tile(controls, len(cases)))
    owner, other = np.concatenate(owners), np.concatenate(others)

    def tell(k: int) -> str:
        names = [table.class_name(table.outcome[i]) for i in (owner[k], other[k])]
        return f"{table.where(owner[k])} ({names[0]}) against {table.where(other[k])} ({names[1]})"

    return difference_cone(table, owner, other, np.zeros(len(owner), np.bool_), tell)


def _strata(table: Table) -> list[tuple[Indices, Indices]]:
    """The cases and the controls of each stratum."""
    strata, kept = table.roles["strata"], table.kept
    order = kept[np.argsort(strata[kept], kind="stable")]
    parts = np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)
    found = []
    for rows in parts:
        is_case = table.outcome[rows] == 1.0
        if is_case.all() or not is_case.any():
            raise DataError(
                f"the stratum of {table.where(rows[0])} has no"
                f" {'control' if is_case.all() else 'case'}"
                f" ({len(rows)} row(s), all {table.class_name(table.outcome[rows[0]])}): it says"
                " nothing of any coefficient. Leave such strata out, or give them a weight of 0"
            )
        found.append((rows[is_case], rows[~is_case]))
    return found
