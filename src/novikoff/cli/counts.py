"""What `cover` found out, in words and as JSON."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from novikoff import counting
from novikoff.counting import Regime, shown, written

WIDTH, INDENT = 80, 15


class Place(NamedTuple):
    """P points in N dimensions, and one more if there is a threshold, by Cover's count."""

    P: int
    N: int
    threshold: bool
    realised: int
    fraction: float
    log2_fraction: float
    regime: Regime

    @property
    def dimensions(self) -> int:
        return self.N + self.threshold


class Counted(NamedTuple):
    """All that was asked for; None, or empty, where it was not."""

    place: Place | None = None
    data: Any = None  # the source of the rows
    position: Any = None  # a `cover.Position`
    dichotomies: int | None = None
    capacity: Sequence[Any] = ()  # of `cover.Capacity`


def of_numbers(P: int, N: int, threshold: bool) -> Counted:
    """What the theorem says."""
    about = {"threshold": threshold}
    return Counted(
        Place(
            P,
            N,
            threshold,
            counting.count(P, N, **about),
            counting.fraction(P, N, **about),
            counting.log2_fraction(P, N, **about),
            counting.regime(P, N, **about),
        )
    )


def of_data(source: Any, bias: bool, dichotomies: bool, limit: int | None, quiet: bool) -> Counted:
    """What it says of as many points as there are rows, and what is true of these rows."""
    from novikoff.cli.findings import Kept
    from novikoff.cover import cells, points, position

    with _Progress(quiet) as progress:
        progress.tell("reading")
        kept = Kept(source)
        most = None if dichotomies else position.entries(limit)
        rows = points.points_of(kept, bias, most)
        found = of_numbers(rows.total, kept.chunk.X.shape[1], bias)
        placed = position.position_of(rows, limit, progress.examined)
        number = None
        if dichotomies:
            number = cells.number_of(rows, placed, progress.realised)
    return found._replace(data=kept, position=placed, dichotomies=number)


def tried(
    dimensions: list[int], ratios: list[float], trials: int, seed: int, quiet: bool
) -> list[Any]:
    """Capacity curves, one after the other."""
    from novikoff.cover import capacity_curve

    with _Progress(quiet) as progress:
        return [
            each
            for N in dimensions
            for each in capacity_curve(N, ratios, trials, seed, watch=progress.decided)
        ]


class _Progress:
    """One line on what is being done."""

    def __init__(self, quiet: bool) -> None:
        from novikoff.cli.watching import Watching

        self.line = Watching(quiet)

    def __enter__(self) -> "_Progress":
        self.line.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.line.__exit__(*error)

    def tell(self, doing: str) -> None:
        from novikoff.verdict.result import Stage

        self.line.watch(Stage(doing, None, 0.0, math.inf, 0))

    def examined(self, subsets: int) -> None:
        self.tell(f"general position: not refuted after {shown(subsets)} subsets")

    def realised(self, number: int) -> None:
        self.tell(f"{number:,} labellings realised so far")

    def decided(self, done: int, total: int) -> None:
        self.tell(f"{done:,} of {total:,} random labellings decided")


def tell(found: Counted) -> str:
    """The account for a person."""
    lines = []
    if found.place is not None:
        lines = [*textwrap.wrap(_heading(found, found.place), WIDTH)]
        lines += _counted(found, found.place)
        lines += [*_position(found, found.place), *_dichotomies(found, found.place)]
    if lines and found.capacity:
        lines.append("")
    return "\n".join([*lines, *_table(found.capacity)])


def _heading(found: Counted, place: Place) -> str:
    P, N = f"P = {place.P:,}", f"N = {place.dimensions:,}"
    if found.data is not None:
        lift = "with the intercept" if place.threshold else "without intercept"
        return f"{found.data.name}: {P} rows, {N} dimensions {lift}"
    lift = ", the threshold counted as one" if place.threshold else ""
    return f"{P} points, {N} dimensions{lift}"


