"""A run of `check` on a cluster: the same questions, about rows that stay with workers."""

from functools import partial

from novikoff.cli.check.result import CheckQuestion, CheckResult, answer
from novikoff.cli.shared.cluster_options import list_skipped
from novikoff.cli.shared.cluster_session import ClusterSession
from novikoff.cluster.distributed_check import check
from novikoff.cluster.workers.dataset import load_dataset
from novikoff.verdict.judge import refuse_limits
from novikoff.verdict.signed import refuse_family


def refuse_early(question: CheckQuestion) -> None:
    """Refuse options that contradict each other, before a cluster is started."""
    options = question.options
    refuse_limits(options["precision"], options["time_limit"])
    refuse_family(options["family"], options["unit_length"], question.positive)


def check_on_cluster(question: CheckQuestion, session: ClusterSession) -> CheckResult:
    """Have the workers read the rows, and answer: see `run_check`."""
    source, client, progress = session.source, session.connection.client, session.progress
    progress.begin("reading")
    labels = question.options["family"] == "binary"
    data = session.with_best_shard_count(
        lambda shards: load_dataset(
            client, source.unopened, shards=shards, labels=labels, watch=progress.glance
        )
    )
    list_skipped(data, source.opening.options.get("skipped_to"))
    paths = source.unopened.paths
    spelled = (paths if isinstance(paths, str) else " ".join(paths)) + question.spelled
    decide = partial(check, data, client)
    return answer(question, data, spelled, data.layout.classes, decide, progress.watch)
