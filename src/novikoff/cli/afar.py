"""What `check` and `verify` do on a cluster: the same questions, to rows that stay with workers."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.cli.clusters import Cluster, Distant, list_skipped
from novikoff.cli.contrasts import Columns
from novikoff.cli.findings import Findings, Question, as_label, looked_on, refuse_width
from novikoff.cluster.data import Data, gathered
from novikoff.cluster.judging import signed_rows
from novikoff.cluster.judging import verify as verify_rows
from novikoff.cluster.site import Site
from novikoff.signed import refuse_family
from novikoff.verdict.judge import Judge, refuse_limits
from novikoff.verdict.result import UNDECIDED, Stage, Watch

Glance = Callable[[Any], None]


class Afar:
    """Rows on a cluster, as much of them as an account of a verdict needs; see `findings.Kept`."""

    def __init__(self, data: Data, signed: Any, spelled: str) -> None:
        self.name, self.skipped, self.spelled = data.name, data.skipped, spelled
        self._data, self._signed = data, signed
        self._several = len(data.plan.identity["files"]) > 1
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


def investigate_afar(
    question: Question, source: Distant, cluster: Cluster, client: Any, watch: Watch, glance: Glance
) -> Findings:
    """Have the workers read the rows, and answer; as `findings.investigate`."""
    watch(Stage("reading", None, 0.0, math.inf, 0))
    binary = question.options["family"] == "binary"
    data = gathered(client, source.unopened, shards=cluster.shards, labels=binary, watch=glance)
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
    kept: Any = Afar(data, signed, spelled)
    labels = Labels(data)
    found = Findings(kept, labels, verdict, None, None, None, time.perf_counter() - began)
    return found if verdict.outcome == UNDECIDED else looked_on(found, question, weights, watch)


def verify_afar(proof: Any, source: Distant, cluster: Cluster, client: Any, glance: Glance) -> Any:
    """Check a certificate against rows on a cluster."""
    return verify_rows(proof, source.unopened, client, shards=cluster.shards, glance=glance)
