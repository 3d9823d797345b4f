"""Training on shards: rows kept or streamed, what travels, checkpoints, and real processes."""

import contextlib
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.cluster.data.shard import WorkerShard
from novikoff.cluster.training import shard_epoch
from novikoff.cluster.training.shard_epoch import LearnerSnapshot
from novikoff.cluster.training.trainer import train
from novikoff.cluster.workers import dataset as cluster_data
from novikoff.cluster.workers.dataset import load_dataset, outline_files
from novikoff.data import loader
from novikoff.errors import DataError, ModelError, ParameterError
from novikoff.jit import Budget
from novikoff.learning.epochs import Stop, StopReason
from novikoff.learning.files import checkpoint_file
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.files.model_file import Model, parts
from novikoff.learning.loop import NoLog, epoch_for
from novikoff.learning.parallel import lookahead
from novikoff.learning.rules import Averaged, Perceptron, Winnow
from tests.helpers.fit_modes import fitted, spec_for, write_rows
from tests.helpers.local_shards import parts_of
from tests.helpers.mixing import Steps, gathering, own_spec, same_bits, trained
from tests.helpers.rule_table import RULES
from tests.helpers.waits import wait_until

STREAMED = ["perceptron", "averaged", "passive-aggressive", "winnow", "balanced-winnow"]


@pytest.mark.parametrize("is_large", [False, True])
def test_a_worker_with_threads_to_spare_gives_the_bytes_of_one(tmp_path, monkeypatch, is_large):
    monkeypatch.setattr(loader, "FEW", -1 if is_large else loader.FEW)
    monkeypatch.setattr(lookahead, "WORTH", 0.0)
    monkeypatch.setattr(lookahead, "ALONE", Budget(0.0))
    path, found = write_rows(tmp_path / "a.svm", "perceptron"), []
    for threads in (1, 3):
        monkeypatch.setattr(shard_epoch, "threads_of_task", lambda n=threads: n)
        found.append(train(spec_for("perceptron"), gather_locally(path, 2, cache=False)))
    assert found[0].streamed is is_large
    assert content(found[0]) == content(found[1])


@pytest.fixture
def streaming(monkeypatch):
    """Any file is large."""
    monkeypatch.setattr(loader, "FEW", -1)


def gather_locally(path, shards, labels=True, **options):
    """`load_dataset` for a file, with a shard client in this process."""

    class LocalClient(Steps):
        def __init__(self, client, shards, watch):
            super().__init__(shards)
            self.watch, self.asked = watch, []

        @property
        def shards(self):
            return self._shards

        @shards.setter
        def shards(self, shards):
            self._shards = shards
            self.worker_shards = [WorkerShard(shard.address) for shard in shards]

        def map_shards(self, function, *args, **more):
            self.asked.append(function.__name__)
            return super().map_shards(function, *args, **more)

    def gather(read, watch):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cluster_data, "ShardClient", LocalClient)
            source = nk.open(path, **options)
            return load_dataset(None, source, shards=shards, labels=labels, read=read, watch=watch)

    return gather


def content(found):
    """All that a model file would hold of a run."""
    model = Model("perceptron", {}, found.learner, found.classes, found.data.layout.names)
    model.lowest = found.outcome.ceilings
    header, arrays = parts(model)
    arrays = {name: array.tobytes() for name, array in arrays.items()}
    return header, arrays, found.outcome.mistakes_per_epoch, found.rows, found.mixed.tolist()


# Rows that are not kept


@pytest.mark.parametrize("rule", STREAMED)
@pytest.mark.parametrize("shards", [1, 3, 7])
@pytest.mark.parametrize("epochs", [1, 3])
def test_a_stream_gives_the_bytes_of_rows_at_rest(tmp_path, streaming, rule, shards, epochs):
    path = write_rows(tmp_path / "a.svm", rule)
    plan = spec_for(rule, epochs)
    stream = train(plan, gather_locally(path, shards, cache=False))
    rest = train(plan, gather_locally(path, shards, cache=tmp_path / "c"))
    assert stream.streamed
    assert not rest.streamed
    assert content(stream) == content(rest)
    survey = ["summary"] if plan.needs_width else []
    begun = [] if plan.needs_width else ["peek_head"]
    passes = ["run_epoch"] * epochs
    scoring = ["shard_wrong_rows"] if stream.wrong_rows is not None else []
    # the text is gone through no more, but where the model's answers are not the learner's
    assert bool(scoring) == (rule == "averaged")
    assert stream.data.shard_client.asked == begun + survey + passes + scoring
    assert stream.wrong_rows == rest.wrong_rows


