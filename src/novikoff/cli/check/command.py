"""`novikoff check`: separable or not, by how much, and which rows and coefficients matter."""

import contextlib
import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import cluster_options, options, report_options
from novikoff.cli.shared.cluster_options import RemoteData
from novikoff.cli.shared.data_options import DataArgument, DataOptions, DecimalOption, reads_data
from novikoff.cli.shared.progress.search_progress import SearchProgress, known_parts
from novikoff.cli.shared.progress.signals import exit_code
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError

if TYPE_CHECKING:
    from novikoff.cli.check.result import CheckQuestion, CheckResult
    from novikoff.data import Source
    from novikoff.verdict.suspects import Suspect

EXIT_CODES = {"separable": 0, "quasi-separable": 1, "inseparable": 1, "undecided": 3}


class FamilyChoice(enum.StrEnum):
    BINARY = "binary"
    BINOMIAL = "binomial"
    LOG_BINOMIAL = "log-binomial"
    POISSON = "poisson"
    MULTINOMIAL = "multinomial"
    CUMULATIVE = "cumulative"
    CONDITIONAL = "conditional"
    COX = "cox"


@reads_data
def check(
    data: DataArgument,
    bias: options.BiasOption = True,
    unit_length: options.ScaledOption = False,
    family: Annotated[
        FamilyChoice,
        options.question_option(
            metavar="FAMILY",
            help="The model. binary: two labels, logistic regression; binomial: successes of"
            " trials, or shares; log-binomial: risks; poisson: counts; multinomial: classes;"
            " cumulative: classes in order; conditional: cases and controls in strata; cox:"
            " times and events.",
        ),
    ] = FamilyChoice.BINARY,
    formula: options.FormulaOption = None,
    weights: options.WeightsOption = None,
    trials: options.TrialsOption = None,
    exposure: options.ExposureOption = None,
    strata: options.StrataOption = None,
    time: options.TimeOption = None,
    event: options.EventOption = None,
    entry: options.EntryOption = None,
    levels: options.LevelsOption = None,
    positive: options.PositiveOption = None,
    precision: Annotated[
        float | None,
        options.question_option(
            help="How narrow the margin's bracket must be, (upper - lower) / upper: 0 asks for"
            " the exact margin, 1 for the verdict alone.",
            show_default="exact where feasible, else 0.001",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        options.question_option(
            metavar="SECONDS",
            help="Stop after this long, with what has been proven by then.",
            show_default="none",
        ),
    ] = None,
    coefficients: Annotated[
        bool | None,
        options.question_option(
            "--coefficients/--no-coefficients",
            help="Say which coefficients of an unpenalised fit diverge.",
            show_default="up to 100 columns",
        ),
    ] = None,
    reference: Annotated[
        list[str] | None,
        options.question_option(
            metavar="COLUMN=LEVEL",
            help="The level of a column of words with which its others are compared; may be"
            " repeated.",
            show_default="the first in sorted order",
        ),
    ] = None,
    contrast: Annotated[
        list[str] | None,
        options.question_option(
            metavar="NAME=WEIGHT,...",
            help="Say whether this combination of coefficients diverges, such as x1=1,x2=-1;"
            " may be repeated.",
        ),
    ] = None,
    suspects: Annotated[
        int | None,
        options.question_option(
            metavar="N", min=1, help="List the N rows whose labels the other rows contradict most."
        ),
    ] = None,
    separated_to: Annotated[
        Path | None,
        options.question_option(
            metavar="FILE.csv", help="List the separated rows in this file.", dir_okay=False
        ),
    ] = None,
    limit_fit: Annotated[
        bool,
        options.question_option(
            "--limit-fit",
            help="Estimate what is finite, and give profile-likelihood intervals and tests of what"
            " diverges and of each --contrast; with the extra novikoff[stats].",
        ),
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option(help="Write the proof to this file.", dir_okay=False)
    ] = None,
    report: report_options.ReportOption = None,
    plot: report_options.PlotOption = None,
    cluster: cluster_options.ClusterOption = None,
    workers: cluster_options.WorkersOption = None,
    shards: cluster_options.FreeShardsOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Decide whether a hyperplane separates the rows, and prove it.

    More than two labels: whether all classes are jointly separable, and each against the rest.

    On a cluster the answer and its proof are the same, byte for byte.

    Exit codes: 0 separable, 1 not separable (inseparable, or quasi-separable), 3 undecided.

    Example: novikoff check example:iris-setosa --certificate setosa.json
    """
    from novikoff.cli.check.result import CheckQuestion
    from novikoff.cli.check.separated_rows import write_separated
    from novikoff.cli.shared.design import design_line
    from novikoff.verdict.account.text import format_verdict

    chosen = cluster_options.cluster_from_options(cluster, workers, shards)
    files = report_options.ReportFiles(report, plot)
    roles = options.given(
        weights=weights,
        trials=trials,
        exposure=exposure,
        strata=strata,
        time=time,
        event=event,
        entry=entry,
    )
    if chosen is not None:
        refused = {f"--{name}": True for name in roles} | {"--formula": formula is not None}
        chosen.refuse({"--decimal": decimal}, cluster_options.INEXACT)
        chosen.refuse(refused, cluster_options.ROLES)
        chosen.refuse(files.by_option, cluster_options.UNDRAWN)
        chosen.refuse({"--suspects": suspects is not None}, cluster_options.RANKED)
        chosen.refuse({"--limit-fit": limit_fit}, cluster_options.FITTED)
    asked: dict[str, Any] = {
        "fit_intercept": bias,
        "unit_length": unit_length,
        "family": family.value,
        "precision": precision,
        "time_limit": time_limit,
        "reference": _references(reference or []),
    }
    source, more = _open(data, formula, roles, reading, decimal, chosen)
    asked |= more | {"fit_intercept": bias and more.get("fit_intercept", True)}
    written_to = {"--certificate": certificate, "--separated-to": separated_to}
    options.refuse_overwriting(source.paths, {**written_to, **files.by_option})
    _refuse_folders(written_to)
    files.refuse()
    _refuse_drawing(files, family, roles)
    spelled = "" if chosen is None else reading.spelled
    if formula is not None:  # the certificate's has all names that --columns and --drop left
        spelled = DataOptions(delimiter=reading.delimiter).spelled
    question = CheckQuestion(
        asked, positive, contrast or [], coefficients, levels, spelled, files.wanted
    )
    with contextlib.ExitStack() as stack:
        try:
            with SearchProgress(quiet or json) as progress:
                found = _decide(question, source, stack, progress)
        except KeyboardInterrupt as error:
            proven = [] if progress.stage is None else known_parts(progress.stage)
            words = ["novikoff: interrupted", *(part.wide for part in proven)]
            typer.echo(", ".join(words), err=True)
            raise typer.Exit(exit_code(error)) from None
        proof = found.verdict.certificate
        written = certificate if proof is not None else None
        if proof is not None and written is not None:
            proof.write(written)
        text, answer = format_verdict(found, certificate), found.as_json(written)
        if formula is not None and written is not None:
            text += f"\n{design_line(data, asked['reading'], spelled)}"
        if separated_to is not None:
            text += f"\n{write_separated(found, separated_to)}"
        ranked: list[Suspect] = []
        if suspects is not None:
            from novikoff.cli.check.suspects import add_suspects

            ranked, text, answer = add_suspects(found, question, suspects, text, answer)
        if limit_fit:
            from novikoff.cli.check.limit_fit import add_limit_fit

            text, answer = add_limit_fit(found, question, text, answer)
    if files.wanted:
        from novikoff.cli.check.page import check_page

        asks_of_fit = limit_fit or formula is not None or bool(contrast)
        files.write(check_page(found, text, ranked, asks_of_fit))
    answer |= files.as_json()
    show(json_text(answer) if json else "\n".join([text, *files.lines()]), plain=json)
    raise typer.Exit(EXIT_CODES[found.verdict.outcome])


def _open(
    data: list[str],
    formula: str | None,
    roles: dict[str, str],
    reading: DataOptions,
    decimal: bool,
    cluster: cluster_options.Cluster | None,
) -> "tuple[Source | RemoteData, dict[str, Any]]":
    """The rows, and what `nk.check` is to know of them besides."""
    if formula is not None:
        from novikoff.cli.shared.design import design_of

        design = design_of(data, formula, roles, reading)
        more = {"reading": design.reading, "levels": design.levels}
        return design.rows, roles | more | {"fit_intercept": design.intercept}
    if cluster is not None:
        return cluster.source(data, reading), {}
    source = reading.with_event(roles.get("event")).open(data, decimal=decimal)
    return source, roles | {"reading": (reading.as_reading() | roles) or None}


def _refuse_folders(written_to: dict[str, Path | None]) -> None:
    for option, path in written_to.items():
        if path is not None and not path.absolute().parent.is_dir():
            raise ParameterError(f"{option} {path}: there is no folder {path.absolute().parent}")


def _refuse_drawing(
    files: report_options.ReportFiles, family: FamilyChoice, roles: dict[str, str]
) -> None:
    if files.wanted and (roles or family not in (FamilyChoice.BINARY, FamilyChoice.POISSON)):
        raise ParameterError(
            "--report and --plot draw all rows beside one hyperplane, which is for two labels or"
            " counts without roles: leave them out"
        )


def _references(words: list[str]) -> dict[str, str]:
    """The reference level of each column that one is asked for."""
    for word in words:
        if "=" not in word:
            raise ParameterError(f"--reference {word}: expected COLUMN=LEVEL, such as dose=low")
    return {column: level for column, _, level in (word.partition("=") for word in words)}


def _decide(
    question: "CheckQuestion",
    source: "Source | RemoteData",
    stack: contextlib.ExitStack,
    progress: SearchProgress,
) -> "CheckResult":
    """Decide, here or on a cluster that `stack` will leave."""
    from novikoff.cli.check.result import run_check

    if not isinstance(source, RemoteData):
        return run_check(question, source, progress)
    from novikoff.cli.check.on_cluster import check_on_cluster, refuse_early
    from novikoff.cli.shared.cluster_session import session

    refuse_early(question)
    return check_on_cluster(question, stack.enter_context(session(source, progress)))
