"""Text of the usual width, and numbers and names as all commands write them."""

import json
import math
import sys
import textwrap
from typing import TYPE_CHECKING, TypeAlias

from novikoff.number_text import rounded_up

if TYPE_CHECKING:
    from novikoff.verdict.signed import LabelPair

Fact: TypeAlias = tuple[str, str]  # a short name, and the text beside it

UNLABELLED = ", each taken as positive: this rule looks at no label"
WIDTH = 80  # of a line
INDENT = 15  # where the text beside a name begins
LARGE = 10**15  # a count that is better given by its size


def wrap(
    text: str, first: str = "", rest: str = "", *, hyphens: bool = False, long_words: bool = False
) -> list[str]:
    """Break a text into lines of the usual width.

    first, rest: what the first line and the others begin with. hyphens, long_words: whether a word
    may be broken at its hyphens, and anywhere if it is longer than a line.
    """
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=hyphens,
        break_long_words=long_words,
    )


def beside(name: str, text: str) -> list[str]:
    """Set a text of one or more paragraphs beside its short name."""
    first, rest = f"  {name}".ljust(INDENT), " " * INDENT
    paragraphs = text.split("\n")
    return [
        line for k, each in enumerate(paragraphs) for line in wrap(each, rest if k else first, rest)
    ]


def json_text(answer: object) -> str:
    """An answer as JSON. Its counts and bounds can have more digits than Python writes unasked;
    the limit is there for input, and comes back at once.
    """
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(answer)
    finally:
        sys.set_int_max_str_digits(limit)


def large_count(number: int) -> str:
    """A count in full; a huge one by its size, rounded up.

    >>> large_count(94572), large_count(2**100)
    ('94,572', '1.27e+30')
    """
    return f"{number:,}" if number < LARGE else rounded_up(number)


def against(labels: "LabelPair", most: int | None = None) -> str:
    """The two labels of a question; most: characters of each."""
    names = [labels.positive, "the rest" if labels.negative is None else labels.negative]
    return " against ".join(str(each) if most is None else shorten(each, most) for each in names)


def shorten(word: object, most: int) -> str:
    """Cut a word to one line of at most `most` characters.

    >>> shorten("a very long name", 12)
    'a very lo...'
    """
    text = " ".join(str(word).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."


def finite(number: float | None) -> float | None:
    """The number as JSON can hold it, which knows no infinity."""
    return number if number is not None and math.isfinite(number) else None
