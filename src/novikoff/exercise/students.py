"""The list of students, a CSV file, and a safe file name for each of them."""

import csv
import hashlib
import re
import unicodedata
from collections import Counter
from pathlib import Path

from novikoff.errors import DataError

COLUMNS = ("student", "name")  # the column with the names has one of these
LONGEST = 200  # characters of a name
LARGEST = 10**7  # bytes of a list


def read_text(path: Path, largest: int) -> str:
    """A text file in UTF-8 of at most `largest` bytes."""
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > largest:
        raise DataError(f"{path}: larger than {largest:,} bytes, which is too large for this")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8: byte {error.start} cannot be read") from None


def csv_rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """The lines of a CSV file with their numbers; blank ones are left out."""
    reader = csv.reader(text.splitlines(), strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num}: {error}") from None


def read_students(path: Path) -> list[str]:
    """The names of a list of students: the column `student`, or `name`, of a CSV file."""
    lines = csv_rows(path, read_text(path, LARGEST))
    header = [cell.strip().lower() for cell in lines[0][1]] if lines else []
    column = next((header.index(name) for name in COLUMNS if name in header), None)
    if column is None:
        raise DataError(
            f"{path}: no column is called student or name; the first line must name the columns"
        )
    names: dict[str, int] = {}
    for line, row in lines[1:]:
        name = normal_name(row[column]) if column < len(row) else ""
        _check_name(f"{path}: line {line}", name)
        if name in names:
            raise DataError(
                f"{path}: line {line}: {name!r} is on line {names[name]} too; tell them apart"
            )
        names[name] = line
    if not names:
        raise DataError(f"{path}: there are no students below the first line")
    return list(names)


def normal_name(name: str) -> str:
    """A name in one form, whatever its blanks and however its accents were typed."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def _check_name(place: str, name: str) -> None:
    if not name:
        raise DataError(f"{place}: the student has no name")
    if len(name) > LONGEST:
        raise DataError(f"{place}: a name of {len(name):,} characters; at most {LONGEST}")
    if not name.isprintable():
        raise DataError(f"{place}: {name!r} has characters that cannot be printed")


def file_names(names: list[str]) -> dict[str, str]:
    """A file name for each student, of ASCII letters, digits and hyphens, all of them different.

    >>> file_names(["Ada Lovelace", "Zoë", "Zoe"])
    {'Ada Lovelace': 'ada-lovelace', 'Zoë': 'zoe-c6a126', 'Zoe': 'zoe-458556'}
    """
    plain = {name: _plain(name) for name in names}
    times = Counter(plain.values())
    return {
        name: word if word and times[word] == 1 else "-".join(filter(None, [word, _digest(name)]))
        for name, word in plain.items()
    }


def _plain(name: str) -> str:
    text = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:60].strip("-")


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:6]
