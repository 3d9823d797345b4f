"""Pieces of rows, wherever they are, and how they are asked."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from novikoff.signed import Signed


class Question(NamedTuple):
    """function(piece, [each[k],] *args), for pieces k."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    each: Sequence[Any] | None

    def own(self, k: int) -> tuple[Any, ...]:
        """What is for piece k alone."""
        return () if self.each is None else (self.each[k],)

    def put(self, k: int, piece: Signed) -> Any:
        """Ask piece k, which is in this process."""
        return self.function(piece, *self.own(k), *self.args)


class Pieces(ABC):
    """Rows in pieces, wherever they are. counts: how many rows each of them has.

    A piece may be asked twice, or be made anew from its rows between two questions. So an answer
    must depend on nothing but the piece's rows, how they are taken (`Signed.as_rational`) and the
    arguments, and the arguments must be left as they are. A piece may keep what it found on the
    way, so that the next answer comes sooner (its scan, `Signed.to_unit`, `Signed.kept`): nothing
    but what would be found again from the same rows, so asked twice, with what it kept or without,
    it answers the same.
    """

    counts: Sequence[int]

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
        asked = range(len(self.counts)) if only is None else only
        return self.answers(Question(function, args, each), asked)

    @abstractmethod
    def answers(self, question: Question, asked: Sequence[int]) -> list[Any]:
        """Of the pieces that are asked, in their order."""


class Here(Pieces):
    """Pieces in this process."""

    def __init__(self, signed: Sequence[Signed]) -> None:
        self.signed, self.counts = signed, [piece.count for piece in signed]

    def answers(self, question: Question, asked: Sequence[int]) -> list[Any]:
        return [question.put(k, self.signed[k]) for k in asked]


class Followed(Pieces):
    """Pieces, and one more in this process."""

    def __init__(self, pieces: Pieces, last: Signed) -> None:
        self.pieces, self.last = pieces, last
        self.counts = [*pieces.counts, last.count]

    def answers(self, question: Question, asked: Sequence[int]) -> list[Any]:
        end = len(self.pieces.counts)
        there = [k for k in asked if k < end]
        found = self.pieces.answers(question, there) if there else []
        return [*found, question.put(end, self.last)] if end in asked else found
