"""The journal: predictions that wait for their labels, and labels in the order they are learned.

One SQLite file in WAL mode. Whatever is to be remembered is an operation with a method `write`;
many are committed together, and only then does anybody act upon them. So what a service has learned
is at every moment a function of what is on the disk.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from novikoff import files
from novikoff.errors import NovikoffError, ParameterError
from novikoff.serve.journal.bulk_writes import write_runs
from novikoff.serve.journal.operations import PAGE_OF_ENTRIES, JournalEntry, Operation, Outcome

FILE, VERSION = "journal.db", 1
#: How sure a commit is: "full" is on the disk, "normal" in the system's hands, which a power cut
#: (but no kill -9) can take the last moments of.
DURABILITY = ("full", "normal")
BUSY_SECONDS = 30.0

_SCHEMA = """
CREATE TABLE models (
  key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, recipe TEXT NOT NULL, origin BLOB,
  base INTEGER NOT NULL, counters TEXT, created REAL NOT NULL);
CREATE TABLE counts (
  model INTEGER PRIMARY KEY, pending INTEGER NOT NULL DEFAULT 0,
  expired INTEGER NOT NULL DEFAULT 0);
CREATE TABLE pending (
  seq INTEGER PRIMARY KEY, model INTEGER NOT NULL, id TEXT NOT NULL, time REAL NOT NULL,
  features TEXT NOT NULL, served TEXT NOT NULL, score TEXT NOT NULL, version INTEGER NOT NULL,
  out INTEGER NOT NULL, UNIQUE (model, id));
CREATE TABLE labels (
  seq INTEGER PRIMARY KEY, model INTEGER NOT NULL, id TEXT NOT NULL, time REAL NOT NULL,
  features TEXT, label TEXT NOT NULL, weight REAL NOT NULL, served TEXT, score TEXT,
  version INTEGER, out INTEGER NOT NULL, UNIQUE (model, id));
CREATE TABLE snapshots (
  model INTEGER PRIMARY KEY, seq INTEGER NOT NULL, file TEXT NOT NULL, counters TEXT NOT NULL);
CREATE TRIGGER added AFTER INSERT ON models BEGIN
  INSERT INTO counts (model) VALUES (NEW.key); END;
CREATE TRIGGER kept AFTER INSERT ON pending BEGIN
  UPDATE counts SET pending = pending + 1 WHERE model = NEW.model; END;
CREATE TRIGGER dropped AFTER DELETE ON pending BEGIN
  UPDATE counts SET pending = pending - 1 WHERE model = OLD.model; END;