def test_one_shard_streamed_is_one_machine(tmp_path, streaming):
    path = write_rows(tmp_path / "a.svm", "averaged", classes=(1, 2, 5))
    plan = spec_for("averaged", 2)
    found = train(plan, gather_locally(path, 1, cache=False))
    expected = tmp_path / "m"
    fitted(plan, nk.open(path), expected, streamed=True)
    model = nk.load(expected)
    for k in range(3):
        assert same_bits(found.learner, model._learner, k, k)
    assert found.learner.ceilings().tolist() == model._learner.ceilings().tolist()


def rows_as(kind, folder):
    """The same rows in a format; labels 0 and 1."""
    rng = np.random.default_rng(2)
    X = rng.standard_normal((240, 4)).round(2)
    y = (X[:, 0] + 0.3 * rng.standard_normal(240) > 0).astype(int)
    path = folder / f"rows.{kind}"
    if kind == "npy":
        np.save(path, np.column_stack([X, y]))
    elif kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
        pq.write_table(table, path, row_group_size=50)
    else:
        lines = [",".join([*map(str, row), str(label)]) for row, label in zip(X, y, strict=True)]
        path.write_text("a,b,c,d,y\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("kind", ["npy", "parquet", "csv"])
def test_formats(tmp_path, streaming, kind):
    path, plan = rows_as(kind, tmp_path), spec_for("perceptron", 2)
    stream = train(plan, gather_locally(path, 3, cache=False))
    assert stream.data.shard_client.asked == ["peek_head", "run_epoch", "run_epoch"]
    assert content(stream) == content(train(plan, gather_locally(path, 3)))


PLAIN = [f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200)]
SURPRISES = {
    "a third label": "2 3:1\n",
    "a label that is no whole number": "1.0 1:1\n",
    "a word": "x 1:1\n",
    "an index 0": "1 0:1\n",
    "a word and an index 0": "1 0:1\nx 1:1\n",
    "a new column": "1 99:1\n",
}


@pytest.mark.parametrize("what", sorted(SURPRISES))
@pytest.mark.parametrize("where", [60, 199])
def test_what_only_some_shard_shows(tmp_path, streaming, what, where):
    path = tmp_path / "a.svm"
    path.write_text("".join([*PLAIN[:where], SURPRISES[what], *PLAIN[where:]]))
    plan = spec_for("perceptron", 2)
    for shards in (1, 4):
        stream = train(plan, gather_locally(path, shards, cache=False))
        assert content(stream) == content(
            train(plan, gather_locally(path, shards, cache=tmp_path / "c"))
        )
    model = tmp_path / "m"
    fitted(plan, nk.open(path), model)
    one = train(plan, gather_locally(path, 1, cache=False))
    assert one.classes.tolist() == nk.load(model).classes_.tolist()
    assert same_bits(one.learner, nk.load(model)._learner)
    kept = tmp_path / "kept"
    train(
        plan._replace(max_epochs=1),
        gather_locally(path, 4, cache=False),
        checkpoint=keeper(kept, plan),
    )
    on = train(plan, gather_locally(path, 4, cache=False), checkpoint=keeper(kept, plan))
    assert content(on) == content(train(plan, gather_locally(path, 4, cache=False)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.vw", "".join(f"{k % 2} |a f{k % 9}:{k} |b g{k % 50}\n" for k in range(300))),
        ("b.csv", "n,city,y\n" + "".join(f"{k},c{k % 40},{k % 2}\n" for k in range(300))),
        ("d.csv", "n,n,y=3,y\n" + "".join(f"{k},{k % 7},c{k % 40},{k % 2}\n" for k in range(300))),
        ("e.csv", "k=c1,k,y\n" + "".join(f"{k % 5},c{k % 40},{k % 2}\n" for k in range(300))),
        ("c.csv", "a,b,y\n" + "".join(f'{k},"u\nv{k % 3}",{k % 2}\n' for k in range(300))),
    ],
)
@pytest.mark.parametrize("rule", ["averaged", "winnow"])
def test_names_and_quotes(tmp_path, streaming, name, text, rule):
    """Names that come as they appear need a survey; a field that was cut in two, other cuts."""
    path, plan = tmp_path / name, spec_for(rule, 2)
    path.write_text(text)
    stream = train(plan, gather_locally(path, 4, cache=False))
    rest = train(plan, gather_locally(path, 4, cache=tmp_path / "c"))
    assert content(stream) == content(rest)
    assert stream.data.layout.names == nk_names(path)
    alone, one = tmp_path / "m", train(plan, gather_locally(path, 1, cache=False))
    fitted(plan, nk.open(path), alone)
    assert same_bits(one.learner, nk.load(alone)._learner)
    shown = np.concatenate(
        [shard.matrix(rest.data.layout).toarray() for shard in rest.data.shard_client.worker_shards]
    )
    assert np.array_equal(shown, nk.open(path).read().X.toarray())


