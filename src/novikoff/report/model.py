"""Figures and pages as plain data, which two renderers draw alike.

`render.bokeh` draws a figure for a browser, `render.matplotlib` for a file; neither computes
anything. The numbers in a mark are those of the run, and what is not drawn is said in the caption.
"""

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

SAME = 1e-9  # of their size: numbers that differ by no more are drawn as one

#: The texts that `number` writes, and fractions.
NUMBER = re.compile(r"-?[0-9][0-9,.]*(e[-+][0-9]+)?(/[0-9]+)?|about .*")

Numbers: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

#: Okabe and Ito's colours, which colour-blind readers tell apart; lighter ones for a dark screen.
PALETTE = {
    "blue": ("#0072b2", "#56b4e9"),
    "red": ("#d55e00", "#f58231"),
    "green": ("#009e73", "#26bd92"),
    "purple": ("#cc79a7", "#dd9cc3"),
    "amber": ("#e69f00", "#f0b93a"),
    "sky": ("#56b4e9", "#a3d9f7"),
    "ink": ("#1f2428", "#eceff1"),
    "grey": ("#6b7379", "#9aa3a9"),
    "mesh": ("#dfe3e6", "#343a40"),
    "paper": ("#ffffff", "#14171a"),
}
LIGHT, DARK = ({name: pair[k] for name, pair in PALETTE.items()} for k in (0, 1))


class Look(NamedTuple):
    """How points are drawn. The edge's width is in pixels of a screen, and in points of a file."""

    filled: bool
    edge: str  # the name of a colour, or "own": that of the points
    width_on_screen: float
    width_in_file: float
    opacity: float


LOOKS = {
    "plain": Look(True, "paper", 0.5, 0.5, 0.9),
    "hollow": Look(False, "own", 2.0, 1.6, 1.0),
    "outlined": Look(True, "ink", 1.5, 1.2, 1.0),  # for points that matter
    "faint": Look(True, "own", 0.0, 0.0, 0.35),  # for those that do not
    "thin": Look(False, "own", 1.0, 1.0, 0.35),  # for very many
    "bare": Look(True, "own", 0.0, 0.0, 1.0),
}


class Dash(NamedTuple):
    """The lengths of a dash and of the gap after it, in the units of each renderer."""

    on_screen: tuple[int, int]
    in_file: tuple[float, float]
    in_key: tuple[float, float]


DASHES = {
    "solid": None,
    "dashed": Dash((9, 6), (5, 3), (6, 4)),
    "dotted": Dash((2, 5), (1.5, 2), (2, 3.5)),
}


class Line(NamedTuple):
    """A curve through points; `notes`: the text on hovering over each, where there is one."""

    x: Numbers
    y: Numbers
    name: str
    colour: str = "blue"
    dash: str = "solid"  # see `DASHES`
    width: float = 2.5
    notes: Sequence[str] = ()


class PointSeries(NamedTuple):
    """Single points, such as rows. `hover`: texts by name; `numbers`: texts beside the points."""

    x: Numbers
    y: Numbers
    name: str
    colour: str = "blue"
    marker: str = "circle"  # or "triangle", "square", "diamond", "star"
    size: float = 9.0
    look: str = "plain"  # see `LOOKS`
    hover: Mapping[str, Sequence[str]] = MappingProxyType({})
    numbers: Sequence[str] = ()


class Band(NamedTuple):
    """The region between two curves."""

    x: Numbers
    lower: Numbers
    upper: Numbers
    name: str
    colour: str = "grey"


class Patch(NamedTuple):
    """A polygon; of two corners, a segment."""

    x: Numbers
    y: Numbers
    name: str
    colour: str = "blue"


class Bars(NamedTuple):
    """Upright bars from 0; hatched ones differ in more than colour."""

    left: Numbers
    right: Numbers
    top: Numbers
    name: str
    colour: str = "blue"
    hatched: bool = False
    notes: Sequence[str] = ()


class ReferenceLine(NamedTuple):
    """A straight line across the whole figure, at one height or (upright) at one place."""

    at: float
    name: str
    colour: str = "ink"
    dash: str = "dashed"
    upright: bool = False


Mark = Line | PointSeries | Band | Patch | Bars | ReferenceLine
Box = tuple[tuple[float, float], tuple[float, float]]  # from left to right, from low to high


