"""Labelled rows as pictures need them: what to call a row, what it holds, and which to draw."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.report.picture import Numbers, number, shortened
from novikoff.rows import CsrRows, as_csr
from novikoff.signed import Signed, SignedRows

Places = npt.NDArray[np.int64]

MOST = 5000  # rows drawn in one picture
CLOSEST = 300  # rows nearest to the hyperplane that are drawn in any case
SEED = 0
SHOWN = 6  # features that hovering tells
COLUMNS = 4  # features that a table has columns for


class Examples(NamedTuple):
    """Rows with their signs and names. `matrix` is dense or CSR, without the bias."""

    matrix: Any
    signs: npt.NDArray[np.int8]
    labels: Any  # one for each row, as the data have them; None where there are none
    sides: tuple[str, str]  # what the rows of sign -1 and of sign +1 are called
    lines: Any = None  # the line of each row in its file
    names: list[str] | None = None  # of the features
    noun: str = "label"

    @classmethod
    def of(cls, signed: SignedRows, labels: Any = None) -> "Examples":
        """Those that a verdict is about."""
        if not isinstance(signed, Signed):
            raise ParameterError("what is drawn are the rows, and these stay with their workers")
        rows = signed.rows
        matrix = as_csr(rows) if isinstance(rows, CsrRows) else rows.values
        if signed.labels is None:
            sides, noun = ("count 0", "count above 0"), "count"
        else:
            sides, noun = two_sides(signed.labels.negative, signed.labels.positive), "label"
        return cls(matrix, signed.signs, labels, sides, signed.lines, signed.feature_names, noun)

    @property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.matrix.shape[0])

    @property
    def features(self) -> int:
        return int(self.matrix.shape[1])

    def feature(self, j: int) -> str:
        """What a feature is called."""
        return f"column {j}" if self.names is None else shortened(self.names[j])

    def place(self, i: int) -> str:
        """What a row is called: by its line in the file, or by its number from 0."""
        return f"row {i:,}" if self.lines is None else f"line {int(self.lines[i]):,}"

    def label(self, i: int) -> str:
        """The row's label as the data have it, or its side."""
        side = self.sides[int(self.signs[i] > 0)]
        return side if self.labels is None else f"{self.noun} {shortened(self.labels[i])}"

    def values(self, i: int) -> str:
        """The row's features; of many, the first that are not 0."""
        if hasattr(self.matrix, "indptr"):
            part = slice(int(self.matrix.indptr[i]), int(self.matrix.indptr[i + 1]))
            places, entries = self.matrix.indices[part], self.matrix.data[part]
        else:
            entries = self.matrix[i]
            places = np.arange(len(entries))
            if len(entries) > SHOWN:
                places = np.flatnonzero(entries)
                entries = entries[places]
        words = [
            f"{self.feature(int(j))} = {float(value):g}"
            for j, value in zip(places[:SHOWN], entries[:SHOWN], strict=True)
        ]
        more = len(entries) - len(words)
        return ", ".join([*words, *([f"and {more:,} more"] if more else [])]) or "all 0"

    @property
    def columns(self) -> list[str]:
        """Columns of a table for the features: one for each of a few, or one for all."""
        few = self.features <= COLUMNS
        return [self.feature(j) for j in range(self.features)] if few else ["features"]

    def cells(self, i: int) -> list[str]:
        """What such columns have for a row."""
        if self.features > COLUMNS:
            return [self.values(i)]
        row = self.matrix[[i]]
        values = row.toarray() if hasattr(row, "toarray") else row
        return [f"{float(value):g}" for value in values[0]]

    def hover(self, rows: Places, margins: Numbers | None) -> dict[str, list[str]]:
        """What hovering says of some rows."""
        told = {
            "row": [f"{self.place(int(i))}, {self.label(int(i))}" for i in rows],
            "features": [self.values(int(i)) for i in rows],
        }
        if margins is not None:
            told["margin"] = [number(float(margins[i])) for i in rows]
        return told

    def points(self, rows: Places) -> Any:
        """Some rows as doubles, dense or CSR."""
        return self.matrix[rows].astype(np.float64)


def two_sides(negative: Any, positive: Any) -> tuple[str, str]:
    """What the two classes are called; no `negative` means all the others."""
    low = "every other label" if negative is None else f"label {shortened(negative)}"
    return low, f"label {shortened(positive)}"


class Drawn(NamedTuple):
    """The rows that a picture draws, in order, and a sentence if they are not all."""

    rows: Places
    note: str


def drawn(count: int, marked: Places, margins: Numbers | None) -> Drawn:
    """All rows, or of very many those that matter and a seeded random sample of the others.

    marked: rows that a picture speaks of. Beside them those that matter are the rows on the wrong
    side or on the hyperplane, and the closest ones.
    """
    if count <= MOST:
        return Drawn(np.arange(count), "")
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
    return Drawn(rows, f"Of {count:,} rows this draws {len(rows):,}: {listed}.")
