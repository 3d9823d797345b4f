"""Where labelled rows come from: text files, arrays on disk, pipes and built-in examples.

Every format becomes a `Source`, which gives its rows whole (`read`) or in bounded memory
(`chunks`). Bad input is refused with the place, the offending token, what was expected and what
to do; a bad row is never dropped or repaired silently.
"""

import os
from typing import Any

from novikoff.errors import DataError
from novikoff.sources.arrays_files import NpySource, npz_source
from novikoff.sources.base import LARGEST_INDEX, Chunk, Source
from novikoff.sources.examples import EXAMPLES, PREFIX, Example, ExampleSource
from novikoff.sources.formats import FORMATS, choose_format
from novikoff.sources.inputs import Input
from novikoff.sources.svmlight import SvmlightSource
from novikoff.sources.tables import TableSource

__all__ = ["EXAMPLES", "FORMATS", "Chunk", "Example", "Source", "open"]

#: The formats that each option means something for; `features` and `labelled` are for all.
_APPLIES_TO = {
    "target": ("csv", "tsv", "npy"),
    "header": ("csv", "tsv"),
    "delimiter": ("csv",),
    "zero_based": ("svmlight",),
    "decimal": ("csv", "tsv", "svmlight"),
}


def open(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    target: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    zero_based: bool | None = None,
    decimal: bool = False,
    features: int | None = None,
    labelled: bool = True,
) -> Source:
    r"""Open labelled rows.

    `path` names a file, standard input (`"-"`) or built-in data (`"example:xor"`,
    `"example:separable?rows=100&margin=0.2"`). Options left out are found out from the data.

    format: csv, tsv, svmlight, npy or npz; by default the suffix decides, else the first lines.
        Text formats may be compressed (`.csv.gz`).
    target: the label's column in a table or .npy array, by name or by place (0 is the first, -1
        the last); by default a column called target, label, class or y, else the last.
    header: whether a table's first line names its columns.
    delimiter: what stands between the fields of a table; `" "` is any run of blanks.
    zero_based: whether the first index of an svmlight file is 0, not 1.
    decimal: whether a number in text means exactly the decimal it writes, so that 0.1 + 0.2 = 0.3;
        chunks then carry it in `exact`. By default it means the nearest double.
    features: how many features there must be (for svmlight: the width of every chunk).
    labelled: False if the rows have no labels; then every column is a feature.

    >>> source = open("example:xor")
    >>> source.read().y
    array([-1,  1,  1, -1])
    """
    text = os.fsdecode(path)
    if not text:
        raise DataError("the path is empty: name a file, '-' for standard input, or example:NAME")
    options = {"target": target, "header": header, "delimiter": delimiter, "zero_based": zero_based}
    options["decimal"] = decimal or None
    asked = {key: value for key, value in options.items() if value is not None}
    _check_features_option(text, features)
    if target is not None and not labelled:
        raise DataError(
            f"{text}: target={target!r} and labelled=False contradict each other: "
            "leave one of them out"
        )
    if text.startswith(PREFIX):
        _check_applies(text, "example", asked if format is None else {"format": format, **asked})
        return ExampleSource(text, features=features, labelled=labelled)
    given = Input(text)
    chosen = choose_format(given, format)
    _check_applies(given.name, chosen, asked)
    return _source(given, chosen, {**asked, "features": features, "labelled": labelled})


def _source(given: Input, format: str, options: dict[str, Any]) -> Source:
    if format == "svmlight":
        return SvmlightSource(given, **options)
    if format == "npy":
        return NpySource(given, **options)
    if format == "npz":
        return npz_source(given, **options)
    if "delimiter" in options:
        options["delimiter"] = _checked_delimiter(given.name, options["delimiter"])
    return TableSource(given, kind=format, **options)


def _check_applies(name: str, format: str, asked: dict[str, Any]) -> None:
    """Refuse options that would be ignored: whoever gave them meant something by it."""
    for option, value in asked.items():
        formats = _APPLIES_TO.get(option, FORMATS)
        if format not in formats:
            hint = "put parameters into its name" if format == "example" else "or pass format="
            if option == "decimal":
                hint = "its numbers are doubles from the start"
            raise DataError(
                f"{name}: {option}={value!r} is for {', '.join(formats)}, but this is "
                f"read as {format}: leave it out, {hint}"
            )


def _check_features_option(name: str, features: int | None) -> None:
    if features is not None and not 1 <= features <= LARGEST_INDEX:
        raise DataError(
            f"{name}: found features={features!r}, expected a whole number from 1 to "
            f"{LARGEST_INDEX}"
        )


def _checked_delimiter(name: str, delimiter: str) -> str:
    # A shell passes \t on as two characters.
    delimiter = "\t" if delimiter == "\\t" else delimiter
    if len(delimiter) != 1 or delimiter in '"\r\n\0+-.' or delimiter.isalnum():
        raise DataError(
            f"{name}: found the delimiter {delimiter!r}, expected one character that "
            "is not part of a number, such as ',' or ';' or '\\t'"
        )
    return delimiter