def nk_names(path):
    source = nk.open(path)
    source.read()
    return source.feature_names


def test_one_label_in_the_first_rows_is_no_reason_to_stop(tmp_path, streaming):
    path = tmp_path / "a.svm"
    path.write_text("".join([f"0 1:{k}\n" for k in range(9000)] + ["1 1:-1 2:5\n"]))
    plan = spec_for("perceptron", 2)
    stream = train(plan, gather_locally(path, 2, cache=False))
    assert stream.data.shard_client.asked[:3] == ["peek_head", "summary", "run_epoch"]
    assert content(stream) == content(train(plan, gather_locally(path, 2)))
    path.write_text("".join(f"0 1:{k}\n" for k in range(90)))
    for cache in (None, False):
        with pytest.raises(DataError, match=r"all 90 rows have the label 0; a separator needs two"):
            train(plan, gather_locally(path, 2, cache=cache))


def test_the_one_sided_rule_looks_at_no_labels(tmp_path, streaming):
    path = write_rows(tmp_path / "a.svm", "winnow")
    plan = spec_for("one-sided", 2)
    stream = train(plan, gather_locally(path, 3, labels=False, cache=False))
    rest = train(plan, gather_locally(path, 3, labels=False))
    assert content(stream) == content(rest)
    assert stream.outcome.converged
    assert stream.mixed_mistakes <= stream.bound


def test_rows_that_are_not_there_any_more_when_they_are_read_again(tmp_path, streaming):
    path = tmp_path / "a.svm"
    path.write_text("".join(PLAIN))

    def watch(moment):
        if moment.end:
            path.write_text("".join([*PLAIN[:150], *("#" + line[1:] for line in PLAIN[150:])]))

    with pytest.raises(DataError, match=r"shard 2 had .* rows, and now it has .* begin again"):
        train(spec_for("perceptron", 3), gather_locally(path, 2, cache=False), watch=watch)


@pytest.mark.parametrize(("name", "first"), [("a.svm", True), ("a.svm", False), ("a.csv", False)])
@pytest.mark.parametrize("order", ["given", "shuffle"])
def test_a_shard_may_have_no_rows(tmp_path, monkeypatch, name, first, order):
    """Such as one of nothing but blank lines: it changes nothing, but has its share."""
    line = "{y} 1:{a} 2:{b}\n" if name == "a.svm" else "{a},{b},{y}\n"
    options = {} if name == "a.svm" else {"header": False}
    rows = "".join(line.format(y=k % 2, a=k % 5 - 1, b=k % 3) for k in range(40))
    blank = "\n" * (3 * len(rows))
    path, plan = tmp_path / name, spec_for("averaged", 3, order)
    path.write_text(rows)
    alone = train(plan, gather_locally(path, 1, **options))
    path.write_text(blank + rows if first else rows + blank)
    found = train(plan, gather_locally(path, 2, cache=False, **options))
    assert sorted(each.rows for each in found.data.summaries) == [0, 40]
    assert found.outcome.mistakes_per_epoch[0] == alone.outcome.mistakes_per_epoch[0]
    assert found.mixed_mistakes == sum(found.outcome.mistakes_per_epoch) / 2
    monkeypatch.setattr(loader, "FEW", -1)
    if order == "given":
        assert content(found) == content(
            train(plan, gather_locally(path, 2, cache=False, **options))
        )


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("shards", [1, 4])
def test_a_row_that_is_refused_is_named_by_its_number_in_all_the_data(
    tmp_path, monkeypatch, streamed, shards
):
    monkeypatch.setattr(loader, "FEW", -1 if streamed else 2**40)
    path = tmp_path / "a.svm"
    path.write_text("".join([*PLAIN[:150], "1 1:1e200\n", *PLAIN[150:]]))
    with pytest.raises(DataError, match=r"^row 150 is too long"):
        train(spec_for("perceptron", 1), gather_locally(path, shards, cache=None))


