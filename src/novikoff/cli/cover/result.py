"""The result of `cover`, in words and as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from novikoff import cover_count
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.text import beside, wrap
from novikoff.cover_count import Magnitude, Regime, decimal_digits, readable_count

if TYPE_CHECKING:
    from novikoff.cli.shared.loaded_source import LoadedSource
    from novikoff.data import Source
    from novikoff.theory.cover import Capacity, Position

MOST_DIGITS = 1_000_000  # of a count in JSON


class CoverPoint(NamedTuple):
    """P points in N dimensions, one more if there is a threshold, and Cover's count for them."""

    P: int
    N: int
    threshold: bool

    @property
    def dimensions(self) -> int:
        return self.N + self.threshold

    @property
    def magnitude(self) -> Magnitude:
        return cover_count.magnitude(self.P, self.dimensions)

    @property
    def fraction(self) -> float:
        return cover_count.fraction(self.P, self.dimensions)

    @property
    def log2_fraction(self) -> float:
        return cover_count.log2_fraction(self.P, self.dimensions)

    @property
    def regime(self) -> Regime:
        return cover_count.regime(self.P, self.dimensions)


class CoverResult(NamedTuple):
    """Counts, position and capacity curves; None, or empty, where they were not asked for."""

    place: CoverPoint | None = None
    data: "LoadedSource | None" = None
    position: "Position | None" = None
    dichotomies: int | None = None
    capacity: "Sequence[Capacity]" = ()


def of_data(
    source: "Source", bias: bool, dichotomies: bool, limit: int | None, quiet: bool
) -> CoverResult:
    """Cover's count for as many points as there are rows, and the position of these rows."""
    from novikoff.cli.shared.loaded_source import LoadedSource
    from novikoff.theory.cover import enumeration, integer_points
    from novikoff.theory.cover import general_position as position

    with SearchProgress(quiet) as progress:

        def examined(subsets: int) -> None:
            progress.begin(f"general position: not refuted after {readable_count(subsets)} subsets")

        def realised(number: int) -> None:
            progress.begin(f"{number:,} labellings realised so far")

        progress.begin("reading")
        kept = LoadedSource(source)
        most = None if dichotomies else position.entry_limit(limit)
        rows = integer_points.points_of(kept, bias, most)
        placed = position.position_of(rows, limit, examined)
        number = None
        if dichotomies:
            number = enumeration.number_of(rows, placed, realised)
    place = CoverPoint(rows.total, kept.features, bias)
    return CoverResult(place, kept, placed, number)


def run_capacity(
    dimensions: list[int], ratios: list[float], trials: int, seed: int, quiet: bool
) -> "list[Capacity]":
    """Try random labellings, dimension by dimension."""
    from novikoff.theory.cover import capacity_curve

    with SearchProgress(quiet) as progress:

        def decided(done: int, total: int) -> None:
            progress.begin(f"{done:,} of {total:,} random labellings decided")

        return [
            each
            for N in dimensions
            for each in capacity_curve(N, ratios, trials, seed, watch=decided)
        ]


def format_cover(found: CoverResult) -> str:
    """Write the account."""
    lines = []
    if found.place is not None:
        lines = wrap(_heading(found, found.place), hyphens=True, long_words=True)
        lines += _count_lines(found, found.place)
        lines += [*_position(found, found.place), *_dichotomies(found, found.place)]
    if lines and found.capacity:
        lines.append("")
    return "\n".join([*lines, *_table(found.capacity)])


def _heading(found: CoverResult, place: CoverPoint) -> str:
    P, N = f"P = {place.P:,}", f"N = {place.dimensions:,}"
    if found.data is not None:
        lift = "with the intercept" if place.threshold else "without intercept"
        return f"{found.data.name}: {P} rows, {N} dimensions {lift}"
    lift = ", including the threshold" if place.threshold else ""
    return f"{P} points, {N} dimensions{lift}"


def _count_lines(found: CoverResult, place: CoverPoint) -> list[str]:
    number, digits = place.magnitude
    if "e" in number:
        number += f" ({digits:,} digits)"
    text = f"C({place.P}, {place.dimensions}) = {number} of 2^{place.P} labellings"
    share = _share(place)
    if found.data is None:
        text = f"{text} in general position, fewer in any other"
    else:  # rows in any other position realise fewer, never as many
        holds = None if found.position is None else found.position.holds
        text = f"{ {True: 'exactly', False: 'fewer than', None: 'at most'}[holds] } {text}"
        share = f"{ {True: '', False: 'below ', None: 'at most '}[holds] }{share}"
    return [
        *beside("realised", text),
        *beside("share", share),
        *beside("regime", place.regime.sentence),
    ]


def _share(place: CoverPoint) -> str:
    if place.fraction == 1.0 and place.dimensions < place.P:
        rest = cover_count.fraction(place.P, place.P - place.dimensions)
        return f"1 - {rest:.3g}" if rest else "1 but for less than any double"
    if place.fraction == 0.0 and place.dimensions:
        return f"2^{place.log2_fraction:,.1f}, too small for a double"
    return f"{place.fraction:.4g}"


def _position(found: CoverResult, place: CoverPoint) -> list[str]:
    position = found.position
    if position is None or found.data is None:
        return []
    kind = "affinely dependent" if place.threshold else "linearly dependent"
    reason = position.reason.replace("linearly dependent", kind)
    if position.holds is None:
        return beside("position", f"general as far as is known: {reason} (see --limit)")
    if position.holds:
        return beside("position", f"general: {reason}")
    if len(position.dependent) < 3:
        pair = "identical" if place.threshold else "multiples of each other"
        kind = {1: "zero", 2: pair}[len(position.dependent)]
    return beside("position", f"not general: {_row_names(found.data, position.dependent)} {kind}")


def _row_names(data: "LoadedSource", rows: list[int]) -> str:
    lines = data.chunk.lines
    kind = "row" if lines is None else "line"
    numbers = [str(row if lines is None else int(lines[row])) for row in rows]
    if len(rows) == 1:
        return f"{kind} {numbers[0]} is"
    return f"{kind}s {', '.join(numbers[:-1])} and {numbers[-1]} are"


def _dichotomies(found: CoverResult, place: CoverPoint) -> list[str]:
    if found.dichotomies is None:
        return []
    fewer = cover_count.count(place.P, place.dimensions) - found.dichotomies
    than = f"{readable_count(fewer)} fewer than" if fewer else "as many as"
    count = readable_count(found.dichotomies)
    text = f"{count} labellings of these rows are realised, {than} in general position"
    return beside("dichotomies", text)


def _table(capacity: "Sequence[Capacity]") -> list[str]:
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


def as_json(found: CoverResult) -> dict[str, Any]:
    """The keys that scripts rely on. Counts are text, of any number of digits; one of more than
    MOST_DIGITS is left out.
    """
    answer: dict[str, Any] = {"data": None if found.data is None else found.data.name}
    place, position = found.place, found.position
    if place is not None:
        digits = place.magnitude.digits
        count = cover_count.count(place.P, place.dimensions) if digits <= MOST_DIGITS else None
        answer |= {
            "P": place.P,
            "N": place.N,
            "threshold": place.threshold,
            "dimensions": place.dimensions,
            "count": None if count is None else decimal_digits(count),
            "digits": digits,
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
            "examined": decimal_digits(position.examined),
            "subsets": decimal_digits(position.subsets),
            "reason": position.reason,
        }
    )
    answer["dichotomies"] = None if found.dichotomies is None else decimal_digits(found.dichotomies)
    answer["capacity"] = [each._asdict() for each in found.capacity]
    return answer
