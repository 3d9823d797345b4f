"""`novikoff fit`: learn from data, and say what happened."""

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli import options, reporting
from novikoff.errors import ParameterError

EPOCHS = 1000
STREAM_ROWS = 512  # rows learned from a stream before anything is said of them


def fit(
    data: Annotated[str, typer.Argument(help=options.DATA_HELP)],
    rule: Annotated[
        str,
        typer.Option(
            help="perceptron, one-sided, averaged, voted, margin, passive-aggressive,"
            " second-order, winnow or balanced-winnow.",
            rich_help_panel=options.RULE,
        ),
    ] = "perceptron",
    eta: options.EtaOption = None,
    tie: options.TieOption = None,
    param: options.ParamOption = None,
    init: options.InitOption = "zeros",
    bias: options.LearnBiasOption = None,
    unit_length: options.UnitLengthOption = False,
    max_epochs: Annotated[
        int | None,
        typer.Option(min=1, help="The budget; a stream is read once.", show_default=str(EPOCHS)),
    ] = None,
    order: options.OrderOption = options.Order.GIVEN,
    seed: options.SeedOption = 0,
    classes: Annotated[
        str | None,
        typer.Option(help="All labels of a stream, with commas between.", metavar="A,B,..."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the model to this file.", dir_okay=False)
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write a proof to this file: that the rows are separable, by the weights found; if"
            " the run shows no such thing, of the verdict.",
            dir_okay=False,
        ),
    ] = None,
    run_certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write a proof of the run to this file: every update of the perceptron, in order.",
            dir_okay=False,
        ),
    ] = None,
    report: reporting.ReportOption = None,
    plot: reporting.PlotOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    format: options.FormatOption = None,
    target: options.TargetOption = None,
    header: options.HeaderOption = None,
    delimiter: options.DelimiterOption = None,
    zero_based: options.ZeroBasedOption = None,
) -> None:
    """Learn a separator from labelled rows, epoch by epoch, until one passes without a mistake.

    From standard input it learns online: each row once, predicted before its label is learned
    from. Without --classes, rows wait until two labels have come.

    Example: novikoff fit example:iris-setosa --save setosa.model
    """
    from novikoff.cli.streaming import run_stream
    from novikoff.cli.training import Plan, run

    source = options.open_source(data, format, target, header, delimiter, zero_based)
    named = {"--save": save, "--certificate": certificate, "--run-certificate": run_certificate}
    _refuse_paths(data, named | {"--report": report, "--plot": plot})
    reporting.refuse(report, plot)
    if data == "-" and max_epochs not in (None, 1):
        raise ParameterError(
            f"--max-epochs {max_epochs}: standard input can be read only once;"
            " save it to a file first"
        )
    if data == "-" and order is options.Order.SHUFFLE:
        raise ParameterError("--order shuffle: a stream is learned in the order in which it comes")
    if data != "-" and classes is not None:
        raise ParameterError("--classes is for standard input; a file's labels are read first")
    plan = Plan.of(rule, {"eta": eta, "tie": tie}, param or [], init, bias, unit_length, seed)
    plan = plan._replace(max_epochs=max_epochs or EPOCHS, order=order.value, quiet=quiet or json)
    drawn = None
    if data == "-":
        result = run_stream(plan, source, classes, STREAM_ROWS)
    else:
        if report is not None or plot is not None:
            drawn = reporting.Drawn(source)
        result = run(
            plan,
            source if drawn is None else drawn.source,
            keep=certificate is not None,
            keep_run=run_certificate is not None,
            watch=None if drawn is None else drawn.watch,
        )
    if save is not None:
        result.save(save)
    answer, text = result.as_json(save), [result.as_text(save)]
    if result.kept is not None:
        from novikoff.cli.proving import write_proofs

        proofs = write_proofs(result, certificate, run_certificate)
        answer |= proofs.as_json()
        text += proofs.told(data)
    if drawn is not None:
        reporting.write(drawn.page(result, "\n".join(text)), report, plot)
    answer |= reporting.as_json(report, plot)
    text += reporting.told(report, plot)
    typer.echo(json_format.dumps(answer) if json else "\n".join(text))
    if result.interrupted:
        raise typer.Exit(130)


def _refuse_paths(data: str, named: dict[str, Path | None]) -> None:
    """Before anything is learned: a folder that is not there, a proof of what is not kept."""
    options.refuse_overwriting(data, named)
    for name, path in named.items():
        if path is None:
            continue
        if not path.absolute().parent.is_dir():
            raise ParameterError(f"{name} {path}: there is no folder {path.absolute().parent}")
        if name in ("--report", "--plot") and data == "-":
            raise ParameterError(
                f"{name}: rows from a stream are not kept, so there is nothing to draw; save them"
                " to a file first"
            )
        if name != "--save" and data == "-":
            raise ParameterError(f"{name}: rows from a stream are not kept, so nothing is proven")
