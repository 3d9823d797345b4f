"""File systems for tests: one that counts what is fetched from it, and a server on this machine."""

import hashlib
import http.server
import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import fsspec
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

HTTP = importlib.util.find_spec("aiohttp") is not None and importlib.util.find_spec("requests")


class TroubleError(Exception):
    """What a network may come up with: no OSError."""


class CountedFile(AbstractBufferedFile):
    """A file fetched by ranges, as object stores have it."""

    def _fetch_range(self, start: int, end: int) -> bytes:
        if self.path in Counted.troubled:
            raise TroubleError("the line went dead")
        found = Counted.contents[self.path][start:end]
        Counted.fetched += len(found)
        return found


class Counted(AbstractFileSystem):
    """Contents in memory."""

    protocol = "counted"
    contents: ClassVar[dict[str, bytes]] = {}
    troubled: ClassVar[set[str]] = set()
    fetched: ClassVar[int] = 0
    tells: ClassVar[bool] = True

    def info(self, path: str, **more: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        if path not in self.contents:
            if any(name.startswith(f"{path}/") for name in self.contents):
                return {"name": path, "size": 0, "type": "directory"}
            raise FileNotFoundError(path)
        content = self.contents[path]
        tag = {"ETag": hashlib.md5(content).hexdigest()} if self.tells else {}
        return {"name": path, "size": len(content), "type": "file", **tag}

    def ls(self, path: str, detail: bool = True, **more: Any) -> list[Any]:
        path = self._strip_protocol(path)
        names = [name for name in self.contents if name.startswith(f"{path}/")] or [path]
        found = [self.info(name) for name in names]
        return found if detail else names

    def _open(self, path: str, mode: str = "rb", **more: Any) -> CountedFile:
        return CountedFile(self, path, mode, **more)


fsspec.register_implementation("counted", Counted, clobber=True)
fsspec.register_implementation(
    "nowhere", "no_such_package.System", errtxt="Install nowherefs to go nowhere", clobber=True
)


class _Handler(http.server.BaseHTTPRequestHandler):
    """Files of a folder, whole or by ranges."""

    folder: ClassVar[Path]

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path = self.folder / self.path.partition("?")[0].lstrip("/")
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        asked = self.headers.get("Range")
        first, last = 0, len(content) - 1
        if asked:
            begin, _, end = asked.removeprefix("bytes=").partition("-")
            first, last = int(begin), min(int(end or last), last)
        part = content[first : last + 1]
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", hashlib.md5(content).hexdigest())
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if body:
            self.wfile.write(part)

    def log_message(self, *words: Any) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the folder while a server gives it out."""
    handler = type("Handler", (_Handler,), {"folder": folder})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
