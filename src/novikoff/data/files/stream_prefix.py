"""The start of a pipe, by which it is known again when a checkpoint is resumed."""

import hashlib

from novikoff.data.errors import file_error

_MOST = 2**16  # bytes


class StreamPrefix:
    """The first bytes of a stream, as far as they were read."""

    def __init__(self, name: str) -> None:
        self._name, self._bytes = name, b""
        self._expected: tuple[int, str] | None = None

    def digest(self) -> tuple[int, str]:
        """Their number and their checksum."""
        return len(self._bytes), hashlib.sha256(self._bytes).hexdigest()

    def expect(self, size: int, digest: str) -> None:
        """Require that the stream begins as another one did."""
        self._expected = size, digest

    def extend(self, piece: bytes) -> None:
        """Add what was read next. Raises a DataError if the stream is not the expected one."""
        if len(self._bytes) < _MOST:
            self._bytes += piece[: _MOST - len(self._bytes)]
        if self._expected is not None and len(self._bytes) >= self._expected[0]:
            size, digest = self._expected
            if hashlib.sha256(self._bytes[:size]).hexdigest() != digest:
                raise file_error(
                    self._name, "this is not the stream that the checkpoint was made from"
                )
            self._expected = None