# What travels


def wide(rows=300, features=5000, seed=0):
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random_array((rows, features), density=0.001, rng=rng, format="csr")
    return X, (np.asarray(X.sum(axis=1)).ravel() > 2.4).astype(int)


@pytest.mark.parametrize("rule", [Perceptron(), Averaged(), Winnow()])
def test_only_what_changed_travels(rule):
    X, y = wide()
    clients = []
    found = train(own_spec(rule, epochs=6), gathering(parts_of(X, y, [100, 200]), clients=clients))
    assert len(found.traffic) == found.outcome.epochs > 2
    assert clients[0].steps >= found.outcome.epochs - 1  # all but the first state came as a change
    whole = LearnerSnapshot.of(found.learner, found.data.layout, True).size
    for traffic in found.traffic[1:]:
        assert traffic.down < whole / 2
        assert traffic.up < whole / 2  # of three shards together
    assert found.traffic[0].down == whole
    assert found.outcome.mistakes_per_epoch[-1] or found.traffic[-1].up == 0


def test_dense_changes_travel_whole():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((80, 30)), rng.integers(0, 2, 80)
    found = trained(Perceptron(), X, y, [40], epochs=2)
    assert [tuple(each) for each in found.traffic] == [(2 * 240, 240), (2 * 240, 240)]


def test_what_is_watched():
    X, y = wide()
    moments = []
    gather = gathering(parts_of(X, y, [100, 200]))
    found = train(own_spec(Perceptron(), epochs=3), gather, watch=moments.append)
    ends = [moment for moment in moments if moment.end]
    assert [len(moment.run.past) for moment in ends] == list(range(1, found.outcome.epochs + 1))
    assert [moment.mistakes for moment in ends] == found.outcome.mistakes_per_epoch
    assert [moment.epoch for moment in moments if moment.done == 1 and moment.run is None] == [0]
    assert all(moment.shards == 3 for moment in moments)


def test_the_loop_lets_other_threads_run():
    assert epoch_for(Perceptron(), NoLog()).compiled.targetoptions["nogil"]


# Stopping and going on


def keeper(path, plan, resume=True, every=0.0):
    return CheckpointManager(path, plan, every=every, resume=resume)


class BreakError(Exception):
    """As if the process were killed."""


def breaking(after, kind=BreakError):
    left = after

    def watch(moment):
        nonlocal left
        left -= 1
        if left < 0:
            raise kind

    return watch


@pytest.mark.parametrize("rule", ["perceptron", "averaged", "winnow", "margin"])
@pytest.mark.parametrize("order", ["given", "shuffle", "streamed"])
@pytest.mark.parametrize("mixing", ["uniform", "mistakes"])
def test_broken_off_anywhere_and_gone_on_with(tmp_path, monkeypatch, rule, order, mixing):
    monkeypatch.setattr(loader, "FEW", -1 if order == "streamed" else 2**40)
    path = write_rows(tmp_path / "a.svm", rule, rows=90)
    plan = spec_for(rule, 4, "shuffle" if order == "shuffle" else "given", init="zeros")
    gather = partial(gather_locally, path, 3, cache=False)
    expected = content(train(plan, gather(), mixing=mixing))
    for after in (9, 12, 14):
        kept, found, pieces = tmp_path / "kept", None, 0
        while found is None:
            with contextlib.suppress(BreakError):
                watch = breaking(after + pieces)
                found = train(
                    plan, gather(), mixing=mixing, checkpoint=keeper(kept, plan), watch=watch
                )
            pieces += 1
            assert pieces < 20
        assert pieces > 1
        assert content(found) == expected
        again = train(plan, gather(), mixing=mixing, checkpoint=keeper(kept, plan))
        assert content(again) == expected  # of a run that was over
        kept.unlink()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, partial(Stop, StopReason.INTERRUPTED)])
