"""Files of columns: Parquet, and Arrow's own (IPC file or stream, Feather), as record batches.

PyArrow reads them. Whatever it says about bytes that it cannot read becomes one sentence.
"""

import contextlib
import importlib
import mmap
import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from novikoff.data.errors import file_error
from novikoff.data.files.inputs import Input
from novikoff.data.files.storage import is_remote
from novikoff.data.text.tokens import shown
from novikoff.errors import DataError

#: What a column can be, by its type.
NUMBERS, WORDS, OTHER = "numbers", "words", "other"

_FILE, _FEATHER_1 = b"ARROW1", b"FEA1"
_MAGIC = {"parquet": (b"PAR1",), "arrow": (_FILE, _FEATHER_1, b"\xff\xff\xff\xff")}
_SUFFIXES = {"parquet": "Parquet", "arrow": "Arrow"}
#: How pandas calls an index that it saves as a column.
_INDEX = re.compile(r"__index_level_\d+__")
#: Chunks that Parquet's pages are decoded for at a time, which costs less than one by one.
_DECODED_TOGETHER = 16
#: A little of each column is read at a time, not all of a row group.
_PARQUET = {"buffer_size": 2**16, "pre_buffer": False, "page_checksum_verification": True}
#: From elsewhere that would take long: then what is needed of a row group is fetched together.
_REMOTE_PARQUET = {"pre_buffer": True, "page_checksum_verification": True}
_MAPPED_AT_MOST = 2**25  # bytes of a mapping that may be in memory


class Batch(NamedTuple):
    """Some rows of a file as columns, and the first row's number."""

    first: int
    columns: Any


class _OpenFile(NamedTuple):
    file: Any
    schema: Any
    mapping: mmap.mmap | None = None


class ColumnTable(ABC):
    """Rows that are stored column by column.

    path: the file, if it can be read again. checked: whether columns are known to be sound, but for
    their words; else they may be any bytes.
    """

    def __init__(
        self, name: str, kind: str, schema: Any, *, path: str | None, checked: bool
    ) -> None:
        self.name, self.kind, self.path, self.checked = name, kind, path, checked
        names, types = schema.names, schema.types
        self.width = len(names)
        self.places = [k for k, name in enumerate(names) if not _INDEX.fullmatch(name)]
        self.names, self.types = ([each[k] for k in self.places] for each in (names, types))
        self.kinds = [kind_of(each) for each in self.types]
        self.coded = [arrow().types.is_dictionary(each) for each in self.types]

    def called(self, place: int) -> str:
        """The column as messages call it, counted from 1."""
        return f"column {place + 1} ({shown(self.names[place])})"

    @abstractmethod
    def groups(self) -> list[int]:
        """How many rows the parts have that are read by themselves."""

    @abstractmethod
    def batches(
        self, rows: int, start: int = 0, stop: int | None = None, group: int = 0
    ) -> Iterator[Batch]:
        """Go through the rows from number `start` to `stop`, at most so many at a time.

        group: how many groups lie before the start, if it is known that one begins there.
        """


class ColumnBatch(ColumnTable):
    """A record batch of PyArrow's."""

    def __init__(self, name: str, batch: Any) -> None:
        super().__init__(name, "arrow", batch.schema, path=None, checked=True)
        self._batch = batch

    def groups(self) -> list[int]:
        """The number of its rows."""
        return [self._batch.num_rows]

    def batches(
        self, rows: int, start: int = 0, stop: int | None = None, group: int = 0
    ) -> Iterator[Batch]:
        end = self._batch.num_rows if stop is None else stop
        for first in range(start, end, rows):
            yield Batch(first, self._batch.slice(first, min(rows, end - first)))


