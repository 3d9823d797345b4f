"""How a table is laid out: its delimiter, whether it has a header, which column is the target."""

from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple

from novikoff.errors import DataError
from novikoff.sources.base import check_features, data_error
from novikoff.sources.inputs import Input
from novikoff.sources.records import BLANKS, Record, records
from novikoff.sources.tokens import is_missing, is_number, shown

#: What people call the column of labels, in the order of trust.
TARGET_NAMES = ("target", "label", "class", "y")


class Layout(NamedTuple):
    """What to know of a table before its rows are read."""

    delimiter: str
    width: int
    names: list[str] | None
    target: int | None
    first_line: int

    def column(self, place: int) -> str:
        """The column as messages call it, counted from 1 as lines are."""
        name = "" if self.names is None else f" ({shown(self.names[place])})"
        return f"column {place + 1}{name}"


def find_layout(
    given: Input,
    *,
    delimiter: str | None,
    header: bool | None,
    target: str | int | None,
    features: int | None,
    labelled: bool,
) -> Layout:
    """Look at the first two records, and follow the caller where the caller knows."""
    delimiter = delimiter or _guess_delimiter(given)
    first, second = _first_two(given, delimiter)
    if header is None:
        header = _is_header(given.name, first, second)
    if header and second is None:
        raise data_error(
            given.name,
            first.line,
            f"no rows after the header {shown(first.fields[0])}"
            ", expected at least one: add rows, or pass header=False if this line is "
            "one",
        )
    names = [field.strip() for field in first.fields] if header else None
    width = len(first.fields)
    place = _target_place(given.name, names, width, target) if labelled else None
    check_features(given.name, width - (place is not None), features)
    start = second.line if header and second is not None else first.line
    return Layout(delimiter, width, names, place, start)


def _first_two(given: Input, delimiter: str) -> tuple[Record, Record | None]:
    found = list(islice(records(given.name, enumerate(given.peek(), 1), delimiter), 2))
    if not found:
        raise data_error(
            given.name,
            None,
            "no rows: the file is empty, expected lines of numbers with a label each",
        )
    return found[0], found[1] if len(found) > 1 else None


def _guess_delimiter(given: Input) -> str:
    """The first usual delimiter that the first line with any text has; a comma if it has none."""
    line = next((text for text in given.peek() if text.strip()), "").strip()
    return next((mark for mark in (",", "\t", ";", "|", BLANKS) if mark in line), ",")


def _is_header(name: str, first: Record, second: Record | None) -> bool:
    """Whether the first record names the columns.

    It does if it has words only, and it does not if it has none, or has them only where the next
    record has words too (labels). A mixture of numbers, and words above numbers, is either an odd
    header or a bad row, and dropping a bad row unseen would be worse than to ask.
    """
    words = [place for place, field in enumerate(first.fields) if not _numeric(field)]
    # pandas leaves the name of its index, the first column, empty.
    unnamed = not first.fields[0].strip()
    if not words:
        return False
    if len(words) == len(first.fields) - unnamed:
        return True
    below = [] if second is None else second.fields
    if not any(place < len(below) and _numeric(below[place]) for place in words):
        return False
    raise data_error(
        name,
        first.line,
        f"cannot tell whether this line is a header: it has numbers,"
        f" and words such as {shown(first.fields[words[0]])} above numbers, expected "
        "one or the other: pass header=True or header=False",
    )


def _numeric(field: str) -> bool:
    """A number, or what stands in the place of one: a row with a gap is still a row."""
    return is_missing(field) or is_number(field)


def _target_place(name: str, names: list[str] | None, width: int, target: str | int | None) -> int:
    if target is None:
        return _usual_target(name, names, width)
    if isinstance(target, str):
        if names is not None and target in names:
            return _only(name, names, target)
        place = _whole(target)
        if place is None:
            raise _no_such_column(name, names, target)
        target = place
    if not -width <= target < width:
        raise data_error(
            name,
            None,
            f"no column {target}, expected a target from 0 to {width - 1},"
            " or a negative one counted from the end",
        )
    return target % width


def _usual_target(name: str, names: list[str] | None, width: int) -> int:
    lowered = [column.lower() for column in names or ()]
    for usual in TARGET_NAMES:
        if usual in lowered:
            return _only(name, lowered, usual)
    return width - 1


def _only(name: str, names: list[str], target: str) -> int:
    if names.count(target) > 1:
        raise data_error(
            name,
            None,
            f"{names.count(target)} columns are called {shown(target)}, "
            "expected one target: pass its place as a number, counted from 0",
        )
    return names.index(target)


def _whole(text: str) -> int | None:
    """The whole number that a command line's text may mean, short enough to be a column."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _no_such_column(name: str, names: list[str] | None, target: str) -> DataError:
    if names is None:
        return data_error(
            name,
            None,
            f"no column {shown(target)}: the file has no header, expected"
            " the target's place as a number, counted from 0",
        )
    close = get_close_matches(target, names, 1, cutoff=0.5)
    hint = f"did you mean {shown(close[0])}?" if close else f"the header has {_listed(names)}"
    return data_error(
        name, None, f"no column {shown(target)}, expected a name in the header: {hint}"
    )


def _listed(names: list[str]) -> str:
    some = ", ".join(shown(column) for column in names[:8])
    return some if len(names) <= 8 else f"{some} and {len(names) - 8} more"
