"""`novikoff fit`: learn from data, and say what happened."""

import contextlib
import json as json_format
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from novikoff.cli import clusters, options, reporting
from novikoff.cli.reading import DataArgument, Reading, reads_data
from novikoff.errors import ParameterError

EPOCHS = 1000
LONG = "Long runs"


@reads_data
def fit(
    data: DataArgument,
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
        typer.Option(
            min=1, help="The budget; standard input is read once.", show_default=str(EPOCHS)
        ),
    ] = None,
    order: options.OrderOption = options.Order.GIVEN,
    seed: options.SeedOption = 0,
    classes: Annotated[
        str | None,
        typer.Option(help="All labels of a stream, with commas between.", metavar="A,B,..."),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Keep the run in this file while it goes on, to --resume it.",
            dir_okay=False,
            rich_help_panel=LONG,
        ),
    ] = None,
    checkpoint_every: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            min=0.0,
            help="How often; in any case at Ctrl-C and SIGTERM.",
            rich_help_panel=LONG,
        ),
    ] = 60.0,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on from the --checkpoint, if it is there.", rich_help_panel=LONG
        ),
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Write the progress to this file, as JSON lines.",
            dir_okay=False,
            rich_help_panel=LONG,
        ),
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
    cluster: clusters.ClusterOption = None,
    workers: clusters.WorkersOption = None,
    shards: clusters.ShardsOption = None,
    mixing: clusters.MixingOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Learn a separator from labelled rows, epoch by epoch, until one passes without a mistake.

    A large file's rows are kept in binary beside it, so that its text is read only once; for a
    single epoch it is learned from as it is read. From standard input it learns online: each row
    once, predicted before its label is learned from; without --classes, rows wait until two labels
    have come.

    On a cluster each shard of the data learns for an epoch by itself, then their weights are mixed.
    The number of shards decides the result, and nothing else about the cluster does.

    Example: novikoff fit example:iris-setosa --save setosa.model
    """
    from novikoff.cli.keeping import Checkpointing
    from novikoff.cli.plans import Plan

    spread = clusters.chosen(cluster, workers, shards, mixing)
    source = reading.open(data) if spread is None else spread.source(data, reading)
    piped = not source.replayable
    proofs = {"--certificate": certificate, "--run-certificate": run_certificate}
    drawings = {"--report": report, "--plot": plot}
    skipped = source.asked.get("skipped_to")
    named = {
        "--save": save,
        "--checkpoint": checkpoint,
        "--log": log,
        "--skipped-to": None if skipped is None else Path(skipped),
        **proofs,
        **drawings,
    }
    options.refuse_overwriting(source.paths, named)
    _refuse_folders(named)
    kept = [name for name, path in (proofs | drawings).items() if path is not None]
    _refuse_contradictions(piped, kept, max_epochs, order, classes)
    _refuse_resuming(checkpoint, resume, kept)
    if spread is not None:
        _refuse_on_cluster(spread, drawings, run_certificate)
    reporting.refuse(report, plot)
    plan = Plan.of(rule, {"eta": eta, "tie": tie}, param or [], init, bias, unit_length, seed)
    plan = plan._replace(
        max_epochs=1 if piped else max_epochs or EPOCHS, order=order.value, quiet=quiet or json
    )
    kept_in = None
    if checkpoint is not None:
        kept_in = Checkpointing(checkpoint, checkpoint_every, resume)
    job = _Job(plan, source, kept_in, log, kept, classes)
    with job.at_home() if spread is None else job.on_cluster(spread) as done:
        result = done.result
        if save is not None:
            result.save(save)
        answer, text = result.as_json(save), [result.as_text(save)]
        if result.kept is not None:
            from novikoff.cli.proving import write_proofs

            written = write_proofs(result, certificate, run_certificate)
            answer |= written.as_json()
            text += written.told(" ".join(data))
    if done.drawn is not None:
        reporting.write(done.drawn.page(result, "\n".join(text)), report, plot)
    answer |= reporting.as_json(report, plot)
    text += reporting.told(report, plot)
    typer.echo(json_format.dumps(answer) if json else "\n".join(text))
    if result.interrupted:
        raise typer.Exit(done.exit_code)


class _Done(NamedTuple):
    """What came of it. drawn: what pictures are made of, if there are to be any."""

    result: Any
    exit_code: int
    drawn: reporting.Drawn | None = None


class _Job(NamedTuple):
    """Something to learn. kept: the options for which rows are kept."""

    plan: Any
    source: Any
    checkpointing: Any
    log: Path | None
    kept: list[str]
    classes: str | None

    @contextlib.contextmanager
    def at_home(self) -> Iterator[_Done]:
        """Learn on this machine."""
        from novikoff.cli.keeping import Tools
        from novikoff.cli.progress import Progress, Task
        from novikoff.sources.inputs import identity_of

        keeper = self._keeper()
        if keeper is not None:
            keeper.begin(identity_of(self.source))
        task = Task(max_epochs=self.plan.max_epochs if self.source.replayable else None)
        anew = keeper is None or keeper.found is None
        with Progress(task, self.plan.quiet, self.log, anew) as progress:
            result, drawn = self._learned(Tools(progress, keeper))
        yield _Done(result, progress.exit_code, drawn)

    def _learned(self, tools: Any) -> tuple[Any, reporting.Drawn | None]:
        from novikoff.cli.streaming import run_stream
        from novikoff.cli.training import run
        from novikoff.sources.settling import bytes_of, is_streamed

        plan, source, kept = self.plan, self.source, self.kept
        streamed = is_streamed(plan, source.format, source.cache, bytes_of(source)) and not kept
        if not source.replayable or streamed:
            return run_stream(plan, source, tools, self.classes), None
        drawn = reporting.Drawn(source) if {"--report", "--plot"} & set(kept) else None
        result = run(
            plan,
            source if drawn is None else drawn.source,
            tools,
            keep="--certificate" in kept,
            keep_run="--run-certificate" in kept,
            watch=None if drawn is None else drawn.watch,
        )
        return result, drawn

    @contextlib.contextmanager
    def on_cluster(self, cluster: clusters.Cluster) -> Iterator[_Done]:
        """Learn on a cluster, which is there as long as its rows may be asked for."""
        from novikoff.cli.cluster_fit import ClusterFit, ClusterProgress
        from novikoff.cli.progress import Task

        fitting = ClusterFit(self.plan, self.source, cluster, "--certificate" in self.kept)
        fitting.refuse()
        keeper = self._keeper()
        task = Task(max_epochs=self.plan.max_epochs)
        anew = keeper is None or keeper.found is None
        with contextlib.ExitStack() as stack:
            with ClusterProgress(task, self.plan.quiet, self.log, anew) as progress:
                progress.begin(cluster.starting)
                joined = stack.enter_context(cluster.joined())
                result = fitting.run(joined, progress, keeper)
            yield _Done(result, progress.exit_code)

    def _keeper(self) -> Any:
        return None if self.checkpointing is None else self.checkpointing.keeper(self.plan)


def _refuse_folders(named: dict[str, Path | None]) -> None:
    """Before anything is learned: a folder that is not there, a name that no file can have."""
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
    """What a stream that is read once cannot give, and what is for such a stream only."""
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
    spread: clusters.Cluster, drawings: dict[str, Path | None], run_certificate: Path | None
) -> None:
    """What only one machine can give."""
    spread.refuse(drawings, clusters.UNDRAWN)
    why = "its updates are not in one order, for every shard makes its own and they are mixed"
    spread.refuse({"--run-certificate": run_certificate}, why)


def _refuse_resuming(checkpoint: Path | None, resume: bool, kept: list[str]) -> None:
    if checkpoint is not None and kept:
        raise ParameterError(f"{kept[0]} needs the whole run, and --checkpoint is for parts of one")
    if resume and checkpoint is None:
        raise ParameterError("--resume goes on from a --checkpoint; name it")
