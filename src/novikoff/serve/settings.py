"""What a service is told when it starts: where, how surely, and within which limits."""

import os
import time
from collections import OrderedDict
from typing import NamedTuple

DAY = 86400.0


class Limits(NamedTuple):
    """What a request may cost. A rate of 0 is none."""

    body: int = 2**20  # bytes of a request, or of a line of a batch
    features: int = 10_000  # of a row
    name: int = 256  # characters of a name or id
    names: int = 1_000_000  # that a model may learn
    pending: int = 1_000_000  # predictions of a model that wait for labels
    models: int = 100
    rate: float = 0.0  # rows in a second from one address
    seconds: float = 30.0  # for a client to send the next part of a request
    connections: int = 1000


class ServiceSettings(NamedTuple):
    """How to serve."""

    journal: str | os.PathLike[str] = "novikoff-journal"
    host: str = "127.0.0.1"
    port: int = 8642
    durability: str = "full"
    pending_for: float = 30 * DAY  # seconds
    snapshot_every: int = 10_000  # labels
    token_file: str | os.PathLike[str] | None = None
    hosts: tuple[str, ...] = ()  # names that requests may call it by, beside its own
    proxies: tuple[str, ...] = ()  # whose word counts for where a request comes from
    readers: int = 0  # processes that only predict
    readers_port: int | None = None  # None: the next one
    log_requests: bool = False
    tls_certificate: str | None = None
    tls_key: str | None = None
    limits: Limits = Limits()


class RateLimit:
    """A bucket of rows for each address, which fills at the rate and holds a second's worth."""

    ADDRESSES = 10_000

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str, rows: int, now: float | None = None) -> float:
        """0 if so many rows may come now, and they are taken; else the seconds to wait."""
        if not self.rate:
            return 0.0
        now = time.monotonic() if now is None else now
        most = max(self.rate, 1.0)
        level, then = self.buckets.pop(address, (most, now))
        level = min(most, level + (now - then) * self.rate)
        enough = level >= min(rows, most)  # a batch larger than the bucket waits for a full one
        self.buckets[address] = (level - rows if enough else level), now
        if len(self.buckets) > self.ADDRESSES:
            self.buckets.popitem(last=False)
        return 0.0 if enough else (min(rows, most) - level) / self.rate
