"""Arrays on disk: what is in them comes out unchanged, and nothing in them is trusted."""

import io
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import novikoff.data as sources
from novikoff.errors import DataError
from tests.helpers.chunks import bits, check_chunk, dense, same_rows, together

TABLE = np.arange(12.0).reshape(4, 3)
DTYPES = ["<f8", ">f8", "<f4", "<f2", "<i8", ">i4", "<u2", "|b1", "|i1"]


@given(
    table=st.sampled_from(DTYPES).flatmap(
        lambda dtype: arrays.arrays(
            dtype,
            arrays.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6),
            elements={"allow_nan": False, "allow_infinity": False} if "f" in dtype else None,
        )
    ),
    target=st.integers(-2, 1),
    fortran=st.booleans(),
    rows=st.integers(1, 7),
)
def test_npy_whole_and_in_chunks(
    scratch: Path, table: np.ndarray, target: int, fortran: bool, rows: int
) -> None:
    path = scratch / "a.npy"
    path.unlink(missing_ok=True)
    np.save(path, np.asfortranarray(table) if fortran else table)
    source = sources.open(path, target=target)
    whole = source.read()
    check_chunk(whole)
    assert bits(whole.X) == bits(np.delete(table, target, axis=1).astype(np.float64))
    assert whole.y.dtype == (np.float64 if table.dtype.kind == "f" else np.int64)
    assert np.array_equal(whole.y, table[:, target])
    assert same_rows(whole, together(source, rows))
    everything = sources.open(path, labelled=False).read()
    assert everything.y is None
    assert bits(everything.X) == bits(table.astype(np.float64))


def test_the_last_column_of_npy_is_the_target(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", TABLE)
    chunk = sources.open(tmp_path / "a.npy").read()
    assert chunk.y.tolist() == [2, 5, 8, 11]
    assert chunk.X.tolist() == TABLE[:, :2].tolist()
    assert chunk.lines is None


def test_npy_without_a_target_is_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", TABLE)
    X = sources.open(tmp_path / "a.npy", labelled=False).read().X
    assert type(X) is np.ndarray
    assert not X.flags.owndata
    assert not X.flags.writeable


BAD_NPY: dict[str, tuple[Any, str]] = {
    "one dimension": (np.arange(3.0), "the array has 1 dimensions, expected 2"),
    "no dimension": (np.float64(3), "the array has 0 dimensions, expected 2"),
    "complex": (np.eye(2) * 1j, "the array has type complex128, expected real numbers"),
    "text": (np.array([["a", "b"]]), "the array has type <U1, expected real numbers"),
    "objects": (np.array([[1, None]], dtype=object), "not a whole .npy or .npz file"),
    "records": (np.zeros((2, 2), dtype=[("a", "f8")]), "expected real numbers"),
    "no rows": (np.zeros((0, 3)), "the array has no rows, expected at least one"),
    "one column": (np.zeros((3, 1)), "no feature columns"),
    "no columns": (np.zeros((3, 0)), "no feature columns"),
    "nan": (
        np.array([[1, 2, 0], [3, np.nan, 1]]),
        r"the features, row 1, column 1 \(counting from 0\): found nan, expected a finite number",
    ),
    "infinity": (np.array([[1, np.inf, 0]]), "row 0, column 1 .* found inf"),
    "long double": (np.array([[1, np.longdouble("1e4000"), 0]]), "row 0, column 1 .* found inf"),
    "nan label": (np.array([[1, 2, 0], [3, 4, np.nan]]), "row 1 .*: the label is nan"),
}


@pytest.mark.parametrize("case", BAD_NPY)
def test_npy_that_is_no_table(tmp_path: Path, case: str) -> None:
    array, reason = BAD_NPY[case]
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(DataError, match=reason):
        sources.open(tmp_path / "a.npy").read()


def test_the_place_of_a_bad_number_does_not_depend_on_the_chunk(tmp_path: Path) -> None:
    table = np.zeros((9, 3))
    table[7, 1] = np.inf
    np.save(tmp_path / "a.npy", table)
    with pytest.raises(DataError, match="row 7, column 1"):
        list(sources.open(tmp_path / "a.npy").chunks(2))


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (3, "no column 3, expected a target from 0 to 2"),
        (-4, "no column -4"),
        ("x", "no column 'x'"),
    ],
)
def test_npy_target_that_is_not_there(tmp_path: Path, target: str | int, reason: str) -> None:
    np.save(tmp_path / "a.npy", TABLE)
    with pytest.raises(DataError, match=reason):
        sources.open(tmp_path / "a.npy", target=target)


