"""`novikoff check`: separable or not, by how much, and which rows and coefficients matter."""

import contextlib
import enum
import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import clusters, options, reporting
from novikoff.cli.reading import DataArgument, DecimalOption, Reading, reads_data
from novikoff.cli.signals import exit_code
from novikoff.cli.watching import Watching, known
from novikoff.errors import ParameterError

EXIT_CODES = {"separable": 0, "quasi-separable": 1, "inseparable": 1, "undecided": 3}


class Family(enum.StrEnum):
    BINARY = "binary"
    POISSON = "poisson"


@reads_data
def check(
    data: DataArgument,
    bias: options.BiasOption = True,
    unit_length: options.ScaledOption = False,
    family: Annotated[
        Family,
        typer.Option(
            help="binary: two labels, logistic regression; poisson: counts.",
            rich_help_panel=options.QUESTION,
        ),
    ] = Family.BINARY,
    positive: options.PositiveOption = None,
    precision: Annotated[
        float | None,
        typer.Option(
            help="How narrow the margin's bracket must be, (upper - lower) / upper: 0 asks for"
            " the exact margin, 1 for the verdict alone.",
            show_default="exact where feasible, else 0.001",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Stop after so long, with what is proven by then.",
            show_default="none",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    coefficients: Annotated[
        bool | None,
        typer.Option(
            "--coefficients/--no-coefficients",
            help="Say which coefficients of an unpenalised fit diverge.",
            show_default="up to 100 columns",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    contrast: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=WEIGHT,...",
            help="Say whether this combination of coefficients diverges, such as x1=1,x2=-1;"
            " may be repeated.",
            rich_help_panel=options.QUESTION,
        ),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write the proof to this file.", dir_okay=False)
    ] = None,
    report: reporting.ReportOption = None,
    plot: reporting.PlotOption = None,
    cluster: clusters.ClusterOption = None,
    workers: clusters.WorkersOption = None,
    shards: clusters.FreeShardsOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Decide whether a hyperplane separates the rows, and prove it.

    On a cluster the answer and its proof are the same, byte for byte.

    Exit codes: 0 separable, 1 not separable (inseparable, or quasi-separable), 3 undecided.

    Example: novikoff check example:iris-setosa --certificate setosa.json
    """
    from novikoff.cli.findings import Question
    from novikoff.cli.telling import tell

    spread = clusters.chosen(cluster, workers, shards)
    if spread is None:
        source = reading.open(data, decimal=decimal)
    else:
        clusters.refuse_decimal(spread, decimal)
        spread.refuse({"--report": report, "--plot": plot}, clusters.UNDRAWN)
        source = spread.source(data, reading)
    named = {"--certificate": certificate, "--report": report, "--plot": plot}
    options.refuse_overwriting(source.paths, named)
    if certificate is not None and not certificate.absolute().parent.is_dir():
        folder = certificate.absolute().parent
        raise ParameterError(f"--certificate {certificate}: there is no folder {folder}")
    reporting.refuse(report, plot)
    asked = {
        "fit_intercept": bias,
        "unit_length": unit_length,
        "family": family.value,
        "precision": precision,
        "time_limit": time_limit,
    }
    question = Question(asked, positive, contrast or [], coefficients)
    with contextlib.ExitStack() as stack:
        try:
            with Watching(quiet or json) as progress:
                found = _found(question, source, spread, stack, progress)
        except KeyboardInterrupt as error:
            typer.echo(", ".join(["novikoff: interrupted", *_proven(progress)]), err=True)
            raise typer.Exit(exit_code(error)) from None
        written = certificate if found.verdict.certificate is not None else None
        if written is not None:
            found.verdict.certificate.write(written)
        text, answer = tell(found, certificate), found.as_json(written)
    if report is not None or plot is not None:
        reporting.write(reporting.check_page(found, text), report, plot)
    answer |= reporting.as_json(report, plot)
    lines = [text, *reporting.told(report, plot)]
    typer.echo(json_format.dumps(answer) if json else "\n".join(lines))
    raise typer.Exit(EXIT_CODES[found.verdict.outcome])


def _found(
    question: Any,
    source: Any,
    spread: clusters.Cluster | None,
    stack: contextlib.ExitStack,
    progress: Watching,
) -> Any:
    """The verdict and what else was asked for, here or on a cluster that `stack` will leave."""
    from novikoff.cli.findings import investigate

    if spread is None:
        return investigate(question, source, progress.watch)
    from novikoff.cli.cluster_check import OnCluster, investigate_on_cluster, refuse_early

    refuse_early(question)
    progress.begin(spread.starting)
    joined = stack.enter_context(spread.joined())
    progress.welcome(joined.dashboard)
    return investigate_on_cluster(question, OnCluster(source, spread, joined, progress))


def _proven(progress: Watching) -> list[str]:
    return [] if progress.stage is None else known(progress.stage)
