"""What signed rows are to whoever goes through them, wherever they lie."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from novikoff.scan import Places, Scan, Vector
from novikoff.signed.integers import IntegerRow
from novikoff.signed.labels import LabelPair

Result = TypeVar("Result")
State = TypeVar("State")


class LineNumbers(Protocol):
    """The line of each row in its file: an array, or what asks for one when it is wanted."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int, /) -> Any: ...


class SignedRows(ABC):
    """Signed rows, in memory or in several pieces, and where they came from.

    pinned: for each row, whether its score stays as it is in whatever direction a fit diverges.
    lines: None where the rows are not lines of a file. survey: whether the scan begins with a pass
    of its own.

    A piece is rows in memory, a `Signed`, which is itself one piece. What is asked of a piece is a
    function of some module, so that it can travel to where the piece is.
    """

    survey = True
    lines: LineNumbers | None
    feature_names: list[str] | None

    def __init__(
        self,
        signs: npt.NDArray[np.int8],
        labels: LabelPair | None,
        family: str,
        unit_length: bool,
    ) -> None:
        self.signs, self.labels = signs, labels
        self.family, self.unit_length = family, unit_length
        self.pinned = signs > 0 if family == "poisson" else np.zeros(len(signs), np.bool_)
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
        """The coordinates of a lifted row."""
        return self.features + self.bias

    @property
    @abstractmethod
    def rational(self) -> bool:
        """Whether the entries are rational numbers rather than doubles."""

    @abstractmethod
    def as_rational(self, rational: bool) -> bool:
        """Take the entries for rational numbers, or for doubles; False if they are not that."""

    @property
    @abstractmethod
    def scan(self) -> Scan:
        """Passes over these rows."""

    @property
    @abstractmethod
    def to_unit(self) -> Vector:
        """1 / |z| for each row, as doubles; what leaves their range is cut to it."""

    @abstractmethod
    def fingerprints_in_parts(self) -> Iterable[npt.NDArray[np.uint64]]:
        """Of the doubles, row after row."""

    # Going through rows

    @abstractmethod
    def each(self, function: Callable[..., Result], *args: Any) -> list[Result]:
        """function(piece, *args) for each piece of the rows, in order."""

    @abstractmethod
    def spread(
        self, function: Callable[..., Result], places: Places, *args: Any, beside: Any = None
    ) -> list[Result]:
        """function(piece, those of the places that are in it, *args) for each piece that has some,
        in order; the places ascend. beside: what goes with each place, given after the places.
        """

    @abstractmethod
    def chain(
        self, function: Callable[..., tuple[State, Result]], state: State, *args: Any
    ) -> tuple[State, list[Result]]:
        """state, result = function(piece, state, *args), from piece to piece: the last state, and
        the results. The state that was given may change.
        """

    @abstractmethod
    def windows(
        self,
        function: Callable[..., tuple[State, Result]],
        state: State,
        tasks: Sequence[tuple[slice, Any]],
        *args: Any,
    ) -> tuple[State, list[Result]]:
        """As `chain`, from window to window: function(rows of the window, state, task, *args)."""

    # Few rows

    @abstractmethod
    def bring(self, places: Sequence[int]) -> None:
        """Have some rows at hand that will be asked for one by one."""

    @abstractmethod
    def integers(self, places: Iterable[int]) -> list[IntegerRow]:
        """Some rows, exactly."""

    @abstractmethod
    def row(self, i: int) -> IntegerRow:
        """Row i, exactly."""

    @abstractmethod
    def entries(self, i: int) -> tuple[list[int], list[Any]]:
        """The columns and exact values of row i that are not zero, unsigned and without bias."""

    @abstractmethod
    def dense(self, rows: Places) -> npt.NDArray[np.float64]:
        """Some signed, lifted rows as doubles."""

    @abstractmethod
    def sparse(self, rows: Places) -> Any:
        """Some signed, lifted rows as a CSR matrix of doubles."""

    @abstractmethod
    def contents(self, places: Places) -> list[Any]:
        """For each of some rows what it must share with another to be equal, whatever the signs."""
