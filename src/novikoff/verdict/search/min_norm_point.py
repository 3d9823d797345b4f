"""The point of smallest norm in the convex hull of a few points, in floating point.

Wolfe's active-set method (1976). The active set, which Wolfe calls the corral, consists of affinely
independent points whose hull contains p, the nearest point of their affine hull to the origin:

    p = sum_i lambda_i a_i,    lambda > 0,    sum lambda = 1

If some point has a . p < |p|^2, it joins the active set, and p moves towards the nearest point of
the new affine hull; points whose multiplier would turn negative on the way leave. |p| falls at each
step. The affine minimum comes from a QR factorisation of the points, each with a 1 in front:

    R'R = e e' + A A',    R'v = e,    R u = v,    lambda = u / sum u

R is kept as its transpose L, whose rows are short, and v along with it: a point that joins appends
an entry to it, and the rotations that remove one turn it as they turn R.

The result is a suggestion only: `search` solves for the active set over the rationals. Written by
hand because each step changes one point; a call to a general solver costs a hundred times as much.
"""

from typing import Any, NamedTuple

import numpy as np

from novikoff.jit import Budget, compile_small, subroutine
from novikoff.learning.dot_kernels import dense_add
from novikoff.verdict.exact.blas_threads import one_thread
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
    L: Matrix
    v: Vector
    indices: Indices
    lam: Vector
    mu: Vector
    point: Vector
    size: Indices


def nearest_point(points: Matrix, start: ActiveSet | None = None, most: int = STEPS) -> ActiveSet:
    """The nearest point of the hull of `points` (one in each row), with its active set.

    start: an active set among the points to go on from. most: steps after which to give up.
    """
    dim = points.shape[1]
    room = min(len(points), dim + 1) + 2
    work = _WorkingSet(
        np.zeros((room, dim + 1)),
        np.zeros((room, room)),
        np.zeros(room),
        np.zeros(room, np.int64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(dim),
        np.zeros(1, np.int64),
    )
    first, parts = (np.empty(0, np.int64), np.empty(0)) if start is None else start[:2]
    with one_thread():
        status, steps = _wolfe(points, first, parts, work, most)
    k = int(work.size[0])
    return ActiveSet(
        work.indices[:k].copy(), work.lam[:k].copy(), work.point, int(status), int(steps)
    )


def compile_search() -> None:
    """Run no more of it as plain Python: for whoever looks for a nearest point again and again."""
    _wolfe.compiled  # noqa: B018  (made when first used)


def _wolfe_work(A: Matrix, first: Indices, parts: Vector, work: _WorkingSet, most: int) -> float:
    """The steps of plain Python, if each point of the result joins, and some leave again."""
    room = len(work.lam)
    return (2 * room + 10) * (150 + 4 * room)


@compile_small(_wolfe_work, Budget(20_000_000.0))  # it takes 6 s to compile
def _wolfe(
    A: Matrix, first: Indices, parts: Vector, work: _WorkingSet, most: int
) -> tuple[int, int]:
    """Start with the points `first` and multipliers `parts`, or at the shortest point if there are
    none; returns the status and the steps.
    """
    squares = row_squares(A)
    front = np.sqrt(np.max(squares))  # in place of the 1: as long as the longest point
    _start(A, first, parts, front, work)
    if work.size[0] == 0:
        shortest = np.int64(np.argmin(squares))
        _enter(A, shortest, front, work)
        work.size[0], work.indices[0], work.lam[0] = 1, shortest, 1.0
        copy(A[shortest], work.point)
    last = np.inf
    for step in range(most):
        square = inner(work.point, work.point)
        if square <= (NO_LENGTH * front) ** 2:
            return ZERO, step
        scores = products(A, work.point)
        lowest = np.int64(np.argmin(scores))
        slack = square - scores[lowest]
        if slack <= NO_GAIN * square or slack <= ROUNDING * front * np.sqrt(square):
            return OPTIMAL, step
        if square >= last or not _enter(A, lowest, front, work):
            return STALLED, step
        last = square
        _line_search(work)
        _move(A, work)
    return STALLED, most


@subroutine(allocates=True)
def _start(A: Matrix, first: Indices, parts: Vector, front: float, work: _WorkingSet) -> None:
    """Let these points join at once, but those that depend on others, and move to the minimum."""
    for i in range(first.size):
        if parts[i] > 0.0 and _enter(A, first[i], front, work):
            work.lam[work.size[0] - 1] = parts[i]
    k = work.size[0]
    if k > 0:
        divide(work.lam[:k], total(work.lam[:k]))
        _line_search(work)
        _move(A, work)


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
    copy(combination(work.lam[:k], A[work.indices[:k]]), work.point)


@subroutine(allocates=True)
def _join(a: Vector, front: float, work: _WorkingSet) -> bool:
    """Append (front, a) to the factorisation; False if it depends on the active points."""
    k, Q, L, v = work.size[0], work.Q, work.L, work.v
    q = Q[k]
    q[0] = front
    copy(a, q[1:])
    whole = np.sqrt(inner(q, q))
    L[k, :] = 0.0
    for _ in range(2):  # twice is enough (Kahan; Parlett)
        along = products(Q[:k], q)
        dense_add(combination(along, Q[:k]), -1.0, q)
        dense_add(along, 1.0, L[k])
    rest = np.sqrt(inner(q, q))
    if rest <= DEPENDENT * whole:
        return False
    L[k, k] = rest
    v[k] = subtract_products(1.0, L[k, :k], v[:k]) / rest
    divide(q, rest)
    return True


@subroutine(allocates=True)
def _leave(work: _WorkingSet, t: int) -> None:
    """Remove row t from the factorisation, and make it triangular again by rotations."""
    k, Q, L, v = work.size[0], work.Q, work.L, work.v
    for j in range(t, k - 1):
        copy(L[j + 1, : j + 2], L[j, : j + 2])
    for i in range(t, k - 1):
        size = np.hypot(L[i, i], L[i, i + 1])
        if size == 0.0:
            continue
        c, s = L[i, i] / size, L[i, i + 1] / size
        rotate(L[i : k - 1, i], L[i : k - 1, i + 1], c, s)
        rotate(Q[i], Q[i + 1], c, s)
        rotate(v[i : i + 1], v[i + 1 : i + 2], c, s)


@subroutine(allocates=True)
def _affine(work: _WorkingSet) -> None:
    """mu = (R'R)^-1 e / sum: the multipliers of the affine hull's nearest point."""
    k, L, mu = work.size[0], work.L, work.mu
    copy(work.v[:k], mu[:k])
    for i in range(k - 1, -1, -1):
        mu[i] /= L[i, i]
        dense_add(L[i, :i], -mu[i], mu)
    divide(mu[:k], total(mu[:k]))
