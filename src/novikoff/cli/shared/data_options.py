"""Options on how data are read, which every command on data takes."""

import enum
import functools
import inspect
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from novikoff.cli.shared.options import panel
from novikoff.errors import CertificateError, ParameterError

if TYPE_CHECKING:
    from novikoff.data import Source

#: Options that a certificate repeats.
READING = (
    "format",
    "target",
    "header",
    "delimiter",
    "zero_based",
    "categorical",
    "columns",
    "drop",
    "hash_bits",
)
data_option = panel("How the data are read")
DATA_HELP = "Paths, patterns such as 'part-*.svm', - for standard input, or example:NAME."

DataArgument = Annotated[list[str], typer.Argument(help=DATA_HELP)]
DecimalOption = Annotated[
    bool,
    data_option(
        "--decimal", help="Take numbers in text as the exact decimals they write, not as doubles."
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="The most threads to use where they help; the result is the same for any number.",
        show_default="one for each core",
    ),
]


class Format(enum.StrEnum):
    CSV = "csv"
    TSV = "tsv"
    SVMLIGHT = "svmlight"
    VW = "vw"
    PARQUET = "parquet"
    ARROW = "arrow"
    NPY = "npy"
    NPZ = "npz"


class BadRows(enum.StrEnum):
    REFUSE = "refuse"
    SKIP = "skip"


def _option(kind: Any, *names: str, **details: Any) -> Any:
    return Annotated[kind, data_option(*names, **details)]


class DataOptions(NamedTuple):
    """The values of the options; None where they were not given."""

    format: _option(  # type: ignore[valid-type]
        Format | None,
        "--format",
        help="The format of the data.",
        show_default="from the name or the first lines",
    ) = None
    target: _option(  # type: ignore[valid-type]
        str | None,
        help="The label's column: its name, or its place from 0 (-1: the last).",
        show_default="target, label, class or y, else the last",
    ) = None
    header: _option(  # type: ignore[valid-type]
        bool | None,
        "--header/--no-header",
        help="Whether a table's first line names its columns.",
        show_default="detected",
    ) = None
    delimiter: _option(  # type: ignore[valid-type]
        str | None,
        help="The character between a table's fields.",
        show_default="detected",
    ) = None
    zero_based: _option(  # type: ignore[valid-type]
        bool | None,
        "--zero-based/--one-based",
        help="The first index of svmlight data.",
        show_default="detected",
    ) = None
    categorical: _option(  # type: ignore[valid-type]
        list[str] | None,
        metavar="COLUMN",
        help="A table's column of categories, by name or place from 0; may be repeated. Columns of"
        " words are categorical anyway.",
    ) = None
    columns: _option(  # type: ignore[valid-type]
        str | None,
        metavar="COLUMN,...",
        help="The only columns of a table to read as features, by name or place.",
        show_default="all but the label's",
    ) = None
    drop: _option(  # type: ignore[valid-type]
        str | None,
        metavar="COLUMN,...",
        help="Columns of a table to ignore, such as names or numbers of rows.",
    ) = None
    hash_bits: _option(  # type: ignore[valid-type]
        int | None,
        metavar="BITS",
        help="Number VW's named features by a hash of this many bits.",
        show_default="a dictionary",
    ) = None
    bad_rows: _option(  # type: ignore[valid-type]
        BadRows, "--bad-rows", help="What to do about a row that cannot be read."
    ) = BadRows.REFUSE
    skipped_to: _option(  # type: ignore[valid-type]
        Path | None,
        metavar="FILE",
        help="List the rows that --bad-rows skip leaves out in this file, as JSON lines.",
        show_default="DATA.skipped.jsonl",
        dir_okay=False,
    ) = None
    cache: _option(  # type: ignore[valid-type]
        Path | None,
        metavar="PATH",
        help="Where to keep a large file's rows in binary.",
        show_default="DATA.nkcache",
    ) = None
    no_cache: _option(  # type: ignore[valid-type]
        bool, "--no-cache", help="Keep no cache: read the data again for each pass, or into memory."
    ) = False

    def open(self, data: str | list[str], **more: Any) -> "Source":
        """Open data as the options say."""
        from novikoff import data as sources

        paths = [data] if isinstance(data, str) else data
        return sources.open(paths if len(paths) > 1 else paths[0], **self.options(paths), **more)

    def options(self, paths: list[str]) -> dict[str, Any]:
        """The options of `nk.open`."""
        if self.cache is not None and self.no_cache:
            raise ParameterError("--cache and --no-cache contradict each other")
        asked = {
            "format": None if self.format is None else self.format.value,
            "target": _place(self.target),
            "header": self.header,
            "delimiter": self.delimiter,
            "zero_based": self.zero_based,
            "categorical": [_place(each) for each in self.categorical]
            if self.categorical
            else None,
            "columns": _places(self.columns),
            "drop": _places(self.drop),
            "hash_bits": self.hash_bits,
            "cache": False if self.no_cache else self.cache,
        }
        if self.bad_rows is BadRows.SKIP:
            asked |= {"bad_rows": "skip", "skipped_to": str(self._side_file(paths))}
        elif self.skipped_to is not None:
            raise ParameterError("--skipped-to is for --bad-rows skip")
        return asked

    def _side_file(self, paths: list[str]) -> Path:
        if self.skipped_to is not None:
            return Path(self.skipped_to)
        from novikoff.data.files.patterns import expand_paths

        first = expand_paths(paths)[0]
        if "://" in first:
            raise ParameterError(
                f"--bad-rows skip: name a file for the rows left out of {first} with --skipped-to"
            )
        return Path("skipped.jsonl" if first == "-" else f"{first}.skipped.jsonl")

    def as_reading(self) -> dict[str, Any]:
        """How the rows are read, as a certificate says it: the options that matter for that."""
        asked = {name: getattr(self, name) for name in READING}
        found = {name: value for name, value in asked.items() if value is not None}
        if self.format is not None:
            found["format"] = self.format.value
        return found | ({"bad_rows": "skip"} if self.bad_rows is BadRows.SKIP else {})

    @property
    def spelled(self) -> str:
        """The options that a certificate would repeat, as a command line has them."""
        words = []
        for name, value in self.as_reading().items():
            option = f"--{name.replace('_', '-')}"
            if isinstance(value, bool):
                off = {"--header": "--no-header", "--zero-based": "--one-based"}
                words.append(option if value else off[option])
            else:
                each = value if isinstance(value, list) else [value]
                words += [word for one in each for word in (option, shlex.quote(str(one)))]
        return "".join(f" {word}" for word in words)

    def completed(self, reading: Mapping[str, Any] | None) -> "DataOptions":
        """These options, and where they say nothing those of a certificate."""
        known = {name: (reading or {}).get(name) for name in READING}
        more = {name: value for name, value in known.items() if getattr(self, name) is None}
        if more.get("format") is not None:
            try:
                more["format"] = Format(str(more["format"]))
            except ValueError:
                raise CertificateError(f"reading: no format {more['format']!r:.60}") from None
        return self._replace(**more)

    def with_event(self, event: str | None) -> "DataOptions":
        """These options, with the column of events for the target."""
        if event is not None and self.target not in (None, event):
            raise ParameterError("--event is the target: leave --target out")
        return self if event is None else self._replace(target=event)

    def used_options(self) -> list[str]:
        """The options that were given, as they are spelled."""
        blank = DataOptions()
        pairs = zip(self._fields, self, blank, strict=True)
        return [f"--{name.replace('_', '-')}" for name, value, unset in pairs if value != unset]