def _counted(found: Counted, place: Place) -> list[str]:
    number = shown(place.realised)
    if place.realised >= counting.READABLE:
        number += f" ({len(written(place.realised)):,} digits)"
    text = f"C({place.P}, {place.dimensions}) = {number} of 2^{place.P} labellings"
    share = _share(place)
    if found.data is None:
        text = f"{text} in general position, fewer in any other"
    else:  # rows in any other position realise fewer, never as many
        holds = None if found.position is None else found.position.holds
        text = f"{ {True: 'exactly', False: 'fewer than', None: 'at most'}[holds] } {text}"
        share = f"{ {True: '', False: 'below ', None: 'at most '}[holds] }{share}"
    return [
        *_fact("realised", text),
        *_fact("share", share),
        *_fact("regime", place.regime.sentence),
    ]


def _share(place: Place) -> str:
    if place.fraction == 1.0 and place.dimensions < place.P:
        rest = counting.fraction(place.P, place.P - place.dimensions)
        return f"1 - {rest:.3g}" if rest else "1 but for less than any double"
    if place.fraction == 0.0 and place.dimensions:
        return f"2^{place.log2_fraction:,.1f}, too small for a double"
    return f"{place.fraction:.4g}"


def _position(found: Counted, place: Place) -> list[str]:
    position = found.position
    if position is None:
        return []
    kind = "affinely dependent" if place.threshold else "linearly dependent"
    reason = position.reason.replace("linearly dependent", kind)
    if position.holds is None:
        return _fact("position", f"general as far as is known: {reason} (see --limit)")
    if position.holds:
        return _fact("position", f"general: {reason}")
    if len(position.dependent) < 3:
        pair = "identical" if place.threshold else "multiples of each other"
        kind = {1: "zero", 2: pair}[len(position.dependent)]
    return _fact("position", f"not general: {_named(found, position.dependent)} {kind}")


def _named(found: Counted, rows: list[int]) -> str:
    lines = found.data.chunk.lines
    kind = "row" if lines is None else "line"
    numbers = [str(row if lines is None else int(lines[row])) for row in rows]
    if len(rows) == 1:
        return f"{kind} {numbers[0]} is"
    return f"{kind}s {', '.join(numbers[:-1])} and {numbers[-1]} are"


def _dichotomies(found: Counted, place: Place) -> list[str]:
    if found.dichotomies is None:
        return []
    fewer = place.realised - found.dichotomies
    than = f"{shown(fewer)} fewer than" if fewer else "as many as"
    text = f"{shown(found.dichotomies)} labellings of these rows are realised, {than} in general"
    return _fact("dichotomies", f"{text} position")


def _table(capacity: Sequence[Any]) -> list[str]:
    if not capacity:
        return []
    lines = [
        "Random labellings of Gaussian points, each decided exactly:",
        "      N       P   P/N     separable   share  95 % interval    Cover",
    ]
    for each in capacity:
        of = f"{each.separable:,} of {each.trials:,}"
        lines.append(
            f"{each.N:>7,}{each.P:>8,}{each.ratio:>6.3g}{of:>14}{each.fraction:>8.3f}"
            f"  {each.lower:.3f} to {each.upper:.3f}{each.cover:>9.3g}"
        )
    return lines


def _fact(name: str, text: str) -> list[str]:
    """A few lines of the account under a short name."""
    parts = textwrap.wrap(text, WIDTH - INDENT, break_on_hyphens=False)
    names = [f"  {name}", *[""] * (len(parts) - 1)]
    return [f"{first:<{INDENT}}{part}" for first, part in zip(names, parts, strict=True)]


def as_json(found: Counted) -> dict[str, Any]:
    """What scripts read. Counts are text: they can have any number of digits."""
    answer: dict[str, Any] = {"data": None if found.data is None else found.data.name}
    place, position = found.place, found.position
    if place is not None:
        answer |= {
            "P": place.P,
            "N": place.N,
            "threshold": place.threshold,
            "dimensions": place.dimensions,
            "count": written(place.realised),
            "digits": len(written(place.realised)),
            "fraction": place.fraction,
            "log2_fraction": place.log2_fraction if place.dimensions else None,
            "regime": place.regime._asdict(),
        }
    answer["general_position"] = (
        None
        if position is None
        else {
            "holds": position.holds,
            "dependent": position.dependent,
            "examined": written(position.examined),
            "subsets": written(position.subsets),
            "reason": position.reason,
        }
    )
    answer["dichotomies"] = None if found.dichotomies is None else written(found.dichotomies)
    answer["capacity"] = [each._asdict() for each in found.capacity]
    return answer