def test_ctrl_c_ends_with_the_last_whole_epoch(tmp_path, kind):
    path, kept = write_rows(tmp_path / "a.svm", "perceptron"), tmp_path / "kept"
    plan = spec_for("perceptron", 5)
    moments = []

    def watch(moment):
        moments.append(moment)
        if moment.epoch == 3 and moment.done == 2:
            raise kind()

    found = train(plan, gather_locally(path, 3), watch=watch, checkpoint=keeper(kept, plan))
    assert found.outcome.because is StopReason.INTERRUPTED
    assert not found.outcome.converged
    assert content(found) == content(train(plan._replace(max_epochs=2), gather_locally(path, 3)))
    on = train(plan, gather_locally(path, 3), checkpoint=keeper(kept, plan))
    assert content(on) == content(train(plan, gather_locally(path, 3)))


def test_ctrl_c_while_the_margin_is_looked_for_loses_nothing(tmp_path):
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n-1 1:-1\n" * 6)
    plan = spec_for("perceptron", 50)
    whole = train(plan, gather_locally(path, 3))
    assert whole.outcome.because is StopReason.NO_MISTAKE
    assert whole.margin == pytest.approx(1.0)

    def watch(moment):
        if moment.run is not None and moment.run.because is not None and not moment.end:
            raise KeyboardInterrupt

    found = train(plan, gather_locally(path, 3), watch=watch)
    assert (found.margin, found.bound) == (None, None)
    assert content(found) == content(whole)


def test_ctrl_c_before_any_epoch_ended_goes_on_up(tmp_path):
    path, kept = write_rows(tmp_path / "a.svm", "perceptron"), tmp_path / "kept"
    plan = spec_for("perceptron", 5)
    for after in (1, 4):
        watch = breaking(after, KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            train(plan, gather_locally(path, 3), watch=watch, checkpoint=keeper(kept, plan))
    assert not kept.exists()


def test_a_checkpoint_is_gone_on_with_in_the_same_way_only(tmp_path):
    path, kept = write_rows(tmp_path / "a.svm", "perceptron"), tmp_path / "kept"
    plan = spec_for("perceptron", 2)
    train(plan, gather_locally(path, 3), checkpoint=keeper(kept, plan))
    before = kept.read_bytes()
    more = plan._replace(max_epochs=3)
    for shards, mixing, words in ((2, "uniform", "shards = 3"), (3, "mistakes", "mixing = 'uni")):
        with pytest.raises(ParameterError, match=words):
            train(more, gather_locally(path, shards), mixing=mixing, checkpoint=keeper(kept, more))
    with pytest.raises(ParameterError, match="it is there already"):
        keeper(kept, plan, resume=False)
    with pytest.raises(ParameterError, match="shards = 3"):
        fitted(more, nk.open(path), tmp_path / "m", checkpoint=kept)  # on one machine
    assert kept.read_bytes() == before
    assert train(more, gather_locally(path, 3), checkpoint=keeper(kept, more)).outcome.epochs == 3
    write_rows(path, "perceptron", seed=1)
    with pytest.raises(ParameterError, match="other data"):
        train(more, gather_locally(path, 3), checkpoint=keeper(kept, more))


def test_one_machines_checkpoint_is_not_for_shards(tmp_path):
    path, kept = write_rows(tmp_path / "a.svm", "perceptron"), tmp_path / "kept"
    plan = spec_for("perceptron", 2)
    fitted(plan, nk.open(path), tmp_path / "m", checkpoint=kept)
    with pytest.raises(ParameterError, match="shards = None"):
        train(plan, gather_locally(path, 1), checkpoint=keeper(kept, plan))


@pytest.mark.parametrize(
    "damage",
    [
        {"memory": {}},
        {"memory": {"mixed": [-1.0]}},
        {"memory": {"mixed": [1.0, 2.0]}},
        {"place": 7},
    ],
)
def test_a_damaged_checkpoint_is_refused(tmp_path, monkeypatch, damage):
    from novikoff.learning.files import array_file

    path, kept = write_rows(tmp_path / "a.svm", "perceptron"), tmp_path / "kept"
    plan = spec_for("perceptron", 2)
    train(plan, gather_locally(path, 3), checkpoint=keeper(kept, plan))
    texts, arrays = array_file.read(kept, "checkpoint")
    texts["checkpoint"] |= damage
    kept.write_bytes(array_file.serialize(texts, arrays))
    assert checkpoint_file.read(kept)
    with pytest.raises(ModelError, match="damaged"):
        train(plan, gather_locally(path, 3), checkpoint=keeper(kept, plan))


# A cluster of processes


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    return {rule: write_rows(folder / f"{rule}.svm", rule) for rule in ("perceptron", "winnow")}


@pytest.mark.parametrize(
    "model",
    [
        nk.Perceptron(max_epochs=3),
        nk.AveragedPerceptron(max_epochs=3, order="shuffle", random_state=4),
        nk.Winnow(max_epochs=3),
    ],
    ids=["perceptron", "averaged", "winnow"],
)
def test_a_cluster_gives_the_bytes_that_one_process_gives(cluster_of_two, files, tmp_path, model):
    path = files["winnow" if model.kind == "winnow" else "perceptron"]
    with pytest.warns(ConvergenceWarning, match="not converged after 3"):
        one = nk.cluster.fit(path, cluster_of_two, model, shards=1)
    with pytest.warns(ConvergenceWarning):
        plain = type(model)(**model.get_params()).fit(nk.open(path))
    nk.save(one, tmp_path / "one")
    nk.save(plain, tmp_path / "plain")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "plain").read_bytes()
    assert not hasattr(model, "classes_")
    with pytest.warns(ConvergenceWarning):
        many = nk.cluster.fit(path, cluster_of_two, model, shards=5, mixing="mistakes")
    plan = spec_for(model.kind, 3, model.order, seed=4)
    here_ = train(plan, gather_locally(path, 5), mixing="mistakes")
    assert same_bits(many._learner, here_.learner)
    assert many.mixed_mistakes_ == here_.mixed_mistakes
    assert many.mixing_traffic_ == here_.traffic
    assert (many.shards_, many.n_iter_, many.mixing_bound_) == (5, 3, None)
    assert many.mistakes_per_epoch_ == here_.outcome.mistakes_per_epoch
    assert many.predict(nk.open(path)).shape == (300,)


