"""The interface of signed rows, wherever they are stored."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsInt, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.formula.factors import Factor
from novikoff.verdict.scan import Indices, Mask, Scan, Signs, Vector
from novikoff.verdict.signed.cone import Cone
from novikoff.verdict.signed.integer_row import IntegerRow, Number
from novikoff.verdict.signed.labels import LabelPair

if TYPE_CHECKING:
    from novikoff.verdict.signed.in_memory import Signed

Item = TypeVar("Item")
Result = TypeVar("Result")
State = TypeVar("State")
Task = TypeVar("Task")
Args = TypeVarTuple("Args")


class LineNumbers(Protocol):
    """The line number of each row in its file: an array, or an object that looks them up."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int, /) -> SupportsInt: ...


class SignedRows(ABC):
    """Signed rows, in memory or in several pieces.

    pinned: for each row, whether its score stays as it is in whatever direction a fit diverges.
    cone: the model and the table that the rows were made of, where a label alone did not sign them.
    lines: None where the rows are not lines of a file. survey: whether the scan surveys the rows
    when it is made, see `Scan`.

    A piece is a `Signed`, rows in memory; a `Signed` is itself one piece. A function that is
    applied to pieces must be a module's own, so that it can be sent to where the pieces are.
    """

    survey = True
    lines: LineNumbers | None
    feature_names: list[str] | None
    references: Sequence[int] = ()  # the columns of factors' reference levels
    factors: Sequence[Factor] = ()  # of a formula, without such columns
    cone: Cone | None = None

    def __init__(
        self,
        signs: Signs,
        labels: LabelPair | None,
        family: str,
        unit_length: bool,
        pinned: Mask | None = None,
    ) -> None:
        self.signs, self.labels = signs, labels
        self.family, self.unit_length = family, unit_length
        if pinned is None:
            pinned = signs > 0 if family == "poisson" else np.zeros(len(signs), np.bool_)
        self.pinned = pinned
        self.lines = self.feature_names = None

    @property
    def count(self) -> int:
        return len(self.signs)

    @property
    @abstractmethod
    def features(self) -> int: ...

    @property
    @abstractmethod
    def bias(self) -> bool: ...

    @property
    def dim(self) -> int:
        """The number of coordinates of a lifted row."""
        return self.features + self.bias

    @property
    @abstractmethod
    def rational(self) -> bool:
        """Whether the entries are rational numbers rather than doubles."""

    @abstractmethod
    def as_rational(self, rational: bool) -> bool:
        """Treat the entries as rational numbers, or as doubles; False if they are not doubles."""

    @property
    @abstractmethod
    def scan(self) -> Scan:
        """The scans of these rows."""

    @property
    @abstractmethod
    def inverse_lengths(self) -> Vector:
        """1 / |z| for each row, as doubles; what is beyond their range is clipped to it."""

    @abstractmethod
    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        """The fingerprints of the rows, as doubles, in order."""

    # Iteration

    @abstractmethod
    def map_pieces(
        self, function: Callable[["Signed", *Args], Result], *args: *Args
    ) -> list[Result]:
        """Call function(piece, *args) on every piece, in order."""

    @abstractmethod
    def map_subset(
        self, function: Callable[["Signed", Indices, *Args], Result], rows: Indices, *args: *Args
    ) -> list[Result]:
        """Call function(piece, local_rows, *args) on every piece that holds some of these rows,
        in order. The rows ascend; local_rows are numbered within the piece.
        """

    @abstractmethod
    def map_paired(
        self,
        function: Callable[["Signed", Indices, Sequence[Item]], Result],
        rows: Indices,
        items: Sequence[Item],
    ) -> list[Result]:
        """As `map_subset`, with an item for each row: function(piece, local_rows, local_items)."""

    @abstractmethod
    def fold_pieces(
        self,
        function: Callable[["Signed", State, *Args], tuple[State, Result]],
        state: State,
        *args: *Args,
    ) -> tuple[State, list[Result]]:
        """Thread a state through the pieces: state, result = function(piece, state, *args).

        Returns the last state and the results. The initial state may be modified.
        """

    @abstractmethod
    def fold_windows(
        self,
        function: Callable[["Signed", State, Task, *Args], tuple[State, Result]],
        state: State,
        tasks: Sequence[tuple[slice, Task]],
        *args: *Args,
    ) -> tuple[State, list[Result]]:
        """Thread a state through windows of rows, each with a task of its own, as `fold_pieces`
        does: state, result = function(rows of the window, state, task, *args).
        """

    # Single rows

    @abstractmethod
    def prefetch(self, rows: Sequence[int]) -> None:
        """Fetch rows that will be needed one by one."""

    @abstractmethod
    def integers(self, rows: Iterable[int]) -> list[IntegerRow]:
        """These rows, exactly."""

    @abstractmethod
    def row(self, i: int) -> IntegerRow:
        """Row i, exactly."""

    @abstractmethod
    def entries(self, i: int) -> tuple[list[int], list[Number]]:
        """The columns and exact values of row i that are not zero, unsigned and without bias."""

    @abstractmethod
    def dense(self, rows: Indices) -> Vector:
        """These signed, lifted rows as doubles."""

    @abstractmethod
    def sparse(self, rows: Indices) -> Any:
        """These signed, lifted rows as a CSR matrix of doubles."""

    @abstractmethod
    def subset(self, rows: Indices) -> "Signed":
        """A copy of these rows, in memory."""

    @abstractmethod
    def in_one_place(self) -> "Signed":
        """All rows in memory."""

    @abstractmethod
    def row_keys(self, rows: Indices) -> Sequence[Hashable]:
        """A key for each of these rows: rows are equal, whatever their signs, if the keys are."""
