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
from numba import njit

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

OPTIMAL, ZERO, STALLED = 0, 1, 2
NEAR = 1e-13  # relative to the rows' length, what counts as no length at all
_njit: Any = njit


class Corral(NamedTuple):
    """The points that hold p, by their places in the matrix, and how the search ended."""

    places: Places
    multipliers: Vector
    point: Vector
    ended: int
    steps: int


def nearest(points: Matrix, start: Places | None = None, most: int = 100_000) -> Corral:
    """The corral of the nearest point of the hull of `points` (one in each row).

    start: places of points to begin with, in the order in which they join.
    """
    size = min(len(points), points.shape[1] + 1)
    room = size + 2
    Q, R = np.zeros((room, points.shape[1] + 1)), np.zeros((room, room))
    places, multipliers = np.zeros(room, np.int64), np.zeros(room)
    point = np.zeros(points.shape[1])
    order = np.empty(0, np.int64) if start is None else np.asarray(start, np.int64)
    with _threads().limit(limits=1):  # for products so small, more only wait for each other
        count, ended, steps = _wolfe(points, order, Q, R, places, multipliers, point, most)
    return Corral(places[:count].copy(), multipliers[:count].copy(), point, int(ended), int(steps))


@functools.cache
def _threads() -> Any:
    return threadpoolctl.ThreadpoolController()


@_njit(cache=True)
def _wolfe(
    A: Matrix,
    order: Places,
    Q: Matrix,
    R: Matrix,
    places: Places,
    lam: Vector,
    p: Vector,
    most: int,
) -> tuple[int, int, int]:
    m, room = A.shape[0], Q.shape[0]
    squares = np.empty(m)
    for i in range(m):
        squares[i] = np.dot(A[i], A[i])
    front = np.sqrt(squares.max())  # in place of the 1: as long as the longest point
    if front == 0.0:
        places[0], lam[0] = 0, 1.0
        return 1, 1, 0
    first = np.int64(np.argmin(squares)) if order.size == 0 else order[0]
    k = _join(A[first], front, Q, R, 0)
    places[0], lam[0] = first, 1.0
    p[:] = A[first]
    mu, work = np.empty(room), np.empty(room)
    scores = np.empty(m)
    last = np.inf
    planned = 1
    for step in range(most):
        square = np.dot(p, p)
        if square <= (NEAR * front) ** 2:
            return k, 1, step
        np.dot(A, p, scores)
        j = -1
        while planned < order.size and j < 0:  # those to begin with, while they help
            if scores[order[planned]] < square * (1.0 - 1e-9):
                j = order[planned]
            planned += 1
        if j < 0:
            j = np.int64(np.argmin(scores))
        slack = square - scores[j]
        if slack <= 1e-10 * square or slack <= 1e-14 * front * np.sqrt(square):
            return k, 0, step
        if square >= last:
            return k, 2, step
        for i in range(k):
            if places[i] == j:
                return k, 2, step
        if k >= room or _join(A[j], front, Q, R, k) == k:
            return k, 2, step
        places[k], lam[k] = j, 0.0
        k += 1
        last = square
        while True:  # towards the affine minimum, until it lies inside
            _affine(R, k, mu, work)
            theta, out = 1.0, -1
            for i in range(k):
                if mu[i] <= 1e-15 and lam[i] - mu[i] > 0.0:
                    ratio = lam[i] / (lam[i] - mu[i])
                    if ratio < theta or out < 0:
                        theta, out = min(ratio, theta), i
            for i in range(k):
                lam[i] += theta * (mu[i] - lam[i])
            if out < 0:
                break
            lam[out] = 0.0
            i = 0
            while i < k:
                if lam[i] <= 0.0 and k > 1:
                    _leave(Q, R, k, i)
                    for t in range(i, k - 1):
                        lam[t], places[t] = lam[t + 1], places[t + 1]
                    k -= 1
                else:
                    i += 1
        total = lam[:k].sum()
        p[:] = 0.0
        for i in range(k):
            lam[i] /= total
            p += lam[i] * A[places[i]]
    return k, 2, most


@_njit(cache=True)
def _join(a: Vector, front: float, Q: Matrix, R: Matrix, k: int) -> int:
    """Append (front, a) to the factorisation; k if it depends on what is there, else k + 1."""
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
    if rest <= 1e-14 * whole:
        return k
    R[k, k] = rest
    q /= rest
    return k + 1


@_njit(cache=True)
def _leave(Q: Matrix, R: Matrix, k: int, t: int) -> None:
    """Take column t out of the factorisation, and make it triangular again by rotations."""
    for j in range(t, k - 1):
        R[: j + 2, j] = R[: j + 2, j + 1]
    R[:, k - 1] = 0.0
    for i in range(t, k - 1):
        a, b = R[i, i], R[i + 1, i]
        size = np.hypot(a, b)
        if size == 0.0:
            continue
        c, s = a / size, b / size
        for j in range(i, k - 1):
            x, y = R[i, j], R[i + 1, j]
            R[i, j], R[i + 1, j] = c * x + s * y, c * y - s * x
        for j in range(Q.shape[1]):
            x, y = Q[i, j], Q[i + 1, j]
            Q[i, j], Q[i + 1, j] = c * x + s * y, c * y - s * x


@_njit(cache=True)
def _affine(R: Matrix, k: int, mu: Vector, work: Vector) -> None:
    """mu = (R'R)^-1 e / sum: the multipliers of the affine hull's nearest point."""
    work[:k] = 1.0
    for i in range(k):
        work[i] /= R[i, i]
        for j in range(i + 1, k):
            work[j] -= R[i, j] * work[i]
    for i in range(k - 1, -1, -1):
        total = work[i]
        for j in range(i + 1, k):
            total -= R[i, j] * mu[j]
        mu[i] = total / R[i, i]
    whole = mu[:k].sum()
    for i in range(k):
        mu[i] /= whole
