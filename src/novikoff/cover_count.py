"""Cover's count: how many labellings of P points a hyperplane through the origin realises.

For P points in general position in N dimensions (Cover 1965)

    C(P, N) = 2 * sum over k < N of binomial(P - 1, k)

of the 2^P labellings can be realised, wherever the points are; in any other position fewer. A
threshold is one more dimension: C(P, N + 1). Two halves of a row of Pascal's triangle make a whole:

    C(P, N) + C(P, P - N) = 2^P        for 0 <= N <= P

so that C(2 N, N) is exactly half of 2^(2 N). All counts are exact integers.

The share C(P, N) / 2^P is the probability of fewer than N heads in P - 1 tosses, a regularised
incomplete beta function:

    C(P, N) / 2^P = I_1/2(P - N, N)        for 0 < N < P

which Arb (Johansson 2017) encloses in an interval that is proven to hold it, in milliseconds
whatever the size. Where the interval holds one double's neighbourhood only, that double is the
answer; where it does not, it is computed again with twice the digits.
"""

import math
import operator
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple, SupportsIndex, TypeVar

from flint import arb, ctx, fmpz

from novikoff.errors import ParameterError

Value = TypeVar("Value")

FAR = 10  # times the capacity: from there on "P is far above 2 N"
SHORTEST = 64  # terms that are added up one by one
READABLE = 10**15  # up to here all digits are shown
UNDERFLOW = 1080  # powers of two below 1 at which every double is 0
SHORT_SUM = 4000  # binomials that are summed sooner than enclosed
SMALL = 2 * SHORT_SUM  # points whose counts are computed in full
LARGEST_P = 10**15  # Arb's enclosures of larger ones take long, or tell nothing
LONGEST = 2**32  # bits of a count: half a gigabyte
PRECISIONS = (128, 256, 512, 1024)  # bits, one after another until an enclosure decides
_precision_lock = threading.Lock()  # FLINT has one precision for all threads


class Regime(NamedTuple):
    """A regime of the counting theorem.

    name: a short one.
    sentence: what it means.

    >>> import novikoff as nk
    >>> nk.cover.regime(10, 5).name
    'the capacity'
    """

    name: str
    sentence: str


def count(P: int, N: int, *, threshold: bool = False) -> int:
    """C(P, N): the labellings of P points in general position in N dimensions that some hyperplane
    through the origin realises, as an exact integer.

    C(P, N) = 2 * (sum of binomial(P - 1, k) over k < N).

    P: points, at least 1.
    N: dimensions; 0 is allowed, where no labelling is realised, since every score is 0.
    threshold: whether the hyperplane may miss the origin, which counts as one more dimension.

    >>> import novikoff as nk
    >>> nk.cover.count(4, 2), nk.cover.count(4, 2, threshold=True), nk.cover.count(4, 4)
    (8, 14, 16)
    """
    P, N = _checked(P, N, threshold)
    # C(P, N) is at least 2^N, and at least (P / N)^(N - 1)
    if (min(P, N) - 1) * max(1, P.bit_length() - N.bit_length() - 1) > LONGEST:
        raise ParameterError(
            f"C({P}, {N}) has more than {LONGEST:,} binary digits, too many to compute them all;"
            " cover.log2_fraction tells its size"
        )
    if N >= P:
        return 1 << P
    if 2 * N > P:
        return (1 << P) - 2 * _binomials(P - 1, P - N)
    return 2 * _binomials(P - 1, N)


def fraction(P: int, N: int, *, threshold: bool = False) -> float:
    """C(P, N) / 2^P, the nearest double to it: the share of all labellings that are realised.

    It is 1.0 also where the share is nearer to 1 than to any other double, and 0.0 where it is
    below all of them; `log2_fraction` tells these apart. P above 10^15 is refused, unless N or
    P - N is small, or P = 2 N.

    P, N, threshold: as for `cover.count`.

    >>> import novikoff as nk
    >>> nk.cover.fraction(10, 5), nk.cover.fraction(10**7, 5 * 10**6 - 1000)
    (0.5, 0.2635446191368208)
    """
    P, N = _checked(P, N, threshold)
    if N >= P or 2 * N == P:
        return 1.0 if N >= P else 0.5
    share = _from_enclosure(P, N, _nearest) if P > SMALL else None
    # Python rounds a quotient of integers correctly, whatever their size
    return count(P, N) / (1 << P) if share is None else share


