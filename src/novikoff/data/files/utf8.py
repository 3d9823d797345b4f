"""Decoding of a line of text."""

from novikoff.data.errors import LineError


def decode_line(raw: bytes) -> str:
    """Decode a line of UTF-8, and drop its line end. Raises a LineError if it is not text."""
    if b"\0" in raw:
        raise LineError(
            _characters(raw[: raw.index(b"\0")]) + 1,
            "found a NUL byte ('\\x00'), expected text: this "
            "looks like a binary file; say its format if it is .npy or .npz",
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise LineError(
            _characters(raw[: problem.start]) + 1,
            f"byte {raw[problem.start]:#04x} is not UTF-8, expected UTF-8 text: save the file as"
            " UTF-8",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def _characters(raw: bytes) -> int:
    return len(raw.decode("utf-8", "replace"))
