"""What is counted about requests, and all counts in Prometheus' text format."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from novikoff.serve.service import Service

KIND = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counts of requests by route and status, and a histogram of what they took."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.rows: Counter[str] = Counter()
        self.buckets = [0] * (len(SECONDS) + 1)
        self.seconds = 0.0

    def add(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[route, status] += 1
        self.buckets[bisect_left(SECONDS, seconds)] += 1
        self.seconds += seconds

    def quantile(self, share: float) -> float | None:
        """A number of seconds within which this share of the requests was answered."""
        total, seen = sum(self.buckets), 0
        for edge, number in zip(SECONDS, self.buckets, strict=False):
            seen += number
            if total and seen >= share * total:
                return edge
        return None

    def text(self, service: Service) -> str:
        """All of it, and the counts of the models."""
        return "\n".join([*self._request_lines(), *_model_lines(service), ""])

    def _request_lines(self) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Requests answered.")
        for (route, status), number in sorted(self.requests.items()):
            yield f'novikoff_requests_total{{route="{route}",status="{status}"}} {number}'
        yield from _head("rows_total", "counter", "Rows answered, those of batches included.")
        for route, number in sorted(self.rows.items()):
            yield f'novikoff_rows_total{{route="{route}"}} {number}'
        yield from _head("request_seconds", "histogram", "What requests took, streams excepted.")
        seen = 0
        for edge, number in zip((*SECONDS, "+Inf"), self.buckets, strict=True):
            seen += number
            yield f'novikoff_request_seconds_bucket{{le="{edge}"}} {seen}'
        yield f"novikoff_request_seconds_sum {self.seconds!r}"
        yield f"novikoff_request_seconds_count {seen}"


def _head(name: str, kind: str, words: str) -> tuple[str, str]:
    return f"# HELP novikoff_{name} {words}", f"# TYPE novikoff_{name} {kind}"


def _model_lines(service: Service) -> Iterator[str]:
    states = {name: service.state(model) for name, model in service.models.items()}
    for key, name, kind, words in (
        ("seen", "labels_total", "counter", "Labels learned from."),
        ("mistakes", "mistakes_total", "counter", "Served predictions that were wrong."),
        ("updates", "updates_total", "counter", "Moves of the weights."),
        ("majority_mistakes", "majority_mistakes_total", "counter", "Mistakes of a baseline."),
        ("refused", "refused_total", "counter", "Labels that could not be learned from."),
        ("pending", "pending", "gauge", "Predictions that wait for their labels."),
        ("margin_ceiling", "margin_ceiling", "gauge", "No separator's margin exceeds it."),
        ("radius", "radius", "gauge", "The length of the longest row."),
    ):
        yield from _head(name, kind, words)
        for model, state in states.items():
            if state[key] is not None:
                yield f'novikoff_{name}{{model="{model}"}} {float(state[key])!r}'
    yield from _head("behind", "gauge", "Labels in the journal that are not learned yet.")
    yield f"novikoff_behind {service.behind}"
    yield from _head("learning", "gauge", "1 if labels can be taken, 0 if not.")
    yield f"novikoff_learning {int(service.problem is None)}"
    yield from _head("commits_total", "counter", "Commits of the journal.")
    yield f"novikoff_commits_total {service.commits.commits}"
