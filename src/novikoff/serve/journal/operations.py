"""What can be written to a journal: each operation writes itself within a transaction."""

import sqlite3
from http import HTTPStatus
from typing import Any, NamedTuple, Protocol, TypeAlias

from novikoff.serve.json_text import Features, same_json

PAGE_OF_ENTRIES = 1000


class JournalEntry(NamedTuple):
    """A label that was learned from, with all that it takes to learn it again.

    served, score, version: what was predicted, and after how many updates; None where prediction
    and label came together. out: at least as many as waited for their labels when this one was
    made, itself included: those that wait when it is written, and all labels that came since the
    weights that predicted. features: None once the journal was compacted past it.
    """

    seq: int
    model: int
    id: str
    time: float
    features: str | None
    label: str
    weight: float
    served: str | None
    score: str | None
    version: int | None
    out: int


class Prediction(NamedTuple):
    """A prediction as the journal keeps it until its label comes."""

    features: str
    served: str
    score: str


class Repeat(NamedTuple):
    """What was asked has been done before."""

    of: "JournalEntry | Prediction"


class Refusal(NamedTuple):
    """What was asked cannot be done: an HTTP status, and why."""

    status: HTTPStatus
    why: str


Outcome: TypeAlias = "JournalEntry | Prediction | Repeat | Refusal | int | None"


class Operation(Protocol):
    """Something to be written."""

    def write(self, db: sqlite3.Connection) -> Outcome:
        """Write it within a transaction that others share."""


_KNOWN = (
    "SELECT features, served, score FROM pending WHERE model = ? AND id = ?"
    " UNION ALL SELECT features, served, score FROM labels WHERE model = ? AND id = ?"
)
TAKE_PENDING = (
    "DELETE FROM pending WHERE model = ? AND id = ? RETURNING features, served, score, version, out"
)
_KEEP = (
    "INSERT INTO pending (model, id, time, features, served, score, version, out)"
    " SELECT ?, ?, ?, ?, ?, ?, ?, pending + 1 + (SELECT coalesce(max(seq), 0) FROM labels) - ?"
    " FROM counts WHERE model = ? AND pending < ?"
)


class KeepPrediction(NamedTuple):
    """Keep a prediction until its label comes.

    applied: the last label that the weights had learned from. most: how many may wait. given:
    whether the client chose its id.
    """

    model: int
    id: str
    time: float
    kept: Prediction
    version: int
    applied: int
    most: int
    given: bool

    def write(self, db: sqlite3.Connection) -> Outcome:
        if self.given and (found := self._known(db)) is not None:
            if not _same_features(found.features, self.kept.features):
                why = f"the id {self.id!r} belongs to a prediction for other features"
                return Refusal(HTTPStatus.CONFLICT, why)
            return Repeat(self.kept if found.served is None else Prediction(*found))
        known = self.version, self.applied, self.model, self.most
        added = db.execute(_KEEP, (*self[:3], *self.kept, *known))
        if not added.rowcount:
            why = (
                f"{self.most:,} predictions wait for their labels; reveal some, or let them expire"
            )
            return Refusal(HTTPStatus.TOO_MANY_REQUESTS, why)
        return self.kept

    def _known(self, db: sqlite3.Connection) -> Prediction | None:
        found = db.execute(_KNOWN, self[:2] * 2).fetchone()
        return None if found is None else Prediction(*found)


class Reveal(NamedTuple):
    """The label of a prediction that waits for it."""

    model: int
    id: str
    time: float
    label: str
    weight: float

    def write(self, db: sqlite3.Connection) -> Outcome:
        known = _entry(db, self.model, self.id)
        if known is not None:
            return _repeat(known, self.label, self.weight)
        found = db.execute(TAKE_PENDING, self[:2]).fetchone()
        if found is None:
            why = (
                f"no prediction with the id {self.id!r} waits for a label: it expired, or never was"
            )
            return Refusal(HTTPStatus.NOT_FOUND, why)
        return _add(db, *self[:3], found[0], self.label, self.weight, *found[1:])


