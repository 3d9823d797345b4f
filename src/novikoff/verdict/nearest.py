"""The point of smallest norm in the convex hull of a few points, in floating point.

Wolfe's active-set method (1976). The corral is a set of affinely independent points whose hull
holds p, the nearest point of their affine hull to the origin:

    p = sum_i lambda_i a_i,    lambda > 0,    sum lambda = 1

If some point has a . p < |p|^2, it joins the corral, and p moves towards the nearest point of the
new affine hull; points whose multiplier would turn negative on the way leave. |p| falls at each
step. The affine minimum comes from a QR factorisation of the points, each with a 1 in front:

    R'R = e e' + A A',    u = (R'R)^-1 e,    lambda = u / sum u

What comes out only suggests: `exact` solves for the corral over the rationals. Written by hand
because each step changes one point; a call to a general solver costs a hundred times as much.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import threadpoolctl

from novikoff.generic import compile_small

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

OPTIMAL, ZERO, STALLED = 0, 1, 2
NO_LENGTH = 1e-13  # relative to the longest point
ROUNDING = 1e-14
NO_GAIN = 1e-10  # relative to |p|^2: what is not worth another step
DEPENDENT = 1e-14
STEPS = 100_000


class Corral(NamedTuple):
    """The points that hold p, by their places in the matrix, and how the search ended."""

    places: Places
    multipliers: Vector
    point: Vector
    ended: int
    steps: int


class _Held(NamedTuple):
    """The corral while it changes; the first size[0] entries are in use."""

    Q: Matrix  # one orthonormal direction in each row
    R: Matrix
    places: Places
    lam: Vector
    mu: Vector
    point: Vector
    size: Places


def nearest(points: Matrix, start: Places | None = None) -> Corral:
    """The corral of the nearest point of the hull of `points` (one in each row).

    start: places of points to begin with, in the order in which they join.
    """
    dim = points.shape[1]
    room = min(len(points), dim + 1) + 2
    held = _Held(
        np.zeros((room, dim + 1)),
        np.zeros((room, room)),
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(dim),
        np.zeros(1, np.int64),
    )
    order = np.empty(0, np.int64) if start is None else np.asarray(start, np.int64)
    with _threads().limit(limits=1):  # for products so small, more only wait for each other
        ended, steps = _wolfe(points, order, held)
    k = int(held.size[0])
    return Corral(held.places[:k].copy(), held.lam[:k].copy(), held.point, int(ended), int(steps))


@functools.cache
def _threads() -> Any:
    return threadpoolctl.ThreadpoolController()


@compile_small
def _wolfe(A: Matrix, order: Places, held: _Held) -> tuple[int, int]:
    """From the shortest point, or those in `order`; how it ended, and after how many steps."""
    squares = (A * A).sum(axis=1)
    front = np.sqrt(squares.max())  # in place of the 1: as long as the longest point
    first = np.int64(np.argmin(squares)) if order.size == 0 else order[0]
    if front > 0.0:
        _join(A[first], front, held)
    held.size[0], held.places[0], held.lam[0] = 1, first, 1.0
    held.point[:] = A[first]
    planned, last = 1, np.inf
    for step in range(STEPS):
        square = np.dot(held.point, held.point)
        if square <= (NO_LENGTH * front) ** 2:
            return ZERO, step
        scores = np.dot(A, held.point)
        lowest = np.int64(np.argmin(scores))
        slack = square - scores[lowest]
        if slack <= NO_GAIN * square or slack <= ROUNDING * front * np.sqrt(square):
            return OPTIMAL, step
        while planned < order.size and scores[order[planned]] >= square * (1.0 - 1e-9):
            planned += 1
        j = order[planned] if planned < order.size else lowest
        if square >= last or not _enter(A, j, front, held):
            return STALLED, step
        last = square
        _inwards(held)
        _move(A, held)
    return STALLED, STEPS


@compile_small
def _enter(A: Matrix, j: Any, front: float, held: _Held) -> bool:
    """Let point j join; False if it is there already, or depends on those that are."""
    k = held.size[0]
    for i in range(k):
        if held.places[i] == j:
            return False
    if k >= held.Q.shape[0] or not _join(A[j], front, held):
        return False
    held.places[k], held.lam[k] = j, 0.0
    held.size[0] = k + 1
    return True


@compile_small
def _inwards(held: _Held) -> None:
    """Towards the affine minimum until it lies inside; points on the way out leave."""
    lam, mu = held.lam, held.mu
    while True:
        _affine(held)
        k = held.size[0]
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
        _drop(held)


@compile_small
def _drop(held: _Held) -> None:
    """Let all points go whose multiplier is no longer positive."""
    i = 0
    while i < held.size[0]:
        k = held.size[0]
        if held.lam[i] > 0.0 or k == 1:
            i += 1
            continue
        _leave(held, i)
        for t in range(i, k - 1):
            held.lam[t], held.places[t] = held.lam[t + 1], held.places[t + 1]
        held.size[0] = k - 1


@compile_small
def _move(A: Matrix, held: _Held) -> None:
    """p from the multipliers, made to sum to 1."""
    k = held.size[0]
    held.lam[:k] /= held.lam[:k].sum()
    held.point[:] = 0.0
    for i in range(k):
        held.point[:] += held.lam[i] * A[held.places[i]]


@compile_small
def _join(a: Vector, front: float, held: _Held) -> bool:
    """Append (front, a) to the factorisation; False if it depends on what is there."""
    k, Q, R = held.size[0], held.Q, held.R
    q = Q[k]
    q[0] = front
    q[1:] = a
    whole = np.sqrt(np.dot(q, q))
    R[:, k] = 0.0
    R[k, :] = 0.0
    for _ in range(2):  # twice is enough (Kahan; Parlett)
        along = np.dot(Q[:k], q)
        q -= np.dot(along, Q[:k])
        R[:k, k] += along
    rest = np.sqrt(np.dot(q, q))
    if rest <= DEPENDENT * whole:
        return False
    R[k, k] = rest
    q /= rest
    return True


@compile_small
def _leave(held: _Held, t: int) -> None:
    """Take column t out of the factorisation, and make it triangular again by rotations."""
    k, Q, R = held.size[0], held.Q, held.R
    for j in range(t, k - 1):
        R[: j + 2, j] = R[: j + 2, j + 1]
    R[:, k - 1] = 0.0
    for i in range(t, k - 1):
        size = np.hypot(R[i, i], R[i + 1, i])
        if size == 0.0:
            continue
        c, s = R[i, i] / size, R[i + 1, i] / size
        for j in range(i, k - 1):
            x, y = R[i, j], R[i + 1, j]
            R[i, j], R[i + 1, j] = c * x + s * y, c * y - s * x
        for j in range(Q.shape[1]):
            x, y = Q[i, j], Q[i + 1, j]
            Q[i, j], Q[i + 1, j] = c * x + s * y, c * y - s * x


@compile_small
def _affine(held: _Held) -> None:
    """mu = (R'R)^-1 e / sum: the multipliers of the affine hull's nearest point."""
    k, R, mu = held.size[0], held.R, held.mu
    mu[:k] = 1.0
    for i in range(k):
        mu[i] /= R[i, i]
        for j in range(i + 1, k):
            mu[j] -= R[i, j] * mu[i]
    for i in range(k - 1, -1, -1):
        total = mu[i]
        for j in range(i + 1, k):
            total -= R[i, j] * mu[j]
        mu[i] = total / R[i, i]
    mu[:k] /= mu[:k].sum()
