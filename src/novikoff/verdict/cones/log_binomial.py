"""Risks on a logarithmic scale: P(success) = exp(x . b), which is a probability where x . b <= 0.

*Why.* A success adds x . b itself to the log-likelihood, a failure log(1 - exp(x . b)). Along
b + t d a success with x . d < 0 falls without bound, and with x . d > 0 it ends up where exp(x . b)
is above 1, which is no probability: so x . d = 0, and rows with a success are held. A failure rises
if x . d < 0, stays if x . d = 0, and leaves the probabilities if x . d > 0: z = -x.
"""

from novikoff.errors import DataError
from novikoff.verdict.cones.binomial import successes_and_trials
from novikoff.verdict.cones.rows import signed_cone
from novikoff.verdict.signed import Cone, Table

ROLES = ("weights", "trials")


def cone(table: Table) -> Cone:
    """z = -x where no trial succeeds; x is held where some do."""
    successes, _ = successes_and_trials(table)
    some = successes > 0.0
    if not some.any():
        raise DataError("no row has a success: every risk is 0, and there is nothing to decide")
    return signed_cone(table, some, some)