def test_fit_says_what_it_knows(cluster_of_two, tmp_path):
    source = nk.open("example:iris-setosa")
    found = nk.cluster.fit(source, cluster_of_two, shards=3)
    assert found.converged_
    assert found.classes_.tolist() == nk.Perceptron().fit(source).classes_.tolist()
    assert 0 < found.mixed_mistakes_ <= found.mixing_bound_ < np.inf
    assert found.mistakes_ == pytest.approx(3 * found.mixed_mistakes_)
    X, y, _ = source.read()
    assert ((X @ found.coef_[0] + found.intercept_ > 0) == (y == found.classes_[1])).all()
    assert found.feature_names_in_.tolist() == source.feature_names
    positive = nk.cluster.fit(files_of_ones(tmp_path), cluster_of_two, nk.OneSidedPerceptron())
    assert positive.converged_
    assert positive.mixed_mistakes_ <= positive.mixing_bound_


def test_a_fit_that_fails_leaves_nothing_with_the_workers(cluster_of_two, tmp_path, files):
    before = set(cluster_of_two.futures)  # of other tests
    text = {"one.svm": "1 1:1\n1 2:1\n", "none.svm": "# a\n# b\n"}
    for name, reason in (("one.svm", "a separator needs two"), ("none.svm", "all comments")):
        (tmp_path / name).write_text(text[name])
        with pytest.raises(DataError, match=reason):
            nk.cluster.fit(tmp_path / name, cluster_of_two, shards=2)

    def watch(moment):
        if moment.epoch == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as problem:
        nk.cluster.fit(files["perceptron"], cluster_of_two, shards=2, watch=watch)
    assert problem.tb is not None  # which has every local variable still

    def let_go():  # by the client, in a thread of its own
        return not [key for key in {*cluster_of_two.futures} - before if "open" in str(key)]

    wait_until(let_go, "letting go of all shards")


def files_of_ones(folder):
    path = folder / "ones.svm"
    path.write_text("".join(f"1 1:{k} 2:{9 - k}\n" for k in range(1, 9)))
    return path


