"""Data to make caches of, and how to look into a cache."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import novikoff.data as sources
from novikoff.data import Chunk, Source
from novikoff.data.cache import manifest
from novikoff.data.cache.array_file import HEADER
from novikoff.data.cache.checksums import BlockChecksums
from novikoff.data.source import UNOPENED, Opening, SourceInfo
from tests.helpers.chunks import Save

SPARSE = "+1 1:0.5 7:-0\n-1 2:1e-300 # a comment\n\n+1\n-1 1:3 9:0.1\n"
TABLE = "u,v,kind\n0.1,-0.0,a\n2,3,b\n\n4,5e300,a\n"
FILES = {
    "sparse": {"a.svm": SPARSE},
    "zero-based": {"a.svm": "1 0:2 3:4\n2 1:1\n"},
    "word labels": {"a.svm": "yes 1:1\nno 2:1\nyes 3:1\n"},
    "floats after whole numbers": {"a.svm": "1 1:1\n2 2:1\n", "b.svm": "0.5 1:1\n1 3:1\n"},
    "wider and wider": {"a.svm": "1 1:1\n", "b.svm": "-1 5:1\n", "c.svm": "1 900:1\n"},
    "table": {"a.csv": TABLE},
    "no names": {"a.csv": "1,2,0\n3,4,1\n5,6,1\n"},
    "three tables": {"a.csv": TABLE, "b.csv": TABLE, "c.csv": TABLE},
    "categories": {"a.csv": "n,colour,y\n1,red,0\n2,blue,1\n3,red,1\n"},
    "named features": {"a.vw": "1 |a x:1 y:2\n-1 |a z:3 |b x\n1 |b w:0.5\n"},
}


#: In the place of what a manifest is not to say.
DROPPED = object()


class Listed(Source):
    """Chunks from a list, beside a file that stands for where they come from."""

    def __init__(
        self, *chunks: Chunk, path: str | None = None, opening: Opening = UNOPENED
    ) -> None:
        paths = () if path is None else (path,)
        super().__init__(SourceInfo(path or "a list", "list", paths), opening)
        self.given = chunks

    def chunks(self, rows: int | None = None) -> Iterator[Chunk]:
        yield from self.given

    def read(self) -> Chunk:
        raise NotImplementedError


def labelled_chunk(y: Any, X: Any = None) -> Chunk:
    """Some rows with these labels."""
    return Chunk(np.ones((len(y), 2)) if X is None else X, np.array(y), None)


def open_case(save: Save, case: str) -> Source:
    paths = [save(name, text) for name, text in FILES[case].items()]
    return sources.open(paths if len(paths) > 1 else paths[0])


def about_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "about.json").read_text())


def rewritten(folder: Path, **changes: Any) -> None:
    """Change what about.json says, and its digest accordingly; DROPPED: it says nothing."""
    content = about_of(folder) | changes
    content = {name: value for name, value in content.items() if value is not DROPPED}
    content.pop("digest")
    content["digest"] = manifest._digest(content)
    (folder / "about.json").write_text(json.dumps(content))


def seal(folder: Path) -> None:
    """Give a cache the checksums that go with its arrays as they are now."""
    checksums = {}
    for path in folder.glob("*.npy"):
        found = BlockChecksums()
        found.update(memoryview(path.read_bytes()[HEADER:]))
        checksums[path.stem] = found.text()
    rewritten(folder, checksums=checksums)


def file_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def left_over(folder: Path) -> list[str]:
    return [name for name in file_names(folder) if name.endswith((".tmp", ".new"))]


def check_rows(chunk: Chunk, whole: Chunk) -> None:
    assert type(chunk.X) is type(whole.X)
    assert chunk.X.shape == whole.X.shape
    if isinstance(whole.X, np.ndarray):
        assert chunk.X.tobytes() == whole.X.tobytes()
    else:
        for part in ("data", "indices", "indptr"):
            one, other = getattr(chunk.X, part), getattr(whole.X, part)
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()
    assert chunk.y.dtype == whole.y.dtype
    assert chunk.y.tobytes() == whole.y.tobytes()
    assert np.array_equal(chunk.lines, whole.lines)


def resident(name: str) -> int:
    """How many bytes of a mapped file are in this process's memory."""
    found, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        first = line.split()[0]
        if not first.endswith(":"):
            inside = name in line
        elif inside and first == "Rss:":
            found += 1024 * int(line.split()[1])
    return found


BIG = "".join(f"{i % 3} {i % 7 + 1}:{i} {i % 11 + 8}:0.25\n" for i in range(2000))
