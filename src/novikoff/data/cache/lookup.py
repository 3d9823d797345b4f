"""Finds the cache of a source, or writes it; tells whether one is still good."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from novikoff.data.cache.manifest import Manifest
from novikoff.data.cache.source import CacheSource, is_unchanged
from novikoff.data.cache.writer import Watch, cache_key_options, refuse_foreign, write_cache
from novikoff.data.errors import file_error
from novikoff.data.files.inputs import Input
from novikoff.data.files.storage import is_remote
from novikoff.data.source import Source
from novikoff.errors import DataError

SUFFIX = ".nkcache"


def default_place(source: Source) -> Path:
    """Where the cache of a source is unless told: beside its first file."""
    if not source.paths:
        raise file_error(
            source.name, "it has no file that a cache could lie beside: pass --cache PATH"
        )
    if is_remote(source.paths[0]):
        raise file_error(
            source.name, "no cache is written beside what is elsewhere: pass --cache PATH"
        )
    return Path(source.paths[0] + SUFFIX)


def stale_reason(folder: str | os.PathLike[str], source: Source) -> str | None:
    """Why the cache in this folder is not good for a source; None if it is."""
    found = _valid_cache_or_reason(Path(folder), source)
    return found if isinstance(found, str) else None


def ensure_cache(
    source: Source, path: str | os.PathLike[str] | None = None, *, watch: Watch | None = None
) -> CacheSource:
    """The cache of a source: the good one that is there, or else one that is written now.

    path: where it is, instead of beside the first file.
    watch: called with the bytes read, the bytes there are (None: not known) and the rows written.
    """
    if isinstance(source, CacheSource):
        return source
    place = default_place(source) if path is None else Path(path)
    refuse_foreign(place)
    found = _valid_cache_or_reason(place, source)
    if isinstance(found, str):
        if path is not None:
            _refuse_kept(place, found)
        found = write_cache(source, place, watch=watch, opened=_opening(source)).moved(place)
    found.name_after(source)
    return found


def write_named_cache(
    source: Source, place: str | os.PathLike[str], *, watch: Watch | None = None
) -> CacheSource:
    """Write a cache that is wanted by its name, in the place of another one or of nothing."""
    opened = _opening(source)
    found: CacheSource = write_cache(source, Path(place), kept=True, watch=watch, opened=opened)
    return found.moved(place)


def _valid_cache_or_reason(place: Path, source: Source) -> CacheSource | str:
    """The cache if it is good for a source, or why it is not."""
    try:
        found = _opening(source)(place)
        reason = _difference(found.about, source)
        if reason is None:
            found.verify()  # now, where a damaged one can be written again
    except DataError as problem:
        return str(problem)
    return reason or found


def _opening(source: Source) -> Callable[[str | os.PathLike[str]], CacheSource]:
    """How to open the cache of a source, so that it is read as the source was to be."""
    options = source.opening.options
    return partial(
        CacheSource, **{name: options[name] for name in ("features", "labelled") if name in options}
    )


def _difference(about: Manifest, source: Source) -> str | None:
    """What a source has that the cache was not made from."""
    if not source.paths:
        return "what comes through a pipe cannot be known again"
    if about.of != source.format:
        return f"it was made of {about.of}, not {source.format}"
    asked = cache_key_options(source)
    for name in sorted(asked.keys() | about.asked.keys()):
        if asked.get(name) != about.asked.get(name):
            return f"it was made with another {name}"
    listed = asked.get("skipped_to")
    if listed is not None and about.skipped and not Path(listed).exists():
        return f"{listed}, which lists the rows it leaves out, is gone"
    if len(source.paths) != len(about.originals):
        return f"it was made of {len(about.originals)} files, not {len(source.paths)}"
    for path, known in zip(source.paths, about.originals, strict=True):
        if not is_unchanged(Input(path), known):
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
