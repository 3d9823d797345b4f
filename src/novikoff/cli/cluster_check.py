"""What `check` and `verify` do on a cluster: the same questions, to rows that stay with workers."""

import math
import time
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novikoff.cli.clusters import Cluster, Distant, list_skipped
from novikoff.cli.contrasts import Columns
from novikoff.cli.findings import Findings, Question, as_label, looked_on, refuse_width
from novikoff.cli.watching import Watching
from novikoff.cluster.crew import Crew
from novikoff.cluster.data import Data, gathered
from novikoff.cluster.judging import signed_rows
from novikoff.cluster.judging import verify as verify_rows
from novikoff.cluster.site import Site
from novikoff.errors import DataError
from novikoff.signed import refuse_family
from novikoff.sources import Source
from novikoff.sources import open as open_source
from novikoff.sources.shards import cut
from novikoff.verdict.judge import Judge, refuse_limits
from novikoff.verdict.result import UNDECIDED, Stage


class ClusterSource:
    """Rows on a cluster, as much of them as an account of a verdict needs; see `findings.Kept`."""

    def __init__(self, data: Data, signed: Any, spelled: str) -> None:
        self.name, self.skipped, self.spelled = data.name, data.skipped, spelled
        self._data, self._signed = data, signed
        self._several = len(data.outline.identity["files"]) > 1
        self.by_number = signed.lines is None or self._several

    def remarks(self) -> list[str]:
        """As the workers' sources have them."""
        return self._data.remarks()

    def where(self, row: int) -> str:
        """The row's place as a person finds it: by line, and by file if there are several."""
        places = self._signed.places([row])
        if places is None:
            return f"row {row}"
        ((name, line),) = places
        return f"row {row}, {name} line {line}" if self._several else f"line {line}"


class Labels:
    """The label of a row, asked for when it is wanted."""

    def __init__(self, data: Data) -> None:
        self._data = data

    def __getitem__(self, row: int) -> Any:
        firsts = self._data.layout.firsts
        k = int(np.searchsorted(firsts, row, "right")) - 1
        (label,) = self._data.crew.ask(_label, row - firsts[k], only=[k])
        return label


def _label(site: Site, row: int) -> Any:
    return site.labels()[row]


def refuse_early(question: Question) -> None:
    """Before a cluster is started."""
    options = question.options
    refuse_limits(options["precision"], options["time_limit"])
    refuse_family(options["family"], options["unit_length"], question.positive)


class OnCluster(NamedTuple):
    """Data on a cluster, and who watches."""

    source: Distant
    cluster: Cluster
    joined: Any
    progress: Watching

    def cut(self, ask: Callable[[int | None], Any]) -> Any:
        """What ask(shards) gives. Shards change no answer, so that each worker gets one, if the
        data can be cut so.
        """
        with self.cluster.explained(self.source):
            shards, workers = self.cluster.shards, self.joined.workers
            more = None
            if shards is None and workers > 1:
                crew = Crew(self.joined.client, [], self.progress.glance)
                more = crew.anywhere(more_shards, *self.source.unopened, workers)
            if more is None:
                return ask(shards)
            try:
                return ask(more)
            except DataError:
                # With line ends in quotes, there are fewer places to cut at than it seemed.
                self.progress.shards = 0
                return ask(None)


def more_shards(paths: Any, options: dict[str, Any], workers: int) -> int | None:
    """As many as there are workers, or as there can be, if these are more than the size of the data
    suggests; found out by a worker.
    """
    source = open_source(paths, **options)
    by_size = len(cut(source))
    if by_size >= workers:
        return None
    if not _too_many(source, workers):
        return workers
    between = range(by_size + 1, workers)
    found = bisect_left(between, True, key=lambda shards: _too_many(source, shards))
    return by_size + found if found else None


def _too_many(source: Source, shards: int) -> bool:
    try:
        cut(source, shards)
    except DataError:
        return True
    return False


def investigate_on_cluster(question: Question, far: OnCluster) -> Findings:
    """Have the workers read the rows, and answer; as `findings.investigate`."""
    source, watch = far.source, far.progress.watch
    watch(Stage("reading", None, 0.0, math.inf, 0))
    known = {"labels": question.options["family"] == "binary", "watch": far.progress.glance}
    data = far.cut(
        lambda shards: gathered(far.joined.client, source.unopened, shards=shards, **known)
    )
    list_skipped(data, source.asked.get("skipped_to"))
    layout, options = data.layout, dict(question.options)
    columns = Columns(layout.names, layout.features, options["fit_intercept"])
    weights = [columns.weights(text) for text in question.contrasts]
    refuse_width(question, layout.features)
    limits = options.pop("precision"), options.pop("time_limit")
    options["positive"] = as_label(question.positive, layout.classes)
    began = time.perf_counter()
    signed = signed_rows(data, **options)
    verdict = Judge(signed, *limits, watch).verdict()
    paths = source.unopened.paths
    spelled = paths if isinstance(paths, str) else " ".join(paths)
    kept: Any = ClusterSource(data, signed, spelled)
    labels = Labels(data)
    found = Findings(kept, labels, verdict, None, None, None, time.perf_counter() - began)
    return found if verdict.outcome == UNDECIDED else looked_on(found, question, weights, watch)


def verify_on_cluster(proof: Any, far: OnCluster) -> Any:
    """Check a certificate against rows on a cluster."""
    far.progress.begin("verifying")
    rows = proof, far.source.unopened, far.joined.client
    return far.cut(lambda shards: verify_rows(*rows, shards=shards, glance=far.progress.glance))