class Learn(NamedTuple):
    """A row with its label. given: whether the client chose its id. row: `features`, parsed."""

    model: int
    id: str
    time: float
    features: str
    label: str
    weight: float
    given: bool
    row: Features | None = None

    def write(self, db: sqlite3.Connection) -> Outcome:
        known = _entry(db, self.model, self.id) if self.given else None
        if known is not None:
            if not _same_features(known.features, self.features):
                why = f"the id {self.id!r} belongs to other features"
                return Refusal(HTTPStatus.CONFLICT, why)
            return _repeat(known, self.label, self.weight)
        if self.given and _waits(db, self.model, self.id):
            why = f"a prediction with the id {self.id!r} waits for its label: reveal that"
            return Refusal(HTTPStatus.CONFLICT, why)
        query = "SELECT pending FROM counts WHERE model = ?"
        (pending,) = db.execute(query, (self.model,)).fetchone()
        return _add(db, *self[:6], None, None, None, pending + 1)


class AddModel(NamedTuple):
    """A model of its own name. origin: the file that it starts from, if it does from one."""

    name: str
    recipe: str
    origin: bytes | None
    time: float

    def write(self, db: sqlite3.Connection) -> Outcome:
        if db.execute("SELECT 1 FROM models WHERE name = ?", (self.name,)).fetchone():
            return Refusal(HTTPStatus.CONFLICT, f"there is a model {self.name!r} already")
        added = db.execute(
            "INSERT INTO models (name, recipe, origin, created, base)"
            " VALUES (?, ?, ?, ?, (SELECT coalesce(max(seq), 0) FROM labels))",
            self,
        )
        return added.lastrowid


class Expire(NamedTuple):
    """Forget predictions made before a time, at most so many; the outcome counts them by model."""

    before: float
    most: int = PAGE_OF_ENTRIES

    def write(self, db: sqlite3.Connection) -> Outcome:
        oldest = db.execute(
            "SELECT seq, model, time FROM pending ORDER BY seq LIMIT ?", (self.most,)
        )
        old = [(seq, model) for seq, model, time in oldest if time < self.before]
        db.executemany("DELETE FROM pending WHERE seq = ?", ((seq,) for seq, _ in old))
        add = "UPDATE counts SET expired = expired + 1 WHERE model = ?"
        db.executemany(add, ((model,) for _, model in old))
        return len(old)


class KeepSnapshot(NamedTuple):
    """Start from this file, and from the entries after it."""

    model: int
    seq: int
    file: str
    counters: str

    def write(self, db: sqlite3.Connection) -> Outcome:
        db.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", self)
        return None


class Compact(NamedTuple):
    """Let a model begin at a snapshot, and forget the features of all entries up to it.

    Ids and labels stay, so that a request which is repeated changes nothing even then.
    """

    model: int
    seq: int
    origin: bytes
    counters: str

    def write(self, db: sqlite3.Connection) -> Outcome:
        db.execute(
            "UPDATE models SET base = ?, origin = ?, counters = ? WHERE key = ?",
            (*self[1:], self.model),
        )
        db.execute(
            "UPDATE labels SET features = NULL WHERE model = ? AND seq <= ?", (self.model, self.seq)
        )
        return None


def _entry(db: sqlite3.Connection, model: int, id: str) -> JournalEntry | None:  # noqa: A002
    found = db.execute("SELECT * FROM labels WHERE model = ? AND id = ?", (model, id)).fetchone()
    return None if found is None else JournalEntry(*found)


def _same_features(known: str | None, given: str) -> bool:
    """Whether features are those that are known, as far as a journal that was compacted knows."""
    return known is None or same_json(known, given)


def _waits(db: sqlite3.Connection, model: int, id: str) -> bool:  # noqa: A002
    found = db.execute("SELECT 1 FROM pending WHERE model = ? AND id = ?", (model, id))
    return found.fetchone() is not None


def _repeat(known: JournalEntry, label: str, weight: float) -> Repeat | Refusal:
    if (known.label, known.weight) == (label, weight):
        return Repeat(known)
    was = f"the label {known.label} and the weight {known.weight:g}"
    why = f"the id {known.id!r} has been learned with {was}"
    return Refusal(HTTPStatus.CONFLICT, why)


def _add(db: sqlite3.Connection, *values: Any) -> JournalEntry:
    added = db.execute(
        "INSERT INTO labels (model, id, time, features, label, weight, served, score, version, out)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )
    assert added.lastrowid is not None
    return JournalEntry(added.lastrowid, *values)
