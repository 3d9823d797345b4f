"""Built-in data made by rule: truth tables, and random rows with a known separator."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import DataError

Floats = NDArray[np.float64]

#: Eight gigabytes: beyond it, a typing mistake is likelier than a wish.
MOST_NUMBERS = 10**9
#: Room between the promised margin and the rows, far above rounding and far below any margin.
_SLACK = 1e-9


class SyntheticRows(NamedTuple):
    """Rows and labels with their names."""

    X: Floats
    y: NDArray[np.int64] | NDArray[np.str_]
    feature_names: list[str]
    target_name: str


def truth_table(target_name: str, positive: tuple[bool, bool, bool, bool]) -> SyntheticRows:
    """The four rows of two bits, and the labels of a Boolean function of them."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
    return SyntheticRows(X, np.where(positive, 1, -1).astype(np.int64), ["a", "b"], target_name)


def disjunction(
    rows: int = 500, features: int = 50, relevant: int = 5, negated: int = 0, seed: int = 0
) -> SyntheticRows:
    """Rows of bits; positive where at least one of `relevant` literals holds.

    A literal is a variable, or, for `negated` of them, its opposite. Each holds with probability
    1 - 2^(-1/relevant), so that both classes are about equally likely; other bits are fair coins.
    The target's name spells out the disjunction.
    """
    _check_size(rows, features)
    _require(1 <= relevant <= features, f"relevant={relevant} variables, from 1 to features")
    _require(0 <= negated <= relevant, f"negated={negated} literals, from 0 to relevant")
    random = np.random.default_rng(seed)
    chosen = random.permutation(features)[:relevant]
    literals = random.random((rows, relevant)) < 1 - 0.5 ** (1 / relevant)
    literals[0, 0], literals[1] = True, False  # whatever the coins say, both classes are there
    X = (random.random((rows, features)) < 0.5).astype(np.float64)
    flipped = np.arange(relevant) < negated
    X[:, chosen] = literals ^ flipped
    y = np.where(literals.any(axis=1), 1, -1).astype(np.int64)
    words = [f"not x{j}" if flip else f"x{j}" for j, flip in zip(chosen, flipped, strict=True)]
    return SyntheticRows(X, y, _default_names(features), " or ".join(words))


def separable(
    rows: int = 1000, features: int = 20, margin: float = 0.1, seed: int = 0
) -> SyntheticRows:
    """Rows x of the unit ball with |u·x| >= margin for a hidden unit vector u.

    The label is the sign of u·x. As in a ball of many dimensions, most rows are near the margin.
    """
    _check_size(rows, features)
    _require(0 < margin <= 0.999, f"margin={margin}, above 0 and at most 0.999")
    random = np.random.default_rng(seed)
    u = _directions(random, 1, features)[0]
    signs = random.choice((-1.0, 1.0), rows)
    signs[:2] = 1.0, -1.0
    along = margin + _SLACK + (1 - margin - 2 * _SLACK) * random.beta(1, (features + 1) / 2, rows)
    across = _directions(random, rows, features)
    across -= np.outer(across @ u, u)
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    # With one feature nothing is across u, and what rounding left over must not be blown up.
    across = np.divide(across, lengths, out=np.zeros_like(across), where=lengths > _SLACK)
    reach = np.sqrt((1 - _SLACK) ** 2 - along**2) * random.random(rows) ** (
        1 / max(features - 1, 1)
    )
    X = (signs * along)[:, None] * u + reach[:, None] * across
    return SyntheticRows(X, signs.astype(np.int64), _default_names(features), "side")


def tight(features: int = 8) -> SyntheticRows:
    """Orthonormal rows: without a bias, a perceptron makes exactly (D/γ)² = `features` mistakes."""
    _check_size(features, features)
    y = np.where(np.arange(features) % 2, -1, 1).astype(np.int64)
    return SyntheticRows(np.eye(features), y, _default_names(features), "label")


def _directions(random: np.random.Generator, rows: int, features: int) -> Floats:
    """Unit vectors, uniformly distributed."""
    normal = random.standard_normal((rows, features))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return normal


def _default_names(features: int) -> list[str]:
    return [f"x{j}" for j in range(features)]


def _check_size(rows: int, features: int) -> None:
    _require(rows >= 2, f"rows={rows}, at least 2: one of each class")
    _require(features >= 1, f"features={features}, at least 1")
    _require(
        rows * features <= MOST_NUMBERS,
        f"{rows} rows of {features} features, at most {MOST_NUMBERS} numbers in all",
    )


def _require(holds: bool, expectation: str) -> None:
    if not holds:
        found, _, wanted = expectation.partition(", ")
        raise DataError(f"found {found}, expected {wanted}")
