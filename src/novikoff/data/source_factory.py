"""Opens files, pipes, caches and examples: chooses the reader, and checks the options."""

import os
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from novikoff.data.concatenation import ConcatenatedSource
from novikoff.data.examples.source import PREFIX, ExampleSource
from novikoff.data.files.inputs import Input
from novikoff.data.files.patterns import expand_paths, is_cache
from novikoff.data.files.skipped_rows import refuse_side_file
from novikoff.data.formats import APPLIES_TO, COLUMNS, FORMATS, TEXT_FORMATS, choose_format
from novikoff.data.numpy_files.source import NpySource, npz_source
from novikoff.data.source import (
    NO_OPTIONS,
    CacheChoice,
    Opening,
    Options,
    Shard,
    Source,
    joint_name,
)
from novikoff.data.sparse import LARGEST_INDEX
from novikoff.data.text.csv.format import CsvFormat
from novikoff.data.text.format import TextFormat
from novikoff.data.text.source import TextSource
from novikoff.data.text.svmlight.format import SvmlightFormat
from novikoff.errors import DataError

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
    columns: Sequence[str | int] | None = None,
    drop: Sequence[str | int] | None = None,
    hash_bits: int | None = None,
    word_labels: bool = False,
    decimal: bool = False,
    bad_rows: str = "refuse",
    skipped_to: str | os.PathLike[str] | None = None,
    features: int | None = None,
    names: Sequence[str] | None = None,
    labelled: bool = True,
    cache: CacheChoice = None,
    fallback: Options = NO_OPTIONS,
) -> Source:
    r"""Open labelled rows.

    Options left out are found out from the data.

    path: a file, standard input (`"-"`), a cache that `novikoff convert` wrote, or built-in data
        (`"example:xor"`, `"example:separable?rows=100&margin=0.2"`). With "://" it is an address
        that fsspec reaches (`"s3://bucket/part-*.svm"`). Several files, as a list or a pattern
        (`"part-*.svm"`), are one stream, in the order of the list or of their names.
    format: csv, tsv, svmlight, vw, parquet, arrow, npy or npz; by default the suffix decides, else
        the first bytes. Text may be compressed with gzip, bzip2 or zstd.
    target: the label's column in a table or .npy array, by name or by place (0 is the first, -1
        the last); by default a column called target, label, class or y, else the last.
    header: whether a table's first line names its columns.
    delimiter: what stands between the fields of a table; `" "` is any run of blanks.
    zero_based: whether the first index of an svmlight file is 0, not 1.
    categorical: columns of a table that hold categories, by name or by place; each value becomes a
        feature that is 1 or 0. Columns of words are such by themselves.
    columns: the only columns of a table to read as features, by name or by place.
    drop: columns of a table not to read, such as identifiers.
    hash_bits: number the named features of VW text by a hash of so many bits, not by a dictionary.
    word_labels: take labels as words even if they look like numbers.
    decimal: whether a number in text means exactly the decimal it writes, so that 0.1 + 0.2 = 0.3;
        chunks then carry it in `exact`. By default it means the nearest double.
    bad_rows: "refuse" the data at the first row that cannot be read, or "skip" such rows; then
        they are counted.
    skipped_to: a file that lists the rows that were skipped, as JSON lines.
    features: how many features there must be (for svmlight: the width of every chunk).
    names: the only features to read where they have names, in their order: a model's.
    labelled: False if the rows have no labels; then every column is a feature.
    cache: where to keep the rows in binary when they are gone through many times; by default beside
        the file, if that is large. False: nowhere; then they are read into memory.
    fallback: options that hold where they mean something and nothing else is said: a model's.

    >>> import novikoff as nk
    >>> source = nk.open("example:xor")
    >>> source.read().y
    array([-1,  1,  1, -1])
    """
    options: dict[str, Any] = {
        "format": format,
        "target": target,
        "header": header,
        "delimiter": delimiter,
        "zero_based": zero_based,
        "categorical": None if categorical is None else list(categorical),
        "columns": None if columns is None else list(columns),
        "drop": None if drop is None else list(drop),
        "hash_bits": hash_bits,
        "word_labels": word_labels or None,
        "decimal": decimal or None,
        "bad_rows": None if bad_rows == "refuse" else bad_rows,
        "skipped_to": None if skipped_to is None else os.fspath(skipped_to),
        "features": features,
        "names": None if names is None else list(names),
        "labelled": None if labelled else False,
    }
    options = {name: value for name, value in options.items() if value is not None}
    return open_source(
        Opening(tuple(expand_paths(path)), MappingProxyType(options), fallback, cache, _reopen)
    )


