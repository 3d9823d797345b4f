"""With decimal=True a number in text means exactly the decimal it writes."""

import gzip
import itertools
import math
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff.data as sources
from novikoff.data import Chunk
from novikoff.data.text.tokens import NotANumberError, exact, number
from novikoff.errors import DataError
from tests.helpers.chunks import Save, bits, check_chunk, dense

DIGITS = st.text("0123456789", max_size=24)
TOKENS = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["", "-", "+"]),
    st.text("0123456789", min_size=1, max_size=24),
    st.sampled_from(["", "."]),
    DIGITS,
    st.sampled_from(["", "", "", "e5", "E-7", "e+0012", "e-300", "e-400", "e-5000", "e280"]),
).filter(lambda token: math.isfinite(float(token))) | st.floats(
    allow_nan=False, allow_infinity=False
).map(repr)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(TOKENS, min_size=width, max_size=width), min_size=1, max_size=9)
)
SPARSE = st.lists(st.dictionaries(st.integers(1, 30), TOKENS, max_size=6), min_size=1, max_size=9)


def expected(rows: list[list[str]]) -> list[list[Fraction]]:
    return [[Fraction(token) for token in row] for row in rows]


def as_written(chunk: Chunk) -> list[dict[int, Fraction]]:
    """The exact entries of a CSR chunk, row by row."""
    ends = chunk.X.indptr.tolist()
    columns = chunk.X.indices.tolist()
    return [
        dict(zip(columns[a:b], chunk.exact[a:b].tolist(), strict=True))
        for a, b in itertools.pairwise(ends)
    ]


@given(rows=TABLES, name=st.sampled_from(["a.csv", "a.tsv"]), quoted=st.booleans())
def test_tables_hold_the_numbers_that_are_written(
    scratch: Path, rows: list[list[str]], name: str, quoted: bool
) -> None:
    mark = "," if name.endswith("csv") else "\t"
    label = '"a"' if quoted else "a"  # with quotes the csv module reads
    path = scratch / name
    path.write_text("".join(mark.join([*row, label]) + "\n" for row in rows))
    whole = sources.open(path, decimal=True, header=False).read()
    check_chunk(whole)
    assert whole.exact.tolist() == expected(rows)
    plain = sources.open(path, header=False).read()
    assert bits(plain.X) == bits(whole.X)
    assert plain.exact is None
    parts = list(sources.open(path, decimal=True, header=False).chunks(2))
    for part in parts:
        check_chunk(part)
    assert [row for part in parts for row in part.exact.tolist()] == expected(rows)


@given(rows=SPARSE, data=st.data())
def test_sparse_rows_hold_the_numbers_that_are_written(
    scratch: Path, rows: list[dict[int, str]], data: st.DataObject
) -> None:
    lines = ["1 1:1"]
    for row in rows:
        order = data.draw(st.permutations(sorted(row)))
        odd = data.draw(st.sampled_from(["", "qid:3 "]))  # the quick way gives up on it
        lines.append(f"-1 {odd}" + " ".join(f"{index}:{row[index]}" for index in order))
    path = scratch / "a.svm"
    path.write_text("\n".join(lines))
    wanted = [{0: Fraction(1)}] + [
        {index - 1: Fraction(token) for index, token in row.items()} for row in rows
    ]
    whole = sources.open(path, decimal=True).read()
    check_chunk(whole)
    assert as_written(whole) == wanted
    assert bits(dense(sources.open(path).read())) == bits(dense(whole))
    parts = list(sources.open(path, decimal=True, zero_based=False).chunks(2))
    assert [row for part in parts for row in as_written(part)] == wanted


def test_a_decimal_is_not_its_nearest_double(save: Save) -> None:
    chunk = sources.open(save("a.csv", "0.1,0.2,0.3,1\n"), decimal=True).read()
    tenth, fifth, three_tenths = chunk.exact[0]
    assert tenth + fifth == three_tenths
    assert tenth != Fraction(chunk.X[0, 0])


