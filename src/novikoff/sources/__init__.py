"""Where labelled rows come from: text files, tables, arrays on disk, pipes and built-in examples.

Every format becomes a `Source`, which gives its rows whole (`read`) or in bounded memory
(`chunks`). Bad input is refused with the place, the offending token, what was expected and what
to do; a bad row is never dropped or repaired silently.
"""

import os
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Literal

from novikoff.errors import DataError
from novikoff.sources.arrays_files import NpySource, npz_source
from novikoff.sources.base import LARGEST_INDEX, Chunk, Place, Source
from novikoff.sources.examples import EXAMPLES, PREFIX, Example, ExampleSource
from novikoff.sources.formats import APPLIES_TO, FORMATS, choose_format
from novikoff.sources.inputs import Input
from novikoff.sources.joining import joined_source
from novikoff.sources.paths import found_paths, is_cache
from novikoff.sources.skipping import refuse_side_file
from novikoff.sources.svmlight import SvmlightSource
from novikoff.sources.tables import TableSource

__all__ = ["EXAMPLES", "FORMATS", "Chunk", "Example", "Place", "Source", "open"]

BAD_ROWS = ("refuse", "skip")


def open(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    format: str | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    zero_based: bool | None = None,
    categorical: Sequence[str | int] | None = None,
    hash_bits: int | None = None,
    word_labels: bool = False,
    decimal: bool = False,
    bad_rows: str = "refuse",
    skipped_to: str | os.PathLike[str] | None = None,
    features: int | None = None,
    names: Sequence[str] | None = None,
    labelled: bool = True,
    cache: str | os.PathLike[str] | Literal[False] | None = None,
    fallback: Mapping[str, Any] = MappingProxyType({}),
) -> Source:
    r"""Open labelled rows.

    `path` names a file, standard input (`"-"`), a cache that `novikoff convert` wrote, or built-in
    data (`"example:xor"`, `"example:separable?rows=100&margin=0.2"`). With "://" it is an address
    that fsspec reaches (`"s3://bucket/part-*.svm"`). Several files, as a list or a
    pattern (`"part-*.svm"`), are one stream, in the order of the list or of their names. Options
    left out are found out from the data.

    format: csv, tsv, svmlight, vw, parquet, arrow, npy or npz; by default the suffix decides, else
        the first bytes. Text may be compressed with gzip, bzip2 or zstd.
    target: the label's column in a table or .npy array, by name or by place (0 is the first, -1
        the last); by default a column called target, label, class or y, else the last.
    header: whether a table's first line names its columns.
    delimiter: what stands between the fields of a table; `" "` is any run of blanks.
    zero_based: whether the first index of an svmlight file is 0, not 1.
    categorical: columns of a table that hold categories, by name or by place; each value becomes a
        feature that is 1 or 0. Columns of words are such by themselves.
    hash_bits: number the named features of VW text by a hash of so many bits, not by a dictionary.
    word_labels: take labels as words even if they look like numbers.
    decimal: whether a number in text means exactly the decimal it writes, so that 0.1 + 0.2 = 0.3;
        chunks then carry it in `exact`. By default it means the nearest double.
    bad_rows: "refuse" the data at the first row that cannot be read, or "skip" such rows; then
        they are counted, and listed as JSON lines in the file `skipped_to`.
    features: how many features there must be (for svmlight: the width of every chunk).
    names: the only features to read where they have names, in their order: a model's.
    labelled: False if the rows have no labels; then every column is a feature.
    cache: where to keep the rows in binary when they are gone through many times; by default beside
        the file, if that is large. False: nowhere; then they are read into memory.
    fallback: options that hold where they mean something and nothing else is said: a model's.

    >>> source = open("example:xor")
    >>> source.read().y
    array([-1,  1,  1, -1])
    """
    asked: dict[str, Any] = {
        "format": format,
        "target": target,
        "header": header,
        "delimiter": delimiter,
        "zero_based": zero_based,
        "categorical": None if categorical is None else list(categorical),
        "hash_bits": hash_bits,
        "word_labels": word_labels or None,
        "decimal": decimal or None,
        "bad_rows": None if bad_rows == "refuse" else bad_rows,
        "skipped_to": None if skipped_to is None else os.fspath(skipped_to),
        "features": features,
        "names": None if names is None else list(names),
        "labelled": None if labelled else False,
    }
    asked = {name: value for name, value in asked.items() if value is not None}
    return from_paths(found_paths(path), asked, cache=cache, fallback=fallback)


