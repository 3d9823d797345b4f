"""Points from a pasted or loaded table: two of its columns, and labels from a third.

The table is read by the library's own reader, from a file for the moment, so that what the command
line takes is taken here and what it refuses is refused, with the line.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff import data
from novikoff.data.files.inputs import Input
from novikoff.data.text.csv.categories import looks_like_word
from novikoff.data.text.csv.header import TableHeader, find_layout
from novikoff.data.text.tokens import shown
from novikoff.errors import DataError
from novikoff.lab.state.page_state import LONGEST_NAME, AxisNames
from novikoff.lab.state.url_values import LARGEST, MOST_POINTS, SMALLEST, Point, write_points
from novikoff.number_text import plural
from novikoff.report.model import shorten
from novikoff.report.row_info import dense

TARGETS = ("target", "label", "class")  # what people call the column of labels; else it is the last
LISTED = 6  # labels or columns that a message names
FILE = "pasted.csv"

#: What the reader says to programmers, and what a page says instead.
REWORDED = (
    (re.compile(r"; if the column's values are categories, pass .*$"), ""),
    (
        re.compile("pass header=True or header=False"),
        "put a line with a name for each column first",
    ),
    (re.compile(", or pass header=False if this line is one"), ""),
    (re.compile("; say its format if it is .*$"), ""),
    (re.compile("the file is empty"), "the text is empty"),
)


class ChosenColumns(NamedTuple):
    """Which columns are what."""

    x: str
    y: str
    target: str


def pasted(
    text: str, x: str | None = None, y: str | None = None, target: str | None = None
) -> dict[str, Any]:
    """The points of a table; columns left out are chosen: see `_chosen`.

    Columns that cannot be had are a "problem", said beside the columns that there are, so that
    others can be chosen; a text that is no table is a DataError.

    >>> found = pasted("size,weight,kind\\n1,2.5,cat\\n3,4,dog\\n")
    >>> found["points"], found["labels"]
    ('n1,2.5p3,4', ['cat', 'dog'])
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, FILE)
        try:
            path.write_bytes(text.encode())
            layout = find_layout(Input(str(path)), delimiter=None, header=None)
        except UnicodeEncodeError:
            raise DataError("the text holds half a character, expected Unicode text") from None
        except DataError as error:
            raise DataError(_reworded(str(error), path)) from None
        names = layout.names or [f"column {place + 1}" for place in range(layout.width)]
        found: dict[str, Any] = {
            "columns": names,
            "x": x,
            "y": y,
            "target": target,
            "labels": [],
            "points": "",
            "names": {},
        }
        try:
            chosen = _chosen(layout, names, x, y, target)
            found |= chosen._asdict()
            points, labels = _read_points(path, layout, names, chosen)
        except DataError as error:
            return found | {"note": "", "problem": _reworded(str(error), path)}
    others = len(names) - 3
    note = f"{others} other column{'s are' if others != 1 else ' is'} not used." if others else ""
    words = *chosen[:2], *labels
    named = zip(AxisNames._fields, (shorten(word, LONGEST_NAME) for word in words), strict=True)
    return found | {
        "names": dict(named),
        "labels": labels,
        "points": write_points(points),
        "note": note,
        "problem": None,
    }


def _chosen(
    layout: TableHeader, names: list[str], x: str | None, y: str | None, target: str | None
) -> ChosenColumns:
    """The columns asked for.

    By default the target is a column called target, label or class, else the last one; x and y are
    the first two others that begin with a number.
    """
    if target is None:
        called = [name.lower() for name in names]
        target = next((names[called.index(each)] for each in TARGETS if each in called), names[-1])
    numeric = [
        name
        for name, first in zip(names, layout.first, strict=False)
        if not looks_like_word(first) and name != target
    ]
    free = iter([name for name in numeric if name not in (x, y)])
    x, y = (next(free, None) if name is None else name for name in (x, y))
    if x is None or y is None:
        raise DataError(
            f"the text has {len(numeric)} {plural('column', len(numeric))} of numbers besides the"
            f" target {shown(target)}, expected two or more: choose another target, or add a column"
        )
    for name in (x, y, target):
        if names.count(name) != 1:
            many = "no column is" if name not in names else f"{names.count(name)} columns are"
            raise DataError(
                f"{many} called {shown(name)}, expected one: the columns are {_listed(names)}"
            )
    if len({x, y, target}) < 3:
        raise DataError(
            f"x is {shown(x)}, y is {shown(y)} and the target is {shown(target)}, expected three"
            " different columns"
        )
    return ChosenColumns(x, y, target)


def _read_points(
    path: Path, layout: TableHeader, names: list[str], chosen: ChosenColumns
) -> tuple[list[Point], list[str]]:
    """The points, and the two labels; where there is a header, no other column is looked at."""
    only = None if layout.names is None else [chosen.x, chosen.y]
    source = data.open(path, cache=False, target=names.index(chosen.target), names=only)
    chunk = source.read()
    assert chunk.lines is not None  # as text has them
    known = source.feature_names or [name for name in names if name != chosen.target]
    numbers = dense(chunk.X[:, [known.index(chosen.x), known.index(chosen.y)]])
    if len(numbers) > MOST_POINTS:
        raise DataError(
            f"the text has {len(numbers):,} rows, expected at most {MOST_POINTS}: leave some out;"
            " the command line takes more"
        )
    labels, codes = np.unique(np.asarray(chunk.y), return_inverse=True)
    if len(labels) != 2:
        raise DataError(
            f"the target {shown(chosen.target)} has {len(labels)} different"
            f" {plural('label', len(labels))} ({_listed(labels)}), expected two: choose another"
            " target, or leave rows out"
        )
    sizes = np.abs(numbers)
    bad = np.argwhere((sizes > LARGEST) | ((sizes > 0.0) & (sizes < SMALLEST)))
    if len(bad):
        row, axis = bad[0]
        raise DataError(
            f"line {chunk.lines[row]}: {shown(chosen[axis])} is {numbers[row, axis]:g},"
            f" expected 0 or a number whose size is from {SMALLEST:g} to {LARGEST:,.0f}: choose"
            " another unit"
        )
    rows = zip(*numbers.T.tolist(), (2 * codes - 1).tolist(), strict=True)
    return [Point(x, y, label) for x, y, label in rows], [_word(each) for each in labels]


def _word(label: object) -> str:
    number = isinstance(label, (int, float, np.number))
    return f"{label:g}" if number else shorten(label)


def _listed(words: Sequence[object] | npt.NDArray[Any]) -> str:
    some = ", ".join(shown(_word(word)) for word in words[:LISTED])
    return some if len(words) <= LISTED else f"{some} and {len(words) - LISTED} more"


def _reworded(message: str, path: Path) -> str:
    """The reader's message, with the line in place of a file that nobody knows."""
    found = re.match(rf"{re.escape(str(path))}(?::(\d+))?(?::\d+)?: ", message)
    if found:
        line = "the text" if found[1] is None else f"line {found[1]}"
        message = f"{line}: {message[found.end() :]}"
    for words, instead in REWORDED:
        message = words.sub(instead, message)
    return message
