"""Ending a run that cannot converge: `stop="proven"`.

After 8, 16, 32, ... epochs the run asks whether its rows are proven inseparable. The question after
e epochs may cost as much as e / 2 of them, so that all questions together cost less than learning
has. The answer depends on the rows and on e alone: so it is the same however the rows are kept, and
a run that is resumed asks the same questions again. Once there is a proof, the run ends when the
mistakes of an epoch have not fallen for some epochs. Separable rows have no such proof: they are
learned from until an epoch passes without a mistake, or the budget runs out.

The proof is an exact one of the package `verdict`, which lies above this one and makes use of it.
It is loaded by its name when a run first asks.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import Codes
from novikoff.errors import ParameterError
from novikoff.learning.learner import Learner, tie_of
from novikoff.learning.rows import LearnerRows

STOPS = ("proven", "budget")
FIRST = 8  # epochs before the first question
PATIENCE = 5  # epochs without fewer mistakes


class Conflict(NamedTuple):
    """Rows whose signed sum with these multipliers is 0: no hyperplane has all of them right."""

    rows: list[tuple[int, Fraction]]
    signs: set[int]  # of the rows
    positive: int | None = None  # of more than two classes, the one that is told from the rest
    rivals: list[int] | None = None  # where all are told apart at once, what each row is not


class NumberedRows(NamedTuple):
    """Some of the rows that are learned from. numbers: theirs in the data."""

    rows: LearnerRows
    codes: Codes
    numbers: npt.NDArray[np.int64]


class RowReader(Protocol):
    """Goes through all the rows that are learned from, each time that it is called."""

    def __call__(self) -> Iterator[NumberedRows]: ...


class ConflictFinder(Protocol):
    """Looks for a conflict."""

    def find(self, epochs: int) -> Conflict | None:
        """A conflict, if one shows at half the cost of so many epochs."""


class ProvenStop:
    """Asks whether the rows of a run are proven inseparable, and says when it may end.

    read: the rows that the learner learns from. patience: epochs without fewer mistakes after which
    a run may end.
    """

    def __init__(self, learner: Learner, read: RowReader, patience: int = PATIENCE) -> None:
        self.tie, self.patience = tie_of(learner.rule), patience
        self.conflict: Conflict | None = None
        self._asked = FIRST // 2
        joint, lines = learner.joint, learner.lines
        self._make_finder: Callable[[], ConflictFinder] = lambda: _finder(read, joint, lines)
        self._finder: ConflictFinder | None = None

    def is_due(self, mistakes: Sequence[int]) -> bool:
        """Whether a run with these mistakes in its epochs may end, because nothing more can come
        of it.
        """
        while self.conflict is None and 2 * self._asked <= len(mistakes):
            self._asked *= 2
            self._finder = self._finder or self._make_finder()
            found = self._finder.find(self._asked)
            if found is not None and self._never_right(found):
                self.conflict = found
        return self.conflict is not None and has_stalled(mistakes, self.patience)

    def _never_right(self, conflict: Conflict) -> bool:
        """Whether every hyperplane makes a mistake on the conflict: where its rows do not lie on
        both sides, they have a score of 0, which the tie may forgive.
        """
        loses = {1: self.tie.positive_loses, -1: self.tie.negative_loses}
        return any(loses[sign] for sign in conflict.signs)


def _finder(read: RowReader, joint: bool, lines: int) -> ConflictFinder:
    found = importlib.import_module("novikoff.verdict.conflict_finder")
    made: ConflictFinder = found.conflict_finder(read, joint, lines)
    return made


def has_stalled(mistakes: Sequence[int], patience: int) -> bool:
    """Whether none of the last `patience` epochs had fewer mistakes than the best before them.

    >>> has_stalled([9, 5, 6, 5], 2), has_stalled([9, 5, 6, 4], 2)
    (True, False)
    """
    if len(mistakes) <= patience:
        return False
    return min(mistakes[-patience:]) >= min(mistakes[:-patience])


def refuse_stop(stop: object) -> None:
    """Refuse what is no way to stop."""
    if stop not in STOPS:
        raise ParameterError(f'stop must be "proven" or "budget", not {stop!r}')
