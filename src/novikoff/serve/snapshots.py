"""What goes on beside requests: snapshots, expiry, a short write-ahead log, compaction."""

import asyncio
import contextlib
import copy
import sqlite3
import time

from novikoff.errors import NovikoffError
from novikoff.files import atomic_write
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve.journal.operations import Compact, Expire, KeepSnapshot
from novikoff.serve.served_model import ServedModel
from novikoff.serve.service import Service

TICK_SECONDS = 1.0


async def tend(service: Service) -> None:
    """Take snapshots, let predictions expire and shorten the write-ahead log, for ever."""
    while True:
        await asyncio.sleep(TICK_SECONDS)
        with contextlib.suppress(NovikoffError, OSError, sqlite3.Error):  # /state says so
            if service.reads_only:
                service.follow()
                continue
            await expire(service)
            await take_due_snapshots(service, service.settings.snapshot_every)
            await asyncio.to_thread(service.view.checkpoint)


async def take_due_snapshots(service: Service, every: int) -> None:
    """A snapshot of each model that has learned from so many rows since its last."""
    for model in list(service.models.values()):
        last = 0 if model.snapshot is None else model.snapshot[0]
        if model.is_fitted and model.counts.seq - last >= every:
            await take_snapshot(service, model)


async def expire(service: Service) -> None:
    """Forget predictions that have waited too long."""
    before = time.time() - service.settings.pending_for
    await service.submit([Expire(before)])


async def take_snapshot(service: Service, model: ServedModel) -> tuple[int, bytes, str]:
    """Write the model as it is now, while requests go on; the next start is from there."""
    applied, seq, old = service.applied, model.counts.seq, model.snapshot
    counters, twin = model.counters(), copy.copy(model.estimator)
    content = await asyncio.to_thread(to_bytes, twin)
    file = f"{model.name}-{seq}.novikoff"
    await asyncio.to_thread(atomic_write, service.journal.folder / file, content)
    await service.submit([KeepSnapshot(model.record.key, applied, file, counters)])
    model.snapshot = seq, file
    if old is not None and old[1] != file:
        (service.journal.folder / old[1]).unlink(missing_ok=True)
    return seq, content, counters


async def compact(service: Service, name: str) -> int:
    """Let a model begin where it is now, and forget the features of all rows up to there."""
    model = service.model(name)
    if model.is_fitted:
        found = await take_snapshot(service, model)
        await service.submit([Compact(model.record.key, *found)])
        model.record = service.view.model(model.record.key)
    return model.record.base


def remove_leftovers(service: Service) -> None:
    """Remove snapshots that a killed process did not come to name, or to remove."""
    named = {model.snapshot[1] for model in service.models.values() if model.snapshot}
    for path in service.journal.folder.glob("*.novikoff*"):
        if path.name not in named:
            path.unlink(missing_ok=True)
    for path in service.journal.folder.glob(".*.novikoff*"):
        path.unlink(missing_ok=True)
