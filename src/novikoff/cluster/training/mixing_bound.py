"""The bound on mistakes of shards that are mixed, for a run that has ended; and that it held."""

import math

import numpy as np

from novikoff.errors import InequalityError
from novikoff.learning.learner import Learner, norm
from novikoff.learning.rules import MarginPerceptron, PassiveAggressive, Perceptron, protocol
from novikoff.theory.bounds.formulas import mixing


def shard_mistake_bound(learner: Learner, margin: float, lowest: float) -> float | None:
    """The most mistakes by the shards' shares; None where none is known.

    margin: of a separator. lowest: the lowest signed score of a row at the start. The proofs of
    these rules need of a mean of states only what `mixing` says: for the margin perceptron
    |w|^2 is convex, for passive-aggressive learning |w - u / gamma|^2 is.
    """
    rule, radius = learner.rule, learner.radius
    margin = min(margin, radius)  # of which rounding may have made more
    if isinstance(rule, Perceptron):
        return mixing(radius, margin, eta=rule.eta, lowest=lowest)
    if isinstance(rule, (MarginPerceptron, PassiveAggressive)) and learner.initial is None:
        return float(protocol.mistake_bound(rule, radius, margin))
    return None


def assert_bound_holds(mixed: float, bound: float, learner: Learner) -> None:
    """Refuse a run that broke the bound by more than rounding can explain.

    A score is off by at most eps * width * |w| * D, and a row whose score is within that of 0 may
    be a mistake that exact arithmetic would not have made: the move along it then adds more to
    |w|^2 than it should, by a share of eps * width * |w| / (eta * D), twice. That is at most
    sqrt(mixed), and from the start |w_0| / (eta * D). The margin is off by eps * width * D, a share
    of eps * width * sqrt(bound). Eight times as much is allowed, and as many roundings as moves.
    """
    eps, width = float(np.finfo(float).eps), learner.features + learner.bias + 8
    far = 0.0
    if learner.initial is not None:
        far = norm(learner.initial[0]) / (learner.rule.eta * learner.radius)
    size = max(bound, mixed, 1.0)
    lost = width * (math.sqrt(size) + far) + learner.total("updates")
    if mixed > bound + 8.0 * eps * lost * size:
        raise InequalityError(
            f"{mixed:.6g} mistakes by the shards' shares, and the theorem allows {bound:.6g}:"
            " either the theorem or this program is wrong; please report it with the data"
        )