class Figure(NamedTuple):
    """One figure; `alt` describes it to readers who cannot see it.

    frame: the ranges of the axes, where marks extend beyond them; without it, all marks are shown.
    """

    title: str
    x_label: str
    y_label: str
    marks: list[Mark]
    caption: str
    alt: str
    log_x: bool = False
    log_y: bool = False
    equal: bool = False  # one unit is as long on both axes
    bare_y: bool = False  # the height means nothing
    whole_x: bool = False  # only whole numbers are places
    whole_y: bool = False
    frame: Box | None = None


class ReportTable(NamedTuple):
    """Rows of text under column names."""

    columns: list[str]
    rows: list[list[str]]
    caption: str

    def numeric(self, column: int) -> bool:
        """Whether a column has numbers only, which are aligned right."""
        return all(NUMBER.fullmatch(row[column]) for row in self.rows)


class Section(NamedTuple):
    """A part of a page: text, then a figure or a table where there is one."""

    heading: str
    text: str = ""
    picture: Figure | None = None
    table: ReportTable | None = None


class PageQuestion(NamedTuple):
    """The question that a page answers: the command, its data, and its options."""

    command: str
    data: str
    facts: list[tuple[str, str]]


class ReportAnswer(NamedTuple):
    """The answer in a sentence, key figures, and the full text as the command prints it."""

    sentence: str
    figures: list[tuple[str, str]]
    account: str = ""


class Page(NamedTuple):
    """A whole report; its first figure is the most important one."""

    title: str
    asked: PageQuestion
    answer: ReportAnswer
    sections: list[Section]

    @property
    def pictures(self) -> list[Figure]:
        """The figures of all sections, in order."""
        return [section.picture for section in self.sections if section.picture is not None]


def array(values: npt.ArrayLike) -> Numbers:
    """Numbers as the doubles of a mark."""
    return np.asarray(values, np.float64)


def axis_ranges(picture: Figure) -> Box:
    """The ranges of both axes: the frame, or all marks with room; bars stand on 0."""
    if picture.frame is not None:
        return picture.frame
    across = [part for mark in picture.marks for part in _along_x(mark)]
    upwards = [part for mark in picture.marks for part in _along_y(mark)]
    x = _log_extent(across) if picture.log_x else extent(*across, room=0.04)
    y = _log_extent(upwards) if picture.log_y else extent(*upwards, room=0.06)
    if any(isinstance(mark, Bars) for mark in picture.marks):
        y = 0.0, y[1]
    return x, y


def _along_x(mark: Mark) -> list[npt.ArrayLike]:
    if isinstance(mark, Bars):
        return [mark.left, mark.right]
    if isinstance(mark, ReferenceLine):
        return [mark.at] if mark.upright else []
    return [mark.x]


def _along_y(mark: Mark) -> list[npt.ArrayLike]:
    if isinstance(mark, Bars):
        return [mark.top, 0.0]
    if isinstance(mark, ReferenceLine):
        return [] if mark.upright else [mark.at]
    return [mark.lower, mark.upper] if isinstance(mark, Band) else [mark.y]


def _log_extent(parts: list[npt.ArrayLike]) -> tuple[float, float]:
    numbers = np.concatenate([np.ravel(array(part)) for part in parts])
    numbers = numbers[np.isfinite(numbers) & (numbers > 0.0)]
    low, high = extent(np.log10(numbers), room=0.05)
    return 10.0**low, 10.0**high


def extent(*parts: npt.ArrayLike, room: float = 0.06) -> tuple[float, float]:
    """The range of some numbers, with room at both ends."""
    numbers = np.concatenate([np.empty(0), *(np.ravel(array(part)) for part in parts)])
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return -1.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    largest = max(abs(low), abs(high))
    space = room * (high - low) if high - low > SAME * largest else 0.5 * (largest or 1.0)
    return low - space, high + space


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of 10 that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= least)


def shorten(word: object, most: int = 40) -> str:
    """Put a name from the data on one line, and cut it after `most` characters."""
    text = " ".join(str(word).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def number(value: float, digits: int = 4) -> str:
    """A number as readers take it in: rounded to some digits, with commas in large ones."""
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:,.{digits}g}" if 1e-4 <= abs(value) < 1e6 else f"{value:.{digits}g}"