def _reopen(opening: Opening) -> Source:
    return open(opening.paths, cache=opening.cache, fallback=opening.fallback, **opening.options)


def open_source(opening: Opening, shard: Shard | None = None) -> Source:
    """Open files that are none of them patterns. shard: the part of them that is to be read."""
    paths, asked = opening.paths, opening.options
    _check_options(paths[0], asked)
    if "skipped_to" in asked:
        refuse_side_file(asked["skipped_to"], paths)
    special = [path for path in paths if path.startswith(PREFIX) or is_cache(path)]
    if special and len(paths) > 1:
        raise DataError(f"{special[0]}: this can only be read by itself, not with other files")
    if special:
        return _open_special(special[0], opening)
    inputs = [Input(path) for path in paths]
    chosen = _common_format(inputs, asked)
    more = {name: value for name, value in opening.fallback.items() if chosen in APPLIES_TO[name]}
    options = more | dict(asked)
    options.pop("format", None)
    if options.pop("bad_rows", None) == "skip":
        options["skip"] = True
    if chosen in TEXT_FORMATS:
        return _open_text(inputs, chosen, options, opening, shard)
    if chosen in COLUMNS:
        from novikoff.data.columnar.file import ColumnFile
        from novikoff.data.columnar.source import ColumnarSource

        tables = [ColumnFile(each, chosen) for each in inputs]
        return ColumnarSource(tables, opening=opening, shard=shard, **options)
    open_one = NpySource if chosen == "npy" else npz_source
    if len(inputs) == 1:
        return open_one(inputs[0], opening=opening, **options)
    return ConcatenatedSource([open_one(each, **options) for each in inputs], opening)


def _open_special(path: str, opening: Opening) -> Source:
    kind = "cache" if is_cache(path) else "example"
    _check_applies(path, kind, opening.options)
    common = {
        name: opening.options[name] for name in ("features", "labelled") if name in opening.options
    }
    if kind == "example":
        return ExampleSource(path, opening=opening, **common)
    from novikoff.data.cache import CacheSource

    return CacheSource(path, opening=opening, **common)


def _common_format(inputs: list[Input], asked: Options) -> str:
    """The one format of all files, which every option must be for."""
    asked_format = asked.get("format")
    kinds = [choose_format(each, asked_format) for each in inputs]
    for given, kind in zip(inputs, kinds, strict=True):
        if kind != kinds[0]:
            raise DataError(
                f"{given.name}: it is {kind}, but {inputs[0].name} is {kinds[0]}: files that are"
                " read together must have one format"
            )
        _check_applies(given.name, kind, asked)
    return kinds[0]


def _open_text(
    inputs: list[Input], kind: str, options: dict[str, Any], opening: Opening, shard: Shard | None
) -> TextSource:
    skipped_to = options.pop("skipped_to", None)
    text_format: TextFormat[Any]
    if kind == "svmlight":
        text_format = SvmlightFormat(**options)
    elif kind == "vw":
        from novikoff.data.text.vw.format import VwFormat

        text_format = VwFormat(**options)
    else:
        if "delimiter" in options:
            options["delimiter"] = _checked_delimiter(inputs[0].name, options["delimiter"])
        name = joint_name([each.name for each in inputs]) if shard is None else shard.name
        text_format = CsvFormat(inputs, source=name, kind=kind, **options)
    return TextSource(inputs, text_format, skipped_to=skipped_to, opening=opening, shard=shard)


def _check_applies(name: str, format: str, asked: Options) -> None:
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


def _check_options(name: str, asked: Options) -> None:
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


def identity_of(source: Source) -> dict[str, Any]:
    """What tells data from other data, or from themselves after a change, as JSON.

    These are the files as they are now, and the options they are read with.
    """
    files = [Input(path).identity() for path in source.paths if not Path(path).is_dir()]
    options = source.opening.options.items()
    asked = {name: value for name, value in options if name != "skipped_to"}
    return {"name": None if files else source.name, "files": files, "asked": asked}
