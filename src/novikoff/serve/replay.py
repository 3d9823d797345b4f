"""Replay: a model from its journal alone, up to any moment, and other rules on the same history."""

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from novikoff.errors import NovikoffError, ParameterError
from novikoff.serve.journal import Journal, ModelRecord
from novikoff.serve.journal.operations import JournalEntry
from novikoff.serve.served_model import Counts, ServedModel, first_estimator


class Replay(NamedTuple):
    """A model as the journal's entries make it, and other rules that learned from the same.

    backtests: by rule, each with the mistakes it would have made had it learned at each label.
    """

    model: ServedModel
    backtests: dict[str, ServedModel]
    first: float | None
    last: float | None

    @property
    def estimator(self) -> Any:
        return self.model.estimator


def replay(
    folder: str | os.PathLike[str],
    name: str = "default",
    *,
    until: float | None = None,
    labels: int | None = None,
    rules: Sequence[str] = (),
) -> Replay:
    """Learn from the journal's entries in their order, with `learn_one`.

    until: a time, in seconds since 1970; entries after it are left out. labels: how many entries at
    most, those included whose rows were compacted. The estimator has the bytes that the service had
    after the last of them.
    """
    journal = Journal(folder, write=False)
    try:
        record = _record(journal, name)
        labels = _labels_left(journal, record, until, labels)
        model = ServedModel.beginning(record)
        backtests = {rule: _backtest(record, rule) for rule in rules}
        first = last = None
        for entry in _entries(journal, record, until, labels):
            first, last = first or entry.time, entry.time
            model.apply(entry)
            for other in backtests.values():  # it predicts at the label, as if none came late
                other.apply(entry._replace(served=None, score=None, version=None))
        return Replay(model, backtests, first, last)
    finally:
        journal.close()


def _record(journal: Journal, name: str) -> ModelRecord:
    found = {record.name: record for record in journal.models()}
    if name not in found:
        known = ", ".join(found) or "none"
        raise ParameterError(f"{journal.folder}: there is no model {name!r}; it has {known}")
    return found[name]


def _labels_left(
    journal: Journal, record: ModelRecord, until: float | None, labels: int | None
) -> int | None:
    """How many labels may follow those whose rows were compacted: no earlier model can be made."""
    if record.counters is None:
        return labels
    known = compacted_labels(record)
    end = journal.last_time(record.key, record.base)
    if (labels is not None and labels < known) or (until is not None and until < end):
        raise ParameterError(
            f"{journal.folder}: the first {known:,} labels, until {written(end)}, were compacted,"
            " so no model before that can be made again"
        )
    return None if labels is None else labels - known


def compacted_labels(record: ModelRecord) -> int:
    """How many labels of a model are known without their rows."""
    counters = record.counters or {}
    return int(counters.get("seen", 0)) + int(counters.get("refused", 0))


def _backtest(record: ModelRecord, rule: str) -> ServedModel:
    try:
        estimator = first_estimator(record, rule)
    except NovikoffError as error:
        raise ParameterError(f"--rule {rule}: {error}") from None
    recipe = record.recipe | {"rule": rule}
    return ServedModel(record._replace(recipe=recipe), estimator, Counts(seq=record.base))


def _entries(
    journal: Journal, record: ModelRecord, until: float | None, labels: int | None
) -> Iterator[JournalEntry]:
    number = 0
    for entry in journal.entries(record.base):
        if (until is not None and entry.time > until) or number == labels:
            return
        if entry.model == record.key:
            number += 1
            yield entry


def moment(text: str) -> float:
    """A time as people write it (2026-05-01T12:00, with or without a zone, or seconds)."""
    from datetime import datetime

    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise ParameterError(
            f"--until {text}: expected a time such as 2026-05-01T12:00, or seconds since 1970"
        ) from None


def written(seconds: float) -> str:
    """A time for people, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds))
