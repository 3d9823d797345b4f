"""Every labelling that a hyperplane through the origin realises, one after the other.

Row by row: a labelling of the first k rows that is realised extends to one of k + 1 rows at least,
so every branch of the search ends in a labelling, and there are never more branches than those.
Of each branch a witness is known, weights w that realise it; the sign of its score on the next row
is one way to go on, for nothing. Whether there is another way is a question of its own (`sides`),
unless a conflict is known that says no: a few rows that no hyperplane has on these sides. One
conflict answers for many branches.

Labellings are kept as integers, bit i for row i, 1 for +1. With w, -w realises the opposite
labelling; so the first row has the label -1, and every labelling stands for two.
"""

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from novikoff.cover_count import count
from novikoff.data.user_types import RowsLike
from novikoff.theory.cover.general_position import Position, position_of
from novikoff.theory.cover.integer_points import (
    IntegerPoints,
    Lines,
    directions_of,
    enough_columns,
    points_of,
)
from novikoff.theory.cover.sign_vectors import (
    SignConflict,
    SignVectorOracle,
    Witness,
    signs_of_bits,
)

MOST_CONFLICTS = 200  # conflicts that are remembered for each row

Labelling = npt.NDArray[np.int8]
Watch = Callable[[int], None]


def dichotomies(X: RowsLike, affine: bool = False) -> Iterator[Labelling]:
    """Every labelling of the rows of X that some hyperplane through the origin realises, each once:
    arrays of -1 and +1, one entry for each row, with all rows strictly on their sides.

    They come in lexicographic order, -1 before +1, those that begin with -1; and each is followed
    by its opposite. The work is done as they are asked for. In general position there are
    `count(P, N)` of them (affine: `count(P, N, threshold=True)`), otherwise fewer.

    X: points, one in each row.
    affine: hyperplanes need not pass through the origin.

    >>> import novikoff as nk
    >>> [labels.tolist() for labels in nk.cover.dichotomies([[1], [2], [-1]])]
    [[-1, -1, 1], [1, 1, -1]]
    """
    return labellings_of(points_of(X, affine).lines)


def labellings_of(lines: Lines) -> Iterator[Labelling]:
    """The same of rows of integers."""
    if not all(map(any, lines)):
        return  # a row of zeros is on every hyperplane
    directions = directions_of(lines)
    size = len(directions.lines)
    for labels in half_of_dichotomies(directions.lines):
        signs = signs_of_bits(labels, size)[directions.place]
        found = signs.astype(np.int8) * directions.sign
        yield from (found, -found)


def dichotomy_count(X: RowsLike, affine: bool = False) -> int:
    """How many labellings of the rows of X some hyperplane realises, strictly: by Cover's formula
    if they are soon seen to be in general position, else one by one.

    X, affine: as for `cover.dichotomies`.

    >>> import novikoff as nk
    >>> nk.cover.dichotomy_count([[0, 0], [0, 1], [1, 0], [1, 1]], affine=True)
    14
    """
    points = points_of(X, affine)
    return number_of(points, position_of(points))


def number_of(points: IntegerPoints, position: Position, watch: Watch | None = None) -> int:
    """The same of points whose position is known, if it is.

    watch: called with the number found so far, where they are found one by one.
    """
    lines = points.lines
    if position.holds:
        return count(len(lines), points.dim)
    found = 0
    for _ in half_of_dichotomies(directions_of(lines).lines) if all(map(any, lines)) else ():
        found += 2
        if watch is not None:
            watch(found)
    return found


def half_of_dichotomies(lines: Lines) -> Iterator[int]:
    """The labellings of these rows that begin with -1, as integers; no row is zero, or a multiple
    of another one.
    """
    sides = SignVectorOracle(enough_columns(lines))
    known = [ConflictCache() for _ in lines]
    waiting = [(1, 0, sides.first())]
    while waiting:
        k, labels, witness = waiting.pop()
        while k < len(lines):
            bit = 1 << k
            below = _extension(sides, known, k, labels, witness)
            above = _extension(sides, known, k, labels | bit, witness)
            if below is not None and above is not None:
                waiting.append((k + 1, labels | bit, above))
            if below is not None:
                witness = below
            elif above is not None:
                labels, witness = labels | bit, above
            else:
                raise AssertionError("a labelling that is realised and has no extension")
            k += 1
        yield labels


def _extension(
    sides: SignVectorOracle, known: list["ConflictCache"], k: int, labels: int, witness: Witness
) -> Witness | None:
    """A witness for the labels of rows 0 to k, given one for those of rows 0 to k - 1."""
    bit = 1 << k
    if not witness.zero & bit and (witness.plus ^ labels) & bit == 0:
        return witness
    if not witness.zero & bit and known[k].rules_out(k, labels):
        return None
    found = sides.decide(k + 1, labels)
    if isinstance(found, SignConflict):
        known[k].add(k, found)
        return None
    return found


class ConflictCache:
    """Conflicts that end in the same row, those of use lately first."""

    def __init__(self) -> None:
        self.held: list[SignConflict] = []

    def rules_out(self, k: int, labels: int) -> bool:
        """Whether one of them rules these labels of rows 0 to k out."""
        if not labels >> k & 1:
            labels ^= (2 << k) - 1  # a conflict of the opposite labels is as good
        for i, (rows, plus) in enumerate(self.held):
            if labels & rows == plus:
                if i:
                    self.held.insert(0, self.held.pop(i))
                return True
        return False

    def add(self, k: int, found: SignConflict) -> None:
        """Remember one, with row k on the positive side."""
        plus = found.plus if found.plus >> k & 1 else found.plus ^ found.rows
        self.held.insert(0, SignConflict(found.rows, plus))
        del self.held[MOST_CONFLICTS:]
