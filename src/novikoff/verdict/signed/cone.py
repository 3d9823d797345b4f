"""A table of a statistical model, and the cone of directions that never lower its likelihood."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.verdict.scan import Indices, Mask, Signs, Vector
from novikoff.verdict.signed.labels import LabelPair
from novikoff.verdict.signed.user_input import ExactArray, UserInput

#: The roles that columns can have beside features and outcome, in the order of a certificate.
ROLES = ("weights", "trials", "exposure", "strata", "time", "entry")
INTERCEPT = "intercept"


class Classes(NamedTuple):
    """The classes of an outcome, in order: the first is the reference."""

    names: tuple[object, ...]


class Table(NamedTuple):
    """Rows, their outcome, and what else a model has for each of them.

    kept: the rows that count, those whose weight and exposure are not 0. labels: what the outcome's
    numbers stand for; None where they are numbers themselves. outcome: for each row its count,
    share, event, or the number of its class (-1 if its row is left out and has none). roles: by
    their names in `ROLES`; strata are numbered as they first come.
    """

    family: str
    given: UserInput
    bias: bool
    unit_length: bool
    kept: Indices
    labels: LabelPair | Classes | None
    outcome: Vector
    roles: dict[str, Vector]
    reading: Mapping[str, object] | None = None

    @property
    def size(self) -> int:
        """The number of rows, of which some may be left out."""
        return int(self.given.matrix.shape[0])

    @property
    def features(self) -> int:
        return int(self.given.matrix.shape[1])

    def where(self, row: int) -> str:
        """What messages call a row."""
        return self.given.where(row)

    @property
    def names(self) -> list[str]:
        """The names of the features."""
        return self.given.names or [f"column {j}" for j in range(self.features)]

    @property
    def numbers(self) -> list[npt.NDArray[np.uint64]]:
        """What identifies the outcome and the roles, as 64 bits for each row."""
        roles = [self.roles[name] for name in ROLES if name in self.roles]
        return [(column + 0.0).view(np.uint64) for column in (self.outcome, *roles)]

    def class_name(self, code: float) -> object:
        """The class of this number."""
        if isinstance(self.labels, Classes):
            return self.labels.names[int(code)]
        assert self.labels is not None
        named = self.labels[int(code)]
        return f"not {self.labels.positive}" if named is None else named


@dataclass(frozen=True)
class Cone:
    """{d : z . d >= 0 for all rows z, and = 0 for held ones}; z = sign * a row of the matrix.

    owners: for each row of the cone, the row of the table that it is about. others: the row that it
    is compared with, -1 if there is none. names: of the coordinates, with `bias` a last one. tell:
    what a row of the cone says in the model's own terms. spread: which rows of the table take part
    in a strict comparison, where those of the cone only imply some of them: given which of the
    cone's rows are strict, and a direction, as integers, that has just those strict.
    """

    table: Table
    matrix: Any
    exact: ExactArray | None
    bias: bool
    signs: Signs
    held: Mask
    owners: Indices
    others: Indices
    names: list[str] | None
    tell: Callable[[int], str]
    spread: Callable[[Mask, list[int]], Mask] | None = None

    def strict_rows(self, strict: Mask, direction: list[int] | None) -> Mask:
        """Which rows of the table take part in a strict comparison."""
        if self.spread is not None and direction is not None:
            return self.spread(strict, direction)
        found = np.zeros(self.table.size, np.bool_)
        found[self.owners[strict]] = True
        others = self.others[strict]
        found[others[others >= 0]] = True
        return found
