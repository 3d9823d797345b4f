"""The point of smallest norm in the convex hull of a few points, in floating point.

Wolfe's active-set method (1976). The active set, which Wolfe calls the corral, consists of affinely
independent points whose hull contains p, the nearest point of their affine hull to the origin:

    p = sum_i lambda_i a_i,    lambda > 0,    sum lambda = 1

If some point has a . p < |p|^2, it joins the active set, and p moves towards the nearest point of
the new affine hull; points whose multiplier would turn negative on the way leave. |p| falls at each
step. The affine minimum comes from a QR factorisation of the points, each with a 1 in front:

    R'R = e e' + A A',    u = (R'R)^-1 e,    lambda = u / sum u

The result is a suggestion only: `search` solves for the active set over the rationals. Written by
hand because each step changes one point; a call to a general solver costs a hundred times as much.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
import threadpoolctl

from novikoff.jit import Budget, compile_small, subroutine
from novikoff.learning.dot_kernels import dense_add
from novikoff.verdict.scan import Indices, Vector
from novikoff.verdict.search.vector_kernels import (
    Matrix,
    combination,
    copy,
    divide,
    inner,
    products,
    rotate,
    row_squares,
    subtract_products,
    total,
)

OPTIMAL, ZERO, STALLED = 0, 1, 2
NO_LENGTH = 1e-13  # relative to the longest point
ROUNDING = 1e-14
NO_GAIN = 1e-10  # relative to |p|^2: what is not worth another step
DEPENDENT = 1e-14
STEPS = 100_000


class ActiveSet(NamedTuple):
    """The active points, by their indices, the nearest point, and how the search ended."""

    indices: Indices
    multipliers: Vector
    point: Vector
    status: int
    steps: int


class _WorkingSet(NamedTuple):
    """The active set while it changes; the first size[0] entries are in use."""

    Q: Matrix  # one orthonormal direction in each row
    R: Matrix
    indices: Indices
    lam: Vector
    mu: Vector
    point: Vector
    size: Indices


def nearest_point(points: Matrix, start: Indices | None = None) -> ActiveSet:
    """The nearest point of the hull of `points` (one in each row), with its active set.

    start: indices of points to begin with, in the order in which they join.
    """
    dim = points.shape[1]
    room = min(len(points), dim + 1) + 2
    work = _WorkingSet(
        np.zeros((room, dim + 1)),
        np.zeros((room, room)),
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(dim),
        np.zeros(1, np.int64),
    )
    order = np.empty(0, np.int64) if start is None else np.asarray(start, np.int64)
    with _threads().limit(limits=1):  # for such small products, more only wait for each other
        status, steps = _wolfe(points, order, work)
    k = int(work.size[0])
    return ActiveSet(
        work.indices[:k].copy(), work.lam[:k].copy(), work.point, int(status), int(steps)
    )


def compile_search() -> None:
    """Run no more of it as plain Python: for whoever looks for a nearest point again and again."""
    _wolfe.compiled  # noqa: B018  (made when first used)


@functools.cache
def _threads() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController()


def _wolfe_work(A: Matrix, order: Indices, work: _WorkingSet) -> float:
    """The steps of plain Python, if each point of the result joins, and some leave again."""
    room = len(work.lam)
    return (2 * room + 10) * (150 + 4 * room)


@compile_small(_wolfe_work, Budget(20_000_000.0))  # it takes 6 s to compile
def _wolfe(A: Matrix, order: Indices, work: _WorkingSet) -> tuple[int, int]:
    """Start at the shortest point, or at those in `order`; returns the status and the steps."""
    squares = row_squares(A)
    front = np.sqrt(np.max(squares))  # in place of the 1: as long as the longest point
    first = np.int64(np.argmin(squares)) if order.size == 0 else order[0]
    if front > 0.0:
        _join(A[first], front, work)
    work.size[0], work.indices[0], work.lam[0] = 1, first, 1.0
    copy(A[first], work.point)
    planned, last = 1, np.inf
    for step in range(STEPS):
        square = inner(work.point, work.point)
        if square <= (NO_LENGTH * front) ** 2:
            return ZERO, step
        scores = products(A, work.point)
        lowest = np.int64(np.argmin(scores))
        slack = square - scores[lowest]
        if slack <= NO_GAIN * square or slack <= ROUNDING * front * np.sqrt(square):
            return OPTIMAL, step
        while planned < order.size and scores[order[planned]] >= square * (1.0 - 1e-9):
            planned += 1
        j = order[planned] if planned < order.size else lowest
        if square >= last or not _enter(A, j, front, work):
            return STALLED, step
        last = square
        _line_search(work)
        _move(A, work)
    return STALLED, STEPS


@subroutine(allocates=True)
def _enter(A: Matrix, j: Any, front: float, work: _WorkingSet) -> bool:
    """Let point j join; False if it is active already, or depends on the active points."""
    k = work.size[0]
    for i in range(k):
        if work.indices[i] == j:
            return False
    if k >= work.Q.shape[0] or not _join(A[j], front, work):
        return False
    work.indices[k], work.lam[k] = j, 0.0
    work.size[0] = k + 1
    return True


@subroutine(allocates=True)
def _line_search(work: _WorkingSet) -> None:
    """Move towards the affine minimum until it lies inside; drop points that block the way."""
    lam, mu = work.lam, work.mu
    while True:
        _affine(work)
        k = work.size[0]
        theta, out = 1.0, -1
        for i in range(k):
            if mu[i] <= 1e-15 and lam[i] - mu[i] > 0.0:
                ratio = lam[i] / (lam[i] - mu[i])
                if ratio < theta or out < 0:
                    theta, out = min(ratio, theta), i
        for i in range(k):
            lam[i] += theta * (mu[i] - lam[i])
        if out < 0:
            return
        lam[out] = 0.0
        _drop(work)


@subroutine(allocates=True)
def _drop(work: _WorkingSet) -> None:
    """Drop all points whose multiplier is no longer positive."""
    i = 0
    while i < work.size[0]:
        k = work.size[0]
        if work.lam[i] > 0.0 or k == 1:
            i += 1
            continue
        _leave(work, i)
        for t in range(i, k - 1):
            work.lam[t], work.indices[t] = work.lam[t + 1], work.indices[t + 1]
        work.size[0] = k - 1


@subroutine(allocates=True)
def _move(A: Matrix, work: _WorkingSet) -> None:
    """Normalise the multipliers to sum to 1, and compute p."""
    k = work.size[0]
    divide(work.lam[:k], total(work.lam[:k]))
    work.point[:] = 0.0
    for i in range(k):
        dense_add(A[work.indices[i]], work.lam[i], work.point)


@subroutine(allocates=True)
def _join(a: Vector, front: float, work: _WorkingSet) -> bool:
    """Append (front, a) to the factorisation; False if it depends on the active points."""
    k, Q, R = work.size[0], work.Q, work.R
    q = Q[k]
    q[0] = front
    copy(a, q[1:])
    whole = np.sqrt(inner(q, q))
    R[:, k] = 0.0
    R[k, :] = 0.0
    for _ in range(2):  # twice is enough (Kahan; Parlett)
        along = products(Q[:k], q)
        dense_add(combination(along, Q[:k]), -1.0, q)
        for i in range(k):
            R[i, k] += along[i]
    rest = np.sqrt(inner(q, q))
    if rest <= DEPENDENT * whole:
        return False
    R[k, k] = rest
    divide(q, rest)
    return True


@subroutine(allocates=True)
def _leave(work: _WorkingSet, t: int) -> None:
    """Remove column t from the factorisation, and make it triangular again by rotations."""
    k, Q, R = work.size[0], work.Q, work.R
    for j in range(t, k - 1):
        copy(R[: j + 2, j + 1], R[: j + 2, j])
    R[:, k - 1] = 0.0
    for i in range(t, k - 1):
        size = np.hypot(R[i, i], R[i + 1, i])
        if size == 0.0:
            continue
        c, s = R[i, i] / size, R[i + 1, i] / size
        rotate(R[i, i : k - 1], R[i + 1, i : k - 1], c, s)
        rotate(Q[i], Q[i + 1], c, s)


@subroutine(allocates=True)
def _affine(work: _WorkingSet) -> None:
    """mu = (R'R)^-1 e / sum: the multipliers of the affine hull's nearest point."""
    k, R, mu = work.size[0], work.R, work.mu
    mu[:k] = 1.0
    for i in range(k):
        mu[i] /= R[i, i]
        dense_add(R[i, i + 1 : k], -mu[i], mu[i + 1 : k])
    for i in range(k - 1, -1, -1):
        mu[i] = subtract_products(mu[i], R[i, i + 1 : k], mu[i + 1 : k]) / R[i, i]
    divide(mu[:k], total(mu[:k]))
