"""The maximum of a concave log-likelihood where some combinations of coefficients are held."""

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.optimize

from novikoff.errors import DataError
from novikoff.verdict.limit_fit.likelihoods import Likelihood, Matrix
from novikoff.verdict.scan import Vector

MOST_STEPS = 500
FIRST_RADIUS = 4.0
CLOSE = 1e-10  # what a step may still promise at the end
ROUNDED = 1e-6  # what it may where the likelihood's own rounding hides whether it rises
EPSILON, FLATTEST = 1e-16, 1e-300  # of a curvature: beside the largest, and at all
WORTH = 1e-4  # the share of its promise that a step must keep
SHORTEST = 1e-12


class Maximum(NamedTuple):
    """Where the likelihood is highest, how high, and the directions that were free."""

    b: Vector
    value: float
    free: Matrix

    def covariance(self, likelihood: Likelihood) -> Matrix:
        """The inverse of the information, 0 along what is held."""
        information = -self.free.T @ likelihood.hessian(self.b) @ self.free
        found: Matrix = self.free @ np.linalg.solve(information, self.free.T)
        return found


def maximize(likelihood: Likelihood, start: Vector, held: Matrix) -> Maximum:
    """Newton's method from `start`, with held . b as it is there, within a radius that is trusted.

    The likelihood is concave, and strictly so where it is free, so that this converges.
    """
    b, free = start, scipy.linalg.null_space(held) if len(held) else np.eye(len(start))
    value, radius = likelihood.loglike(b), FIRST_RADIUS
    if not free.shape[1]:
        return Maximum(b, value, free)
    for _ in range(MOST_STEPS):
        slope = free.T @ likelihood.score(b)
        bends, axes = np.linalg.eigh(-free.T @ likelihood.hessian(b) @ free)
        along, bends = axes.T @ slope, np.maximum(bends, max(FLATTEST, EPSILON * bends[-1]))
        with np.errstate(over="ignore"):
            left = float(along @ (along / bends))
        step = along / (bends + _damping(along, bends, radius))
        reached = likelihood.loglike(b + free @ axes @ step)
        promise = float(step @ (along - 0.5 * bends * step))
        noise = 1e-13 * (1.0 + abs(value))
        share = (reached - value + noise) / (promise + noise)
        if share > WORTH:
            b, value = b + free @ axes @ step, reached
        if left <= CLOSE or (left <= ROUNDED and share <= WORTH):
            return Maximum(b, value, free)
        length = float(np.linalg.norm(step))
        radius = max(radius, 4.0 * length) if share > 0.5 else radius if share > 0.1 else length / 4
        if radius < SHORTEST:
            break
    raise DataError(
        "the reduced model did not converge: its columns nearly depend on each other, or differ"
        " by many orders of magnitude. Centre and scale them"
    )


def _damping(along: Vector, bends: Vector, radius: float) -> float:
    """What to add to the curvature so that the step is no longer than the radius; often nothing."""

    def excess(damping: float) -> float:
        with np.errstate(over="ignore"):  # along what is as good as flat
            return float(np.linalg.norm(along / (bends + damping))) - radius

    if excess(0.0) <= 0.0:
        return 0.0
    most = float(np.linalg.norm(along)) / radius  # no step is longer than slope / damping
    return float(scipy.optimize.brentq(excess, 0.0, most * 1.01, rtol=1e-3))
