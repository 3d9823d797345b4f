"""`novikoff fit`: learn from data, and say what happened."""

from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli.shared import cluster_options, options, report_options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, reads_data
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text
from novikoff.errors import ParameterError

EPOCHS = 1000
long_run_option = options.panel("Long runs")


@reads_data
def fit(
    data: DataArgument,
    rule: Annotated[
        str,
        options.rule_option(
            help="perceptron, one-sided, averaged, voted, margin, passive-aggressive,"
            " multiclass, second-order, winnow or balanced-winnow."
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
        typer.Option(
            min=1, help="The budget; standard input is read once.", show_default=str(EPOCHS)
        ),
    ] = None,
    stop: options.StopOption = options.StopChoice.PROVEN,
    order: options.OrderOption = options.Order.GIVEN,
    seed: options.SeedOption = 0,
    classes: Annotated[
        str | None,
        typer.Option(help="All labels of a stream, with commas between.", metavar="A,B,..."),
    ] = None,
    class_weight: options.ClassWeightOption = None,
    checkpoint: Annotated[
        Path | None,
        long_run_option(help="Save the run to this file as it goes, for --resume.", dir_okay=False),
    ] = None,
    checkpoint_every: Annotated[
        float,
        long_run_option(
            metavar="SECONDS", min=0.0, help="How often; always at Ctrl-C and SIGTERM."
        ),
    ] = 60.0,
    resume: Annotated[
        bool, long_run_option("--resume", help="Continue from the --checkpoint, if there is one.")
    ] = False,
    log: Annotated[
        Path | None,
        long_run_option(help="Write the progress to this file, as JSON lines.", dir_okay=False),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the model to this file.", dir_okay=False)
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write a proof to this file: that the weights found separate the rows; if they do"
            " not, a proof of the verdict.",
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
    report: report_options.ReportOption = None,
    plot: report_options.PlotOption = None,
    cluster: cluster_options.ClusterOption = None,
    workers: cluster_options.WorkersOption = None,
    shards: cluster_options.ShardsOption = None,
    mixing: cluster_options.MixingOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Learn a separator from labelled rows, epoch by epoch, until one passes without a mistake.

    A large file's rows are kept in binary beside it, so that its text is read only once; a single
    epoch learns while it reads. Standard input is learned online: each row once, and predicted
    before its label is used; without --classes, rows wait until two labels have come.

    On a cluster each shard of the data learns for an epoch by itself, then their weights are mixed.
    The number of shards decides the result, and nothing else about the cluster does.

    Example: novikoff fit example:iris-setosa --save setosa.model
    """
    from novikoff.cli.fit.job import CheckpointOptions, FitJob
    from novikoff.cli.shared.spec_options import spec_from_options
    from novikoff.data.files.parallel import processors

    chosen = cluster_options.cluster_from_options(cluster, workers, shards, mixing)
    source = chosen.source(data, reading) if chosen else reading.open(data)
    piped = not source.replayable
    proofs = {"--certificate": certificate, "--run-certificate": run_certificate}
    files = report_options.ReportFiles(report, plot)
    skipped = source.opening.options.get("skipped_to")
    named = {
        "--save": save,
        "--checkpoint": checkpoint,
        "--log": log,
        "--skipped-to": None if skipped is None else Path(skipped),
        **proofs,
        **files.by_option,
    }
    options.refuse_overwriting(source.paths, named)
    _refuse_folders(named)
    kept = [name for name, path in (proofs | files.by_option).items() if path is not None]
    _refuse_contradictions(piped, kept, max_epochs, order, classes)
    _refuse_resuming(checkpoint, resume, kept)
    if chosen is not None:
        _refuse_on_cluster(chosen, files, run_certificate)
    files.refuse()
    spec = spec_from_options(
        rule,
        {"eta": eta, "tie": tie},
        param or [],
        init,
        bias,
        unit_length,
        seed,
        max_epochs=1 if piped else max_epochs or EPOCHS,
        order=order.value,
        class_weight=options.as_class_weight(class_weight),
    )._replace(stop=stop.value, threads=processors())
    if piped:
        spec.require_known_class_weights("a stream")
    if class_weight is not None:
        _refuse_weighted(kept)
    kept_in = None
    if checkpoint is not None:
        kept_in = CheckpointOptions(checkpoint, checkpoint_every, resume)
    job = FitJob(spec, kept_in, log, kept, quiet or json)
    if isinstance(source, cluster_options.RemoteData):
        running = job.run_on_cluster(source)
    else:
        running = job.run_locally(source, classes)
    with running as done:
        result = done.result
        if save is not None:
            result.save(save)
        answer, text = result.as_json(save), [result.as_text(save)]
        if result.provable is not None:
            from novikoff.cli.fit.certificates import write_proofs

            written = write_proofs(result, certificate, run_certificate)
            answer |= written.as_json()
            text += written.lines(" ".join(data))
    if done.recorder is not None:
        files.write(done.recorder.page(result, "\n".join(text)))
    answer |= files.as_json()
    text += files.lines()
    show(json_text(answer) if json else "\n".join(text), plain=json)
    if result.interrupted:
        raise typer.Exit(done.exit_code)


def _refuse_folders(named: dict[str, Path | None]) -> None:
    """Refuse folders that are not there and names that no file can have, before any training."""
    for name, path in named.items():
        if path is not None and not path.absolute().parent.is_dir():
            raise ParameterError(f"{name} {path}: there is no folder {path.absolute().parent}")
        if path is not None and name != "--log" and path.exists() and not path.is_file():
            raise ParameterError(f"{name} {path}: that is not a regular file; choose another name")


def _refuse_contradictions(
    piped: bool,
    kept: list[str],
    max_epochs: int | None,
    order: options.Order,
    classes: str | None,
) -> None:
    """Refuse what a stream that is read once cannot give, and what is for such a stream only."""
    if not piped:
        if classes is not None:
            raise ParameterError("--classes is for standard input; a file's labels are read first")
        return
    if max_epochs not in (None, 1):
        raise ParameterError(
            f"--max-epochs {max_epochs}: standard input can be read only once;"
            " save it to a file first"
        )
    if order is options.Order.SHUFFLE:
        raise ParameterError("--order shuffle: a stream is learned in the order in which it comes")
    for name in kept:
        drawn = name in ("--report", "--plot")
        what = "there is nothing to draw" if drawn else "nothing is proven"
        raise ParameterError(
            f"{name}: rows from a stream are not kept, so {what}; save them to a file first"
        )


def _refuse_on_cluster(
    cluster: cluster_options.Cluster,
    files: report_options.ReportFiles,
    run_certificate: Path | None,
) -> None:
    """Refuse what only one machine can give."""
    cluster.refuse(files.by_option, cluster_options.UNDRAWN)
    why = "its updates are not in one order, for every shard makes its own and they are mixed"
    cluster.refuse({"--run-certificate": run_certificate}, why)


def _refuse_weighted(kept: list[str]) -> None:
    """Refuse, before any training, what is about rows as they are."""
    for name in set(kept) - {"--certificate"}:
        raise ParameterError(
            f"{name} is about rows as they are, and --class-weight makes them longer or shorter;"
            " leave one of the two out"
        )


def _refuse_resuming(checkpoint: Path | None, resume: bool, kept: list[str]) -> None:
    if checkpoint is not None and kept:
        raise ParameterError(f"{kept[0]} needs the whole run, and --checkpoint is for parts of one")
    if resume and checkpoint is None:
        raise ParameterError("--resume goes on from a --checkpoint; name it")
