"""Pieces of rows, in this process or on other machines, and calls on them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

from novikoff.verdict.signed import Signed
from novikoff.verdict.signed.base import Result


class RemoteCall(NamedTuple, Generic[Result]):
    """A call function(piece, [each[k],] *args) on piece k."""

    function: Callable[..., Result]
    args: tuple[Any, ...]
    each: Sequence[Any] | None

    def own_args(self, k: int) -> tuple[Any, ...]:
        """The arguments that are for piece k alone."""
        return () if self.each is None else (self.each[k],)

    def apply(self, k: int, piece: Signed) -> Result:
        """Call the function on piece k, which is in this process."""
        return self.function(piece, *self.own_args(k), *self.args)


class Pieces(ABC):
    """Rows in pieces. counts: the number of rows of each of them.

    A call may be repeated on the same piece, or on a piece made anew from its rows. So its result
    must depend on nothing but the piece's rows, whether they are treated as rational
    (`Signed.as_rational`), and the arguments; and it must not modify the arguments. A piece may
    cache what it computed on the way (its scan, `Signed.inverse_lengths`,
    `Signed.extended_windows`): nothing but what would be computed again from the same rows.
    """

    counts: Sequence[int]

    def map(
        self,
        function: Callable[..., Result],
        *args: Any,
        each: Sequence[Any] | None = None,
        only: Sequence[int] | None = None,
    ) -> list[Result]:
        """Call function(piece, [each[k],] *args) on every piece k, or on some; results in order.

        Of several errors the one of the first piece is raised.
        """
        called = range(len(self.counts)) if only is None else only
        return self.call(RemoteCall(function, args, each), called)

    @abstractmethod
    def call(self, call: RemoteCall[Result], pieces: Sequence[int]) -> list[Result]:
        """Make the call on these pieces; results in their order."""


class LocalPieces(Pieces):
    """Pieces in this process."""

    def __init__(self, signed: Sequence[Signed]) -> None:
        self.signed, self.counts = signed, [piece.count for piece in signed]

    def call(self, call: RemoteCall[Result], pieces: Sequence[int]) -> list[Result]:
        return [call.apply(k, self.signed[k]) for k in pieces]


class PiecesPlusOne(Pieces):
    """Pieces, and one more in this process."""

    def __init__(self, pieces: Pieces, last: Signed) -> None:
        self.pieces, self.last = pieces, last
        self.counts = [*pieces.counts, last.count]

    def call(self, call: RemoteCall[Result], pieces: Sequence[int]) -> list[Result]:
        end = len(self.pieces.counts)
        others = [k for k in pieces if k < end]
        found = self.pieces.call(call, others) if others else []
        return [*found, call.apply(end, self.last)] if end in pieces else found
