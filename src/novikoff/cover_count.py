"""Cover's count: how many labellings of P points a hyperplane through the origin realises.

For P points in general position in N dimensions (Cover 1965)

    C(P, N) = 2 * sum over k < N of binomial(P - 1, k)

of the 2^P labellings can be realised, wherever the points are; in any other position fewer. A
threshold is one more dimension: C(P, N + 1). Two halves of a row of Pascal's triangle make a whole:

    C(P, N) + C(P, P - N) = 2^P        for 0 <= N <= P

so that C(2 N, N) is exactly half of 2^(2 N). All counts are exact integers.
"""

import math
import operator
from decimal import Decimal
from typing import NamedTuple, SupportsIndex

from flint import fmpz

from novikoff.errors import ParameterError

FAR = 10  # times the capacity: from there on "P is far above 2 N"
SHORTEST = 64  # terms that are added up one by one
READABLE = 10**15  # up to here all digits are shown
UNDERFLOW = 1080  # powers of two below 1 at which every double is 0


class Regime(NamedTuple):
    """A regime of the counting theorem: a short name, and its meaning in a sentence."""

    name: str
    sentence: str


def count(P: int, N: int, *, threshold: bool = False) -> int:
    """C(P, N): the labellings of P points in general position in N dimensions that some hyperplane
    through the origin realises, as an exact integer.

    P is at least 1. N may be 0, where no labelling is realised, since every score is 0.
    threshold: whether the hyperplane may miss the origin, which counts as one more dimension.

    >>> count(4, 2), count(4, 2, threshold=True), count(4, 4)
    (8, 14, 16)
    """
    P, N = _checked(P, N, threshold)
    if N >= P:
        return 1 << P
    if 2 * N > P:
        return (1 << P) - 2 * _binomials(P - 1, P - N)
    return 2 * _binomials(P - 1, N)


def fraction(P: int, N: int, *, threshold: bool = False) -> float:
    """C(P, N) / 2^P, the nearest double to it: the share of all labellings that are realised.

    It is 1.0 also where the share is nearer to 1 than to any other double, and 0.0 where it is
    below all of them; `log2_fraction` tells these apart.

    >>> fraction(10, 5), fraction(2000, 1000), fraction(10**5, 10**4)
    (0.5, 0.5, 0.0)
    """
    P, N = _checked(P, N, threshold)
    if N >= P:
        return 1.0
    found = count(P, N)
    if found.bit_length() < P - UNDERFLOW:
        return 0.0
    return found / (1 << P)  # Python rounds a quotient of integers correctly, whatever their size


def log2_fraction(P: int, N: int, *, threshold: bool = False) -> float:
    """log2(C(P, N) / 2^P), also where the share itself is too small for a double.

    >>> log2_fraction(10, 5), round(log2_fraction(10**5, 10**4))
    (-1.0, -53110)
    """
    P, N = _checked(P, N, threshold)
    if N == 0:
        return -math.inf
    if N >= P:
        return 0.0
    if 2 * N >= P:  # near 1, the rest tells more
        return math.log1p(-fraction(P, P - N)) / math.log(2.0)
    found = count(P, N)
    bits = found.bit_length()
    return math.log2(found / (1 << bits)) + (bits - P)


def regime(P: int, N: int, *, threshold: bool = False) -> Regime:
    """The regime of the counting theorem that P points in N dimensions are in.

    >>> regime(10, 5).name, regime(3, 5).name, regime(1000, 5).name
    ('the capacity', 'every labelling', 'polynomial')
    """
    P, N = _checked(P, N, threshold)
    if N == 0:
        return Regime("none", "N = 0: every score is 0, so no labelling is realised.")
    if P <= N:
        return Regime(
            "every labelling",
            "P <= N: in general position every labelling is realised: that yours separates means"
            " nothing.",
        )
    if P < 2 * N:
        return Regime(
            "above one half",
            "N < P < 2N: in general position more than half of all labellings are realised, so a"
            " labelling drawn at random is more likely to separate than not.",
        )
    if P == 2 * N:
        return Regime(
            "the capacity",
            "P = 2N, the capacity: in general position exactly half of all labellings are"
            " realised.",
        )
    if P < FAR * 2 * N:
        return Regime(
            "below one half",
            "P > 2N: fewer than half of all labellings are realised, and the more dimensions the"
            " sharper the fall from there.",
        )
    return Regime("polynomial", f"P >> 2N: {_growth(N)}")


def decimal_digits(number: int) -> str:
    """All digits of an integer, of any length: Python itself formats no more than 4300.

    >>> len(decimal_digits(2**100_000))
    30103
    """
    return str(fmpz(number).str())


def readable_count(number: int) -> str:
    """A count to read: all digits of a short one, the first four of a long one.

    >>> readable_count(94572), readable_count(2**100)
    ('94,572', '1.268e+30')
    """
    if number < READABLE:
        return f"{number:,}"
    digits = decimal_digits(number)
    rounded = f"{Decimal(digits[:20]):.3e}"
    power = int(rounded.partition("e")[2]) + len(digits) - len(digits[:20])
    return f"{rounded.partition('e')[0]}e+{power}"


def _growth(N: int) -> str:
    if N == 1:
        return "two labellings are realised, however many points there are."
    leading = "2P" if N == 2 else f"2P^{N - 1}/{N - 1}!"
    return (
        f"as P grows, the realised labellings grow like {leading}, a polynomial, while all"
        " labellings double with each point: next to none of them is realised."
    )


def _binomials(n: int, terms: int) -> int:
    """The sum of binomial(n, k) over k < terms, for terms <= n + 1.

    Each term is the one before it times (n - k + 1) / k; a sum of products of such ratios is split
    in halves, so that large numbers are multiplied by large ones.
    """
    _, bottom, total = _split(n, 1, terms) if terms > 1 else (fmpz(1), fmpz(1), fmpz(0))
    return int((total + bottom) // bottom) if terms > 0 else 0


def _split(n: int, start: int, stop: int) -> tuple[fmpz, fmpz, fmpz]:
    """The product of the ratios from start to stop as top / bottom, and the sum of the products
    of the first, the first two, ... of them as total / bottom.
    """
    if stop - start <= SHORTEST:
        top, bottom, total = fmpz(1), fmpz(1), fmpz(0)
        for k in range(start, stop):
            top, bottom = top * (n - k + 1), bottom * k
            total = total * k + top
        return top, bottom, total
    middle = (start + stop) // 2
    top, bottom, total = _split(n, start, middle)
    top_after, bottom_after, total_after = _split(n, middle, stop)
    return top * top_after, bottom * bottom_after, total * bottom_after + top * total_after


def _checked(P: int, N: int, threshold: bool) -> tuple[int, int]:
    points, dimensions = require_integer("P", P, 1), require_integer("N", N, 0)
    return points, dimensions + bool(threshold)


def require_integer(name: str, value: SupportsIndex, least: int) -> int:
    """The value as an integer; ParameterError if it is not one, or too small."""
    try:
        found = operator.index(value)
    except TypeError:
        raise ParameterError(f"{name} must be a whole number, not {value!r}") from None
    if isinstance(value, bool) or found < least:
        raise ParameterError(f"{name} must be a whole number of {least} or more, not {value!r}")
    return found
