"""Whatever the bytes, the answer is a valid chunk or a DataError, the same in one piece or many."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.errors import DataError
from tests.helpers.chunks import attempt, check_chunk, same_rows, together
from tests.helpers.examples import examples

TEXTLIKE = st.text('0123456789:.,;-+eE_#\n\r\t "xqidnaNA\ufeff٣', max_size=60).map(str.encode)
ROWLIKE = st.lists(
    st.sampled_from(
        ["1", "-1", "cat", "1:2", "3:0.5", "0:1", "2:", "qid:7", "#", ",", ";", '"', "\n", "\n",
         "\r\n", " ", "nan", "1e999", "1e-9", "0.1", "a,b", "y", "\t", "", "1,2\n", "3,4\n"]
    ),
    max_size=40,
).map(lambda words: " ".join(words).encode())  # fmt: skip
BYTES = st.one_of(
    st.binary(max_size=60), TEXTLIKE, ROWLIKE, ROWLIKE.map(lambda b: b.replace(b" ", b""))
)
#: What a stream cannot know before it comes to it, and a whole read can.
ONLY_IN_STREAMS = ("pass zero_based=True", "instead of in chunks")


@examples(400)
@given(
    content=BYTES,
    name=st.sampled_from(["f.csv", "f.tsv", "f.svm", "f.data"]),
    labelled=st.booleans(),
    rows=st.integers(1, 5),
)
def test_text(scratch: Path, content: bytes, name: str, labelled: bool, rows: int) -> None:
    path = scratch / name
    path.write_bytes(content)
    whole = attempt(lambda: sources.open(path, labelled=labelled).read())
    pieces = attempt(lambda: together(sources.open(path, labelled=labelled), rows))
    if isinstance(pieces, DataError):
        assert isinstance(whole, DataError) or any(m in str(pieces) for m in ONLY_IN_STREAMS)
        assert str(path) in str(pieces)
    else:
        assert not isinstance(whole, DataError)
        check_chunk(whole)
        assert (whole.y is None) == (not labelled)
        if whole.X.shape[1] < 1000:
            assert same_rows(whole, pieces)


def saved(**members: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **members)
    return file.getvalue()


def saved_array(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


WHOLE_FILES = [
    ("f.npy", saved_array(np.arange(12.0).reshape(4, 3))),
    ("f.npy", saved_array(np.arange(12, dtype=np.int16).reshape(4, 3))),
    ("f.npz", saved(X=np.arange(6.0).reshape(3, 2), y=np.array(["a", "b", "a"]))),
    ("f.npz", saved(data=[1.0, 2.0], indices=[0, 1], indptr=[0, 1, 2], shape=[2, 2], y=[0, 1])),
]


@examples(400)
@given(
    file=st.sampled_from(WHOLE_FILES),
    edits=st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6),
    keep=st.floats(0.3, 1) | st.just(1.0),
)
@pytest.mark.filterwarnings("ignore")  # NumPy warns of odd headers; what it raises is the matter
def test_damaged_arrays(
    scratch: Path, file: tuple[str, bytes], edits: list[tuple[int, int]], keep: float
) -> None:
    name, content = file
    damaged = bytearray(content[: int(len(content) * keep)])
    for place, byte in edits:
        if damaged:
            damaged[place % len(damaged)] = byte
    path = scratch / name
    path.unlink(missing_ok=True)  # a file that is still mapped must not change under the map
    path.write_bytes(damaged)
    outcome = attempt(lambda: sources.open(path).read())
    if isinstance(outcome, DataError):
        assert str(path) in str(outcome)
    else:
        check_chunk(outcome)
        if not edits and keep == 1.0:
            assert same_rows(outcome, sources.open(path).read())


@given(text=st.text(max_size=30))
def test_example_names(text: str) -> None:
    outcome = attempt(lambda: sources.open(f"example:{text}").read())
    if not isinstance(outcome, DataError):
        check_chunk(outcome)
        assert text.partition("?")[0] in sources.EXAMPLES
