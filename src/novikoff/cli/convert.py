"""`novikoff convert`: write rows in a form that later passes read faster, or that others read."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, reads_data
from novikoff.cli.shared.progress.signals import exit_code
from novikoff.cli.shared.progress.status_line import in_bytes
from novikoff.cli.shared.progress.training_progress import Progress, ProgressTask
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.data import Source
    from novikoff.data.cache import CacheSource
    from novikoff.data.loader import Watch

FORMATS = {".nkcache": "cache", ".parquet": "parquet"}


@reads_data
def convert(
    data: DataArgument,
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="What to write: NAME.nkcache or NAME.parquet."),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it is there.")] = False,
    labels: Annotated[
        bool, typer.Option("--labels/--no-labels", help="Whether the data have labels.")
    ] = True,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Write the rows of DATA as a binary cache, or as a Parquet file.

    A cache, NAME.nkcache, is a folder of .npy arrays: every command takes it
    for DATA, and maps it into memory instead of parsing text. A Parquet file
    has a column for each feature.

    Example: novikoff convert example:iris-setosa iris.nkcache
    """
    kind = _format(out)
    if reading.cache is not None or reading.no_cache:
        raise ParameterError("--cache and --no-cache: convert writes OUT and nothing else")
    source = reading.open(data, labelled=labels)
    _refuse(source, data, out, force)
    began = time.perf_counter()
    try:
        with Progress(ProgressTask(), quiet or json) as progress:
            rows = _write(kind, source, out, progress.reading)
    except KeyboardInterrupt as error:
        typer.echo("novikoff: interrupted, nothing was written", err=True)
        raise typer.Exit(exit_code(error)) from None
    answer = {
        "data": data if len(data) > 1 else data[0],
        "output": str(out),
        "format": kind,
        "rows": rows.rows,
        "features": rows.features,
        "labels": None if rows.about.classes is None else len(rows.about.classes),
        "bytes": _size(out),
        "skipped": rows.skipped,
        "seconds": time.perf_counter() - began,
    }
    lines = [_summary(answer), *rows.notes()]
    typer.echo(json_text(answer) if json else "\n".join(lines))


def _write(kind: str, source: "Source", out: Path, watch: "Watch") -> "CacheSource":
    """Write the rows, and return them."""
    if kind == "parquet":
        from novikoff.data.cache.parquet_export import write_parquet

        return write_parquet(source, out, watch=watch)
    from novikoff.data.cache import write_named_cache

    return write_named_cache(source, out, watch=watch)


def _format(out: Path) -> str:
    kind = FORMATS.get(out.suffix.lower())
    if kind is None:
        known = " or ".join(FORMATS)
        raise ParameterError(f"OUT {out}: its name must end in {known}, to say what to write")
    return kind


def _refuse(source: "Source", data: list[str], out: Path, force: bool) -> None:
    """Refuse to write over the data, into them, or over anything without --force."""
    from novikoff.data.cache.writer import refuse_foreign

    options.refuse_overwriting([*source.paths, *data], {"OUT": out})
    folders = {Path(each).resolve() for each in data}
    if folders & set(out.resolve().parents):
        raise ParameterError(f"OUT {out}: that is inside the data; choose another name")
    if not out.absolute().parent.is_dir():
        raise ParameterError(f"OUT {out}: there is no folder {out.absolute().parent}")
    if out.exists() and not force:
        raise ParameterError(f"OUT {out}: it exists; pass --force to replace it")
    if FORMATS[out.suffix.lower()] == "cache":
        refuse_foreign(out)
    elif out.is_dir():
        raise ParameterError(f"OUT {out}: it is a folder; choose another name")


def _size(out: Path) -> int:
    files = out.iterdir() if out.is_dir() else [out]
    return sum(each.stat().st_size for each in files)


def _summary(answer: dict[str, Any]) -> str:
    rows, features, skipped = answer["rows"], answer["features"], answer["skipped"]
    left_out = f" ({count(skipped, 'bad row')} left out)" if skipped else ""
    return (
        f"{answer['output']}: {count(rows, 'row')}{left_out} of {count(features, 'feature')},"
        f" {in_bytes(answer['bytes'])}"
        f" in {answer['seconds']:.2f} s"
    )
