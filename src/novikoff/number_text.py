"""Numbers for people: rounded to the side on which a statement stays true; their nouns; lists."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def rounded_up(number: float, digits: int = 3) -> str:
    """The number in a few digits, rounded up: for upper bounds.

    number, digits: as for `rules.rounded_down`.

    >>> rounded_up(0.57735), rounded_up(1234.5, 2)
    ('0.578', '1.3e+3')
    """
    return _rounded(number, Context(prec=digits, rounding=ROUND_CEILING))


def rounded_down(number: float, digits: int = 3) -> str:
    """The number in a few digits, rounded down: for lower bounds.

    number: a finite one.
    digits: how many significant ones.

    >>> rounded_down(0.57735), rounded_down(1299.5, 2)
    ('0.577', '1.2e+3')
    """
    return _rounded(number, Context(prec=digits, rounding=ROUND_FLOOR))


def plural(noun: str, number: int) -> str:
    """The noun, in the plural unless the number is 1.

    >>> plural("row", 1), plural("row", 0)
    ('row', 'rows')
    """
    return noun if number == 1 else f"{noun}s"


def joined_words(words: Sequence[str]) -> str:
    """Words in a row, with "and" before the last.

    >>> joined_words(["a", "b", "c"]), joined_words(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1])] * (len(words) > 1) + list(words[-1:]))


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "update"), count(2000, "update")
    ('1 update', '2,000 updates')
    """
    return f"{number:,} {plural(noun, number)}"


def listed(things: Sequence[object], most: int = 10) -> str:
    """Things with commas between, the first of them where there are many.

    >>> listed([1, 2]), listed(range(5000), 3)
    ('1, 2', '0, 1, 2 and 4,997 more')
    """
    words = ", ".join(str(each) for each in things[:most])
    return words if len(things) <= most else f"{words} and {len(things) - most:,} more"


def _rounded(number: float, context: Context) -> str:
    # Decimal(number) is exactly the double or integer; the context rounds it once
    return f"{context.create_decimal(Decimal(number)).normalize(context):g}"
