"""`nk.suspects`: the rows whose labels the other rows contradict most, whether separable or not.

A soft margin is fitted to all rows, then others, harder ones too, without the worst rows on its
wrong side, so that these have no say in their own case. Of many rows, a sample has a say in the
first fit, and those next to its hyperplane in the others; if they have many columns too, another
sample, and rows of either are judged by the other. The depth of a row is how far on the wrong side
the later hyperplanes have it, in columns of unit size, on average:

    depth = -z . w / |w|        above 0: on the other label's side; below 0: on its own
    score = depth + error * share of its nearest rows that have other labels

The error is that of a hyperplane fitted to so few rows, roughly: typical |depth| * 1.5 sqrt(entries
of a row / rows), and at most half of the typical depth. So neighbours are heard where hyperplanes
know little.

With more than two labels there is a hyperplane for each, and the depth is half of how much further
the row is on the positive side of another label's than of its own.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import encode
from novikoff.data.user_types import Label, RowsLike
from novikoff.errors import DataError, ParameterError
from novikoff.learning.learner import norm
from novikoff.verdict.judge import Judge
from novikoff.verdict.result import SEPARABLE, Verdict
from novikoff.verdict.scan import Indices, Signs, Vector
from novikoff.verdict.search.points import WIDE, ColumnScaling
from novikoff.verdict.search.search import Face, Search
from novikoff.verdict.signed import LabelPair, Signed, UserInput, label_signs, signs_of
from novikoff.verdict.soft_margin import SoftMargin, SoftMarginProblem

PENALTIES = 0.03, 0.3, 3.0  # C of the soft margins, the first first: the best of several choices
MOST_HEARD = 1024  # rows of each side that have a say in a fit
MANY_COLUMNS = 200  # beyond which a row is judged by a fit in which it has no say
MOST_DOUBTED = 10  # rows that have no say in the later fits, unless twice as many are asked for
NEIGHBOURS = 5
DEPTH_ERROR, MOST_ERROR = 1.5, 0.5  # of typical depths; times sqrt(columns / rows), and at most
MOST_NEARNESSES = 5_000_000  # computed at a time
CLEARER = 1.05  # a margin that grows by less is not worth a word


class Suspect(NamedTuple):
    """A row whose label may be wrong.

    row: its number, from 0.
    score: how far the other rows put it on the wrong side, and more where rows near it contradict.
    reason: that in words.
    label: the one it has.
    suggestion: the label it looks like instead.
    neighbours: those of the five nearest rows that have other labels, the nearest first.
    multiplier: its share in the support of separable rows; None if it has none.
    line: in its file, if there is one.
    values: the entries that are not zero, by the names or places of their columns.
    """

    row: int
    score: float
    reason: str
    label: object
    suggestion: object
    neighbours: tuple[int, ...]
    multiplier: Fraction | None
    line: int | None
    values: tuple[tuple[str, float], ...]


def suspects(
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    count: int = 10,
    *,
    fit_intercept: bool = True,
    positive: Label | None = None,
) -> list[Suspect]:
    """Rank rows by how much they stand in the way of a separating hyperplane, the worst first.

    X: as for `check`.
    y: two labels or more; as for `check`.
    count: how many rows to name.
    fit_intercept, positive: as for `check`.

    >>> import novikoff as nk
    >>> found = nk.suspects([[0], [1], [2], [6], [7], [8]], [0, 0, 1, 1, 1, 1], count=1)
    >>> found[0].row, found[0].suggestion
    (2, 0)
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ParameterError(f"count must be a whole number above 0, not {count!r}")
    return SuspectRanking(UserInput.of(X, y), fit_intercept, positive).worst(count)


