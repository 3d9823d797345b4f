"""Errors about data: where they are, and what is wrong there."""

from typing import Any, NamedTuple

from novikoff.errors import DataError


class Location(NamedTuple):
    """A place in a file and what is wrong there; lines and columns count from 1."""

    name: str
    line: int | None
    column: int | None
    problem: str

    def __str__(self) -> str:
        place = "".join(f":{number}" for number in (self.line, self.column) if number is not None)
        return f"{self.name}{place}: {self.problem}"


class LocatedError(DataError):
    """A complaint about one place in a file, in the file:line:column: form that editors follow."""

    def __init__(self, message: str, spot: Location | None = None) -> None:
        super().__init__(message)
        self.spot = spot

    def shift_line(self, lines: int) -> None:
        """Its line was counted from a place in the file before which there are so many lines."""
        if self.spot is not None and self.spot.line is not None:
            self.spot = self.spot._replace(line=self.spot.line + lines)
            self.args = (str(self.spot),)


def data_error(
    name: str, line: int | None, problem: str, column: int | None = None
) -> LocatedError:
    """The complaint about one place in a file; lines and columns count from 1."""
    spot = Location(name, line, column, problem)
    return LocatedError(str(spot), spot)


def file_error(name: str, problem: str) -> LocatedError:
    """The complaint about a file as a whole."""
    return data_error(name, None, problem)


class RereadError(LocatedError):
    """Something that a pass in blocks comes to too late to have taken the rows before it rightly.

    remedy: the options with which another pass from the start takes them rightly.
    """

    def __init__(self, message: str, spot: Location | None = None, **remedy: Any) -> None:
        super().__init__(message, spot)
        self.remedy = remedy


class LineError(ValueError):
    """Something is wrong with a line; the column counts characters from 1."""

    def __init__(self, column: int, problem: str) -> None:
        super().__init__(problem)
        self.column = column


class BadRowError(DataError):
    """One row that cannot be used, before it is known how many lines come before its block.

    line: counted from 0 at the block's first. column: the character in it, from 1. text: the line.
    """

    def __init__(self, line: int, column: int | None, problem: str, text: str) -> None:
        super().__init__(problem)
        self.line, self.column, self.problem, self.text = line, column, problem, text


def check_features(name: str, found: int, expected: int | None) -> None:
    """Refuse rows of another width than the caller asked for, or of no width at all."""
    if found < 1:
        raise file_error(
            name,
            "no feature columns: a row needs at least one number besides "
            "its label; is the delimiter right, and is there a label at all?",
        )
    if expected is not None and found != expected:
        raise file_error(
            name,
            f"the number of feature columns is {found}, expected {expected}: give the same "
            f"columns as before, or leave out features={expected}",
        )