def test_what_underflows_keeps_its_entry(save: Save) -> None:
    chunk = sources.open(save("a.svm", "1 3:1e-400 1:0 2:-0.0\n"), decimal=True).read()
    check_chunk(chunk)
    assert chunk.X.data.tolist() == [0.0, 0.0, 0.0]
    assert as_written(chunk) == [{0: 0, 1: 0, 2: Fraction(1, 10**400)}]
    assert str(chunk.X.data[1]) == "-0.0"
    table = sources.open(save("a.csv", "1e-400,1\n"), decimal=True).read()
    assert (table.X[0, 0], table.exact[0, 0]) == (0.0, Fraction(1, 10**400))


def test_categories_have_no_decimals(save: Save) -> None:
    path = save("a.csv", "x,city,label\n0.1,Paris,a\n")
    with pytest.raises(
        DataError, match=r"a\.csv: decimal=True is for tables of numbers, but column 2"
    ):
        sources.open(path, decimal=True)


def test_bad_rows_leave_the_decimals_of_others(save: Save) -> None:
    path = save("a.csv", "0.1,1\n0.2\n0.3,\n0.4,2\n")
    source = sources.open(path, decimal=True, bad_rows="skip")
    chunk = source.read()
    check_chunk(chunk)
    assert chunk.exact.ravel().tolist() == [Fraction(1, 10), Fraction(4, 10)]
    assert (chunk.lines.tolist(), source.skipped) == ([1, 4], 2)


def test_compressed_text_has_decimals_too(save: Save) -> None:
    path = save("a.csv.gz", gzip.compress(b"x,label\n0.1,a\n0.7,b\n"))
    chunk = sources.open(path, decimal=True).read()
    assert chunk.exact.ravel().tolist() == [Fraction(1, 10), Fraction(7, 10)]


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ("1e400", "expected a number that is finite"),
        ("1e-5001", "with an exponent from -5000 to 5000"),
        ("0e5001", "with an exponent from -5000 to 5000"),
        ("1e-" + "9" * 4900, "with an exponent from -5000 to 5000"),
        ("0." + "1" * 5000, "of at most 5000 characters"),
        ("oops", "expected a number"),
        ("0x10", "in decimal, not in hexadecimal"),
        ("1_0.5", "without underscores"),
        ("", "the value is missing"),
    ],
)
def test_what_is_refused_is_refused_at_its_line(save: Save, token: str, reason: str) -> None:
    with pytest.raises(NotANumberError, match=reason):
        exact(token)
    path = save("a.csv", f"1,2,a\n3,4,b\n5,{token},a\n")
    with pytest.raises(DataError, match=rf"a\.csv:3:3: column 2: .*{reason}"):
        sources.open(path, decimal=True, header=False).read()
    if token:
        path = save("a.svm", f"1 1:1\n-1 2:1\n1 1:{token}\n")
        with pytest.raises(DataError, match=rf"a\.svm:3:5: in .*{reason}"):
            sources.open(path, decimal=True).read()


@pytest.mark.parametrize("token", ["1e5000", "-1E-5000", "1e-00005000", "0.5E+0000", " 7.25 "])
def test_exponents_at_the_edge(token: str) -> None:
    if "e5000" in token:  # too large for a double
        with pytest.raises(NotANumberError):
            exact(token)
    else:
        assert exact(token) == Fraction(token)


@given(st.text("0123456789.eE+-_ \t\x0b\x1cinfa", max_size=12))
def test_a_number_is_exact_where_it_is_a_double(word: str) -> None:
    try:
        value = number(word)
    except NotANumberError:
        with pytest.raises(NotANumberError):
            exact(word)
        return
    if abs(int(word.lower().partition("e")[2] or 0)) <= 5000:
        assert float(exact(word)) == value
    else:
        with pytest.raises(NotANumberError, match="exponent"):
            exact(word)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(3))
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=[1, 2])
    for path in (tmp_path / "a.npy", tmp_path / "a.npz", "example:xor"):
        with pytest.raises(DataError, match=r"decimal=True is for csv, tsv, svmlight.*doubles"):
            sources.open(path, decimal=True)


def test_a_chunk_unpacks_as_before_and_keeps_its_numbers(save: Save) -> None:
    chunk = sources.open(save("a.csv", "0.1,1\n0.3,2\n"), decimal=True).read()
    X, y, lines = chunk
    assert (X is chunk.X, y is chunk.y, lines is chunk.lines) == (True, True, True)
    assert pickle.loads(pickle.dumps(chunk)).exact.tolist() == chunk.exact.tolist()