class SuspectRanking:
    """The scores of all rows, and the words for the worst of them."""

    def __init__(self, given: UserInput, bias: bool = True, positive: Label | None = None) -> None:
        self.given = given
        classes, codes = encode(given.y)
        self.classes: list[object] = classes.tolist()
        self.codes = np.asarray(codes, np.int64)
        if len(self.classes) < 2:
            raise DataError(
                f"all {len(codes):,} rows have the label {self.classes[0]}; there is nothing to"
                " contradict it"
            )
        self.is_other = False  # whether the first of two classes is every label but one
        if positive is not None:
            signs, pair = label_signs(given.y, positive)
            self.is_other = pair.negative is None
            self.classes = ["other" if self.is_other else pair.negative, pair.positive]
            self.codes = (signs > 0).astype(np.int64)
        several = len(self.classes) > 2
        positives = range(len(self.classes)) if several else [1]
        self.signed = [self._against_rest(k, bias) for k in positives]
        self.problems = [SoftMarginProblem(each) for each in self.signed]

    def _against_rest(self, chosen: int, bias: bool) -> Signed:
        names = self.classes
        negative = names[1 - chosen] if len(names) == 2 and not self.is_other else None
        pair, signs = LabelPair(negative, names[chosen]), signs_of(self.codes, chosen)
        return Signed.from_signs(self.given, signs, pair, bias, "binary", False)

    def worst(self, count: int) -> list[Suspect]:
        """The rows with the highest scores, each with its reason."""
        order = _shuffled(len(self.codes))
        first = [_heard(each.signs, order, halved=self.is_halved) for each in self.signed]
        distances = self._distances(PENALTIES[:1], first)
        depths, suggested = self._depths(distances)
        considered = max(MOST_DOUBTED, 2 * count)
        worst = _highest(depths, considered)
        doubted = worst[depths[worst] > 0.0]
        if len(np.unique(np.delete(self.codes, doubted))) == len(self.classes):
            later = self._later_distances(order, first, distances, doubted)
            depths, suggested = self._depths(later)
        worst = _highest(depths, considered)
        nearest = self._nearest(worst)
        contradicting = self.codes[nearest] != self.codes[worst, None]
        entries = self.problems[0].entries / len(depths)
        error = min(DEPTH_ERROR * math.sqrt(entries / len(depths)), MOST_ERROR)
        typical = float(np.median(np.abs(depths)))
        scores = depths[worst] + error * typical * contradicting.mean(axis=1)
        verdict = Judge(self.signed[0]).run() if len(self.classes) == 2 else None
        words = _Words(self, verdict)
        return [
            words.suspect(
                int(worst[k]),
                float(depths[worst[k]]),
                float(scores[k]),
                int(suggested[worst[k]]),
                nearest[k][contradicting[k]].tolist(),
            )
            for k in _highest(scores, count)
        ]

    def _later_distances(
        self, order: Indices, first: list[Vector], distances: list[Vector], doubted: Indices
    ) -> list[Vector]:
        """The distances after fits in which doubted rows have no say. first: who was heard in the
        first fits, in this order; distances: what these say.
        """
        pairs = zip(self.signed, distances, strict=True)
        if not self.is_halved:
            heard = [_heard(each.signs, _lowest_first(far), doubted) for each, far in pairs]
            return self._distances(PENALTIES, heard)
        second = [_heard(each.signs, order[::-1], doubted, True) for each in self.signed]
        later = self._distances(PENALTIES, second)
        return [_by_others(*each) for each in zip(first, second, distances, later, strict=True)]

    @property
    def is_halved(self) -> bool:
        """Whether one half of the rows judges the other: of many rows with many columns, those that
        have a say are always nearer to their own side than those that have none.
        """
        return len(self.codes) > 2 * MOST_HEARD and self.signed[0].features > MANY_COLUMNS

    def _nearest(self, rows: Indices) -> Indices:
        """For each row the nearest others, the nearest first."""
        problem, whole = self.problems[0], len(self.codes)
        found = []
        for part in np.array_split(rows, -(-len(rows) * whole // MOST_NEARNESSES)):
            nearness = 2.0 * problem.products(problem.matrix[part]) - problem.squares
            nearness[np.arange(len(part)), part] = -np.inf
            found += [_highest(each, min(NEIGHBOURS, whole - 1)) for each in nearness]
        return np.array(found)

    def _depths(self, distances: list[Vector]) -> tuple[Vector, Indices]:
        """The depth of each row, and the class that it looks like instead."""
        if len(distances) == 1:
            return -distances[0], 1 - self.codes
        pairs = zip(self.signed, distances, strict=True)
        table = np.array([each.signs * far for each, far in pairs])
        everyone = np.arange(len(self.codes))
        own = table[self.codes, everyone]
        table[self.codes, everyone] = -np.inf
        best = table.argmax(axis=0)
        return (table[best, everyone] - own) / 2.0, best

    def _distances(self, penalties: Sequence[float], costs: list[Vector]) -> list[Vector]:
        """For each hyperplane, how far each row is on its own side, on average over penalties."""
        return [
            self._distance(signed, problem.fits(penalties, heard), problem.units)
            for signed, problem, heard in zip(self.signed, self.problems, costs, strict=True)
        ]

    def _distance(self, signed: Signed, found: list[SoftMargin], units: Vector) -> Vector:
        if not found:
            raise DataError("the rows are beyond the range of doubles; scale the columns")
        sizes = [norm(each.weights[: signed.features] / units) for each in found]
        scores = [each.scores / (size or 1.0) for each, size in zip(found, sizes, strict=True)]
        return np.asarray(np.mean(scores, axis=0))


def _heard(
    signs: Signs, order: Indices, doubted: Indices | None = None, halved: bool = False
) -> Vector:
    """1 for the first rows of either side in this order that are not doubted, 0 for the others;
    halved: for half of them at the most.
    """
    costs = np.zeros(len(signs))
    free = order if doubted is None else order[~np.isin(order, doubted)]
    for side in (-1.0, 1.0):
        ours = free[signs[free] == side]
        costs[ours[: min(MOST_HEARD, -(-len(ours) // 2) if halved else len(ours))]] = 1.0
    return costs


def _by_others(first: Vector, second: Vector, early: Vector, late: Vector) -> Vector:
    """How far rows are on their own sides, as the fit says in which they have no say."""
    return np.where(second > 0.0, early, np.where(first > 0.0, late, (early + late) / 2.0))


def _shuffled(rows: int) -> Indices:
    """The rows in an order that has nothing to do with the data's; any will do for few."""
    return np.random.default_rng(0).permutation(rows) if rows > MOST_HEARD else np.arange(rows)


def _lowest_first(values: Vector) -> Indices:
    """The numbers of the lowest values before all others, for as many rows as may have a say."""
    most = 4 * MOST_HEARD
    return np.arange(len(values)) if len(values) <= most else np.argpartition(values, most)


def _highest(values: Vector, count: int) -> Indices:
    """The numbers of the highest values, from the highest on; of equal ones the first first."""
    count = min(count, len(values))
    least = np.partition(values, len(values) - count)[len(values) - count]
    enough = np.flatnonzero(values >= least)
    return enough[np.argsort(-values[enough], kind="stable")][:count]


class _Words:
    """What there is to say of suspects."""

    def __init__(self, ranking: SuspectRanking, verdict: Verdict | None) -> None:
        self.ranking, self.verdict = ranking, verdict
        self.support = {} if verdict is None else dict(verdict.support)
        self.search: Search | None = None
        if verdict is not None and verdict.outcome == SEPARABLE and verdict.signed.dim <= WIDE:
            self.search = Search(verdict.signed)
            self.search.candidates = np.array(sorted(self.support), np.int64)

    def suspect(
        self, i: int, depth: float, score: float, suggested: int, neighbours: list[int]
    ) -> Suspect:
        """The suspect with all that is known of it."""
        signed, classes = self.ranking.signed[0], self.ranking.classes
        columns, values = signed.entries(i)
        names = signed.feature_names
        named = [
            (names[j] if names else f"column {j}", float(value))
            for j, value in zip(columns, values, strict=True)
        ]
        return Suspect(
            i,
            score,
            self._reason(i, depth, classes[suggested], neighbours),
            classes[self.ranking.codes[i]],
            classes[suggested],
            tuple(neighbours),
            self.support.get(i),
            None if signed.lines is None else int(signed.lines[i]),
            tuple(named),
        )

    def _reason(self, i: int, depth: float, label: object, neighbours: list[int]) -> str:
        parts = [f"the other rows put it {depth:.3g} deep on the side of {label}"]
        if depth <= 0.0:
            parts = [f"the other rows put it on its own side, {-depth:.3g} deep"]
        margin = self._margin_without(i)
        if margin is not None:
            parts.append(margin)
        verdict = self.verdict
        if verdict is not None and any(i == row for row, _ in verdict.conflict):
            parts.append(f"it is one of {len(verdict.conflict):,} rows in conflict")
        if neighbours:
            whole = min(NEIGHBOURS, len(self.ranking.codes) - 1)
            some = "its" if len(neighbours) == whole else f"{len(neighbours)} of its"
            listed = ", ".join(self._place(k) for k in neighbours)
            parts.append(f"{some} {whole} nearest rows are labelled otherwise: {listed}")
        return "; ".join(parts)

    def _place(self, i: int) -> str:
        lines = self.ranking.given.lines
        return f"row {i}" if lines is None else f"line {int(lines[i])}"

    def _margin_without(self, i: int) -> str | None:
        """How the margin would grow, for a row of the support."""
        if self.search is None or self.verdict is None or i not in self.support:
            return None
        others = np.zeros(self.verdict.rows, np.bool_)
        others[i] = True
        face = Face([], others)
        points = self.search.points(ColumnScaling.identity(self.verdict.signed.dim), face)
        points.start_from(self.support)
        found = float(np.sqrt(self.search.suggest(points, face).square))
        now = self.verdict.margin.upper
        if not found > CLEARER * now:
            return None
        return f"without it the margin would be {found:.2g} instead of {now:.2g}"
