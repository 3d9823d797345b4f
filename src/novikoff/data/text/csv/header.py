"""How a table is laid out: its delimiter, whether it has a header, which column is the target."""

from difflib import get_close_matches
from typing import NamedTuple

from novikoff.data.errors import BadRowError, data_error, file_error
from novikoff.data.files.inputs import Input
from novikoff.data.text.csv.records import BLANKS, Record, records
from novikoff.data.text.tokens import is_missing, is_number, shown
from novikoff.errors import DataError

#: What people call the column of labels, in the order of trust.
TARGET_NAMES = ("target", "label", "class", "y")


class TableHeader(NamedTuple):
    """What to know of a table before its rows are read."""

    delimiter: str
    width: int
    names: list[str] | None
    header: int  # how many lines come before the rows
    first: list[str]  # the fields of the first row

    def column(self, place: int) -> str:
        """The column as messages call it, counted from 1 as lines are."""
        name = "" if self.names is None else f" ({shown(self.names[place])})"
        return f"column {place + 1}{name}"


def find_layout(given: Input, *, delimiter: str | None, header: bool | None) -> TableHeader:
    """Look at the first two records, and follow the caller where the caller knows."""
    delimiter = delimiter or _guess_delimiter(given)
    first, second, trouble = _first_two(given, delimiter)
    if header is None:
        header = _is_header(given.name, first, second)
    if header and second is None:
        raise trouble or data_error(
            given.name,
            first.line + 1,
            f"no rows after the header {shown(first.fields[0])}"
            ", expected at least one: add rows, or pass header=False if this line is "
            "one",
        )
    names = [field.strip() for field in first.fields] if header else None
    row = second if header and second else first
    begin = first.line + (len(first.texts) if header else 0)
    return TableHeader(delimiter, len(first.fields), names, begin, row.fields)


def refuse_other_layout(
    given: Input, layout: TableHeader, first: Input, expected: TableHeader
) -> None:
    """Files that are read as one must be laid out alike."""
    for what, found, wanted in (
        ("delimiter", shown(layout.delimiter), shown(expected.delimiter)),
        ("number of columns", layout.width, expected.width),
    ):
        if found != wanted:
            raise file_error(
                given.name,
                f"the {what} is {found}, expected {wanted} as in {first.name}: files that are read"
                " together must have the same columns",
            )
    check_same_names(given.name, layout.names, first.name, expected.names)


def check_same_names(
    name: str, names: list[str] | None, first: str, expected: list[str] | None
) -> None:
    """Refuse a file whose columns have other names than those of the first, or another order."""
    if names == expected:
        return
    if names is None or expected is None:
        has, lacks = (first, name) if names is None else (name, first)
        raise file_error(
            name,
            f"{has} has a header and {lacks} has none, expected both alike: "
            "pass header=True or header=False if this was guessed wrongly",
        )
    place = next(
        (k for k, (a, b) in enumerate(zip(names, expected, strict=False)) if a != b),
        min(len(names), len(expected)),
    )
    found, wanted = (
        shown(some[place]) if place < len(some) else "none" for some in (names, expected)
    )
    raise file_error(
        name,
        f"column {place + 1} is called {found}, expected {wanted} as in {first}: files that are"
        " read together must have the same columns in the same order",
    )


def _first_two(given: Input, delimiter: str) -> tuple[Record, Record | None, DataError | None]:
    """The first two records, and what is wrong between them: that is for the pass to refuse."""
    lines = enumerate(given.peek())
    found: list[Record | None] = []
    trouble: DataError | None = None
    while len(found) < 2:
        try:
            found.append(next(records(lines, delimiter), None))
        except BadRowError as bad:
            trouble = trouble or data_error(given.name, bad.line + 1, bad.problem, bad.column)
        except DataError as problem:  # not even text
            trouble = trouble or problem
            found.append(None)
        if trouble is not None and not found:
            raise trouble
    first, second = found
    if first is None:
        raise trouble or file_error(
            given.name, "no rows: the file is empty, expected lines of numbers with a label each"
        )
    return first, second, trouble


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
        first.line + 1,
        f"cannot tell whether this line is a header: it has numbers,"
        f" and words such as {shown(first.fields[words[0]])} above numbers, expected "
        "one or the other: pass header=True or header=False",
    )


def _numeric(field: str) -> bool:
    """A number, or what stands in the place of one: a row with a gap is still a row."""
    return is_missing(field) or is_number(field)


def target_place(
    name: str,
    names: list[str] | None,
    width: int,
    target: str | int | None,
    features: frozenset[str] = frozenset(),
) -> int | None:
    """The column of labels: as told, else by its name, else the last.

    features: columns that are known to be none; if even the last is one, there are no labels.
    """
    if target is not None:
        return column_place(name, names, width, target)
    lowered = ["" if column in features else column.lower() for column in names or ()]
    for usual in TARGET_NAMES:
        if usual in lowered:
            return _unique_index(name, lowered, usual)
    if names is not None and names[-1] in features:
        return None
    return width - 1


def column_place(name: str, names: list[str] | None, width: int, wanted: str | int) -> int:
    """The place of a column that is named, or counted from 0 or from the end."""
    if isinstance(wanted, str):
        if names is not None and wanted in names:
            return _unique_index(name, names, wanted)
        place = _whole(wanted)
        if place is None:
            raise _no_such_column(name, names, wanted)
        wanted = place
    if not -width <= wanted < width:
        raise file_error(
            name,
            f"no column {wanted}, expected a column from 0 to {width - 1},"
            " or a negative one counted from the end",
        )
    return wanted % width


def _unique_index(name: str, names: list[str], target: str) -> int:
    if names.count(target) > 1:
        raise file_error(
            name,
            f"{names.count(target)} columns are called {shown(target)}, "
            "expected one: pass its place as a number, counted from 0",
        )
    return names.index(target)


def _whole(text: str) -> int | None:
    """The whole number that a command line's text may mean, short enough to be a column."""
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _no_such_column(name: str, names: list[str] | None, target: str) -> DataError:
    if names is None:
        return file_error(
            name,
            f"no column {shown(target)}: the file has no header, expected"
            " its place as a number, counted from 0",
        )
    close = get_close_matches(target, names, 1, cutoff=0.5)
    hint = f"did you mean {shown(close[0])}?" if close else f"the header has {_name_list(names)}"
    return file_error(name, f"no column {shown(target)}, expected a name in the header: {hint}")


def _name_list(names: list[str]) -> str:
    some = ", ".join(shown(column) for column in names[:8])
    return some if len(names) <= 8 else f"{some} and {len(names) - 8} more"
