"""Vectors and small matrices: by NumPy and SciPy in plain loops, one by one in compiled ones.

Both give the same bits: products come from the BLAS that Numba takes them from, SciPy's, and sums
are taken in order. Assigning slices would take Numba two seconds to compile, for its messages.
"""

import numpy as np
import numpy.typing as npt
import scipy.linalg.blas

from novikoff.jit import register_implementation, subroutine
from novikoff.verdict.scan import Vector

Matrix = npt.NDArray[np.float64]


@subroutine()
def total(numbers: Vector) -> float:
    """The sum, in order."""
    found = 0.0
    for number in numbers:
        found += number
    return found


def row_squares(A: Matrix) -> Vector:
    """|a|^2 for each row a of A, summed in order."""
    squares = np.zeros(len(A))
    for column in A.T:
        squares += column * column
    return squares


def _each_row_square(A: Matrix) -> Vector:
    squares = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            squares[i] += A[i, j] * A[i, j]
    return squares


def inner(a: Vector, b: Vector) -> float:
    """a . b."""
    return float(scipy.linalg.blas.ddot(a, b))


def products(A: Matrix, v: Vector) -> Vector:
    """A v."""
    return scipy.linalg.blas.dgemv(1.0, A.T, v, trans=1) if len(A) else np.zeros(0)


def combination(v: Vector, A: Matrix) -> Vector:
    """v A."""
    return scipy.linalg.blas.dgemv(1.0, A.T, v) if len(A) else np.zeros(A.shape[1])


def copy(source: Vector, target: Vector) -> None:
    """Write the source to the target."""
    target[:] = source


def _copy_each(source: Vector, target: Vector) -> None:
    for j in range(source.shape[0]):
        target[j] = source[j]


def divide(vector: Vector, number: float) -> None:
    """Divide in place."""
    vector /= number


def _divide_each(vector: Vector, number: float) -> None:
    for j in range(vector.shape[0]):
        vector[j] /= number


def rotate(x: Vector, y: Vector, c: float, s: float) -> None:
    """Rotate (x[j], y[j]) for each j."""
    x[:], y[:] = c * x + s * y, c * y - s * x


def _rotate_each(x: Vector, y: Vector, c: float, s: float) -> None:
    for j in range(x.shape[0]):
        x[j], y[j] = c * x[j] + s * y[j], c * y[j] - s * x[j]


def subtract_products(number: float, a: Vector, b: Vector) -> float:
    """number - a[0] * b[0] - a[1] * b[1] - ..."""
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        number -= x * y
    return number


def _subtract_each_product(number: float, a: Vector, b: Vector) -> float:
    for j in range(a.shape[0]):
        number -= a[j] * b[j]
    return number


for _product in (inner, products, combination):
    register_implementation(_product, lambda a, b: np.dot(a, b), allocates=True)
register_implementation(row_squares, _each_row_square, allocates=True)
register_implementation(copy, _copy_each)
register_implementation(divide, _divide_each)
register_implementation(rotate, _rotate_each)
register_implementation(subtract_products, _subtract_each_product)