"""


class JournalError(NovikoffError):
    """A journal that cannot be written: nothing of what was asked has happened."""


class ModelRecord(NamedTuple):
    """What the journal says of a model."""

    key: int
    name: str
    recipe: dict[str, Any]
    origin: bytes | None
    base: int
    counters: dict[str, Any] | None
    created: float


class Snapshot(NamedTuple):
    """The last snapshot of a model."""

    seq: int
    file: Path
    counters: dict[str, Any]


class Journal:
    """A journal in a folder. write: whether it may be created and written."""

    def __init__(
        self, folder: str | os.PathLike[str], *, durability: str = "full", write: bool = True
    ) -> None:
        self.folder = Path(folder)
        if durability not in DURABILITY:
            raise ParameterError(f"--durability {durability}: expected {' or '.join(DURABILITY)}")
        try:
            if write:
                self.folder.mkdir(parents=True, exist_ok=True)
            self.db = self._connect(durability, write)
            self._check_version(write)
        except (sqlite3.Error, OSError) as error:
            raise JournalError(
                f"{self.folder}: no journal can be kept or read here: {error}"
            ) from None

    def _connect(self, durability: str, write: bool) -> sqlite3.Connection:
        path = self.folder / FILE
        if not write and not path.is_file():
            raise FileNotFoundError(f"there is no {FILE}")
        db = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        if write:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute(f"PRAGMA synchronous = {durability.upper()}")
            db.execute("PRAGMA fullfsync = ON")
            db.execute("PRAGMA wal_autocheckpoint = 0")  # `checkpoint` does it, without a request
        else:
            db.execute("PRAGMA query_only = ON")
        return db

    def _check_version(self, write: bool) -> None:
        (version,) = self.db.execute("PRAGMA user_version").fetchone()
        if version == 0 and write:
            self.db.executescript(f"BEGIN;{_SCHEMA};PRAGMA user_version = {VERSION};COMMIT;")
        elif version != VERSION:
            raise JournalError(
                f"{self.folder / FILE}: not a journal of version {VERSION} but {version}; another"
                " version of novikoff wrote it, or another program"
            )

    def commit(self, operations: Sequence[Operation]) -> list[Outcome]:
        """Write them all, or none of them; what became of each."""
        try:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                outcomes = write_runs(self.db, operations)
                if outcomes is None:
                    self.db.execute("ROLLBACK")
                    self.db.execute("BEGIN IMMEDIATE")
                    outcomes = [each.write(self.db) for each in operations]
                self.db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise JournalError(f"the journal cannot be written: {error}") from None
        return outcomes

    def entries(self, after: int = 0, until: int | None = None) -> Iterator[JournalEntry]:
        """The labels in their order, from after one sequence number until another."""
        while True:
            found = self.db.execute(
                "SELECT * FROM labels WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                (after, 2**62 if until is None else until, PAGE_OF_ENTRIES),
            ).fetchall()
            yield from map(JournalEntry._make, found)
            if len(found) < PAGE_OF_ENTRIES:
                return
            after = found[-1][0]

    def last_seq(self) -> int:
        """The sequence number of the last label."""
        return int(self.db.execute("SELECT coalesce(max(seq), 0) FROM labels").fetchone()[0])

    def last_time(self, model: int, until: int) -> float:
        """When the last label of a model came, of those up to a sequence number; 0 if none did."""
        query = "SELECT time FROM labels WHERE model = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"
        found = self.db.execute(query, (model, until)).fetchone()
        return 0.0 if found is None else float(found[0])

    def data_version(self) -> int:
        """A number that changes whenever another process has committed something."""
        return int(self.db.execute("PRAGMA data_version").fetchone()[0])

    def models(self) -> list[ModelRecord]:
        """All models, in the order in which they were added."""
        keys = self.db.execute("SELECT key FROM models ORDER BY key").fetchall()
        return [self.model(key) for (key,) in keys]

    def model(self, key: int) -> ModelRecord:
        """One model."""
        found = self.db.execute("SELECT * FROM models WHERE key = ?", (key,)).fetchone()
        record = ModelRecord(*found)
        counters = json.loads(record.counters) if isinstance(record.counters, str) else None
        return record._replace(recipe=json.loads(found[2]), counters=counters)

    def model_count(self) -> int:
        """How many models there are."""
        return int(self.db.execute("SELECT count(*) FROM models").fetchone()[0])

    def snapshot(self, model: int) -> Snapshot | None:
        """The last snapshot of a model."""
        found = self.db.execute(
            "SELECT seq, file, counters FROM snapshots WHERE model = ?", (model,)
        ).fetchone()
        if found is None:
            return None
        return Snapshot(found[0], self.folder / found[1], json.loads(found[2]))

    def pending(self, model: int) -> tuple[int, int]:
        """How many predictions of a model wait for labels, and how many never got one in time."""
        query = "SELECT pending, expired FROM counts WHERE model = ?"
        pending, expired = self.db.execute(query, (model,)).fetchone()
        return pending, expired

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the file, as far as nobody is in the way."""
        with contextlib.suppress(sqlite3.Error):  # the log stays, and is read just as well
            self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def lock(self) -> int:
        """Be the one process that learns; a handle, which is to be kept."""
        handle = files.open_folder(self.folder)
        try:
            files.lock(handle)
        except BlockingIOError:
            os.close(handle)
            raise JournalError(f"{self.folder}: another process learns with this journal") from None
        return handle

    def close(self) -> None:
        """Close the file."""
        self.db.close()
