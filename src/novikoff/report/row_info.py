"""Labelled rows as figures need them: names, texts, and the choice of rows to draw."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.chunk import LabelArray
from novikoff.data.sparse import Matrix
from novikoff.errors import ParameterError
from novikoff.learning.rows import matrix_of
from novikoff.report.model import Indices, Numbers, array, number, shorten
from novikoff.verdict.signed import LineNumbers, Signed, SignedRows

MOST = 5000  # rows drawn in one picture
CLOSEST = 300  # rows nearest to the hyperplane that are drawn in any case
SEED = 0
SHOWN = 6  # features that hovering tells
COLUMNS = 4  # features that a table has columns for


class RowInfo(NamedTuple):
    """Rows with their signs and names. `matrix` is dense or CSR, without the bias."""

    matrix: Matrix
    signs: npt.NDArray[np.int8]
    labels: LabelArray | None  # the label of each row as the data have it, where it is known
    sides: tuple[str, str]  # the names of the rows of sign -1 and of sign +1
    lines: LineNumbers | None = None
    names: list[str] | None = None  # of the features
    noun: str = "label"

    @classmethod
    def of(cls, signed: SignedRows, labels: LabelArray | None = None) -> "RowInfo":
        """The rows that a verdict is about."""
        if not isinstance(signed, Signed):
            raise ParameterError("what is drawn are the rows, and these stay with their workers")
        matrix = matrix_of(signed.rows)
        if signed.labels is None:
            sides, noun = ("count 0", "count above 0"), "count"
        else:
            sides, noun = side_names(signed.labels.negative, signed.labels.positive), "label"
        return cls(matrix, signed.signs, labels, sides, signed.lines, signed.feature_names, noun)

    @property
    def row_count(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def feature_count(self) -> int:
        return int(self.matrix.shape[1])

    def feature_name(self, j: int) -> str:
        """A feature's name, or its column."""
        return f"column {j}" if self.names is None else shorten(self.names[j])

    def row_name(self, i: int) -> str:
        """A row's line in its file, or its number from 0."""
        return f"row {i:,}" if self.lines is None else f"line {int(self.lines[i]):,}"

    def label_text(self, i: int) -> str:
        """The row's label as the data have it, or the name of its side."""
        side = self.sides[int(self.signs[i] > 0)]
        return side if self.labels is None else f"{self.noun} {shorten(self.labels[i])}"

    def values_text(self, i: int) -> str:
        """The row's features; of many, the first that are not 0."""
        if not isinstance(self.matrix, np.ndarray):
            part = slice(int(self.matrix.indptr[i]), int(self.matrix.indptr[i + 1]))
            places, entries = self.matrix.indices[part], self.matrix.data[part]
        else:
            entries = self.matrix[i]
            places = np.arange(len(entries))
            if len(entries) > SHOWN:
                places = np.flatnonzero(entries)
                entries = entries[places]
        words = [
            f"{self.feature_name(int(j))} = {float(value):g}"
            for j, value in zip(places[:SHOWN], entries[:SHOWN], strict=True)
        ]
        more = len(entries) - len(words)
        return ", ".join([*words, *([f"and {more:,} more"] if more else [])]) or "all 0"

    def column_names(self, measure: str) -> list[str]:
        """The columns of a table of rows: a measure, and one for each of a few features."""
        few = self.feature_count <= COLUMNS
        names = map(self.feature_name, range(self.feature_count)) if few else ["features"]
        return ["row", self.noun, measure, *names]

    def cells(self, i: int, measure: str) -> list[str]:
        """A row's cells in these columns."""
        if self.feature_count > COLUMNS:
            values = [self.values_text(i)]
        else:
            values = [f"{value:g}" for value in dense(self.matrix[[i]])[0]]
        label = self.label_text(i).removeprefix(f"{self.noun} ")
        return [self.row_name(i), label, measure, *values]

    def hover(self, rows: Indices, margins: Numbers | None) -> dict[str, list[str]]:
        """The texts on hovering over some rows, by name."""
        texts = {
            "row": [f"{self.row_name(int(i))}, {self.label_text(int(i))}" for i in rows],
            "features": [self.values_text(int(i)) for i in rows],
        }
        if margins is not None:
            texts["margin"] = [number(float(margins[i])) for i in rows]
        return texts

    def points(self, rows: Indices) -> Matrix:
        """Some rows as doubles, dense or CSR."""
        return self.matrix[rows].astype(np.float64)


def dense(matrix: Matrix) -> Numbers:
    """A dense or CSR matrix as a dense one, of doubles."""
    return array(matrix if isinstance(matrix, np.ndarray) else matrix.toarray())


def side_names(negative: object, positive: object) -> tuple[str, str]:
    """The names of two classes; without a negative one it is all the others."""
    low = "every other label" if negative is None else f"label {shorten(negative)}"
    return low, f"label {shorten(positive)}"


class DrawnRows(NamedTuple):
    """The rows that a figure draws, in order, and a note if they are not all."""

    rows: Indices
    note: str


def rows_to_draw(count: int, marked: Indices, margins: Numbers | None) -> DrawnRows:
    """All rows, or of very many those that matter and a seeded random sample of the others.

    marked: rows that a figure points out. Besides them, those that matter are the rows on the wrong
    side or on the hyperplane, and the closest ones.
    """
    if count <= MOST:
        return DrawnRows(np.arange(count), "")
    random = np.random.default_rng(SEED)
    chosen, words = np.zeros(count, np.bool_), []
    if len(marked):
        chosen[marked] = True
        words.append(f"the {len(marked):,} marked")
    if margins is not None:
        nearest = np.argpartition(np.abs(margins), CLOSEST)[:CLOSEST]
        chosen[nearest] = True
        words.append(f"the {CLOSEST} nearest to the hyperplane")
        wrong = np.flatnonzero((margins <= 0.0) & ~chosen)
        if 0 < len(wrong) <= MOST // 2:
            words.append("every one on the wrong side")
        elif len(wrong):
            words.append(f"{MOST // 2:,} of the {len(wrong):,} others on the wrong side")
            wrong = random.choice(wrong, MOST // 2, replace=False)
        chosen[wrong] = True
    others = np.flatnonzero(~chosen)
    room = max(0, MOST - int(chosen.sum()))
    chosen[random.choice(others, min(room, len(others)), replace=False)] = True
    words.append(f"a random sample of the others (seed {SEED})")
    rows = np.flatnonzero(chosen)
    listed = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return DrawnRows(rows, f"Of {count:,} rows this draws {len(rows):,}: {listed}.")
