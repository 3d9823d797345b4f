"""Numbers for people, rounded to the side on which what is said of them stays true."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def rounded_up(number: float, digits: int = 3) -> str:
    """The number in so many digits, never below it: what is said of a ceiling must stay true.

    >>> rounded_up(0.57735), rounded_up(1234.5, 2)
    ('0.578', '1.3e+3')
    """
    return _rounded(number, Context(prec=digits, rounding=ROUND_CEILING))


def rounded_down(number: float, digits: int = 3) -> str:
    """The number in so many digits, never above it.

    >>> rounded_down(0.57735), rounded_down(1299.5, 2)
    ('0.577', '1.2e+3')
    """
    return _rounded(number, Context(prec=digits, rounding=ROUND_FLOOR))


def _rounded(number: float, context: Context) -> str:
    # Decimal(number) is the very double or integer; the context rounds it once
    return f"{context.create_decimal(Decimal(number)).normalize(context):g}"
