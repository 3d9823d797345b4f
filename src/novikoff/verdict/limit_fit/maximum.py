"""The maximum of a concave log-likelihood where some combinations of coefficients are held."""

from typing import NamedTuple

import numpy as np
import scipy.linalg

from novikoff.errors import DataError
from novikoff.verdict.limit_fit.likelihoods import Likelihood, Matrix
from novikoff.verdict.scan import Vector

MOST_STEPS = 200
CLOSE = 1e-10  # what a step may still promise at the end
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
    """Newton's method from `start`, with held . b as it is there; steps are halved until they rise.

    The likelihood is concave, and strictly so where it is free, so that this converges.
    """
    b, free = start, scipy.linalg.null_space(held) if len(held) else np.eye(len(start))
    value = likelihood.loglike(b)
    if not free.shape[1]:
        return Maximum(b, value, free)
    for _ in range(MOST_STEPS):
        slope = free.T @ likelihood.score(b)
        information = -free.T @ likelihood.hessian(b) @ free
        step = scipy.linalg.lstsq(information, slope)[0]
        promise = float(step @ slope)
        if promise <= CLOSE:
            return Maximum(b, value, free)
        b, value, length = _rise(likelihood, b, value, free @ step, promise)
        if length < SHORTEST:
            break
    raise DataError(
        "the reduced model did not converge: its columns nearly depend on each other, or differ"
        " by many orders of magnitude. Centre and scale them"
    )


def _rise(
    likelihood: Likelihood, b: Vector, value: float, step: Vector, promise: float
) -> tuple[Vector, float, float]:
    """The next point, its value, and how much of the step was taken."""
    length, noise = 1.0, 1e-13 * (1.0 + abs(value))
    while length >= SHORTEST:
        reached = likelihood.loglike(b + length * step)
        if reached >= value + 1e-4 * length * promise - noise:
            return b + length * step, reached, length
        length /= 2.0
    return b, value, 0.0
