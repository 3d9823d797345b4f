"""Linear programs that suggest how rows split, and a short conflict; solved by HiGHS in SciPy.

The split: maximise sum t subject to z . w >= t and 0 <= t <= 1 for each row, and z . w = 0 for the
held ones. Since w may be scaled, at the optimum t = 1 for the rows that some w has strictly on
their side, and t = 0 for the others, the boundary. The dual has a multiplier of at least 1 for each
row of the boundary, none for the others, and sum of multipliers * z = 0, with multipliers of
either sign for held rows. Floating point only suggests; see `program_split`.
"""

import math
import time
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novikoff.verdict.scan import Indices, Mask, Vector

SCALING_ROUNDS = 4
TOLERANCE = 1e-6
LARGEST_EXPONENT = 500


class ProgramSolution(NamedTuple):
    """What the program suggests of its rows: which are strict, weights, and multipliers.

    The multiplier of row k is multipliers[k] * 2^exponents[k]. Unless it is strict, multipliers[k]
    is at least 1, but for rounding.
    """

    strict: Mask
    weights: Vector
    multipliers: Vector
    exponents: Indices


def solve_split(
    rows: scipy.sparse.csr_array, held: scipy.sparse.csr_array, deadline: float | None
) -> ProgramSolution | None:
    """The split of the rows, given those held on the hyperplane; None if there is no clear one."""
    count = rows.shape[0]
    stacked = scipy.sparse.vstack([rows, held], format="csr")
    scaled, row_exponents, column_exponents = equilibrated(stacked)
    if scaled is None:
        return None
    width = scaled.shape[1]
    ones = scipy.sparse.eye_array(count, format="csr")
    found = _solve(
        np.concatenate([np.zeros(width), -np.ones(count)]),
        scipy.sparse.hstack([-scaled[:count], ones], format="csr"),
        scipy.sparse.hstack(
            [scaled[count:], scipy.sparse.csr_array((held.shape[0], count))], format="csr"
        ),
        [(None, None)] * width + [(0.0, 1.0)] * count,
        deadline,
    )
    if found is None:
        return None
    reached = found.x[width:]
    if ((reached > TOLERANCE) & (reached < 1.0 - TOLERANCE)).any():
        return None
    strict = reached > 0.5
    multipliers = np.where(strict, 0.0, -found.ineqlin.marginals)
    weights = np.ldexp(found.x[:width], column_exponents)
    return ProgramSolution(strict, weights, multipliers, row_exponents[:count])


def solve_combination(
    rows: scipy.sparse.csr_array, held: Mask, through: int | None = None, steps: int | None = None
) -> Vector | None:
    """Multipliers of rows, not negative but for held ones, that sum to zero; None if there are
    none, or it takes more steps to find them.

    Those of the rows that are not held add up to 1; or the one of row `through` is 1, and the sum
    of all sizes as small as can be, which few rows share.
    """
    scaled, row_exponents, _ = equilibrated(rows)
    if scaled is None or held.all():
        return None
    counted = np.where(held, 0.0, 1.0)
    if through is not None:
        counted[:] = 0.0
        counted[through] = 1.0
    used = np.unique(scaled.indices)
    sums = scipy.sparse.vstack([scaled.T.tocsr()[used], counted[None, :]], format="csc")
    right = np.zeros(sums.shape[0])
    right[-1] = 1.0
    # a held row has two multipliers, one for each sign
    both = scipy.sparse.hstack([sums, -sums[:, np.flatnonzero(held)]], format="csc")
    found = _solve(np.ones(both.shape[1]), None, both, (0.0, None), None, right, steps)
    if found is None:
        return None
    multipliers = found.x[: len(held)].copy()
    multipliers[held] -= found.x[len(held) :]
    return np.asarray(np.ldexp(multipliers, row_exponents))


def _solve(
    costs: Vector,
    above: Any,
    equal: Any,
    bounds: Any,
    deadline: float | None,
    right: Vector | None = None,
    steps: int | None = None,
) -> Any:
    """The result of HiGHS; None if it found no optimum in time."""
    from scipy.optimize import linprog  # takes a while, and few verdicts need it

    options: dict[str, float] = {}
    if deadline is not None:
        options["time_limit"] = max(0.0, deadline - time.monotonic())
    if steps is not None:
        options["maxiter"] = steps
    found = linprog(
        costs,
        A_ub=above,
        b_ub=None if above is None else np.zeros(above.shape[0]),
        A_eq=equal if equal.shape[0] else None,
        b_eq=(np.zeros(equal.shape[0]) if right is None else right) if equal.shape[0] else None,
        bounds=bounds,
        method="highs",
        options=options,
    )
    return found if found.status == 0 else None


def equilibrated(
    matrix: scipy.sparse.csr_array,
) -> tuple[scipy.sparse.csr_array | None, Indices, Indices]:
    """The matrix with rows and columns times powers of two, so that entries come near 1; and the
    exponents of rows and columns. None instead of the matrix where doubles cannot hold them.

    Magnitudes are balanced between the largest and the smallest entry of a row or column.
    """
    rows, columns = np.zeros(matrix.shape[0]), np.zeros(matrix.shape[1])
    keep = matrix.data != 0.0
    owners = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[keep]
    places, sizes = matrix.indices[keep], np.frexp(matrix.data[keep])[1].astype(np.float64)
    if sizes.size and np.ptp(sizes) > 8:  # else there is nothing to gain
        for _ in range(SCALING_ROUNDS):
            for units, index in ((columns, places), (rows, owners)):
                units -= _middles(sizes + rows[owners] + columns[places], index, len(units))
    both = rows.astype(np.int64), columns.astype(np.int64)
    if max(np.abs(each).max(initial=0) for each in both) > LARGEST_EXPONENT:
        return None, *both
    scaled = matrix.copy()
    exponents = np.repeat(both[0], np.diff(matrix.indptr)) + both[1][matrix.indices]
    scaled.data = np.ldexp(matrix.data, exponents)
    return scaled, *both


def _middles(sizes: Vector, index: Any, count: int) -> Vector:
    """The middle between the largest and the smallest size for each index, as whole numbers."""
    high, low = np.full(count, -math.inf), np.full(count, math.inf)
    np.maximum.at(high, index, sizes)
    np.minimum.at(low, index, sizes)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(np.rint((high + low) / 2.0)))