class ColumnFile(ColumnTable):
    """A file of columns. Opened for every pass, but what came through a pipe is kept."""

    def __init__(self, given: Input, kind: str) -> None:
        arrow(given.name)
        self.given, self.name, self.kind = given, given.name, kind
        self._held: bytes | None = None
        if not given.replayable:
            with self._complaints(), given.seekable(*_MAGIC[kind]) as pipe:
                self._held = pipe.read()
        path = given.path if given.replayable else None
        with self._complaints(), self._open() as opened:  # names may be no UTF-8
            # Columns of Arrow's files are the bytes of the file as they are.
            super().__init__(given.name, kind, opened.schema, path=path, checked=kind != "arrow")

    def groups(self) -> list[int]:
        with self._complaints(), self._open(count=True) as opened:
            file = opened.file
            if self.kind == "parquet":
                return [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
            if not hasattr(file, "num_record_batches"):  # a stream has no parts
                return [sum(batch.num_rows for batch in file)]
            return [file.get_batch(k).num_rows for k in range(file.num_record_batches)]

    def batches(
        self, rows: int, start: int = 0, stop: int | None = None, group: int = 0
    ) -> Iterator[Batch]:
        self._refuse_changed()
        with self._complaints(), self._open() as opened:
            at, used = 0, 0
            for batch in self._record_batches(opened.file, rows, start, stop, group):
                if isinstance(batch, int):  # rows that were passed over
                    at += batch
                    continue
                size = batch.num_rows if stop is None else min(batch.num_rows, stop - at)
                for first in range(max(0, start - at), size, rows):
                    part = batch.slice(first, min(rows, size - first))
                    yield Batch(at + first, part)
                    if opened.mapping is not None:
                        used += part.nbytes
                        if used > _MAPPED_AT_MOST:
                            opened.mapping.madvise(mmap.MADV_DONTNEED)
                            used = 0
                at += batch.num_rows
                if stop is not None and at >= stop:
                    break
        self._refuse_changed()

    def _record_batches(
        self, file: Any, rows: int, start: int, stop: int | None, group: int
    ) -> Iterator[Any]:
        """Record batches, and numbers of rows instead of whole groups before the start."""
        if self.kind == "arrow":
            if not hasattr(file, "num_record_batches"):  # a stream
                yield from file
                return
            if group:
                yield start
            yield from map(file.get_batch, range(group, file.num_record_batches))
            return
        sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        ends = list(accumulate(sizes))
        first = bisect_right(ends, start)
        last = len(sizes) if stop is None else min(bisect_left(ends, stop) + 1, len(sizes))
        yield sum(sizes[:first])
        yield from file.iter_batches(_DECODED_TOGETHER * rows, row_groups=range(first, last))

    def _refuse_changed(self) -> None:
        if self._held is None:
            self.given.identity()  # says so if it is not what it was

    @contextlib.contextmanager
    def _open(self, *, count: bool = False) -> Iterator[Any]:
        """The file; count: only its rows are to be counted."""
        if self.kind == "parquet":
            module = importlib.import_module("pyarrow.parquet")
            with self._parquet() as (source, how), module.ParquetFile(source, **how) as file:
                yield _OpenFile(file, file.schema_arrow)
            return
        with self._map() as content:
            remote = hasattr(content, "seek") and not isinstance(content, mmap.mmap)
            first = content.read(len(_FILE)) if remote else bytes(content[: len(_FILE)])
            if first.startswith(_FEATHER_1):
                raise file_error(
                    self.name, "it is Feather version 1, expected version 2: save it again"
                )
            ipc = importlib.import_module("pyarrow.ipc")
            if remote:
                content.seek(0)
            buffer = arrow().PythonFile(content) if remote else arrow().py_buffer(content)
            opened = ipc.open_file if first == _FILE else ipc.open_stream
            # To count rows, one column is enough to fetch and unpack.
            some = ipc.IpcReadOptions(included_fields=[0] if count else [])
            with opened(buffer, options=some) as file:
                mapping = content if isinstance(content, mmap.mmap) else None
                yield _OpenFile(file, file.schema, mapping)

    @contextlib.contextmanager
    def _parquet(self) -> Iterator[Any]:
        """What PyArrow is to read Parquet from, and how."""
        if self._held is not None:
            yield arrow().BufferReader(self._held), _PARQUET
        elif is_remote(self.given.path):
            with self.given.seekable() as opened:
                yield opened, _REMOTE_PARQUET
        else:
            yield self.given.path, _PARQUET

    @contextlib.contextmanager
    def _map(self) -> Iterator[Any]:
        """The bytes of the file, in memory only as far as they are used."""
        if self._held is not None:
            yield self._held
            return
        if is_remote(self.given.path):
            with self.given.seekable() as opened:
                yield opened
            return
        with Path(self.given.path).open("rb") as file:
            # Not closed by hand: a batch that someone still has must not lose its memory.
            yield mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @contextlib.contextmanager
    def _complaints(self) -> Iterator[None]:
        try:
            yield
        except DataError:
            raise
        except Exception as problem:
            raise damaged(self.name, self.kind, problem) from None


def damaged(name: str, kind: str, problem: BaseException) -> DataError:
    """The one answer to every way in which bytes can fail to be a file of columns."""
    reason = str(problem).partition("\n")[0][:120] or type(problem).__name__
    return file_error(
        name,
        f"not a whole {_SUFFIXES[kind]} file ({reason}), expected one that PyArrow can read: fetch"
        " or save it again",
    )


def arrow(name: str | None = None) -> Any:
    """PyArrow, imported where it is needed only."""
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise DataError(
            f"{name}: Parquet and Arrow files are read by PyArrow, which is not installed: run "
            "pip install pyarrow"
        ) from None


def kind_of(kind: Any) -> str:
    """What a column of this type can be."""
    types = importlib.import_module("pyarrow.types")
    if types.is_dictionary(kind):
        return OTHER if types.is_dictionary(kind.value_type) else kind_of(kind.value_type)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return NUMBERS
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    return WORDS if any(is_text(kind) for is_text in texts) else OTHER
