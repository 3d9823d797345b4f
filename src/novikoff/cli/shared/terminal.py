"""Colour and weight on a terminal, where a result is good, bad or wants attention.

Pipes, files and terminals with NO_COLOR set get the plain text, to the letter.
"""

import os
import re
import sys
from typing import Any

import typer

GOOD: dict[str, Any] = {"fg": "green", "bold": True}
BAD: dict[str, Any] = {"fg": "red", "bold": True}
ATTENTION: dict[str, Any] = {"fg": "yellow", "bold": True}
NAME: dict[str, Any] = {"bold": True}

#: Words of the commands' results, and their looks; what is listed first goes first.
WORDS = [
    (r"^NOT VALID|^INSEPARABLE|^inseparable(?=:)|^(?:wrong|refused)(?=  )", BAD),
    (r"^QUASI-SEPARABLE|^UNDECIDED|^(?:quasi-separable|undecided)(?=:)", ATTENTION),
    (r"^VALID|^SEPARABLE|^separable(?=:)|^NOTHING TO REPAIR|^correct(?=  )", GOOD),
    (r"(?<=: )converged(?= after)", GOOD),
    (
        r"(?<=: )stopped(?= after)|^Not applicable|^Note(?=:)|^  note(?=  )|^missing(?=  )",
        ATTENTION,
    ),
    (r"^  [a-z][a-z -]*?(?=  )", NAME),
]
_LOOKS = [look for _, look in WORDS]
_PATTERN = re.compile("|".join(f"({pattern})" for pattern, _ in WORDS), re.MULTILINE)


def has_colour() -> bool:
    """Whether standard output is a terminal that may be coloured (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def emphasised(text: str) -> str:
    """A result with the looks of its words.

    >>> emphasised("SEPARABLE: yes")
    '\\x1b[32m\\x1b[1mSEPARABLE\\x1b[0m: yes'
    """
    return _PATTERN.sub(
        lambda found: typer.style(found[0], **_LOOKS[(found.lastindex or 1) - 1]), text
    )


def show(text: str, *, plain: bool) -> None:
    """Print a command's result. plain: it is for scripts, and has no looks."""
    typer.echo(text if plain or not has_colour() else emphasised(text))
