"""Rows that were parsed once, kept as arrays on disk and mapped into memory from then on.

A cache is a folder of plain .npy files and about.json; see `manifest` for what is in it, and
`writer` for how it comes about. It is good for a source as long as the source's files and the
options to read them with are those that it was written from. A file is taken for the same if its
size, its time of change and the bytes at its two ends are: who changes the middle of a file and
sets its time back must remove the cache.
"""

from novikoff.data.cache.lookup import ensure_cache, stale_reason, write_named_cache
from novikoff.data.cache.source import CacheSource

__all__ = ["CacheSource", "ensure_cache", "stale_reason", "write_named_cache"]
