"""Labelled rows of many awkward kinds, small enough for the exact reference.

Each kind is a function of a random generator; it returns X and whether each label is positive.
"""

import numpy as np


def small_integers(rng):
    X = rng.integers(-3, 4, shape(rng, 10, 3)).astype(float)
    return X, labels(rng, X)


def signs_and_zeros(rng):
    X = rng.integers(-1, 2, shape(rng, 10, 4)).astype(float)
    return X, labels(rng, X)


def corners(rng):
    X = rng.integers(0, 2, shape(rng, 10, 4)).astype(float)
    return X, labels(rng, X)


def duplicates(rng):
    X, positive = small_integers(rng)
    again = rng.integers(0, len(X), int(rng.integers(1, 5)))
    turned = positive[again] ^ (rng.random(len(again)) < 0.2)
    return np.vstack([X, X[again]]), np.concatenate([positive, turned])


def zero_rows(rng):
    X, positive = small_integers(rng)
    X[rng.random(len(X)) < 0.3] = 0.0
    return X, positive


def one_feature(rng):
    values = rng.choice([0.1, 0.2, 0.30000000000000004, 0.3, 1.0, 2.5], int(rng.integers(2, 9)))
    X = (values * rng.choice([1.0, -1.0, 1e-7, 3e8]))[:, None]
    return X, by_threshold(rng, X[:, 0])


def more_features_than_rows(rng):
    rows = int(rng.integers(2, 6))
    X = rng.integers(-2, 3, (rows, int(rng.integers(rows, 9)))).astype(float)
    return X, labels(rng, X)


def collinear_columns(rng):
    X, positive = small_integers(rng)
    both = X[:, :1] * rng.choice([-2.0, 1.0, 0.5]) + X[:, -1:]
    return np.hstack([X, both, np.full((len(X), 1), rng.choice([0.0, 3.0]))]), positive


def low_rank(rng):
    rows, features = shape(rng, 10, 5)
    rank = int(rng.integers(1, 3))
    X = rng.integers(-2, 3, (rows, rank)) @ rng.integers(-2, 3, (rank, features))
    return X.astype(float), labels(rng, X)


def touching(rng):
    """Many rows lie on the plane that has all others on their sides."""
    rows, features = shape(rng, 10, 3)
    X = rng.integers(-2, 3, (rows, features))
    return X.astype(float), by_threshold(rng, X @ rng.integers(-1, 2, features))


def overlapping(rng):
    X = rng.integers(-9, 10, (int(rng.integers(6, 14)), int(rng.integers(1, 4)))).astype(float)
    return X, rng.random(len(X)) < 0.5


def gaps(rng):
    """Two sides at a gap of 1e-15 to 1e3, a few rows on the wrong one, along an axis or turned."""
    rows, features = shape(rng, 10, 3)
    X = rng.uniform(-1, 1, (rows, features))
    positive = rng.random(rows) < 0.5
    wrong = rng.random(rows) < rng.choice([0.0, 0.0, 0.3])
    X[:, 0] = rng.integers(-3, 4) + 10.0 ** rng.uniform(-15, 3) * (positive ^ wrong)
    if rng.random() < 0.5:
        X = X @ np.triu(rng.integers(-2, 3, (features, features)), 1) + X
    return X, positive


def stairs(rng):
    """Each new coordinate has rows of one sign or of both, whatever the coordinates before."""
    features = int(rng.integers(2, 5))
    z = []
    for j in range(features):
        for sign in rng.choice([-1, 1], int(rng.integers(1, 4))):
            z.append(
                [*rng.integers(-2, 3, j), sign * rng.integers(1, 3), *[0] * (features - 1 - j)]
            )
    signs = rng.choice([-1, 1], len(z))
    turn = np.eye(features, dtype=int) + np.triu(rng.integers(-1, 2, (features, features)), 1)
    return (np.array(z) @ turn * signs[:, None]).astype(float), signs > 0


def one_ulp(rng):
    """Rows of a plane, moved by the least that doubles can."""
    X, positive = touching(rng)
    X = X * rng.choice([1.0, 0.1, 1 / 3])
    nudged = rng.random(X.shape) < 0.3
    return np.where(nudged, np.nextafter(X, rng.choice([-np.inf, np.inf], X.shape)), X), positive


def mixed_units(rng):
    kind = rng.choice([small_integers, touching, gaps, collinear_columns])
    X, positive = kind(rng)
    return X * rng.choice([1e-12, 1.0, 1e12, 2.0**40, 3.7e-9], X.shape[1]), positive


def gaussian(rng):
    X = rng.standard_normal(shape(rng, 14, 4))
    noise = rng.choice([0.0, 0.3])
    return X, X.sum(axis=1) + noise * rng.standard_normal(len(X)) > 0


def long_integers(rng):
    X = rng.integers(-(2**53), 2**53, shape(rng, 8, 3)).astype(float)
    return X, labels(rng, X)


def far_from_one(rng):
    X, positive = small_integers(rng)
    return X * 10.0 ** rng.integers(-140, 141, X.shape[1]), positive


def rough_rows(rng):
    """Rows of very different lengths."""
    X, positive = small_integers(rng)
    return X * 10.0 ** rng.integers(-15, 16, (len(X), 1)), positive


KINDS = [
    small_integers,
    signs_and_zeros,
    corners,
    duplicates,
    zero_rows,
    one_feature,
    more_features_than_rows,
    collinear_columns,
    low_rank,
    touching,
    overlapping,
    gaps,
    stairs,
    one_ulp,
    mixed_units,
    gaussian,
    long_integers,
    far_from_one,
    rough_rows,
]


def problem(kind, seed):
    """X, positive and whether there is a bias; both labels occur."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    X, positive = kind(rng)
    positive = np.array(positive, bool)
    if positive.all() or not positive.any():
        positive[rng.integers(len(positive))] ^= True
    return X, positive, bool(rng.random() < 0.7)


def shape(rng, rows, features):
    return int(rng.integers(2, rows + 1)), int(rng.integers(1, features + 1))


def labels(rng, X):
    """By a plane with a few labels turned, or by chance."""
    score = X @ rng.integers(-2, 3, X.shape[1]) + rng.integers(-1, 2)
    turned = rng.random(len(X)) < rng.choice([0.0, 0.0, 0.1, 0.5])
    return by_threshold(rng, score) ^ turned


def by_threshold(rng, score):
    """Above some score positive, below it negative, at it either."""
    threshold = rng.choice(score)
    return np.where(score == threshold, rng.random(len(score)) < 0.5, score > threshold)