def test_npy_and_npz_are_not_confused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", TABLE)
    np.savez(tmp_path / "b.npz", X=TABLE, y=[1, 2, 3, 4])
    with pytest.raises(DataError, match=r"it is one .npy array, expected an .npz archive"):
        sources.open(tmp_path / "a.npy", format="npz")
    with pytest.raises(DataError, match=r"it is an .npz archive, expected one .npy array"):
        sources.open(tmp_path / "b.npz", format="npy")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([1, -1, 1, 1], "i"),
        ([0.5, 1, 1, 1], "f"),
        (["a", "b", "b", "a"], "U"),
        ([b"a", b"b", b"b", b"a"], "U"),
        ([True, False, True, True], "i"),
        (np.array([1, 2, 3, 4], dtype=np.uint64), "i"),
    ],
)
def test_npz_with_labels_of_any_kind(tmp_path: Path, labels: Any, kind: str) -> None:
    np.savez(tmp_path / "a.npz", X=TABLE, y=labels)
    source = sources.open(tmp_path / "a.npz")
    chunk = source.read()
    check_chunk(chunk)
    assert chunk.y.dtype.kind == kind
    expected = [b.decode() if isinstance(b, bytes) else b for b in np.asarray(labels).tolist()]
    assert chunk.y.tolist() == expected
    assert chunk.X.tolist() == TABLE.tolist()
    assert same_rows(chunk, together(source, 3))
    assert sources.open(tmp_path / "a.npz", labelled=False).read().y is None


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"X": TABLE}, "no array y, expected the labels"),
        ({"X": TABLE, "y": [1, 2]}, r"y has shape \(2,\), expected \(4,\)"),
        ({"X": TABLE, "y": [[1]] * 4}, r"y has shape \(4, 1\), expected \(4,\)"),
        ({"X": TABLE, "y": [1j] * 4}, "labels of type complex128"),
        ({"X": TABLE, "y": [1, 2, np.nan, 4]}, r"row 2 \(counting from 0\): the label is nan"),
        ({"X": TABLE, "y": ["a", "", "b", "c"]}, r"row 1 .*: the label is missing \(''\)"),
        ({"X": TABLE, "y": [b"a", b"\xff", b"b", b"c"]}, "bytes that are not UTF-8"),
        ({"X": TABLE, "y": np.array([2**63] * 4, dtype="u8")}, "does not fit a 64-bit integer"),
        ({"X": TABLE, "y": np.frombuffer(b"\xff" * 16, "<U1")}, "not valid text"),
        ({"X": TABLE * np.nan, "y": [1] * 4}, "X, row 0, column 0"),
        ({"x": TABLE}, "expected X and y"),
        ({"data": [1.0], "y": [1]}, r"found the arrays \['data', 'y'\], expected X and y"),
    ],
)
def test_npz_that_lacks_something(tmp_path: Path, members: dict[str, Any], reason: str) -> None:
    np.savez(tmp_path / "a.npz", **members)
    with pytest.raises(DataError, match=reason):
        sources.open(tmp_path / "a.npz")


def save_csr(path: Path, **changes: Any) -> Path:
    """A 3 by 4 CSR matrix with labels; `changes` spoil it."""
    parts = {
        "data": np.array([1.0, 2.0, 3.0]),
        "indices": np.array([3, 0, 1], dtype=np.int32),
        "indptr": np.array([0, 2, 2, 3], dtype=np.int32),
        "shape": np.array([3, 4]),
        "y": np.array([1, 2, 1]),
    }
    np.savez(path / "a.npz", **(parts | changes))
    return path / "a.npz"


