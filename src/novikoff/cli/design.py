"""`novikoff design`: the columns that a formula makes of a table, as a file."""

from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, reads_data
from novikoff.number_text import count


@reads_data
def design(
    data: DataArgument,
    formula: Annotated[
        str, typer.Option(help="Outcome and terms, such as 'low ~ age + C(race)*smoke'.")
    ],
    output: Annotated[Path, typer.Option(help="The CSV file to write.", dir_okay=False)],
    weights: options.WeightsOption = None,
    trials: options.TrialsOption = None,
    exposure: options.ExposureOption = None,
    strata: options.StrataOption = None,
    time: options.TimeOption = None,
    event: options.EventOption = None,
    entry: options.EntryOption = None,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Write the design of a formula, with its outcome and its roles, as CSV.

    This is what a certificate of `check --formula` is about, and is checked against.

    Example: novikoff design births.csv --formula 'low ~ age + C(race)' --output design.csv
    """
    from novikoff.cli.shared.design import design_of
    from novikoff.data.formula.table_file import write_design

    options.refuse_overwriting(data, {"--output": output})
    roles = options.given(
        weights=weights,
        trials=trials,
        exposure=exposure,
        strata=strata,
        time=time,
        event=event,
        entry=entry,
    )
    found = design_of(data, formula, roles, reading)
    write_design(found, output)
    rows, columns = found.rows.chunk.X.shape
    typer.echo(f"{output}: {count(rows, 'row')}, {count(columns, 'column')} and the outcome")
    for note in found.rows.notes():
        typer.echo(f"Note: {note}")
