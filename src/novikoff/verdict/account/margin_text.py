"""What is known of a margin, in words."""

from fractions import Fraction

from novikoff.cover_count import decimal_digits
from novikoff.number_text import rounded_down, rounded_up
from novikoff.verdict.result import Margin

DIGITS = 6
SHORT = 24  # characters of a fraction that a person still reads
GAMMA = "\N{GREEK SMALL LETTER GAMMA}"


def bracket(margin: Margin) -> str:
    """What is known of the margin; digits are cut so that every word stays true."""
    low = rounded_down(margin.lower, DIGITS)
    if margin.squared is not None:
        short = margin.squared.denominator < 10**SHORT and margin.squared.numerator < 10**SHORT
        square = ratio(margin.squared) if short else ""
        exactly = " known exactly (see --json)"
        if 0 < len(square) <= SHORT:
            exactly = f" = {square} exactly"
        dots = "" if Fraction(low) ** 2 == margin.squared else "..."
        equals = f" = {low}{dots}" if dots == "" or margin.lower else " is too small for a double"
        return f"{GAMMA}{equals}, {GAMMA}²{exactly}"
    if margin.upper_squared is None:
        return f"{GAMMA} is {low} or more" if margin.lower else "nothing known yet"
    high = rounded_up(margin.upper, DIGITS)
    if not margin.lower:
        return f"no separator exceeds {high}"
    return f"{GAMMA} is between {low} and {high}"


def ratio(value: Fraction) -> str:
    """A fraction as "p/q", of any length."""
    top, bottom = map(decimal_digits, value.as_integer_ratio())
    return top if bottom == "1" else f"{top}/{bottom}"
