"""Successes in a number of trials, or shares of a whole: grouped logistic regression.

*Why.* A row with s successes in m trials is s rows of the positive label and m - s of the negative
one, all with the same x. If both occur, x . d >= 0 and -x . d >= 0 make x . d = 0: the row is held.
If all trials succeed z = x, and if none does z = -x. A share strictly between 0 and 1, as
fractional regression has it, is like both.
"""

import numpy as np

from novikoff.errors import DataError
from novikoff.verdict.cones.roles import refuse
from novikoff.verdict.cones.rows import signed_cone
from novikoff.verdict.scan import Vector
from novikoff.verdict.signed import Cone, Table

ROLES = ("weights", "trials")


def cone(table: Table) -> Cone:
    """z = x where all trials succeed, -x where none does; x is held where some do."""
    successes, trials = successes_and_trials(table)
    none = successes == 0.0
    return signed_cone(table, ~none, ~none & (successes < trials))


def successes_and_trials(table: Table) -> tuple[Vector, Vector]:
    """The successes of the rows that are kept, and their trials: 1 where none are given."""
    trials = table.roles.get("trials")
    refuse(table.given, table.outcome, table.outcome < 0.0, "y", "successes, not below 0")
    if trials is None:
        refuse(
            table.given,
            table.outcome,
            table.outcome > 1.0,
            "y",
            "shares from 0 to 1, or trials that say of how many they are the successes",
        )
        return table.outcome[table.kept], np.ones(len(table.kept))
    bad = np.flatnonzero(table.outcome > trials)
    if bad.size:
        row = int(bad[0])
        raise DataError(
            f"{table.where(row)} has {table.outcome[row]:g} successes in {trials[row]:g} trials;"
            " there are no more successes than trials"
        )
    return table.outcome[table.kept], trials[table.kept]
