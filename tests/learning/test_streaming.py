"""Rows in memory, mapped from a cache, or read as they come: the same bytes come out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data import loader
from novikoff.data.files import blocks
from novikoff.errors import DataError, ParameterError
from novikoff.learning import rows
from novikoff.learning.epochs import RUN, WINDOW, epoch_order
from novikoff.learning.rows import is_mapped, make_rows
from novikoff.learning.rules import registry
from tests.helpers.fit_modes import every_way, fitted, spec_for, write_rows


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 700)


def all_the_same(found):
    assert len(set(found.values())) == 1, list(found)
    return next(iter(found.values()))


@pytest.mark.parametrize("epochs", [1, 3])
@pytest.mark.parametrize("rule", sorted(registry.CATALOGUE))
def test_every_rule_learns_the_same_wherever_the_rows_are(tmp_path, rule, epochs):
    path = write_rows(tmp_path / "a.svm", rule)
    all_the_same(every_way(spec_for(rule, epochs), path, tmp_path))


@pytest.mark.parametrize("rule", ["perceptron", "averaged", "voted"])
def test_more_than_two_classes(tmp_path, rule):
    path = write_rows(tmp_path / "a.svm", rule, classes=("a", "b", "c"))
    all_the_same(every_way(spec_for(rule), path, tmp_path))


def test_a_random_start_is_drawn_for_all_features(tmp_path):
    path = write_rows(tmp_path / "a.svm", "perceptron")
    all_the_same(every_way(spec_for("perceptron", init="random", seed=5), path, tmp_path))


def test_a_shuffled_cache_is_the_shuffled_memory(tmp_path):
    path = write_rows(tmp_path / "a.svm", "perceptron")
    given = all_the_same(every_way(spec_for("perceptron"), path, tmp_path))
    shuffled = all_the_same(every_way(spec_for("perceptron", order="shuffle"), path, tmp_path))
    assert given != shuffled


@pytest.mark.parametrize(
    "content",
    [
        # the third label comes last
        "".join(f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200)) + "2 3:1\n",
        # the first index 0 comes last
        "".join(f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200)) + "1 0:1\n",
        # the first word comes last
        "".join(f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200)) + "x 1:1\n",
        # all of these, one after another
        "".join(f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200)) + "1 0:1\nx 1:1\n",
        # sorted by class
        "".join(f"{k // 100} {k % 7 + 1}:{k}\n" for k in range(200)),
        # numbers that are not whole come last
        "".join(f"0 {k % 7 + 1}:{k}\n" for k in range(200)) + "0.5 1:1\n",
        # the same number, written otherwise
        "".join(f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200)) + "1.0 1:1\n",
    ],
)
def test_what_the_data_show_late_is_known_from_the_start(tmp_path, content):
    path = tmp_path / "a.svm"
    path.write_text(content)
    all_the_same(every_way(spec_for("perceptron"), path, tmp_path))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "".join(f"{k % 5},{k % 3},{(k * k) % 2}\n" for k in range(300))),
        ("a.tsv", "".join(f"{k % 5}\t{k / 3}\tw{(k * k) % 2}\n" for k in range(300))),
        ("b.csv", "n,city,y\n" + "".join(f"{k},c{k % 40},{k % 2}\n" for k in range(300))),
        ("a.vw", "".join(f"{k % 2} |a f{k % 9}:{k} |b g{k % 50}\n" for k in range(300))),
    ],
)
def test_other_formats(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    found = all_the_same(every_way(spec_for("perceptron"), path, tmp_path))
    (tmp_path / "m").write_bytes(found)
    assert nk.load(tmp_path / "m").mistakes_ > 0


def test_hashed_names(tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("".join(f"{k % 2} |a f{k % 9}:{k} |b g{k % 50}\n" for k in range(300)))
    all_the_same(every_way(spec_for("perceptron"), path, tmp_path, hash_bits=4))


def test_one_label_only(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:2\n" * 300)
    for streamed in (False, True):
        with pytest.raises(DataError, match=r"all 300 rows have the label 1; a separator needs"):
            fitted(spec_for("perceptron"), nk.open(path), tmp_path / "m", streamed=streamed)


def test_measurements_are_no_classes(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("".join(f"{k / 2} {k % 7 + 1}:{k}\n" for k in range(300)))
    for streamed in (False, True):
        with pytest.raises(DataError, match=r"the labels are \d+ different numbers such as 0: are"):
            fitted(spec_for("perceptron"), nk.open(path), tmp_path / "m", streamed=streamed)


@pytest.mark.parametrize("kind", [nk.Perceptron, nk.AveragedPerceptron, nk.Winnow])
def test_estimators_learn_from_sources_as_from_arrays(tmp_path, monkeypatch, kind):
    rule = "winnow" if kind is nk.Winnow else "perceptron"
    path = write_rows(tmp_path / "a.svm", rule)
    X, y, _ = nk.open(path).read()
    for few in (2**40, 0):  # as if the file were small, and as if it were large
        monkeypatch.setattr("novikoff.data.loader.FEW", few)
        for epochs in (1, 3):
            with pytest.warns(UserWarning, match="not converged"):
                expected = kind(max_epochs=epochs).fit(X, y)
            with pytest.warns(UserWarning, match="not converged"):
                model = kind(max_epochs=epochs).fit(nk.open(path))
            assert np.array_equal(model.coef_, expected.coef_)
            assert np.array_equal(model.intercept_, expected.intercept_)
            assert model.mistakes_per_epoch_ == expected.mistakes_per_epoch_
            assert np.array_equal(model.classes_, expected.classes_)
            assert np.array_equal(model.predict(nk.open(path)), expected.predict(X))
            assert model.margin_ceiling_ == expected.margin_ceiling_
    assert (tmp_path / "a.svm.nkcache").is_dir()


def test_a_verdict_on_a_cache_is_the_verdict(tmp_path, monkeypatch):
    path = write_rows(tmp_path / "a.svm", "perceptron")
    expected = nk.check(nk.open(path))
    monkeypatch.setattr("novikoff.data.loader.FEW", 0)
    found = nk.check(nk.open(path))
    assert (tmp_path / "a.svm.nkcache").is_dir()
    assert found.certificate.text == expected.certificate.text
    assert nk.verify(found.certificate, nk.open(path)).valid


def test_mapped_rows_are_given_back(tmp_path, monkeypatch):
    """Without it, a pass over a cache would come to hold all of the file."""
    path = write_rows(tmp_path / "a.svm", "perceptron")
    mapped = make_rows(nk.open(path, cache=tmp_path / "c").reopen().read().X, True, False)
    assert not is_mapped(mapped)
    rest = loader.cached_if_large(nk.open(path, cache=tmp_path / "c"))
    mapped = make_rows(rest.read().X, True, False)
    monkeypatch.setattr(rows, "LARGE_MAPPING", 0)
    assert is_mapped(mapped)
    assert rows._mapping(mapped.columns) is not None
    before = mapped.values.copy()
    rows.release(mapped)
    assert np.array_equal(mapped.values, before)


QUOTES = """n,what,y
1,5" rod,0
2,"two
lines",1
3,"a ""b"" c",0
4,plain,1
5,"x,y",0
"""


@pytest.mark.parametrize("size", [1, 7, 30, 2**20])
def test_where_blocks_end_does_not_matter_to_quotes(tmp_path, monkeypatch, size):
    path = tmp_path / "a.csv"
    path.write_text(QUOTES + "".join(f'{k},5" rod,{k % 2}\n' for k in range(50)))
    expected = nk.open(path).read()
    assert expected.X.shape[0] == 55
    monkeypatch.setattr(blocks, "BLOCK_BYTES", size)
    found = nk.open(path).read()
    assert (found.X != expected.X).nnz == 0
    assert found.lines.tolist() == expected.lines.tolist()


# The order of an epoch


@given(
    rows=st.integers(1, 5 * WINDOW) | st.sampled_from([RUN, WINDOW, WINDOW + 1, 2 * WINDOW]),
    seed=st.integers(0, 9),
    place=st.floats(0, 1),
)
def test_a_shuffled_epoch_sees_every_row_once_and_can_be_entered_anywhere(rows, seed, place):
    parts = list(epoch_order("shuffle", seed, 3, rows))
    whole = np.concatenate([places for _, places in parts])
    assert np.array_equal(np.sort(whole), np.arange(rows))
    at = int(place * rows)
    later = list(epoch_order("shuffle", seed, 3, rows, at))
    if at < rows:
        first = later[0][0]
        assert first <= at < first + len(later[0][1])
        rest = np.concatenate([places for _, places in later])
        assert np.array_equal(rest, whole[first:])
    assert all(len(places) <= WINDOW for _, places in parts)
    for _, places in parts if rows > WINDOW else ():  # rows of one run stay in one window
        runs, sizes = np.unique(places // RUN, return_counts=True)
        assert (sizes == np.minimum(RUN, rows - runs * RUN)).all()


def test_few_rows_are_shuffled_as_a_whole():
    (start, places), *more = epoch_order("shuffle", 7, 2, 1000)
    assert (start, more) == (0, [])
    assert np.array_equal(places, np.random.default_rng([7, 2]).permutation(1000))
    with pytest.raises(ParameterError, match="order must be"):
        list(epoch_order("backwards", 0, 0, 10))