def log2_fraction(P: int, N: int, *, threshold: bool = False) -> float:
    """log2(C(P, N) / 2^P), within four units in the last place, also where the share itself is too
    small for a double. Refused where `fraction` is.

    P, N, threshold: as for `cover.count`.

    >>> import novikoff as nk
    >>> nk.cover.log2_fraction(10, 5), round(nk.cover.log2_fraction(10**5, 10**4))
    (-1.0, -53110)
    """
    P, N = _checked(P, N, threshold)
    if N == 0:
        return -math.inf
    if N >= P:
        return 0.0
    if 2 * N >= P:  # near 1, the rest tells more
        return math.log1p(-fraction(P, P - N)) / math.log(2.0)
    if P > SMALL:
        logarithm = _from_enclosure(P, N, lambda share: _nearest(share.log() / arb.const_log2()))
        if logarithm is not None:
            return logarithm
    realised = count(P, N)
    bits = realised.bit_length()
    return math.log2(realised / (1 << bits)) + (bits - P)


class Magnitude(NamedTuple):
    """A count to read, as `readable_count` writes it, and how many digits it has."""

    text: str
    digits: int


def magnitude(P: int, N: int, *, threshold: bool = False) -> Magnitude:
    """The size of C(P, N), without all its digits where these are many. Refused where `fraction`
    is.

    >>> magnitude(10, 5), magnitude(10**7, 10**5)
    (Magnitude(text='512', digits=3), Magnitude(text='9.594e+243206', digits=243207))
    """
    P, N = _checked(P, N, threshold)
    size = None
    if P > SMALL and N > SHORT_SUM:
        size = _from_enclosure(
            P, N, lambda share: _leading_digits(share.log() + P * arb.const_log2())
        )
    if size is None:
        realised = count(P, N)
        size = Magnitude(readable_count(realised), len(decimal_digits(realised)))
    return size


def regime(P: int, N: int, *, threshold: bool = False) -> Regime:
    """The regime of the counting theorem that P points in N dimensions are in.

    P, N, threshold: as for `cover.count`.

    >>> import novikoff as nk
    >>> [nk.cover.regime(P, 5).name for P in (3, 10, 1000)]
    ['every labelling', 'the capacity', 'polynomial']
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


def _from_enclosure(P: int, N: int, read: Callable[[arb], Value | None]) -> Value | None:
    """What `read` makes of an enclosure of C(P, N) / 2^P; None if no precision that is tried is
    enough for it.
    """
    for bits in PRECISIONS:
        with _precision_lock, ctx.workprec(bits):
            tail = _enclosed_tail(P, min(N, P - N))
            result = read(tail if 2 * N <= P else 1 - tail)
        if result is not None:
            return result
    return None


def _enclosed_tail(P: int, N: int) -> arb:
    """C(P, N) / 2^P at FLINT's precision, for N <= P / 2."""
    if N <= SHORT_SUM:
        return arb(count(P, max(N, 0))) / arb(2) ** P
    if P > LARGEST_P:
        raise ParameterError(
            f"P = {P} is too large: shares of labellings are computed for up to P = {LARGEST_P:,},"
            f" and beyond only where N or P - N is at most {SHORT_SUM:,}"
        )
    return (arb(1) / 2).beta_lower(P - N, N, True)


def _nearest(enclosure: arb) -> float | None:
    """The double nearest to all that is enclosed; None if there is no such double."""
    low, high = _as_double(enclosure.lower()), _as_double(enclosure.upper())
    return low if low == high else None


def _as_double(number: arb) -> float:
    """The double nearest to a number that is known exactly."""
    top, power = map(int, number.man_exp())
    if power > 0:
        return float(top << power)
    if top.bit_length() + power < -UNDERFLOW:
        return 0.0
    return top / (1 << -power)


def _leading_digits(logarithm: arb) -> Magnitude | None:
    """The first four digits of a number above 10^15, and how many it has, from the enclosure of its
    natural logarithm; None if that does not tell.
    """
    power = logarithm / arb.const_log10()
    whole = power.floor().unique_fmpz()
    if whole is None:
        return None
    leading = (arb(10) ** (power - whole + 3) + arb(1) / 2).floor().unique_fmpz()
    if leading is None:
        return None
    carry = int(leading == 10_000)
    return Magnitude(f"{int(leading) / 10 ** (3 + carry):.3f}e+{whole + carry}", int(whole) + 1)


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