def test_npz_with_scipys_layout_is_made_canonical(tmp_path: Path) -> None:
    source = sources.open(save_csr(tmp_path))
    chunk = source.read()
    check_chunk(chunk)
    assert dense(chunk).tolist() == [[2, 0, 0, 1], [0, 0, 0, 0], [0, 3, 0, 0]]
    assert same_rows(chunk, together(source, 2))
    twice = sources.open(save_csr(tmp_path, indices=np.array([3, 3, 1]))).read()
    check_chunk(twice)
    assert dense(twice).tolist() == [[0, 0, 0, 3], [0, 0, 0, 0], [0, 3, 0, 0]]


def test_npz_as_scipy_saves_it(tmp_path: Path) -> None:
    matrix = scipy.sparse.random_array((5, 7), density=0.4, rng=0)
    scipy.sparse.save_npz(tmp_path / "a.npz", matrix.tocsr())
    chunk = sources.open(tmp_path / "a.npz", labelled=False).read()
    assert bits(dense(chunk)) == bits(matrix.toarray())
    # The same names, but another meaning: as CSR it would be the transposed matrix.
    scipy.sparse.save_npz(tmp_path / "b.npz", scipy.sparse.csc_array(np.triu(np.ones((3, 3)))))
    with pytest.raises(DataError, match="not a CSR matrix: its format is b'csc'"):
        sources.open(tmp_path / "b.npz", labelled=False)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"indices": np.array([4, 0, 1])}, "indices must be from 0 to 3"),
        ({"indices": np.array([-1, 0, 1])}, "indices must be from 0 to 3"),
        ({"indices": np.array([2**40, 0, 1])}, "indices must be from 0 to 3"),
        ({"indices": np.array([0.0, 1.0, 2.0])}, "must be plain lists of numbers"),
        ({"indices": np.array([[0, 1, 2]])}, "must be plain lists of numbers"),
        ({"data": np.array(["a", "b", "c"])}, "must be plain lists of numbers"),
        ({"data": np.array([1.0, np.nan, 2.0])}, "expected a finite number"),
        ({"data": np.array([1.0, 2.0])}, "indptr ends at 3, but there are 3 indices and 2 values"),
        ({"indptr": np.array([0, 2, 1, 3])}, "start at 0 and never fall"),
        ({"indptr": np.array([1, 2, 2, 3])}, "start at 0 and never fall"),
        ({"indptr": np.array([0, 2, 2, 9])}, "indptr ends at 9"),
        ({"indptr": np.array([0, 2, 3])}, "indptr must have 4 entries"),
        ({"indptr": np.array([0, 3, 2, 3], dtype=np.uint64)}, "start at 0 and never fall"),
        ({"shape": np.array([3])}, "shape must be two whole numbers"),
        ({"shape": np.array([3.0, 4.0])}, "shape must be two whole numbers"),
        ({"shape": np.array([3, -4])}, "out of range"),
        ({"shape": np.array([3, 2**40])}, "out of range"),
        ({"shape": np.array([0, 4])}, "out of range"),
        (
            {"data": np.array([1e308, 1e308, 1.0]), "indices": np.array([3, 3, 1])},
            "summed data, row 0",
        ),
    ],
)
def test_csr_that_would_read_wild_memory(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(DataError, match=reason):
        sources.open(save_csr(tmp_path, **changes))


def head(shape: tuple[int, ...], dtype: str = "<f8", fortran: bool = False) -> bytes:
    """The header of an .npy file, whatever comes after it."""
    described = {"descr": dtype, "fortran_order": fortran, "shape": shape}
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, described)
    return file.getvalue()


