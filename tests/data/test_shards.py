"""Shards: whatever the text and their number, together they are exactly the rows of the source."""

import bz2
import gzip
import json
import os
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import data as sources
from novikoff.data.cache import ensure_cache
from novikoff.data.shards import CutError, cut, open_shard, plan
from novikoff.errors import DataError, ParameterError
from tests.helpers.chunks import Save, blocks_of
from tests.helpers.shards import complaint, equal, places, read_shards, read_whole, sent

SVM = st.lists(
    st.sampled_from(
        [
            "1 1:2.5 3:-1",
            "-1 2:1e-3",
            "+1 7:0.1 # café",
            "# nothing",
            "",
            "  ",
            "1",
            "-1 1:0 4:-0.0",
        ]
    ),
    min_size=1,
    max_size=30,
).map(lambda lines: ["1 1:1", *lines])
SVM_0 = SVM.map(lambda lines: [*lines, "1 0:2"])
VW = st.lists(
    st.sampled_from(
        [
            "1 | a b:2",
            "-1 |n a:0.5 c",
            "1 'tag|é naïve ü:3",
            "",
            "-1 | city:paris a",
            "1 |x:2 a b c",
        ]
    ),
    min_size=1,
    max_size=30,
).map(lambda lines: ["1 | first", *lines])
FIELD = st.sampled_from(["1", "-2.5", "3e4", '"4"', " 5 "])
WORDS = st.sampled_from(["cat", "dég", '"a,b"', '"say ""hi"""', '"two\nlines"', '"a\n\nb"', "x"])


@st.composite
def tables(draw: st.DrawFn, words: bool = True) -> list[str]:
    """Lines of a table of numbers, categories and labels, with or without a header."""
    header = ['"x","wide\nname",y'] if words else ["x,z,y"]
    rows = draw(st.lists(st.tuples(FIELD, WORDS if words else FIELD), min_size=1, max_size=25))
    label = draw(st.sampled_from(["01", "ab"]))
    lines = [f"{a},{b},{label[k % 2]}" for k, (a, b) in enumerate(rows)]
    lines = [line for each in lines for line in ([each, ""] if draw(st.booleans()) else [each])]
    return draw(st.sampled_from([header, []])) + lines


KINDS = {"svm": SVM, "0.svm": SVM_0, "vw": VW, "csv": tables(), "numbers.csv": tables(words=False)}
sizes = st.sampled_from([24, 100, 2**21])
ends = st.tuples(st.sampled_from(["\n", "\r\n"]), st.booleans())


def write_lines(path: Path, lines: list[str], ending: tuple[str, bool]) -> str:
    end, last = ending
    text = end.join(lines) + (end if last else "")
    path.write_bytes(text.encode())
    return str(path)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_shards_are_the_rows(kind: str, data: st.DataObject, scratch: Path) -> None:
    path = write_lines(scratch / f"t.{kind}", data.draw(KINDS[kind]), data.draw(ends))
    with blocks_of(data.draw(sizes)):
        source = sources.open(path)
        whole = read_whole(source)
        most = len(whole.X)
        number = data.draw(st.one_of(st.none(), st.integers(1, most)))
        assert equal(read_shards(sources.open(path), number), whole)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_several_files_are_cut_as_one(kind: str, data: st.DataObject, scratch: Path) -> None:
    first = data.draw(KINDS[kind])
    again = [first, first[:2] if kind.endswith("csv") else first[:1], first]
    paths = [
        write_lines(scratch / f"{k}.{kind}", lines, data.draw(ends))
        for k, lines in enumerate(again)
    ]
    with blocks_of(data.draw(sizes)):
        whole = read_whole(sources.open(paths))
        number = data.draw(st.integers(1, len(whole.X)))
        assert equal(read_shards(sources.open(paths), number), whole)


