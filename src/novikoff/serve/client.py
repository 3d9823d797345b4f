"""A client of the service, with the standard library alone."""

import http.client
import itertools
import json
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote, urlsplit

from novikoff.errors import DataError, NovikoffError, ParameterError

Row: TypeAlias = Mapping[str, float] | Iterable[float]
Label: TypeAlias = str | int | float | bool

ROWS = 500  # of a batch in one request
LATER = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT)
LONGEST_WAIT = 10.0  # seconds between two attempts


class UnreachableServiceError(NovikoffError):
    """A service that did not answer, however often it was asked."""


class RefusedRequestError(NovikoffError):
    """A request that the service refused: its HTTP status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ServedPrediction(NamedTuple):
    """A prediction; its id is what the label is revealed by, None if it was not kept."""

    id: str | None
    label: Label
    score: float | list[float]
    behind: int


class LearnedLabel(NamedTuple):
    """Whether the served prediction was wrong, the counts so far, and if it was known before."""

    mistake: bool | None
    mistakes: int
    seen: int
    repeated: bool


Answer = TypeVar("Answer", ServedPrediction, LearnedLabel)


class Client:
    """A service at a URL, such as http://127.0.0.1:8642, which `novikoff serve` runs.

    One client may be used by several threads, one request at a time. A request that gets no answer
    is sent again with the same id, so that it changes nothing if the first did arrive.

    url: where the service listens.
    token: what the service asks for, if it has tokens.
    model: which of its models, if not the default one.
    readers: the URL at which predictions are asked for, if not the same.
    timeout: seconds to wait for one answer.
    retries: how many times a request is sent again.

        client = nk.Client("http://127.0.0.1:8642")
        asked = client.predict_one({"free": 1.0, "money": 2.0})
        client.reveal(asked.id, 1)

    >>> import novikoff as nk
    >>> nk.Client("127.0.0.1:8642")
    Traceback (most recent call last):
        ...
    novikoff.errors.ParameterError: 127.0.0.1:8642: expected a URL such as http://127.0.0.1:8642
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        model: str | None = None,
        readers: str | None = None,
        timeout: float = 60.0,
        retries: int = 5,
    ) -> None:
        self.learner = _Link(url, model, timeout)
        self.reader = self.learner if readers is None else _Link(readers, model, timeout)
        self.url, self.retries, self.lock = url, retries, threading.Lock()
        self.headers = {} if token is None else {"Authorization": f"Bearer {_token(token)}"}

    def predict_one(self, x: Row, *, id: str | None = None, keep: bool = True) -> ServedPrediction:  # noqa: A002
        """The label of a row. keep: false if its label will never be revealed."""
        return _prediction(self._post("/predict", _asked(x, id, keep)))

    def reveal(self, id: str | None, label: Label, *, weight: float = 1.0) -> LearnedLabel:  # noqa: A002
        """The label of a prediction, by its id, which the service learns from."""
        return _learned(self._post("/reveal", _reveal_body(id, label, weight)))

    def learn_one(
        self,
        x: Row,
        y: Label,
        *,
        weight: float = 1.0,
        id: str | None = None,  # noqa: A002
    ) -> LearnedLabel:
        """Learn from a row and its label."""
        return _learned(self._post("/learn", _row(x, y, weight, id)))

    def predict_many(
        self, X: Iterable[Row], *, keep: bool = True
    ) -> Iterator[ServedPrediction | RefusedRequestError]:
        """The labels of many rows; in the place of one that was refused stands the error."""
        for answer in self._batches("/predict", (_asked(x, None, keep) for x in X)):
            yield answer if isinstance(answer, RefusedRequestError) else _prediction(answer)

    def reveal_many(
        self, labels: Iterable[tuple[str | None, Label]]
    ) -> Iterator[LearnedLabel | RefusedRequestError]:
        """Many pairs of an id and its label."""
        for answer in self._batches("/reveal", (_reveal_body(*each, 1.0) for each in labels)):
            yield answer if isinstance(answer, RefusedRequestError) else _learned(answer)

    def learn_many(
        self, rows: Iterable[tuple[Row, Label]]
    ) -> Iterator[LearnedLabel | RefusedRequestError]:
        """Learn from many pairs of a row and its label, in their order."""
        for answer in self._batches("/learn", (_row(*each, 1.0, None) for each in rows)):
            yield answer if isinstance(answer, RefusedRequestError) else _learned(answer)

    def state(self, margin: float | None = None) -> dict[str, Any]:
        """The counts, and the bound for a margin."""
        query = "" if margin is None else f"?margin={float(margin)!r}"
        found: dict[str, Any] = _json(self._ask("GET", f"/state{query}"))
        return found

    def model_file(self) -> bytes:
        """The model as a file, for `nk.load`."""
        return self._ask("GET", "/model")

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        self.learner.close()
        self.reader.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _post(self, path: str, value: object) -> dict[str, Any]:
        body = _text(value).encode()
        found: dict[str, Any] = _json(self._ask("POST", path, body, "application/json"))
        return found

    def _batches(
        self, path: str, rows: Iterator[object]
    ) -> Iterator[dict[str, Any] | RefusedRequestError]:
        while some := [*itertools.islice(rows, ROWS)]:
            body = "\n".join(map(_text, some)).encode()
            lines = self._ask("POST", path, body, "application/x-ndjson").splitlines()
            answers = [_json(line) for line in lines]
            for answer in answers:
                if answer.get("ended"):
                    raise RefusedRequestError(answer["status"], answer["problem"])
                refused = "problem" in answer
                yield (
                    RefusedRequestError(answer["status"], answer["problem"]) if refused else answer
                )
            if len(answers) < len(some):
                raise UnreachableServiceError(f"{self.url}: the answer to a batch ended early")

    def _ask(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        headers = self.headers | ({"Content-Type": kind} if kind else {})
        link = self.reader if path == "/predict" else self.learner
        for attempt in itertools.count():
            wait = min(LONGEST_WAIT, 0.1 * 2 ** (attempt - 1)) if attempt else 0.0
            try:
                with self.lock:
                    status, wanted, content = link.ask(method, path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                link.close()
                if attempt >= self.retries:
                    why = f"{link.url}: no answer ({error or type(error).__name__})"
                    raise UnreachableServiceError(f"{why}; is the service running?") from None
            else:
                if status < 300:
                    return content
                if status not in LATER or attempt >= self.retries:
                    raise RefusedRequestError(status, _problem(content, status))
                wait = min(LONGEST_WAIT, _seconds(wanted, wait))
            time.sleep(wait)
        raise AssertionError


class _Link:
    """A connection to a URL, which is opened anew when it is needed after an error."""

    def __init__(self, url: str, model: str | None, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(f"{url}: expected a URL such as http://127.0.0.1:8642")
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self.url, self.connection = url, kind(parts.hostname, parts.port, timeout=timeout)
        self.path = parts.path.rstrip("/") + (f"/models/{quote(model, '')}" if model else "")
        self.close = self.connection.close

    def ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, str | None, bytes]:
        """The status, for how long to wait before another attempt, and the content."""
        self.connection.request(method, self.path + path, body, headers)
        found = self.connection.getresponse()
        return found.status, found.headers.get("Retry-After"), found.read()


def _asked(x: Row, id: str | None, keep: bool) -> dict[str, object]:  # noqa: A002
    named = {"id": id or uuid.uuid4().hex} if keep else {}
    return {"features": _features(x), "keep": keep, **named}


def _reveal_body(id: str | None, label: Label, weight: float) -> dict[str, object]:  # noqa: A002
    if id is None:
        raise DataError("this prediction was not kept, so its label cannot be revealed")
    return {"id": id, "label": _plain(label), "weight": weight}


def _row(x: Row, y: Label, weight: float, id: str | None) -> dict[str, object]:  # noqa: A002
    label = {"label": _plain(y), "weight": weight}
    return {"features": _features(x), "id": id or uuid.uuid4().hex, **label}


def _features(x: Row) -> dict[str, float] | list[float]:
    if isinstance(x, Mapping):
        return {str(name): float(value) for name, value in x.items()}
    return [float(value) for value in x]


def _plain(label: Any) -> Label:
    found: Label = label.item() if hasattr(label, "item") else label  # a scalar of NumPy's
    return found


def _prediction(answer: dict[str, Any]) -> ServedPrediction:
    return ServedPrediction(*(answer[name] for name in ServedPrediction._fields))


def _learned(answer: dict[str, Any]) -> LearnedLabel:
    return LearnedLabel(*(answer[name] for name in LearnedLabel._fields))


def _text(value: object) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (ValueError, TypeError) as error:
        raise DataError(f"a row or label that cannot be sent: {error}") from None


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        why = "the answer is not JSON; is this the URL of novikoff serve?"
        raise UnreachableServiceError(why) from None


def _problem(content: bytes, status: int) -> str:
    try:
        return str(json.loads(content)["problem"])
    except (ValueError, KeyError, TypeError):
        return f"answered with {status}; is this the URL of novikoff serve?"


def _seconds(text: str | None, otherwise: float) -> float:
    return float(text) if text is not None and text.isdecimal() else otherwise


def _token(token: str) -> str:
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ParameterError("token: expected printable ASCII characters without spaces")
    return token
