"""Perceptrons in rational arithmetic, to hold bounds against."""

from fractions import Fraction

from tests.helpers import exact_reference as exact

ORTHONORMAL = [1, 2, 3, 7, 8, 64]


def in_fractions(rows):
    return [[Fraction(value) for value in row] for row in rows]


def exact_run(z, passes=1, *, eta=1, start=None, until_done=False):
    """A perceptron in rational arithmetic: the weights before each update, and after the last."""
    w = [Fraction(0)] * len(z[0]) if start is None else list(start)
    trail = [w]
    for _ in range(passes):
        before = len(trail)
        for row in z:
            if exact.dot(row, w) <= 0:
                w = [a + eta * b for a, b in zip(w, row, strict=True)]
                trail.append(w)
        if until_done and len(trail) == before:
            return trail
    assert not until_done, "it did not converge"
    return trail


def squared_norm(vector):
    return exact.dot(vector, vector)
