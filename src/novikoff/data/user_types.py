"""The types of what callers pass: rows, labels, and the words that options take."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from novikoff.data.source import Source


class SparseMatrix(Protocol):
    """Any of SciPy's sparse matrices and arrays."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> Any: ...


class DataFrame(Protocol):
    """A frame of pandas or polars."""

    @property
    def columns(self) -> Any: ...

    @property
    def shape(self) -> tuple[int, int]: ...


ArrayRows: TypeAlias = npt.ArrayLike | SparseMatrix | DataFrame
RowsLike: TypeAlias = ArrayRows | Source
#: One row, for learning online: numbers, or features by name.
RowLike: TypeAlias = npt.ArrayLike | Mapping[str, float]
#: A class as users write it.
Label: TypeAlias = str | int | float | bool | np.generic
RandomState: TypeAlias = int | np.random.RandomState | None
Init: TypeAlias = Literal["zeros", "random"] | npt.ArrayLike
Order: TypeAlias = Literal["given", "shuffle"]
Stop: TypeAlias = Literal["proven", "budget"]
TieName: TypeAlias = Literal["mistake", "positive", "negative", "keep"]
Family: TypeAlias = Literal[
    "binary",
    "binomial",
    "log-binomial",
    "poisson",
    "multinomial",
    "cumulative",
    "conditional",
    "cox",
]
