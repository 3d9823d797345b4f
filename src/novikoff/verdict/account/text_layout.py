"""Text for people: lines as wide as the terminal, facts beside their names, short words."""

import shutil
import sys
import textwrap
from typing import TypeAlias

from novikoff.number_text import rounded_up

Fact: TypeAlias = tuple[str, str]  # a short name, and the text beside it

WIDTH = 80  # of a line where there is no terminal
NARROWEST, WIDEST = 40, 100  # on one
INDENT = 15  # where the text beside a name begins
LARGE = 10**15  # a count that is better given by its size


def line_width() -> int:
    """The width of a line: the terminal's, up to what is still easy to read; in a pipe WIDTH."""
    return readable_width() if sys.stdout.isatty() else WIDTH


def readable_width() -> int:
    """The width of the terminal, or of COLUMNS, within what is easy to read."""
    return max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST))


def wrap(
    text: str, first: str = "", rest: str = "", *, hyphens: bool = False, long_words: bool = False
) -> list[str]:
    """Break a text into lines.

    first, rest: what the first line and the others begin with. hyphens, long_words: whether a word
    may be broken at its hyphens, and anywhere if it is longer than a line.
    """
    return textwrap.wrap(
        text,
        line_width(),
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


def large_count(number: int) -> str:
    """A count in full; a huge one by its size, rounded up.

    >>> large_count(94572), large_count(2**100)
    ('94,572', '1.27e+30')
    """
    return f"{number:,}" if number < LARGE else rounded_up(number)


def shorten(word: object, most: int) -> str:
    """Cut a word to one line of at most `most` characters.

    >>> shorten("a very long name", 12)
    'a very lo...'
    """
    text = " ".join(str(word).split())
    return text if len(text) <= most else f"{text[: most - 3]}..."
