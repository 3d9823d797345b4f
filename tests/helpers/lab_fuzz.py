"""Random requests to a lab server, most of them malformed, while somebody else loads its page.

It speaks HTTP over plain sockets and needs nothing but the address of a running server.
"""

import json
import math
import random
import socket
import threading
import time
from collections import Counter
from urllib.parse import quote, urlsplit

#: Seconds for an answer. Long: what is asked for here takes milliseconds, the machine may be busy.
PATIENCE = 60.0
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "get", "")
PATHS = (
    "/",
    "/scene",
    "/points",
    "/capacity",
    "/run.csv",
    "/run.html",
    "/plane.svg",
    "/plane.png",
    "/page/lab.js",
    "/page/lab.css",
    "/static/js/bokeh.min.js",
    "/nothing",
    "/page/../server/serve.py",
    "//",
)
STATES = (
    "",
    "preset=xor",
    "preset=and&rule=averaged&eta=0.5",
    "points=n0,0p1,1p2,0.5&order=sorted",
    "points=n0,0p1,1&start=3,-1,0.5&tie=keep",
    "points=p1,0p0,1&rule=one-sided",
    "points=n1,1p1,1",
    "rule=passive-aggressive&variant=PA-II&C=0.25&step=3",
    "rule=margin&margin=0.5&order=shuffle&seed=7",
    "tab=capacity&N=3&P=6&trials=4",
    "tab=winnow&n=5&relevant=2&rows=20",
)
#: Pieces that parsers stumble over.
PIECES = (
    "",
    "%",
    "%ff",
    "%00",
    "%C3",
    "&",
    "=",
    "n",
    "p",
    ",",
    "-",
    "1e999",
    "NaN",
    "-0",
    "1e-400",
    "٣",
    "\x00",
    "\ud800",
    "../",
    "{}",
    "[",
    '"',
    "\\",
    "9" * 5000,
    "x" * 3000,
    "points=",
    "preset=",
    "tab=",
)
JSON_TEXTS = (
    "",
    "{",
    "[]",
    "null",
    '{"address": NaN}',
    '{"address": Infinity}',
    '{"N": 1e999, "P": 1, "trials": 1, "seed": 1}',
    '{"N": 1E400}',
    '{"N": %s}' % ("9" * 100_000),
    f'{{"N": -{"9" * 1000}.5e{"9" * 50}}}',
    '{"address": "%s"}' % ("x" * 200_000),
    '{"address": "\\ud800"}',
    '{"address": "", "address": 1}',
    "[" * 900,
    "[" * 900 + "]" * 900,
    f'{{"address": {"[" * 700}{"]" * 700}}}',
    '{"a":' * 5000,
    "\ufeff{}",
)
HEADERS = (
    ("Host", "example.org"),
    ("Host", ""),
    ("Host", "[::1"),
    ("Accept-Encoding", "gzip"),
    ("Accept-Encoding", "gzip;q=0, *"),
    ("Range", "bytes=5-2"),
    ("Range", "bytes=-" + "9" * 5000),
    ("Range", "bytes=0-3"),
    ("If-None-Match", '"x", W/"y'),
    ("If-Modified-Since", "Thu, 99 Jan 99999 00:00:00 GMT"),
    ("If-Modified-Since", "Thu, 01 Jan 0000 00:00:00 GMT"),
    ("Expect", "100-continue"),
    ("Upgrade", "websocket"),
    ("Cookie", 'a="\\777"; b=;;='),
    ("Content-Encoding", "gzip"),
    ("Content-Type", "multipart/form-data; boundary=" + "x" * 200),
    ("X-Forwarded-For", "\x7f"),
    ("X-Long", "x" * 50_000),
)
#: What is wrong with the frame of a request; whoever sends such bytes ends them.
FRAMES = (
    ("Content-Length", "-7"),
    ("Content-Length", "9" * 5000),
    ("Content-Length", "12, 13"),
    ("Content-Length", "99"),
    ("Content-Length", "0x10"),
    ("Transfer-Encoding", "chunked"),
    ("Transfer-Encoding", "gzip, chunked"),
)


def fuzz(address: str, seed: int, requests: int) -> dict[str, int]:
    """Send random requests to the server at `address`, and load its page over and over meanwhile.

    The counts: answers by status ("200"), "closed" for connections that were closed without one and
    "unanswered" for those on which nothing came; "pages" and "pages failed" for the page that was
    loaded meanwhile, and "slowest page, ms".
    """
    over, pages = threading.Event(), Counter()
    where = urlsplit(address).hostname, urlsplit(address).port
    reader = threading.Thread(target=_load_pages, args=(where, over, pages))
    reader.start()
    try:
        draw = random.Random(seed)
        answers = Counter(_answer(where, *_request(draw)) for _ in range(requests))
    finally:
        over.set()
        reader.join()
    return dict(sorted((answers + pages).items()))


