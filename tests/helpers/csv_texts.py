"""Texts of tables, and both ways to read them."""

from typing import Any, NamedTuple

import numpy as np

from novikoff.data.errors import BadRowError
from novikoff.data.text.csv import block
from novikoff.data.text.csv.block import CsvBlock, CsvOptions, parse_block
from novikoff.data.text.csv.categories import NUMBER, UNUSED, WORD, TableColumns, TableFeatures
from novikoff.data.text.csv.header import TableHeader
from novikoff.errors import DataError

PIECES = (
    ["1", "-2.5", "3e4", ".5", "0.30000000000000004", "12345678901234567890.5", "cat", "d", "é"] * 3
    + ["NA", "", '""', "\u00a0x", "x\u2003", '"1"', '"cat"', '"a""b"', '"a\nb"', '"', "\0", "\r"]
    + [" ", "\t", "\x0b", "1e999", "٣"]
)  # fmt: skip


class Told(NamedTuple):
    """A delimiter, and the roles of columns."""

    delimiter: str
    roles: list[int]


def read_both(
    text: bytes, told: Told, skip: bool, labelled: bool, careful: bool = True
) -> list[CsvBlock | Exception]:
    """What the compiled reader makes of the text, and what the careful one does."""
    roles, width = list(told.roles), len(told.roles)
    if labelled:
        roles[-1] = WORD
    names = [f"c{k}" for k in range(width)]
    columns = TableColumns(names, roles, width - 1 if labelled else None)
    table = CsvOptions(TableHeader(told.delimiter, width, names, 0, []), columns, False, skip)
    return [_attempt(text, table, quick) for quick in ([True, False] if careful else [True])]


def _attempt(text: bytes, table: CsvOptions, quick: bool) -> CsvBlock | Exception:
    features = None
    if table.columns.categorical or NUMBER in table.columns.roles:
        features = TableFeatures("t", table.columns)
    original = block._CsvParser._quick_delimiter
    if not quick:
        block._CsvParser._quick_delimiter = lambda self: None
    try:
        return parse_block(np.frombuffer(text, np.uint8), 0, table, features)
    except DataError as problem:
        return problem
    finally:
        block._CsvParser._quick_delimiter = original


def differences(quick: CsvBlock | Exception, careful: CsvBlock | Exception) -> list[str]:
    """How the two are not the same."""
    left, right = (_described(each) for each in (quick, careful))
    return [key for key in left.keys() | right.keys() if left.get(key) != right.get(key)]


def _described(rows: CsvBlock | Exception) -> dict[str, Any]:
    if isinstance(rows, BadRowError):
        return {"bad": (rows.line, rows.column, rows.problem, rows.text)}
    if isinstance(rows, Exception):
        raise rows
    words = {}
    if rows.labels is not None:
        words = {"labels": rows.labels.as_words(), "numbers": str(rows.labels.numbers)}
    if rows.values is not None:
        words |= {"values": list(zip(rows.values.columns, rows.values.words, strict=True))}
        words |= {"codes": rows.values.codes.tolist()}
    return {
        "numbers": (rows.numbers.shape, rows.numbers.tobytes()),
        "lines": (rows.lines.tolist(), rows.line_ends),
        "skipped": [(bad.line, bad.column, bad.problem, bad.text) for bad in rows.skipped],
        **words,
    }


def random_text(random: np.random.Generator) -> tuple[bytes, Told]:
    """Lines of fields, most of them regular, and now and then bytes of any kind."""
    width = int(random.integers(1, 5))
    told = Told(
        str(random.choice([",", ";", "\t", " "])), random.integers(0, UNUSED + 1, width).tolist()
    )
    odd = random.random() < 0.5
    some = PIECES if odd else PIECES[:12]
    lines = []
    for _ in range(int(random.integers(0, 8))):
        count = width if random.random() < 0.9 else int(random.integers(0, 6))
        lines.append(told.delimiter.join(str(each) for each in random.choice(some, count)))
    text = bytearray("\n".join(lines).encode())
    for _ in range(int(random.integers(0, 3)) if odd else 0):
        text.insert(int(random.integers(0, len(text) + 1)), int(random.integers(0, 256)))
    return bytes(text), told


def main(count: int) -> None:
    """Compare both ways on many texts; the caller has indices checked."""
    _see_that_indices_are_checked()
    random = np.random.default_rng(7)
    for number in range(count):
        text, told = random_text(random)
        skip, labelled = bool(random.integers(2)), bool(random.integers(2))
        found = differences(*read_both(text, told, skip, labelled))
        if found:
            raise AssertionError((number, text, told, skip, labelled, found))
    print(f"{count} texts")  # noqa: T201


def _see_that_indices_are_checked() -> None:
    from novikoff.data.text.csv.kernel import parse_rows

    none = np.empty((0, 0), dtype=np.int64)
    lines, numbers = np.empty(0, dtype=np.int64), np.empty((0, 1))
    text, roles = np.frombuffer(b"1\n", np.uint8), np.zeros(1, dtype=np.int64)
    try:
        parse_rows(text, 0, ord(","), roles, numbers, none, none, lines, 0, 0)
    except IndexError:
        return
    raise AssertionError("an index beyond the end went unnoticed")
