"""General position, decided exactly, or not refuted after so many subsets.

P points are in general position in N dimensions if no N of them, nor fewer, are linearly dependent.
There are binomial(P, N) subsets of N. With any N - 2 of the rows chosen, two vectors u, v remain
that are orthogonal to them, and for each later row x a slope (x . u : x . v): two rows of the same
slope depend on each other and the chosen ones, as does a row with x . u = x . v = 0. Sorting the
slopes settles all pairs at once, for the cost of binomial(P, N - 1) rows instead.

That is done modulo a prime of 31 bits, in compiled code. Rows that are independent modulo a prime
are independent; where some seem dependent, integers decide.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from flint import fmpz_mat

from novikoff import notebook
from novikoff.cover_count import readable_count, require_integer
from novikoff.data.user_types import RowsLike
from novikoff.errors import ParameterError
from novikoff.theory.cover.dependence_search import FINISHED, LOST, SUSPECT, DependenceSearch
from novikoff.theory.cover.integer_points import (
    IntegerPoints,
    Lines,
    circuit,
    directions_of,
    points_of,
)
from novikoff.verdict.exact.rank import modulo, pivots

LIMIT = 100_000_000  # products, some seconds
ENTRIES = 500_000  # numbers that are read in some seconds
AT_ONCE = 10_000_000  # products before anybody is told

Watch = Callable[[int], None]


class Position(NamedTuple):
    """Whether points are in general position.

    holds: True or False; None if it was not refuted, and not proven either.
    dependent: rows that depend on each other, at most as many as there are dimensions; without any
        one of them the others are independent. Empty unless `holds` is False.
    examined: how many of the `subsets` were looked at, one by one or all at once.
    subsets: how many there are of as many rows as there are dimensions.
    reason: the answer in a sentence.

    >>> import novikoff as nk
    >>> nk.cover.in_general_position([[1, 2], [2, 4], [0, 1]])
    Position(holds=False, dependent=[0, 1], 'the rows 0, 1 are linearly dependent')
    """

    holds: bool | None
    dependent: list[int]
    examined: int
    subsets: int
    reason: str

    def __repr__(self) -> str:  # the subsets can have thousands of digits
        return f"Position(holds={self.holds!r}, dependent={self.dependent!r}, {self.reason!r})"

    def _repr_html_(self) -> str:
        facts: list[notebook.Fact] = [("holds", "not known" if self.holds is None else self.holds)]
        if self.dependent:
            facts.append(("dependent rows", ", ".join(map(str, self.dependent))))
        return notebook.facts_html(self.reason, facts)

    def __bool__(self) -> bool:
        if self.holds is None:
            raise ParameterError(
                f"it is not known whether the points are in general position: {self.reason};"
                " ask for .holds, or give a larger limit (None: no limit)"
            )
        return self.holds


def in_general_position(
    X: RowsLike, affine: bool = False, *, limit: int | None = LIMIT, watch: Watch | None = None
) -> Position:
    """Whether no N rows of X, nor fewer, are linearly dependent; N is the number of columns.

    X: points, one in each row.
    affine: the same of the rows with a 1 appended, in N + 1 dimensions: no three points on a line,
        no four in a plane, and so on.
    limit: after how much work to give up, as the number of products of two numbers (some hundred
        millions take a few seconds); None goes on to the end, for which N binomial(P, N - 1) or so
        are needed. With a limit, of more than half a million entries only some rows are looked at.
    watch: called now and then with the number of subsets examined.

    >>> import novikoff as nk
    >>> nk.cover.in_general_position([[1, 0], [0, 1], [1, 1]]).holds
    True
    >>> nk.cover.in_general_position([[0, 0], [1, 1], [2, 2]], affine=True).dependent
    [0, 1, 2]
    """
    return position_of(points_of(X, affine, entry_limit(limit)), limit, watch)


def entry_limit(limit: int | None) -> int | None:
    """How many entries of the rows are looked at with this limit."""
    return None if limit is None else ENTRIES


def position_of(
    points: IntegerPoints, limit: int | None = LIMIT, watch: Watch | None = None
) -> Position:
    """The same of points, which may be some of all rows."""
    lines, dim, rows, total = points
    size = min(dim, total)
    subsets = math.comb(total, size)
    found = _search(
        lines, dim, None if limit is None else require_integer("limit", limit, 0), watch
    )
    if found.dependent is not None:
        dependent = sorted(rows[found.dependent].tolist())
        listed = ", ".join(map(str, dependent))
        verb = f"the rows {listed} are" if len(dependent) > 1 else f"row {listed} is"
        reason = f"{verb} linearly dependent"
        return Position(False, dependent, found.examined, subsets, reason)
    if found.finished and len(lines) == total:
        what = f"no {size:,} of the rows are" if size > 1 else "no row is"
        return Position(True, [], subsets, subsets, f"{what} linearly dependent")
    reason = (
        f"not refuted after {readable_count(found.examined)} of {readable_count(subsets)} subsets"
    )
    return Position(None, [], found.examined, subsets, reason)


class _SearchResult(NamedTuple):
    """What a search came to: places of dependent rows, and how many subsets it settled."""

    dependent: list[int] | None
    examined: int
    finished: bool


def _search(lines: Lines, dim: int, limit: int | None, watch: Watch | None) -> _SearchResult:
    first = _obvious_dependence(lines, dim)
    if first is not None:
        return _SearchResult(first, 0, False)
    if len(lines) <= dim or dim <= 2:
        return _SearchResult(None, math.comb(len(lines), dim), True)
    needed = math.comb(len(lines), dim - 1) + (dim - 2) * math.comb(len(lines) - 2, dim - 2)
    if limit is None or needed * dim <= limit:
        return _by_slopes(lines, limit, watch)
    # not all can be looked at: then in a random order, so that no rows are favoured
    order = np.random.default_rng(0).permutation(len(lines))
    found = _by_slopes([lines[i] for i in order], limit, watch)
    if found.dependent is None:
        return found
    return found._replace(dependent=order[found.dependent].tolist())


def _obvious_dependence(lines: Lines, dim: int) -> list[int] | None:
    """What needs no search: zero rows, multiples, and the first rows as far as they can be
    independent.
    """
    for i, line in enumerate(lines):
        if not any(line):
            return [i]
    places = directions_of(lines).place
    _, first, place = np.unique(places, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[place] != np.arange(len(lines)))
    if again.size and dim >= 2:
        return [int(first[place[again[0]]]), int(again[0])]
    few = lines[:dim]
    if len(pivots(modulo(few).transpose())) == len(few):
        return None
    found = circuit(few)
    return None if found is None else sorted(found)


def _by_slopes(lines: Lines, limit: int | None, watch: Watch | None) -> _SearchResult:
    """All subsets in order, or as many as the limit allows."""
    search = DependenceSearch.of(lines)
    examined = work = 0
    while limit is None or work < limit:
        status, more, done = search.run(AT_ONCE if limit is None else min(AT_ONCE, limit - work))
        examined, work = examined + more, work + done
        if status == FINISHED:
            return _SearchResult(None, examined, True)
        if status == SUSPECT:
            dependent = _exact_dependence(lines, search.chosen.tolist(), search.suspects())
            if dependent is not None:
                return _SearchResult(dependent, examined, False)
        if status == LOST:
            # were the chosen rows dependent, an earlier subset would have shown it, or the first
            # rows at first sight: it is the prime, so take another
            search = DependenceSearch.of(lines, search.chosen)
        if watch is not None:
            watch(examined)
    return _SearchResult(None, examined, False)


def _exact_dependence(lines: Lines, chosen: list[int], later: list[int]) -> list[int] | None:
    """What of later rows depends on chosen ones, alone or in pairs, exactly; the chosen rows are
    independent, and two fewer than the dimensions.
    """
    vectors, _ = fmpz_mat([lines[i] for i in chosen]).nullspace()
    found: dict[tuple[int, ...], int] = {}
    for i in later:
        line = fmpz_mat([lines[i]]) * vectors
        slope = [int(line[0, k]) for k in range(2)]
        if not any(slope):
            return _circuit_rows(lines, [*chosen, i])
        common = math.gcd(*slope) * (1 if (slope[0] or slope[1]) > 0 else -1)
        key = tuple(value // common for value in slope)
        if key in found:
            return _circuit_rows(lines, [*chosen, found[key], i])
        found[key] = i
    return None


def _circuit_rows(lines: Lines, rows: list[int]) -> list[int] | None:
    """Some of these rows that are dependent, without any one of which the others are not."""
    found = circuit([lines[i] for i in rows])
    return None if found is None else [rows[k] for k in found]
