"""Rational numbers from their residues, by continued fractions."""

import math
from typing import TypeVar

from flint import fmpz

Whole = TypeVar("Whole", int, fmpz)


def reconstruct(residues: list[Whole], modulus: Whole) -> tuple[list[Whole], Whole] | None:
    """Rational numbers over one denominator that have these residues; None if there are none with
    numerators and denominators below half of the modulus's digits.
    """
    one = modulus // modulus
    bound, bottom = one * math.isqrt(modulus // 2), one
    found = []
    for residue in residues:
        value = residue * bottom % modulus
        if bound < value < modulus - bound:
            factor = _denominator(value, modulus, bound)
            if factor is None or factor * bottom > bound:
                return None
            bottom *= factor
            value = residue * bottom % modulus
        found.append((value if value <= bound else value - modulus, bottom))
    return [top * (bottom // each) for top, each in found], bottom


def _denominator(residue: Whole, modulus: Whole, bound: Whole) -> Whole | None:
    """The smallest b with |a| <= bound for the a = b * residue modulo the modulus (Wang 1981)."""
    r0, r1, t0, t1 = modulus, residue, modulus - modulus, modulus // modulus
    while r1 > bound:
        quotient = r0 // r1
        r0, r1, t0, t1 = r1, r0 - quotient * r1, t1, t0 - quotient * t1
    return abs(t1) if t1 and abs(t1) <= bound else None
