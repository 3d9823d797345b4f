"""Runs of operations of one kind, written by a few statements; as a rule all of them are new."""

import json
import sqlite3
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from novikoff.serve.journal.operations import (
    TAKE_PENDING,
    JournalEntry,
    KeepPrediction,
    Learn,
    Operation,
    Outcome,
    Reveal,
)

_NEW_PREDICTION = (
    "INSERT INTO pending (model, id, time, features, served, score, version, out)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
)
_NEW_LABEL = "INSERT INTO labels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
#: Whether a table has some of the ids; CROSS JOIN: look each of them up.
_HAS_ONE = (
    "SELECT 1 FROM json_each(?) AS given CROSS JOIN {0}"
    " ON {0}.model = ? AND {0}.id = given.value LIMIT 1"
)
_COUNTS = "SELECT pending, (SELECT coalesce(max(seq), 0) FROM labels) FROM counts WHERE model = ?"


def write_runs(db: sqlite3.Connection, operations: Sequence[Operation]) -> list[Outcome] | None:
    """Write operations, and what became of each, as if they were written one by one.

    None: some cannot be written so, as they are not new or not allowed. Then some of the others may
    have been written, and the transaction has to be rolled back.
    """
    outcomes: list[Outcome] = []
    for kind, run in groupby(operations, type):
        some: list[Any] = [*run]
        write = _WRITERS.get(kind) if len(some) > 1 else None
        if write is None or len({each.model for each in some}) > 1:
            outcomes += [each.write(db) for each in some]
        elif (found := write(db, some)) is not None:
            outcomes += found
        else:
            return None
    return outcomes


def _write_predictions(
    db: sqlite3.Connection, kept: Sequence[KeepPrediction]
) -> Sequence[Outcome] | None:
    model, most = kept[0].model, kept[0].most
    pending, last = db.execute(_COUNTS, (model,)).fetchone()
    rows = [
        (*each[:3], *each.kept, each.version, out - each.applied)
        for out, each in enumerate(kept, pending + last + 1)
    ]
    if pending + len(rows) > most or _has_one(db, "labels", kept):
        return None
    return [each.kept for each in kept] if _inserted(db, _NEW_PREDICTION, rows) else None


def _write_labels(db: sqlite3.Connection, reveals: Sequence[Reveal]) -> Sequence[Outcome] | None:
    _, last = db.execute(_COUNTS, (reveals[0].model,)).fetchone()
    entries = []
    for seq, each in enumerate(reveals, last + 1):
        found = db.execute(TAKE_PENDING, each[:2]).fetchone()
        if found is None:
            return None
        entries.append(JournalEntry(seq, *each[:3], found[0], *each[3:], *found[1:]))
    return entries if _inserted(db, _NEW_LABEL, entries) else None


def _write_rows(db: sqlite3.Connection, rows: Sequence[Learn]) -> Sequence[Outcome] | None:
    pending, last = db.execute(_COUNTS, (rows[0].model,)).fetchone()
    entries = [
        JournalEntry(seq, *each[:6], None, None, None, pending + 1)
        for seq, each in enumerate(rows, last + 1)
    ]
    if _has_one(db, "pending", rows):
        return None
    return entries if _inserted(db, _NEW_LABEL, entries) else None


def _has_one(
    db: sqlite3.Connection, table: str, operations: Sequence[KeepPrediction | Learn]
) -> bool:
    """Whether the table has one of their ids, or may have it."""
    ids = json.dumps([each.id for each in operations if each.given])
    if "\\u0000" in ids:  # where SQLite lets a text end
        return True
    found = db.execute(_HAS_ONE.format(table), (ids, operations[0].model))
    return found.fetchone() is not None


def _inserted(db: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> bool:
    """Whether all rows were new; some may have been inserted if not."""
    return db.executemany(statement, rows).rowcount == len(rows)


_WRITERS: dict[type, Any] = {
    KeepPrediction: _write_predictions,
    Reveal: _write_labels,
    Learn: _write_rows,
}
