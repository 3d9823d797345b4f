"""What a picture shows and what a page says, as plain data: two renderers draw the same thing.

`bokeh_figures` draws a picture for a browser, `still` for a file; neither computes anything. The
numbers in a mark are those of the run, and what is not drawn is said in the caption.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

SAME = 1e-9  # of their size: numbers that differ by no more are drawn as one

#: What `number` writes, fractions too.
NUMBER = re.compile(r"-?[0-9][0-9,.]*(e[-+][0-9]+)?(/[0-9]+)?|about .*")

Numbers = npt.NDArray[np.float64]

#: Okabe and Ito's colours, which colour-blind readers tell apart; lighter ones for a dark screen.
LIGHT = {
    "blue": "#0072b2",
    "red": "#d55e00",
    "green": "#009e73",
    "purple": "#cc79a7",
    "amber": "#e69f00",
    "sky": "#56b4e9",
    "ink": "#1f2428",
    "grey": "#6b7379",
    "mesh": "#dfe3e6",
    "paper": "#ffffff",
}
DARK = {
    "blue": "#56b4e9",
    "red": "#f58231",
    "green": "#26bd92",
    "purple": "#dd9cc3",
    "amber": "#f0b93a",
    "sky": "#a3d9f7",
    "ink": "#eceff1",
    "grey": "#9aa3a9",
    "mesh": "#343a40",
    "paper": "#14171a",
}


class Line(NamedTuple):
    """A curve through points; `notes`, where there are any, are what hovering says of each."""

    x: Numbers
    y: Numbers
    name: str
    colour: str = "blue"
    dash: str = "solid"  # or "dashed", "dotted"
    width: float = 2.5
    notes: Sequence[str] = ()


class Points(NamedTuple):
    """Rows, or what else stands alone. `hover` has columns by name, `numbers` stand beside.

    look: "plain"; "hollow"; "outlined", for those that matter; "faint", for those that do not;
    "thin", hollow, for very many; or "bare", without an edge.
    """

    x: Numbers
    y: Numbers
    name: str
    colour: str = "blue"
    marker: str = "circle"  # or "triangle", "square", "diamond", "star"
    size: float = 9.0
    look: str = "plain"
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


class Rule(NamedTuple):
    """A straight line across the whole picture, at one height or (upright) at one place."""

    at: float
    name: str
    colour: str = "ink"
    dash: str = "dashed"
    upright: bool = False


Mark = Line | Points | Band | Patch | Bars | Rule
Box = tuple[tuple[float, float], tuple[float, float]]  # from left to right, from low to high


class Picture(NamedTuple):
    """One figure. `alt` says in words what a reader who cannot see it misses.

    frame: what to show, where marks go on beyond it; without one, all marks are shown.
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


class Table(NamedTuple):
    """Rows of text under column names."""

    columns: list[str]
    rows: list[list[str]]
    caption: str

    def numeric(self, column: int) -> bool:
        """Whether a column has only numbers, which are set flush right."""
        return all(NUMBER.fullmatch(row[column]) for row in self.rows)


class Section(NamedTuple):
    """A part of a page: words, then a picture or a table where there is one."""

    heading: str
    text: str = ""
    picture: Picture | None = None
    table: Table | None = None


class Asked(NamedTuple):
    """What a page answers: the command, what it was about, and the rest of the question."""

    command: str
    data: str
    facts: list[tuple[str, str]]


class Answer(NamedTuple):
    """The answer in a sentence, key figures, and the whole account as the command prints it."""

    sentence: str
    figures: list[tuple[str, str]]
    account: str = ""


class Page(NamedTuple):
    """A whole report. Its first picture is the one that says most."""

    title: str
    asked: Asked
    answer: Answer
    sections: list[Section]

    @property
    def pictures(self) -> list[Picture]:
        return [section.picture for section in self.sections if section.picture is not None]


def array(values: Any) -> Numbers:
    """Numbers for a mark."""
    return np.asarray(values, np.float64)


def bounds(picture: Picture) -> Box:
    """From where to where the axes go: the frame, or all marks with room; bars stand on 0."""
    if picture.frame is not None:
        return picture.frame
    across = [part for mark in picture.marks for part in _along_x(mark)]
    upwards = [part for mark in picture.marks for part in _along_y(mark)]
    x = _logarithmic(across) if picture.log_x else extent(*across, room=0.04)
    y = _logarithmic(upwards) if picture.log_y else extent(*upwards, room=0.06)
    if any(isinstance(mark, Bars) for mark in picture.marks):
        y = 0.0, y[1]
    return x, y


def _along_x(mark: Mark) -> list[Any]:
    if isinstance(mark, Bars):
        return [mark.left, mark.right]
    if isinstance(mark, Rule):
        return [mark.at] if mark.upright else []
    return [mark.x]


def _along_y(mark: Mark) -> list[Any]:
    if isinstance(mark, Bars):
        return [mark.top, 0.0]
    if isinstance(mark, Rule):
        return [] if mark.upright else [mark.at]
    return [mark.lower, mark.upper] if isinstance(mark, Band) else [mark.y]


def _logarithmic(parts: list[Any]) -> tuple[float, float]:
    numbers = np.concatenate([np.ravel(array(part)) for part in parts])
    numbers = numbers[np.isfinite(numbers) & (numbers > 0.0)]
    low, high = extent(np.log10(numbers), room=0.05)
    return 10.0**low, 10.0**high


def extent(*parts: Any, room: float = 0.06) -> tuple[float, float]:
    """From the least to the greatest of some numbers, with room at both ends."""
    numbers = np.concatenate([np.empty(0), *(np.ravel(array(part)) for part in parts)])
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return -1.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    largest = max(abs(low), abs(high))
    space = room * (high - low) if high - low > SAME * largest else 0.5 * (largest or 1.0)
    return low - space, high + space


def shortened(word: Any, most: int = 40) -> str:
    """A name from the data on one line, and not a long one."""
    text = " ".join(str(word).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def number(value: float, digits: int = 4) -> str:
    """A figure for people: 4 digits, thousands apart."""
    if abs(value) < 1e15 and value == int(value):
        return f"{int(value):,}"
    return f"{value:,.{digits}g}" if 1e-4 <= abs(value) < 1e6 else f"{value:.{digits}g}"