def _load_pages(where: tuple[str, int], over: threading.Event, pages: Counter) -> None:
    data = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    while True:
        begin = time.perf_counter()
        pages["pages" if _answer(where, data, ends=False) == "200" else "pages failed"] += 1
        took = math.ceil(1000 * (time.perf_counter() - begin))
        pages["slowest page, ms"] = max(took, pages["slowest page, ms"])
        if over.wait(0.05):
            return


def _answer(where: tuple[str, int], data: bytes, ends: bool) -> str:
    """The status that comes back for some bytes; ends: whether nothing follows them."""
    with socket.create_connection(where, timeout=PATIENCE) as link:
        answer = b""
        try:
            link.sendall(data)
            if ends:
                link.shutdown(socket.SHUT_WR)
            while part := link.recv(65536):
                answer += part if len(answer) < 100 else b""
        except TimeoutError:
            return "unanswered"
        except OSError:  # the server has hung up on the rest
            pass
    while answer.startswith(b"HTTP/1.1 100 "):
        answer = answer.partition(b"\r\n\r\n")[2]
    return answer[9:12].decode() if answer.startswith(b"HTTP/1.1 ") else "closed"


def _request(draw: random.Random) -> tuple[bytes, bool]:
    """A request, and whether its bytes may promise more than there is."""
    path = draw.choice(PATHS) if draw.random() < 0.9 else f"/{_mutated(draw, 'page/lab.js')}"
    method = draw.choice(METHODS) if draw.random() < 0.2 else _usual(path)
    query = _mutated(draw, draw.choice(STATES)) if draw.random() < 0.7 else ""
    headers = {"Host": "localhost", "Connection": "close"}
    body = b""
    if method not in ("GET", "HEAD") or draw.random() < 0.05:
        body = _body(draw, path).encode("utf-8", "surrogatepass")
        headers |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    headers |= dict(draw.sample(HEADERS, draw.choice((0, 0, 1, 3))))
    ends = draw.random() < 0.1
    if ends:
        headers |= dict([draw.choice(FRAMES)])
    line = f"{method} {path}{'?' * bool(query)}{_escaped(draw, query)} HTTP/1.1"
    head = "\r\n".join([line, *(f"{name}: {value}" for name, value in headers.items())])
    data = f"{head}\r\n\r\n".encode("utf-8", "surrogatepass") + body
    if draw.random() < 0.1:
        data, ends = _damaged(draw, data), True
    return data, ends


def _usual(path: str) -> str:
    return "POST" if path in ("/scene", "/points", "/capacity") else "GET"


def _escaped(draw: random.Random, query: str) -> str:
    text = query.encode("utf-8", "surrogatepass")
    return (
        quote(text, safe="=&,-.") if draw.random() < 0.8 else quote(text, safe="=&,-.%?[]{}\"\\'")
    )


def _mutated(draw: random.Random, text: str) -> str:
    """A text with some of its characters cut, doubled, or in place of them something awkward."""
    for _ in range(draw.choice((0, 0, 1, 1, 2, 5))):
        at = draw.randint(0, len(text))
        to = min(len(text), at + draw.choice((0, 1, 3, 10)))
        text = text[:at] + draw.choice((text[at:to] * 2, "", *PIECES)) + text[to:]
    return text


def _damaged(draw: random.Random, data: bytes) -> bytes:
    """Some bytes of a request are other ones, and perhaps its end is missing."""
    damaged = bytearray(data)
    for _ in range(draw.choice((1, 3, 30))):
        damaged[draw.randrange(len(damaged))] = draw.randrange(256)
    return bytes(damaged[: draw.choice((len(damaged), draw.randint(1, len(damaged))))])


def _body(draw: random.Random, path: str) -> str:
    if draw.random() < 0.25:
        return _mutated(draw, draw.choice(JSON_TEXTS))
    if path == "/points":
        text = draw.choice(("a,b,y\n1,2,u\n3,4,v\n", "1;2;1\n3;4;0\n", "x y\n1 2\n", '"a,b\n1'))
        value = {"text": _mutated(draw, text), "x": draw.choice((None, "a", ""))}
    elif path == "/capacity":
        value = {name: draw.choice((0, 1, 2, 3, 5)) for name in ("N", "P", "trials", "seed")}
    else:
        value = {"address": _mutated(draw, draw.choice(STATES)), "charts": draw.random() < 0.3}
    if draw.random() < 0.3:
        awkward = (None, True, -1, 10**30, 1.5, "", "1", [], {}, [[1]] * 50, "\x00", "x" * 1000)
        value[draw.choice((*value, "other"))] = draw.choice(awkward)
    return json.dumps(value)