_IN_PYTHON = re.compile(
    rf"\b({'|'.join([*READING, 'bad_rows', 'skipped_to', 'labelled'])})"
    r"=(True|False|'[^']*'|\"[^\"]*\"|\[[^]]*\]|\.\.\.|-?\w+|(?!\S))"
)
_FLAGS = {
    ("header", "True"): "--header",
    ("header", "False"): "--no-header",
    ("zero_based", "True"): "--zero-based",
    ("zero_based", "False"): "--one-based",
    ("labelled", "False"): "--no-labels (of novikoff predict)",
}


def in_option_names(message: str) -> str:
    """A message that names parameters of `nk.open`, with the options of commands instead.

    >>> in_option_names("the first line looks like names: pass header=False or target='y'")
    'the first line looks like names: pass --no-header or --target y'
    """

    def spelled(match: re.Match[str]) -> str:
        name, value = match.groups()
        option = _FLAGS.get((name, value))
        words = value.strip("[]'\"").replace("', '", ",")
        return option or f"--{name.replace('_', '-')} {words}".rstrip()

    return _IN_PYTHON.sub(spelled, message)


def _place(column: str | None) -> str | int | None:
    """A column: a whole number is its place, anything else its name."""
    try:
        return None if column is None else int(column)
    except ValueError:
        return column


def _places(columns: str | None) -> list[str | int | None] | None:
    """Columns, separated by commas."""
    return None if columns is None else [_place(each.strip()) for each in columns.split(",")]


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command: in place of `reading`, it takes all options of `DataOptions`, and it
    works on as many threads as `--threads` says.
    """
    signature = inspect.signature(command)
    own = [each for name, each in signature.parameters.items() if name != "reading"]
    kinds = DataOptions.__annotations__ | {"threads": ThreadsOption}
    defaults = DataOptions._field_defaults | {"threads": None}
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    added = [
        inspect.Parameter(name, kind, default=defaults[name], annotation=kinds[name])
        for name in (*DataOptions._fields, "threads")
    ]

    @functools.wraps(command)
    def call(**words: Any) -> None:
        from novikoff.data.files.parallel import on_threads

        reading = DataOptions(**{name: words.pop(name) for name in DataOptions._fields})
        with on_threads(words.pop("threads")):
            command(reading=reading, **words)

    call.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return call
