"""Pieces of rows, wherever they are, and how they are asked."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from novikoff.signed import Signed


class Pieces(Protocol):
    """Rows in pieces, wherever they are. What is asked must depend on nothing but the piece and
    the arguments, and change neither: a piece may be asked twice.
    """

    @property
    def counts(self) -> Sequence[int]:
        """How many rows each piece has."""

    def ask(
        self,
        function: Callable[..., Any],
        *args: Any,
        each: Sequence[Any] | None = None,
        only: Sequence[int] | None = None,
    ) -> list[Any]:
        """function(piece, [each[k],] *args) of every piece k, or of some, answers in their order;
        of several errors the one of the first piece.
        """


class Here(NamedTuple):
    """Pieces in this process."""

    signed: Sequence[Signed]

    @property
    def counts(self) -> list[int]:
        return [piece.count for piece in self.signed]

    def ask(
        self,
        function: Callable[..., Any],
        *args: Any,
        each: Sequence[Any] | None = None,
        only: Sequence[int] | None = None,
    ) -> list[Any]:
        asked = range(len(self.signed)) if only is None else only
        own = [() if each is None else (each[k],) for k in asked]
        return [function(self.signed[k], *some, *args) for k, some in zip(asked, own, strict=True)]


class Followed(NamedTuple):
    """Pieces, and one more in this process."""

    pieces: Pieces
    last: Signed

    @property
    def counts(self) -> list[int]:
        return [*self.pieces.counts, self.last.count]

    def ask(
        self,
        function: Callable[..., Any],
        *args: Any,
        each: Sequence[Any] | None = None,
        only: Sequence[int] | None = None,
    ) -> list[Any]:
        end = len(self.pieces.counts)
        asked = range(end + 1) if only is None else only
        there = [k for k in asked if k < end]
        found = self.pieces.ask(function, *args, each=each, only=there) if there else []
        if end in asked:
            own = () if each is None else (each[end],)
            found.append(function(self.last, *own, *args))
        return found
