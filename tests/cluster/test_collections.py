"""Dask collections as data: a shard for each partition, the same rows and labels as in memory."""

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from novikoff.cluster.data.shard import WorkerShard
from novikoff.cluster.workers.dataset import load_dataset
from novikoff.errors import DataError, ParameterError
from tests.helpers.processes import workers_of

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0])


def partition_rows(shard, layout):
    """What a worker has of a partition."""
    return shard.matrix(layout), shard.codes(layout)


def fetched(data):
    """All rows and class numbers, in order."""
    found = data.shard_client.map_shards(partition_rows, data.layout)
    dense = [X if isinstance(X, np.ndarray) else X.toarray() for X, _ in found]
    return np.concatenate(dense), np.concatenate([codes for _, codes in found])


def holds_rows(data, X, y):
    got, codes = fetched(data)
    np.testing.assert_array_equal(got, X)
    np.testing.assert_array_equal(data.layout.classes[codes], y)
    return True


def frame():
    words = ["red", "blue", "red", "green"] * 3
    return pd.DataFrame({"a": X[:, 0], "colour": words, "b": X[:, 1], "label": Y})


def test_arrays_keep_their_rows_in_order_and_in_their_blocks(cluster_of_two):
    data = load_dataset(cluster_of_two, da.from_array(X, (5, 2)), y=da.from_array(Y, 5))
    assert [found.rows for found in data.summaries] == [5, 5, 2]
    assert holds_rows(data, X, Y)
    assert holds_rows(
        load_dataset(cluster_of_two, (da.from_array(X, (5, 2)), da.from_array(Y, 4))), X, Y
    )


def test_blocks_may_be_sparse_and_their_sizes_unknown(cluster_of_two):
    rows, labels = da.from_array(X, (4, 2)), da.from_array(Y, 4)
    kept = rows[:, 0] > 1.0
    some = load_dataset(cluster_of_two, rows[kept], y=labels[kept])
    assert np.isnan(rows[kept].chunks[0]).all()
    assert holds_rows(some, X[X[:, 0] > 1.0], Y[X[:, 0] > 1.0])
    sparse = rows.map_blocks(sp.csr_array, dtype=float, meta=sp.csr_array((0, 0)))
    data = load_dataset(cluster_of_two, sparse, y=labels)
    assert holds_rows(data, X, Y)
    assert data.shard_client.map_shards(kind_of_matrix, data.layout) == ["csr"] * 3


def kind_of_matrix(shard, layout):
    return getattr(shard.matrix(layout), "format", "dense")


def test_frames_are_read_as_tables_are(cluster_of_two, tmp_path):
    table = frame()
    table.to_parquet(tmp_path / "table.parquet", index=False)
    data = load_dataset(cluster_of_two, dd.from_pandas(table, npartitions=3))
    whole = load_dataset(cluster_of_two, str(tmp_path / "table.parquet"), shards=1)
    assert data.layout.names == whole.layout.names
    assert data.outline.target == whole.outline.target == "label"
    assert holds_rows(data, *fetched(whole)[:1], Y)
    named = load_dataset(cluster_of_two, dd.from_pandas(table, npartitions=2), target="colour")
    assert named.layout.classes.tolist() == ["blue", "green", "red"]
    assert named.layout.names == ["a", "b", "label"]


def test_a_frame_and_a_series_are_rows_and_labels(cluster_of_two):
    table = dd.from_pandas(frame(), npartitions=3)
    data = load_dataset(cluster_of_two, table[["a", "b"]], y=table["label"])
    assert holds_rows(data, X, Y)
    assert data.layout.names == ["a", "b"]


@pytest.mark.parametrize("named", [True, False])
def test_bags_hold_pairs_of_a_row_and_a_label(cluster_of_two, named):
    rows = [{"p": p, "q": q} if named else [p, q] for p, q in X.tolist()]
    words = np.where(Y == 1, "yes", "no")
    bag = db.from_sequence(list(zip(rows, words.tolist(), strict=True)), npartitions=4)
    data = load_dataset(cluster_of_two, bag)
    assert holds_rows(data, X, words)
    assert data.layout.names == (["p", "q"] if named else None)


def test_names_are_numbered_as_they_first_come_in_all_partitions(cluster_of_two):
    pairs = [({"x": 1.0}, 0), ({"y": 2.0, "x": 3.0}, 1), ({"z": 4, "y": True}, 0)]
    data = load_dataset(cluster_of_two, db.from_sequence(pairs, npartitions=3))
    assert data.layout.names == ["x", "y", "z"]
    assert holds_rows(data, [[1.0, 0.0, 0.0], [3.0, 2.0, 0.0], [0.0, 1.0, 4.0]], [0, 1, 0])


def test_labels_that_are_words_in_one_partition_are_words_in_all(cluster_of_two):
    pairs = [([1.0], 1), ([2.0], 0), ([3.0], "none"), ([4.0], "1")]
    data = load_dataset(cluster_of_two, db.from_sequence(pairs, npartitions=2))
    assert holds_rows(data, [[1.0], [2.0], [3.0], [4.0]], ["1", "0", "none", "1"])