def test_fit_goes_on_from_a_checkpoint(cluster_of_two, files, tmp_path):
    path, kept = files["perceptron"], tmp_path / "kept"
    fit = partial(nk.cluster.fit, path, cluster_of_two, shards=3, checkpoint=kept)
    with pytest.warns(ConvergenceWarning):
        fit(nk.Perceptron(max_epochs=2))
    with pytest.raises(ParameterError, match="it is there already"):
        fit(nk.Perceptron(max_epochs=4))
    with pytest.warns(ConvergenceWarning):
        on = fit(nk.Perceptron(max_epochs=4), resume=True)
    with pytest.warns(ConvergenceWarning):
        expected = nk.cluster.fit(path, cluster_of_two, nk.Perceptron(max_epochs=4), shards=3)
    assert same_bits(on._learner, expected._learner)
    assert on.mixed_mistakes_ == expected.mixed_mistakes_
    nk.save(on, tmp_path / "m")
    with pytest.raises(ParameterError, match="eta"):
        fit(nk.Perceptron(eta=2.0, max_epochs=4), resume=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"estimator": 3}, "estimator"),
        ({"estimator": nk.Perceptron(max_epochs=0)}, "max_epochs"),
        ({"estimator": nk.RuleClassifier(), "checkpoint": "x"}, "rule of its own"),
        ({"estimator": nk.Perceptron(order="shuffle"), "checkpoint": "x"}, "random_state"),
        ({"resume": True}, "name it"),
        ({"mixing": "median"}, "mixing must be"),
        ({"estimator": nk.VotedPerceptron(), "shards": 2}, "keeps every weight vector"),
    ],
)
def test_fit_refuses(cluster_of_two, files, options, words):
    with pytest.raises((ParameterError, TypeError), match=words):
        nk.cluster.fit(files["perceptron"], cluster_of_two, **options)


@pytest.mark.parametrize(
    ("source", "more"), [(np.eye(2), {}), ((np.eye(2), [0, 1]), {}), (np.eye(2), {"y": [0, 1]})]
)
def test_rows_in_memory_are_for_one_machine(cluster_of_two, source, more):
    with pytest.raises(ParameterError, match=r"in the memory of one process.*from_array"):
        nk.cluster.fit(source, cluster_of_two, **more)


def test_a_client_is_needed(files):
    with pytest.raises(ParameterError, match="a client of Dask's is needed, not NoneType"):
        nk.cluster.fit(files["perceptron"], None)


def test_workers_read_addresses(cluster_of_two, files):
    path = Path(files["perceptron"])
    model = nk.Perceptron(max_epochs=3)
    with pytest.warns(ConvergenceWarning):
        there = nk.cluster.fit(f"file://{path}", cluster_of_two, model, shards=3)
    with pytest.warns(ConvergenceWarning):
        here = nk.cluster.fit(path, cluster_of_two, model, shards=3)
    assert same_bits(there._learner, here._learner)


def test_a_rule_of_ones_own_is_mixed(cluster_of_two, files):
    model = nk.RuleClassifier(RULES["perceptron-eta"][0], max_epochs=2)
    with pytest.warns(ConvergenceWarning):
        found = nk.cluster.fit(files["perceptron"], cluster_of_two, model, shards=2)
    assert found.mixed_mistakes_ == sum(found.mistakes_per_epoch_) / 2


def test_parts_of_a_cluster_are_files_and_ranges(files):
    outline = outline_files(str(files["perceptron"]), {}, 3, False)
    assert len(outline.shards) == 3
    text = json.dumps([each._asdict() for each in outline.shards], default=str)
    assert str(Path(files["perceptron"])) in text


# Weights


def test_class_weights_are_those_of_one_machine(tmp_path, streaming):
    path = write_rows(tmp_path / "a.svm", "perceptron", classes=(1, 2, 5))
    plan = spec_for("perceptron", 2)._replace(class_weight={2: 3.0, 5: 0.25})
    stream = train(plan, gather_locally(path, 3, cache=False))
    assert content(stream) == content(train(plan, gather_locally(path, 3, cache=tmp_path / "c")))
    alone = train(plan, gather_locally(path, 1, cache=False))
    fitted(plan, nk.open(path), tmp_path / "m")
    model = nk.load(tmp_path / "m")
    for k in range(3):
        assert same_bits(alone.learner, model._learner, k, k)


@pytest.mark.parametrize("class_weight", ["balanced", {1: 0.0}])
def test_class_weights_that_need_all_labels_are_refused(tmp_path, class_weight):
    path = write_rows(tmp_path / "a.svm", "perceptron")
    plan = spec_for("perceptron", 2)._replace(class_weight=class_weight)
    with pytest.raises(ParameterError, match="a shard of a cluster"):
        train(plan, gather_locally(path, 3, cache=False))