BAD = {
    "svm": ["1 1:x", "1 3:1 3:2", "1 -1:2", "1 1:1e999", "nan 1:1", "1 é:1", "1 1"],
    "0.svm": ["1 1:x", "1 0:1 0:2", "1 qid:1 1:"],
    "vw": ["1 -2 | a", "no bar", "1 | a:nan", "| a", "1 |:2 a", "a:1 | b"],
    "csv": ["1", "1,2,3,4", ",cat,0", '"1,cat,0', "1,,0", "1,cat,", "1,cat,0\0"],
    "numbers.csv": ["1", "1,2,3,4", "1,cat,0", "1,,0", '1,"2"x,0', "1,2,nan"],
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_bad_line_is_named_as_in_the_whole(kind: str, data: st.DataObject, scratch: Path) -> None:
    lines = data.draw(KINDS[kind])
    lines += [line for line in lines if line][-1:] * 4  # so that the first rows are good ones
    place = data.draw(st.integers(4, len(lines)))
    lines = [*lines[:place], data.draw(st.sampled_from(BAD[kind])), *lines[place:]]
    path = write_lines(scratch / f"b.{kind}", lines, data.draw(ends))
    with blocks_of(data.draw(sizes)):
        source = sources.open(path)
        with pytest.raises(DataError) as told:
            source.read()
        number = data.draw(st.integers(1, len(lines) // 2))
        assert complaint(sources.open(path), number) == str(told.value)


def test_cuts_do_not_depend_on_anything_but_the_data(save: Save) -> None:
    path = save("a.svm", "".join(f"{k % 2} 1:{k}\n" for k in range(100)))
    first, again = (cut(sources.open(path), 7) for _ in range(2))
    assert first == again
    assert [shard.number for shard in first] == list(range(7))
    assert all(shard.of == 7 for shard in first)
    assert first[0].start == (0, 0, 0)
    assert first[-1].stop is None
    assert all(shard.stop == after.start for shard, after in pairwise(first))
    assert sum(shard.bytes for shard in first) == Path(path).stat().st_size


def test_the_default_number_follows_from_the_size(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("a.svm", "1 1:2\n-1 2:2\n" * 100)
    assert len(cut(sources.open(path))) == 1
    monkeypatch.setattr(plan, "SHARD_BYTES", 300)
    assert len(cut(sources.open(path))) == 5
    two = save("b.svm", "1 1:2\n" + "-1 2:2 # " + "x" * 2000)
    assert len(cut(sources.open(two))) == 2  # where only so many can be


def test_a_shard_reads_the_layout_from_the_first_file(save: Save) -> None:
    # By itself the second file would be one of numbers, and its labels would be words.
    paths = [save("a.csv", "c,n,y\nx,1,0\nz,2,1\n"), save("b.csv", "c,n,y\n7,1,0\n8,2,1\n")]
    source = sources.open(paths)
    whole = read_whole(source)
    assert whole.names == ["n", "c=x", "c=z", "c=7", "c=8"]
    last = cut(source, 2)[1]
    assert last.paths == tuple(paths)
    shard = sent(last)
    assert [name for name, _ in shard.files] == []
    shard.read()
    assert shard.files == [(paths[1], 0)]
    assert shard.feature_names == ["n", "c=7", "c=8"]
    assert equal(read_shards(source, 2), whole)


def test_line_ends_in_quotes_are_noticed(save: Save) -> None:
    path = save("a.csv", "n,c,y\n" + '1,"a\n1,b,0\nb",0\n' * 6 + '2,"c",1\n')
    source = sources.open(path)
    optimistic = [sent(shard) for shard in cut(source, 8)]
    seen = []
    for shard in optimistic:
        try:
            shard.read()
            seen.append(shard.quotes)
        except CutError:
            seen.append(True)
    assert any(seen)
    with pytest.raises(DataError, match=r"found shards=8, expected at most 7.*lines"):
        cut(source, 8, quoted=True)
    sure = cut(source, 7, quoted=True)
    assert [sent(shard).read().X.shape[0] for shard in sure] == [1] * 7


def test_quotes_without_line_ends_need_no_other_cuts(save: Save) -> None:
    path = save("a.csv", "n,c,y\n" + '1,"a, ""b""",0\n2,"c",1\n' * 20)
    source = sources.open(path)
    found = [sent(shard) for shard in cut(source, 5)]
    assert sum(shard.read().X.shape[0] for shard in found) == 40
    assert not any(shard.quotes for shard in found)
    sure = cut(source, 5, quoted=True)
    assert [shard.start for shard in sure] == [shard.shard.start for shard in found]


def test_a_quote_that_is_never_closed_is_named(save: Save) -> None:
    path = save("a.csv", "n,m,y\n" + "1,2,0\n" * 9 + '"1,2,0\n' + "1,2,1\n" * 30)
    with pytest.raises(DataError) as told:
        sources.open(path).read()
    assert complaint(sources.open(path), 12) == str(told.value)


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_arrays_are_cut_between_any_rows(tmp_path: Path, number: int) -> None:
    random = np.random.default_rng(1)
    table = random.standard_normal((23, 4))
    np.save(tmp_path / "a.npy", table)
    np.save(tmp_path / "f.npy", np.asfortranarray(table))
    X, y = table[:, :3], np.where(table[:, 3] > 0, "yes", "no")
    np.savez(tmp_path / "b.npz", X=X, y=y)
    for names in (["a.npy"], ["f.npy"], ["b.npz"], ["a.npy", "f.npy"]):
        paths = [tmp_path / name for name in names]
        assert equal(read_shards(sources.open(paths), number), read_whole(sources.open(paths)))
        sizes = [sent(shard).read().X.shape[0] for shard in cut(sources.open(paths), number)]
        assert max(sizes) - min(sizes) <= len(names)
    name = "example:separable?rows=50&features=3"
    assert equal(read_shards(sources.open(name), number), read_whole(sources.open(name)))


def test_arrays_of_another_width_are_refused_before_they_are_cut(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((4, 3)))
    np.save(tmp_path / "b.npy", np.ones((4, 4)))
    source = sources.open([tmp_path / "a.npy", tmp_path / "b.npy"])
    with pytest.raises(DataError, match=r"b.npy: the number of feature columns is 3, expected 2"):
        cut(source, 2)


@pytest.mark.parametrize("labels", [True, False])
def test_a_number_that_is_none_is_named_by_its_row(tmp_path: Path, labels: bool) -> None:
    table = np.ones((20, 3))
    table[17, 2 if labels else 0] = np.nan
    np.save(tmp_path / "a.npy", table)
    with pytest.raises(DataError, match="row 17") as told:
        sources.open(tmp_path / "a.npy").read()
    assert complaint(sources.open(tmp_path / "a.npy"), 4) == str(told.value)
    frame = pyarrow.table({name: table[:, k] for k, name in enumerate("aby")})
    pyarrow.parquet.write_table(frame, tmp_path / "a.parquet", row_group_size=3)
    with pytest.raises(DataError, match="row 17") as told:
        sources.open(tmp_path / "a.parquet").read()
    assert complaint(sources.open(tmp_path / "a.parquet"), 4) == str(told.value)


def column_files(folder: Path) -> dict[str, list[Path]]:
    """Files of columns in groups of 3 rows, with categories."""
    words = ["cat", "dog", "bird", "é"]
    frames = [
        pyarrow.table(
            {
                "n": np.arange(rows, dtype=np.float64),
                "c": [words[(k * rows) % 4] for k in range(rows)],
                "y": np.arange(rows) % 2,
            }
        )
        for rows in (20, 7)
    ]
    found: dict[str, list[Path]] = {}
    for k, frame in enumerate(frames):
        parquet, arrow, stream = (folder / f"{k}.{name}" for name in ("parquet", "arrow", "ipc"))
        pyarrow.parquet.write_table(frame, parquet, row_group_size=3)
        packed = pyarrow.ipc.IpcWriteOptions(compression="lz4")
        with pyarrow.ipc.new_file(arrow, frame.schema, options=packed) as writer:
            writer.write_table(frame, max_chunksize=3)
        with pyarrow.ipc.new_stream(stream, frame.schema) as writer:
            writer.write_table(frame, max_chunksize=3)
        for name, path in (("parquet", parquet), ("arrow", arrow), ("stream", stream)):
            found.setdefault(name, []).append(path)
    return found


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_files_of_columns_are_cut_between_groups(tmp_path: Path, kind: str) -> None:
    paths = column_files(tmp_path)[kind]
    whole = read_whole(sources.open(paths))
    most = 2 if kind == "stream" else 10
    for number in range(1, most + 1):
        assert equal(read_shards(sources.open(paths), number), whole)
        found = cut(sources.open(paths), number)
        assert all(shard.start.offset % 3 == 0 for shard in found)
    with pytest.raises(DataError, match=f"expected at most {most}, .* (row groups|record batches)"):
        cut(sources.open(paths), most + 1)
    assert len(cut(sources.open(paths[0]), 1)) == 1


def test_a_cache_is_cut_between_rows_and_keeps_its_lines(save: Save, tmp_path: Path) -> None:
    paths = [save("a.svm", "# one\n1 1:2\n-1 2:3\n" * 9), save("b.svm", "1 9:1\n" * 5)]
    source = ensure_cache(sources.open(paths), tmp_path / "rows.nkcache")
    whole = read_whole(sources.open(tmp_path / "rows.nkcache"))
    for number in (1, 2, 5):
        assert equal(read_shards(sources.open(tmp_path / "rows.nkcache"), number), whole)
        assert read_shards(source, number).places is not None


PACKINGS = {"gz": gzip.compress, "bz2": bz2.compress}


@pytest.mark.parametrize("kind", PACKINGS)
def test_compressed_text_is_cut_between_files(save: Save, kind: str) -> None:
    texts = ["n,c,y\n1,a,0\n2,b,1\n", "n,c,y\n" + "3,c,0\n" * 50, "n,c,y\n1,a,1\n"]
    paths = [save(f"{k}.csv.{kind}", PACKINGS[kind](t.encode())) for k, t in enumerate(texts)]
    paths.append(save("3.csv", "n,c,y\n1,z,1\n1,w,0\n"))
    whole = read_whole(sources.open(paths))
    for number in range(1, 6):
        assert equal(read_shards(sources.open(paths), number), whole)
    with pytest.raises(DataError, match=r"found shards=6, expected at most 5.*compressed files"):
        cut(sources.open(paths), 6)


def test_rows_left_out_are_listed_with_the_files_lines(save: Save, tmp_path: Path) -> None:
    good, bad = "1,2,0\n3,4,1\n", "1,x,0\n"
    paths = [save("a.csv", "p,q,y\n" + good * 9 + bad + good * 3), save("b.csv", "p,q,y\n" + bad)]
    paths[1] = save("b.csv", "p,q,y\n" + good + bad + good)
    listed = tmp_path / "bad.jsonl"
    source = sources.open(paths, bad_rows="skip", skipped_to=listed)
    whole = read_whole(source)
    expected = [json.loads(line) for line in listed.read_text().splitlines()]
    listed.unlink()
    for number in (1, 2, 3, 6):
        found = [sent(shard) for shard in cut(source, number)]
        rows = sum(shard.read().X.shape[0] for shard in found)
        assert rows == len(whole.X)
        assert [row for shard in found for row in shard.listed] == expected
        assert sum(shard.skipped for shard in found) == 2
    assert not listed.exists()
    plain = sent(cut(sources.open(paths, bad_rows="skip"), 2)[0])
    assert plain.listed is None


def test_a_shard_without_rows_is_no_error_unless_it_is_all(save: Save) -> None:
    path = save("a.svm", "# a long remark\n# and another one\n1 1:1\n-1 2:1\n1 1:2\n")
    first, last = (sent(shard) for shard in cut(sources.open(path), 2))
    assert list(first.chunks()) == []
    assert first.read().X.shape == (0, 0)
    assert last.read().X.shape == (3, 2)
    for name, text, reason in (
        ("b.svm", "# none\n# none at all\n", "no rows: the file is empty or all comments"),
        ("b.vw", "\n\n\n\n", "no rows: the file is empty or blank"),
    ):
        source = sources.open(save(name, text))
        with pytest.raises(DataError, match=reason):
            sent(cut(source, 1)[0]).read()
        shard = sent(cut(source, 2)[1])
        assert shard.read().X.shape[0] == 0
        with pytest.raises(DataError, match=reason):
            raise shard.no_rows()
    for name, text in (("c.svm", ""), ("c.svm", "# one line\n")):
        source = sources.open(save(name, text))
        with pytest.raises(DataError, match="no rows"):
            cut(source, 9)  # which is not what is wrong with it


def test_what_cannot_be_cut_is_refused(save: Save, tmp_path: Path) -> None:
    path = save("a.csv", "1,2,0\n3,4,1\n")
    with pytest.raises(DataError, match=r"a.csv: decimal=True is not for shards"):
        cut(sources.open(path, decimal=True), 2)
    for number in (0, -1, True, 1.5, "2"):
        with pytest.raises(ParameterError, match="must be a whole number above 0"):
            cut(sources.open(path), number)
    with pytest.raises(DataError, match=r"found shards=3, expected at most 2.*lines.*fewer"):
        cut(sources.open(path), 3)
    with pytest.raises(DataError, match=r"found shards=5, expected at most 4.*rows"):
        cut(sources.open("example:xor"), 5)
    shard = open_shard(cut(sources.open(path), 2)[0])
    with pytest.raises(DataError, match="save it to a file first"):
        cut(shard, 2)


@pytest.mark.parametrize("kind", ["svm", "npy"])
def test_a_pipe_is_not_cut(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"pipe.{kind}"
    np.save(tmp_path / "real.npy", np.ones((4, 3)))
    content = (tmp_path / "real.npy").read_bytes() if kind == "npy" else b"1 1:1\n" * 4
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,))
    writer.start()
    source = sources.open(path)
    with pytest.raises(DataError, match="this is a pipe or in memory only"):
        cut(source, 2)
    if kind == "svm":
        source.read()
    writer.join()


def test_options_go_with_a_shard(save: Save) -> None:
    path = save("a.dat", "1 2:1 4:1\n" * 20)
    source = sources.open(path, zero_based=True, features=9, labelled=True)
    shard = sent(cut(source, 3)[1])
    assert shard.format == "svmlight"
    assert shard.base is None
    assert shard.read().X.shape[1] == 9
    assert shard.reopen(features=6).read().X.shape[1] == 6
    table = save("a.csv", "a,b,c\n" + "1,2,0\n3,4,1\n" * 9)
    fallen = sources.open(table, fallback={"target": "a", "hash_bits": 3})
    assert sent(cut(fallen, 2)[1]).target_name == "a"


def test_a_shard_can_be_cached_for_itself_only(save: Save, tmp_path: Path) -> None:
    paths = [save("a.csv", "c,y\n" + "x,0\nz,1\n" * 20), save("b.csv", "c,y\n" + "u,0\nx,1\n" * 20)]
    first, second, third = cut(sources.open(paths), 3)
    kept = ensure_cache(open_shard(third), tmp_path / "shard.nkcache")
    expected = open_shard(third).read()
    assert kept.read().y.tolist() == expected.y.tolist()
    assert kept.feature_names == ["c=x", "c=u"]
    assert places(kept, kept.read())[0] == (paths[1], int(expected.lines[0]))
    written_first = (tmp_path / "shard.nkcache" / "about.json").stat()
    again = ensure_cache(open_shard(third), tmp_path / "shard.nkcache")
    assert again.about == kept.about
    assert (tmp_path / "shard.nkcache" / "about.json").stat() == written_first
    other = ensure_cache(open_shard(second), tmp_path / "shard.nkcache")
    assert other.about.asked["shard"] != kept.about.asked["shard"]
    assert other.rows == open_shard(second).read().X.shape[0]
    told = []
    ensure_cache(
        open_shard(first),
        tmp_path / "first.nkcache",
        watch=lambda done, of, rows: told.append((done, of)),
    )
    assert told[-1] == (first.bytes, first.bytes)


def test_a_shard_of_a_file_that_changed_is_refused(save: Save) -> None:
    path = save("a.svm", "1 1:1\n-1 2:1\n" * 50)
    shard = open_shard(cut(sources.open(path), 3)[1])
    save("a.svm", "1 1:1\n-1 3:1\n" * 60)
    with pytest.raises(DataError, match="it changed while it was being read"):
        shard.read()
    with pytest.raises(DataError, match=r"a.svm: it is not what it was when it was cut"):
        open_shard(shard.shard)


def test_a_shard_of_a_file_that_is_gone_is_refused(save: Save) -> None:
    path = save("a.svm", "1 1:1\n-1 2:1\n" * 50)
    shards = cut(sources.open(path), 3)
    Path(path).unlink()
    with pytest.raises(DataError, match=r"a.svm: no such file"):
        open_shard(shards[1])