def test_partitions_without_rows_do_no_harm(cluster_of_two):
    table = dd.from_pandas(frame()[["a", "b", "label"]], npartitions=3)
    data = load_dataset(cluster_of_two, table[table["a"] > 5.0])
    few = frame()[frame()["a"] > 5.0]
    assert [found.rows for found in data.summaries] == [1, 1]
    assert holds_rows(data, few[["a", "b"]].to_numpy(), few["label"].to_numpy())
    with pytest.raises(DataError, match="no rows"):
        load_dataset(cluster_of_two, table[table["a"] > 99.0])


def at(row, column, value, kind=np.array):
    bad = kind(X.copy())
    bad[row, column] = value
    return bad


BAD = {
    "nan": (
        lambda: (da.from_array(at(9, 1, np.nan), (4, 2)), da.from_array(Y, 4)),
        r"Dask array partition 2 \(of 0 to 2\): row 1 \(counting from 0, row 9 of all\): column 1:"
        " the value is nan",
    ),
    "sparse": (
        lambda: (
            da.from_array(at(5, 0, np.inf), (4, 2)).map_blocks(
                sp.csr_array, dtype=float, meta=sp.csr_array((0, 0))
            ),
            da.from_array(Y, 4),
        ),
        r"partition 1 .* row 1 .*row 5 of all\): column 0: the value is inf",
    ),
    "masked": (
        lambda: (da.from_array(at(2, 1, np.ma.masked, np.ma.array), (4, 2)), da.from_array(Y, 4)),
        r"partition 0 .* row 2 .*column 1: the value is missing \(masked\)",
    ),
    "label": (
        lambda: (da.from_array(X, (4, 2)), da.from_array(np.where(Y, np.nan, 1.0), 4)),
        r"partition 0 .*row 1 .*the label is nan",
    ),
    "columns": (
        lambda: (da.from_array(X, (4, 1)), da.from_array(Y, 4)),
        r"X\.rechunk\(\{1: -1\}\)",
    ),
    "lengths": (
        lambda: (da.from_array(X, (4, 2)), da.from_array(Y[:10], 4)),
        r"X has 12 row\(s\) but y has 10 label",
    ),
    "unknown lengths": (
        lambda: (
            da.from_array(X, (4, 2))[da.from_array(X[:, 0] > 1.0, 4)],
            da.from_array(Y, 4)[da.from_array(X[:, 0] > 2.0, 4)],
        ),
        r"partition 0 .*: it has \d row\(s\) but \d label\(s\): cut X and y in the same way",
    ),
    "no labels": (lambda: (da.from_array(X, (4, 2)), None), "needs its labels"),
    "labels in memory": (
        lambda: (da.from_array(X, (4, 2)), Y),
        r"dask\.array\.from_array\(y, chunks=X\.chunks\[0\]\)",
    ),
    "frame": (
        lambda: (
            dd.from_pandas(frame().assign(b=at(7, 1, np.nan)[:, 1]), npartitions=3),
            None,
        ),
        r"partition 1 .*row 3 \(counting from 0\), column 3 \('b'\): the value is missing",
    ),
    "dates": (
        lambda: (
            dd.from_pandas(frame().assign(b=pd.Timestamp("2020-01-01")), npartitions=2),
            None,
        ),
        r"column 3 \('b'\) has the type timestamp",
    ),
    "bag": (
        lambda: (db.from_sequence([([1.0], 1), ([2.0], None)], npartitions=1), None),
        r"row 1 \(counting from 0\): the label is None",
    ),
    "bag's values": (
        lambda: (db.from_sequence([({"a": 1.0}, 1), ({"a": "x"}, 0)], npartitions=1), None),
        r"row 1 .*'a' is 'x', expected a finite number",
    ),
    "bag's widths": (
        lambda: (db.from_sequence([([1.0], 1), ([2.0, 3.0], 0)], npartitions=1), None),
        "row 1 .*it has 2 values, and row 0 has 1",
    ),
    "bag's pairs": (
        lambda: (db.from_sequence([1, 2], npartitions=1), None),
        r"row 0 .*found 1, expected a pair \(row, label\)",
    ),
    "delayed": (lambda: (dask.delayed(X), None), "arrays, dataframes and bags can be used"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_refused_with_its_row(cluster_of_two, case):
    made, message = BAD[case]
    source, y = made()
    with pytest.raises(DataError, match=message):
        load_dataset(cluster_of_two, source, y=y)


def test_each_partition_is_a_shard_and_no_other_number_can_be_had(cluster_of_two):
    bag = db.from_sequence([([1.0], 1), ([2.0], 0)], npartitions=2)
    assert len(load_dataset(cluster_of_two, bag, shards=2).summaries) == 2
    with pytest.raises(ParameterError, match="2 partitions, and each is a shard"):
        load_dataset(cluster_of_two, bag, shards=3)


def test_rows_stay_with_the_workers_that_computed_them(cluster_of_two):
    data = load_dataset(cluster_of_two, da.from_array(X, (2, 2)), y=da.from_array(Y, 2))
    homes = data.shard_client.map_shards(home_of)
    assert sorted(set(homes)) == sorted(workers_of(cluster_of_two))
    holders = cluster_of_two.who_has([part.data for part in data.shard_client.shards])
    assert [
        homes[k] in holders[part.data.key] for k, part in enumerate(data.shard_client.shards)
    ] == [True] * 6


def home_of(shard):
    from distributed import get_worker

    assert isinstance(shard, WorkerShard)
    return get_worker().address