def from_paths(
    paths: list[str],
    asked: dict[str, Any],
    *,
    cache: str | os.PathLike[str] | Literal[False] | None = None,
    fallback: Mapping[str, Any] = MappingProxyType({}),
) -> Source:
    """What `open` gives for files that are none of them patterns; `asked` has no None."""
    _check_options(paths[0], asked)
    if "skipped_to" in asked:
        refuse_side_file(asked["skipped_to"], paths)
    source = _opened(paths, asked, fallback)
    source.asked, source.fallback = MappingProxyType(asked), fallback
    source.cache, source.named = cache, tuple(paths)
    source.reopen = partial(
        open, paths if len(paths) > 1 else paths[0], cache=cache, fallback=fallback
    )
    return source


def _opened(paths: list[str], asked: dict[str, Any], fallback: Mapping[str, Any]) -> Source:
    special = [path for path in paths if path.startswith(PREFIX) or is_cache(path)]
    if special and len(paths) > 1:
        raise DataError(f"{special[0]}: this can only be read by itself, not with other files")
    common = {name: asked[name] for name in ("features", "labelled") if name in asked}
    if special:
        kind = "cache" if is_cache(special[0]) else "example"
        _check_applies(special[0], kind, asked)
        if kind == "example":
            return ExampleSource(special[0], **common)
        from novikoff.sources.cache import CacheSource

        return CacheSource(special[0], **common)
    inputs = [Input(path) for path in paths]
    told = asked.get("format")
    kinds = [choose_format(each, told) for each in inputs]
    for given, kind in zip(inputs, kinds, strict=True):
        if kind != kinds[0]:
            raise DataError(
                f"{given.name}: it is {kind}, but {inputs[0].name} is {kinds[0]}: files that are"
                " read together must have one format"
            )
        _check_applies(given.name, kind, asked)
    more = {name: value for name, value in fallback.items() if kinds[0] in APPLIES_TO[name]}
    options = {
        name: value for name, value in (more | asked).items() if name not in ("format", "bad_rows")
    }
    if asked.get("bad_rows") == "skip":
        options["skip"] = True
    return _source(inputs, kinds[0], options)


def _source(inputs: list[Input], format: str, options: dict[str, Any]) -> Source:
    if format == "svmlight":
        return SvmlightSource(inputs, **options)
    if format == "vw":
        from novikoff.sources.vw import VwSource

        return VwSource(inputs, **options)
    if format in ("parquet", "arrow"):
        from novikoff.sources.arrow import ArrowSource

        return ArrowSource(inputs, kind=format, **options)
    if format in ("npy", "npz"):
        open_one = NpySource if format == "npy" else npz_source
        return joined_source([open_one(each, **options) for each in inputs])
    if "delimiter" in options:
        options["delimiter"] = _checked_delimiter(inputs[0].name, options["delimiter"])
    return TableSource(inputs, kind=format, **options)


def _check_applies(name: str, format: str, asked: dict[str, Any]) -> None:
    """Refuse options that would be ignored: whoever gave them meant something by it."""
    for option, value in asked.items():
        formats = APPLIES_TO.get(option, (*FORMATS, "cache", "example"))
        if format not in formats:
            hint = "put parameters into its name" if format == "example" else "or pass format="
            if option == "decimal":
                hint = "its numbers are doubles from the start"
            raise DataError(
                f"{name}: {option}={value!r} is for {', '.join(formats)}, but this is "
                f"read as {format}: leave it out, {hint}"
            )


def _check_options(name: str, asked: dict[str, Any]) -> None:
    features = asked.get("features")
    if features is not None and not 1 <= features <= LARGEST_INDEX:
        raise DataError(
            f"{name}: found features={features!r}, expected a whole number from 1 to "
            f"{LARGEST_INDEX}"
        )
    if "target" in asked and "labelled" in asked:
        raise DataError(
            f"{name}: target={asked['target']!r} and labelled=False contradict each other: "
            "leave one of them out"
        )
    if asked.get("bad_rows", "refuse") not in BAD_ROWS:
        raise DataError(f"{name}: found bad_rows={asked['bad_rows']!r}, expected refuse or skip")
    if "skipped_to" in asked and "bad_rows" not in asked:
        raise DataError(f"{name}: skipped_to is for bad_rows='skip'")


def _checked_delimiter(name: str, delimiter: str) -> str:
    # A shell passes \t on as two characters.
    delimiter = "\t" if delimiter == "\\t" else delimiter
    if len(delimiter) != 1 or delimiter in '"\r\n\0+-.' or delimiter.isalnum():
        raise DataError(
            f"{name}: found the delimiter {delimiter!r}, expected one character that "
            "is not part of a number, such as ',' or ';' or '\\t'"
        )
    return delimiter
