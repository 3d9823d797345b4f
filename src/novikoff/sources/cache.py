"""Rows that were parsed once, kept as arrays on disk and mapped into memory from then on.

A cache is a folder of plain .npy files and about.json; see cache_about for what is in it, and
cache_writing for how it comes about. It is good for a source as long as the source's files and the
options to read them with are those that it was written from. A file is taken for the same if its
size, its time of change and the bytes at its two ends are: who changes the middle of a file and
sets its time back must remove the cache.
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from novikoff.errors import DataError
from novikoff.sources.addresses import is_remote
from novikoff.sources.base import Source, data_error
from novikoff.sources.cache_about import About
from novikoff.sources.cache_source import CacheSource, is_same
from novikoff.sources.cache_writing import Watch, refuse_others, what_matters, write_cache
from novikoff.sources.inputs import Input

__all__ = ["CacheSource", "cached", "default_place", "kept_cache", "stale"]

SUFFIX = ".nkcache"


def default_place(source: Source) -> Path:
    """Where the cache of a source is unless told: beside its first file."""
    if not source.paths:
        raise data_error(
            source.name, None, "it has no file that a cache could lie beside: pass --cache PATH"
        )
    if is_remote(source.paths[0]):
        raise data_error(
            source.name, None, "no cache is written beside what is elsewhere: pass --cache PATH"
        )
    return Path(source.paths[0] + SUFFIX)


def stale(folder: str | os.PathLike[str], source: Source) -> str | None:
    """Why the cache in this folder is not good for a source; None if it is."""
    found = _good(Path(folder), source)
    return found if isinstance(found, str) else None


def cached(
    source: Source, path: str | os.PathLike[str] | None = None, *, watch: Watch | None = None
) -> CacheSource:
    """The cache of a source: the good one that is there, or else one that is written now.

    path: where it is, instead of beside the first file.
    watch: called with the bytes read, the bytes there are (None: not known) and the rows written.
    """
    if isinstance(source, CacheSource):
        return source
    place = default_place(source) if path is None else Path(path)
    refuse_others(place)
    found = _good(place, source)
    if isinstance(found, str):
        if path is not None:
            _refuse_kept(place, found)
        found = write_cache(source, place, watch=watch, opened=_opening(source)).moved(place)
    return _named(found, source)


def kept_cache(
    source: Source, place: str | os.PathLike[str], *, watch: Watch | None = None
) -> CacheSource:
    """Write a cache that is wanted by its name, in the place of another one or of nothing."""
    opened = _opening(source)
    found: CacheSource = write_cache(source, Path(place), kept=True, watch=watch, opened=opened)
    return found.moved(place)


def _good(place: Path, source: Source) -> CacheSource | str:
    """The cache if it is good for a source, or why it is not."""
    try:
        found = _opening(source)(place)
    except DataError as problem:
        return str(problem)
    return _difference(found.about, source) or found


def _opening(source: Source) -> Callable[[str | os.PathLike[str]], CacheSource]:
    """How to open the cache of a source, so that it is read as the source was to be."""
    asked = {name: source.asked[name] for name in ("features", "labelled") if name in source.asked}
    return partial(CacheSource, **asked)


def _named(cache: CacheSource, source: Source) -> CacheSource:
    """The cache as its source is called: in messages, places are those of the source's files."""
    cache.name = source.name
    if source.paths:
        firsts = [row for _, row in cache.about.files]
        cache.paths = source.paths
        cache.files = list(zip(source.paths[source.heads :], firsts, strict=False))
    return cache


def _difference(about: About, source: Source) -> str | None:
    """What a source has that the cache was not made from."""
    if not source.paths:
        return "what comes through a pipe cannot be known again"
    if about.of != source.format:
        return f"it was made of {about.of}, not {source.format}"
    asked = what_matters(source)
    for name in sorted(asked.keys() | about.asked.keys()):
        if asked.get(name) != about.asked.get(name):
            return f"it was made with another {name}"
    listed = asked.get("skipped_to")
    if listed is not None and about.skipped and not Path(listed).exists():
        return f"{listed}, which lists the rows it leaves out, is gone"
    if len(source.paths) != len(about.originals):
        return f"it was made of {len(about.originals)} files, not {len(source.paths)}"
    for path, known in zip(source.paths, about.originals, strict=True):
        if not is_same(Input(path), known):
            return f"{path} is not what it was made of, or has changed since"
    return None


def _refuse_kept(place: Path, reason: str) -> None:
    """What somebody asked for by its name is not replaced on the way to something else."""
    try:
        kept = CacheSource(place, labelled=False).about.kept
    except DataError:  # there is none, or it is damaged
        return
    if kept:
        raise DataError(
            f"{place}: convert wrote it, and it is not good for these data ({reason}): choose"
            " another place for the cache (--cache PATH)"
        )
