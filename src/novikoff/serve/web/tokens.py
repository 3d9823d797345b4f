"""Access tokens: a file of them, and what each may."""

import hmac
import os
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from novikoff.errors import ParameterError

SHORTEST = 16  # characters


class Right(IntEnum):
    """What a request may; each includes those before it."""

    NOTHING = 0
    PREDICT = 1
    LEARN = 2
    MANAGE = 3


class Token(NamedTuple):
    """A token and its right."""

    text: bytes
    right: Right


class Tokens:
    """The tokens of a service; without any, everybody may learn and nobody may manage."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.known = [] if path is None else read_tokens(path)

    def right(self, header: bytes | None) -> Right:
        """What the header Authorization entitles to.

        It is compared with every token, in a time that depends on its own length alone.
        """
        if not self.known:
            return Right.LEARN
        scheme, _, given = (header or b"").partition(b" ")
        found = Right.NOTHING
        for token in self.known:
            if hmac.compare_digest(given.strip(), token.text):
                found = max(found, token.right)
        return found if scheme.lower() == b"bearer" else Right.NOTHING


def read_tokens(path: str | os.PathLike[str]) -> list[Token]:
    """The tokens of a file: one a line, and after it what it may (learn, if nothing is said)."""
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, ValueError) as error:
        raise ParameterError(f"--token-file {path}: cannot be read: {error}") from None
    found = [
        _token(path, number, line.split())
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.startswith("#")
    ]
    if not found:
        raise ParameterError(f"--token-file {path}: it holds no token; write one a line")
    return found


def _token(path: str | os.PathLike[str], number: int, words: list[str]) -> Token:
    rights = {each.name.lower(): each for each in Right if each}
    text, right = words[0], words[1] if len(words) > 1 else "learn"
    if len(words) > 2 or right not in rights:
        known = ", ".join(rights)
        why = f"expected a token and what it may: {known}"
    elif len(text) < SHORTEST:
        why = f"the token has {len(text)} characters; {SHORTEST} or more cannot be guessed"
    else:
        return Token(text.encode(), rights[right])
    raise ParameterError(f"--token-file {path}: line {number}: {why}")
