"""Labels on their way into a cache: as they are, and as numbers of classes."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.data.cache.array_file import ArrayFile
from novikoff.data.cache.manifest import code_type
from novikoff.data.chunk import LabelArray
from novikoff.data.matrices import MOST_CLASSES
from novikoff.errors import DataError


class LabelNumbering:
    """Different labels, each numbered when it first comes. none: an array of no labels."""

    def __init__(self, none: LabelArray) -> None:
        self._sorted = none
        self._numbers: NDArray[np.uint32] = np.empty(0, np.uint32)

    def __len__(self) -> int:
        return len(self._numbers)

    def codes(self, labels: LabelArray) -> NDArray[np.uint32]:
        """The number of each label."""
        places, new = self._looked_up(self._sorted, labels)
        if new.any():
            self._add(np.unique(labels[new]))
            places, _ = self._looked_up(self._sorted, labels)
        codes: NDArray[np.uint32] = self._numbers[places]
        return codes

    def in_order(self, kind: Any) -> tuple[LabelArray, NDArray[Any]]:
        """The labels sorted, as such a type, and for each number its place among them."""
        labels = np.empty_like(self._sorted)
        labels[self._numbers] = self._sorted
        # Whole numbers that differ can be the same double.
        found = np.unique(labels.astype(kind), return_inverse=True)
        return found[0], found[1]

    @staticmethod
    def _looked_up(known: LabelArray, labels: LabelArray) -> tuple[NDArray[Any], NDArray[Any]]:
        """The place of each label among the known, and whether it is none of them."""
        if not len(known):
            return np.zeros(len(labels), np.int64), np.ones(len(labels), bool)
        places = np.searchsorted(known, labels).clip(max=len(known) - 1)
        return places, known[places] != labels

    def _add(self, new: LabelArray) -> None:
        labels = np.concatenate([self._sorted, new])
        order = np.argsort(labels, kind="stable")
        numbers = np.arange(len(self), len(labels), dtype=np.uint32)
        self._sorted = labels[order]
        self._numbers = np.concatenate([self._numbers, numbers])[order]


class LabelFiles:
    """Writes y.npy, where labels are numbers, and codes.npy, where there are not too many."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._y: ArrayFile | None = None
        self._codes: ArrayFile | None = None
        self.kind: str | None = None
        self.classes: list[Any] | None = None

    def take(self, y: LabelArray) -> None:
        """The labels of the next rows."""
        kind = "words" if y.dtype.kind == "U" else y.dtype.name
        if self.kind is None:
            self.kind = kind
            self._codes = ArrayFile(self._folder, "codes", np.uint32)
            self._numbering = LabelNumbering(y[:0])
            self._y = None if kind == "words" else ArrayFile(self._folder, "y", y.dtype)
        elif (kind == "words") != (self.kind == "words"):
            raise DataError("found words and numbers as labels, expected either")
        elif kind == "float64" and self.kind == "int64" and self._y is not None:
            self._y.convert_dtype(np.float64)
            self.kind = kind
        if self._y is not None:
            self._y.append(y)
        if self._codes is not None:
            self._codes.append(self._numbering.codes(y))
            if self._y is not None and len(self._numbering) > MOST_CLASSES:
                self._codes.remove()  # numbers to predict rather than classes
                self._codes, self._numbering = None, LabelNumbering(y[:0])

    def finish(self) -> dict[str, ArrayFile]:
        """Number the classes in their order; then `kind` and `classes` are final, and the files
        complete but for their headers.
        """
        if self._codes is not None:
            kind = np.str_ if self.kind == "words" else self.kind
            classes, places = self._numbering.in_order(kind)
            self._codes.convert_dtype(code_type(len(classes)), lambda codes: places[codes])
            self.classes = classes.tolist()
        found = {"y": self._y, "codes": self._codes}
        return {name: file for name, file in found.items() if file is not None}

    def close(self) -> None:
        """Let go of the files."""
        for file in (self._y, self._codes):
            if file is not None:
                file.close()