LARGE = 2**23  # numbers, which are 64 MB
BOMBS: dict[str, tuple[dict[str, bytes], str]] = {
    "three dimensions": ({"X": head((2, 2, LARGE // 4))}, "X has 3 dimensions, expected 2"),
    "complex": ({"X": head((2, LARGE // 4), "<c16")}, "X has type complex128"),
    "text": ({"X": head((2, LARGE // 4), "<U4")}, "X has type <U4"),
    "no labels": ({"X": head((2, LARGE // 2))}, "no array y"),
    "long labels": ({"X": head((2, 3)), "y": head((LARGE,))}, r"expected \(2,\)"),
    "odd labels": ({"X": head((2, 3)), "y": head((2,), f"V{4 * LARGE}")}, "labels of type"),
    "few labels": ({"X": head((LARGE // 2, 2)), "y": head((3,))}, r"y has shape \(3,\), expected"),
    "objects": ({"X": head((2, LARGE // 2), "|O"), "y": head((2,))}, "holds Python objects"),
    "negative": ({"X": head((-2, -LARGE // 2)), "y": head((2,))}, r"its shape is \(-2, -"),
    "long shape": ({"shape": head((LARGE,), "<i8")}, "shape must be two whole numbers"),
    "long format": ({"format": head((), f"S{8 * LARGE}")}, "its format is"),
    "long indptr": ({"indptr": head((LARGE,), "<i8")}, "indptr must have 4 entries"),
    "long indices": ({"indices": head((LARGE,), "<i8")}, "there are 8388608 indices"),
    "long data": ({"data": head((LARGE,))}, "3 indices and 8388608 values"),
}
CSR_HEADS = {
    "data": head((3,)) + np.ones(3).tobytes(),
    "indices": head((3,), "<i4") + np.arange(3, dtype=np.int32).tobytes(),
    "indptr": head((4,), "<i4") + np.arange(4, dtype=np.int32).tobytes(),
    "shape": head((2,), "<i8") + np.array([3, 4]).tobytes(),
    "y": head((3,)) + np.ones(3).tobytes(),
}


@pytest.mark.parametrize("case", BOMBS)
def test_an_archive_is_refused_before_it_is_unpacked(tmp_path: Path, case: str) -> None:
    """Each member has 64 MB of zeros, in 64 KB, or what its header says."""
    changed, reason = BOMBS[case]
    members = changed if "X" in changed else CSR_HEADS | changed
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            with archive.open(f"{name}.npy", "w") as file:
                file.write(content)
                if name in changed:
                    for _ in range(64):
                        file.write(bytes(2**20))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=reason):
            sources.open(tmp_path / "a.npz")
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


def test_an_archive_that_says_it_holds_more_than_it_can(tmp_path: Path) -> None:
    table = head((2**20, 2**20)) + bytes(16)
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", table)
        archive.writestr("y.npy", head((2**20,)) + bytes(2**23))
    raw = (tmp_path / "a.npz").read_bytes()
    with pytest.raises(DataError, match="it ends too soon"):
        sources.open(tmp_path / "a.npz")
    size = len(table).to_bytes(4, "little")
    assert raw.count(size) >= 2
    (tmp_path / "a.npz").write_bytes(raw.replace(size, b"\xfe\xff\xff\xff"))
    with pytest.raises(DataError, match=r"bytes cannot hold the 4294967294 of X"):
        sources.open(tmp_path / "a.npz")


def test_a_flipped_bit_in_an_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=TABLE, y=[1, 2, 3, 4])
    raw = bytearray((tmp_path / "a.npz").read_bytes())
    raw[raw.index(TABLE.tobytes()) + 8] ^= 1
    (tmp_path / "a.npz").write_bytes(raw)
    with pytest.raises(DataError, match="Bad CRC-32"):
        sources.open(tmp_path / "a.npz")


@pytest.mark.parametrize("fortran", [False, True])
@pytest.mark.parametrize("shape", [(2**40, 2**40), (3, 2**50), (-3, -4), (-3, 4), (2**63, 2)])
def test_a_header_with_an_impossible_shape(
    tmp_path: Path, shape: tuple[int, ...], fortran: bool
) -> None:
    (tmp_path / "a.npy").write_bytes(head(shape, "<f8", fortran) + bytes(96))
    with pytest.raises(DataError, match=r"not a whole .npy or .npz file of numbers \(it"):
        sources.open(tmp_path / "a.npy")


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"PK\x05\x06", b"\x93NUMP", b"\x80\x04K\x01."]
)
def test_damaged_files(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=f"{name}: not a whole .npy or .npz file of numbers"):
        sources.open(tmp_path / name)


def test_a_header_that_promises_more_than_there_is(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", TABLE)
    raw = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(raw[:-8])
    with pytest.raises(DataError, match=r"not a whole .npy"):
        sources.open(tmp_path / "a.npy")
    (tmp_path / "a.npy").write_bytes(
        raw.replace(b"(4, 3), ", b"(4, 300000000), ").replace(b" " * 9, b"")
    )
    with pytest.raises(DataError, match=r"not a whole .npy"):
        sources.open(tmp_path / "a.npy")
