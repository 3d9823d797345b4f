"""Model files: everything comes back, and nothing bad gets in."""

import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save

import novikoff as nk
from novikoff.errors import ModelError
from novikoff.learning.files import model_file
from tests.helpers.examples import examples
from tests.helpers.rule_table import ESTIMATORS

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows_and_labels(classes=2):
    rng = np.random.default_rng(0)
    y = rng.integers(0, classes, 60)
    return rng.standard_normal((60, 4)) + 3 * np.eye(4)[y], y


def fit(kind, classes=2, **parameters):
    X, y = rows_and_labels(classes)
    return kind(max_epochs=5, **parameters).fit(X, np.array(["a", "b", "c"])[y])


@quietly
@pytest.mark.parametrize("kind", [kind for kind in ESTIMATORS if kind is not nk.RuleClassifier])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_saved_model_predicts_and_learns_on_as_the_original(kind, classes, tmp_path):
    X, y = rows_and_labels(classes)
    labels = np.array(["a", "b", "c"])[y]
    model = kind(max_epochs=5, random_state=1).fit(X, labels)
    nk.save(model, tmp_path / "m")
    twin = nk.load(tmp_path / "m")
    assert type(twin) is kind
    assert twin.get_params() == model.get_params()
    for name in (
        "mistakes_",
        "updates_",
        "radius_",
        "converged_",
        "n_iter_",
        "mistakes_per_epoch_",
    ):
        assert getattr(twin, name) == getattr(model, name), name
    assert np.array_equal(twin.margin_ceiling_, model.margin_ceiling_)
    for _ in range(2):
        assert np.array_equal(twin.decision_function(X), model.decision_function(X))
        assert np.array_equal(twin.predict(X), model.predict(X))
        twin.partial_fit(X[::-1], labels[::-1])
        model.partial_fit(X[::-1], labels[::-1])


@quietly
@pytest.mark.parametrize(
    "parameters",
    [
        {"init": "random", "random_state": 3},
        {"init": np.ones(5)},
        {"eta": np.float64(0.5)},
        {"fit_intercept": False},
        {"unit_length": True, "tie": "negative"},
    ],
)
def test_parameters_come_back(parameters, tmp_path):
    model = fit(nk.Perceptron, **parameters)
    nk.save(model, tmp_path / "m")
    twin = nk.load(tmp_path / "m")
    assert np.array_equal(twin.coef_, model.coef_)
    assert twin.margin_ceiling_ == model.margin_ceiling_
    assert (twin.eta, twin.fit_intercept, twin.tie) == (model.eta, model.fit_intercept, model.tie)


@pytest.mark.parametrize("labels", [[0, 1], [-1.0, 2.0], [False, True], ["ja", "nein"]])
def test_labels_keep_their_type(labels, tmp_path):
    model = nk.Perceptron().fit([[0.0], [1.0]], labels)
    nk.save(model, tmp_path / "m")
    found = nk.load(tmp_path / "m").classes_
    assert found.tolist() == labels
    assert found.dtype.kind == np.array(labels).dtype.kind


def test_named_features_are_kept(tmp_path):
    model = nk.Perceptron().learn_one({"x": 1.0, "y": 2.0}, 1).learn_one({"z": 1.0}, -1)
    nk.save(model, tmp_path / "m")
    twin = nk.load(tmp_path / "m")
    for each in (model, twin):
        each.learn_one({"y": -1.0, "new": 3.0}, 1)
    assert twin.feature_names_in_.tolist() == ["x", "y", "z", "new"]
    assert np.array_equal(twin.coef_, model.coef_)


@pytest.fixture
def stored(tmp_path):
    """The arrays and the header of a good model, and how to write a bad one."""
    nk.save(nk.Perceptron().fit(*rows_and_labels()), tmp_path / "good")
    content = (tmp_path / "good").read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["novikoff"])

    def refused(header, arrays):
        text = header if isinstance(header, str) else json.dumps(header)
        (tmp_path / "bad").write_bytes(save(arrays, metadata={"novikoff": text}))
        with pytest.raises(ModelError) as caught:
            nk.load(tmp_path / "bad")
        assert str(tmp_path / "bad") in str(caught.value)
        return str(caught.value)

    return header, load(content), refused


def test_a_good_model_is_not_refused(stored, tmp_path):
    header, arrays, _ = stored
    (tmp_path / "again").write_bytes(save(arrays, metadata={"novikoff": json.dumps(header)}))
    assert nk.load(tmp_path / "again").coef_.shape == (1, 4)


@pytest.mark.parametrize("key", list(model_file._HEADER))
def test_every_header_field_is_checked(stored, key):
    header, arrays, refused = stored
    for bad in (None, [1], "x", -1, 1.5, {"a": 1}, 10**12):
        if key in ("options", "parameters") and bad == {}:
            continue
        if bad == header[key] or (key == "feature_names" and bad is None):
            continue
        if key == "settled_at" and isinstance(bad, int):
            continue  # any number of updates will do
        refused(header | {key: bad}, arrays)
    refused({k: v for k, v in header.items() if k != key}, arrays)
    refused(header | {"surprise": 1}, arrays)


def test_every_array_is_checked(stored):
    header, arrays, refused = stored
    for name, array in arrays.items():
        others = {k: v for k, v in arrays.items() if k != name}
        refused(header, others)
        refused(header, others | {name: np.append(array, array)})
        refused(header, others | {name: array.astype(np.float32)})
        if array.dtype == np.float64:
            refused(header, others | {name: np.full_like(array, np.nan)})
        if "tally" in name or name == "lowest":
            assert "negative" in refused(header, others | {name: np.full_like(array, -1)})
    refused(header, arrays | {"more": np.zeros(1)})


def test_hostile_headers(stored):
    header, arrays, refused = stored
    assert "version 2" in refused(header | {"version": 2}, arrays)
    assert "not a novikoff model" in refused("{}", arrays)
    assert "not a novikoff model" in refused("[" * 100_000, arrays)
    assert "no rule 'os.system'" in refused(header | {"rule": "os.system"}, arrays)
    assert "no parameter" in refused(header | {"parameters": {"__class__": 1}}, arrays)
    refused(header | {"parameters": {"eta": "1" * 400 + "e99"}}, arrays)
    refused(header | {"parameters": {"eta": [1]}}, arrays)
    refused(header | {"options": {"_learner": 1}}, arrays)
    refused(header | {"options": {"fit_intercept": False}}, arrays)
    refused(header | {"options": {"max_epochs": "x"}}, arrays)
    refused(header | {"options": {"order": 3}}, arrays)
    refused(header | {"parameters": {"eta": "2"}}, arrays)
    refused(header | {"parameters": {"eta": True}}, arrays)
    refused(header | {"parameters": {"tie": 2}}, arrays)
    refused(header | {"epochs": -5}, arrays)
    refused(header | {"settled_at": 10**30}, arrays)
    refused(header | {"features": 10**15}, arrays)
    refused(header | {"learners": 10**9, "classes": [1, 2, 3]}, arrays)
    refused(header | {"classes": [[1], [2]]}, arrays)
    refused(header | {"class_type": "object"}, arrays)
    refused(header | {"class_type": "U1000000000"}, arrays)


@quietly
def test_a_voted_model_that_would_read_outside_its_memory_is_refused(tmp_path):
    nk.save(fit(nk.VotedPerceptron), tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    size = int.from_bytes(content[:8], "little")
    text = json.loads(content[8 : 8 + size])["__metadata__"]["novikoff"]
    arrays = load(content)
    for name, change in (
        ("columns", lambda a: a + 10**6),
        ("columns", lambda a: -a - 1),
        ("starts", lambda a: a * 1000),
        ("starts", lambda a: a[::-1].copy()),
        ("used", lambda a: a * 1000),
        ("births", lambda a: a[:-1].copy()),
        ("moves", lambda a: a[:-1].copy()),
        ("used", lambda a: a[:1].copy()),
    ):
        bad = arrays | {f"0.state.{name}": change(arrays[f"0.state.{name}"])}
        (tmp_path / "bad").write_bytes(save(bad, metadata={"novikoff": text}))
        with pytest.raises(ModelError, match="contradicts itself"):
            nk.load(tmp_path / "bad")
    for name in ("weights", "first", "scratch"):
        bad = arrays | {f"0.state.{name}": arrays[f"0.state.{name}"][:1].copy()}
        (tmp_path / "bad").write_bytes(save(bad, metadata={"novikoff": text}))
        with pytest.raises(ModelError, match="wrong shape"):
            nk.load(tmp_path / "bad")


@given(draw=st.data())
@examples(300)
def test_damaged_bytes_never_do_more_than_be_refused(draw, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "damaged"
    folder.mkdir(exist_ok=True)
    if not (folder / "good").exists():
        nk.save(nk.Perceptron().fit([[0.0], [1.0]], [0, 1]), folder / "good")
    content = bytearray((folder / "good").read_bytes())
    for _ in range(draw.draw(st.integers(1, 4))):
        content[draw.draw(st.integers(0, len(content) - 1))] = draw.draw(st.integers(0, 255))
    content = (
        content[: draw.draw(st.integers(0, len(content)))] if draw.draw(st.booleans()) else content
    )
    (folder / "bad").write_bytes(bytes(content))
    try:
        model = nk.load(folder / "bad")
    except ModelError:
        return
    assert np.isfinite(model.coef_).all()


def test_any_other_byte_is_noticed(tmp_path):
    nk.save(nk.Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "good")
    good = (tmp_path / "good").read_bytes()
    for place in range(len(good)):
        changed = good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :]
        (tmp_path / "bad").write_bytes(changed)
        with pytest.raises(ModelError):
            nk.load(tmp_path / "bad")


def test_the_same_model_has_the_same_bytes(tmp_path):
    model = nk.Perceptron().fit([[0.0], [1.0]], ["ä", "\u2028\x7f"])
    nk.save(model, tmp_path / "a")
    nk.save(nk.load(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert nk.load(tmp_path / "b").classes_.tolist() == ["ä", "\u2028\x7f"]


def test_very_long_numbers_are_refused_unread(stored):
    """With Python's own limit lifted, as on the command line, two million digits take a minute."""
    header, arrays, refused = stored
    text = json.dumps(header)
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        for digits in (401, 2_000_000):
            long = text.replace('"epochs": ', f'"epochs": {"1" * digits}')
            assert "digits" in refused(long, arrays)
    finally:
        sys.set_int_max_str_digits(limit)


def test_classes_that_are_no_numbers_are_refused(stored):
    header, arrays, refused = stored
    for odd in ("NaN", "Infinity", "1e999"):
        text = json.dumps(header | {"class_type": "float64", "classes": [0.0, "odd"]})
        assert "not" in refused(text.replace('"odd"', odd), arrays)


def refused_without_much_memory(path, words):
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match=words):
            nk.load(path)
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


def test_large_files_that_are_no_models_are_not_read(tmp_path, stored):
    nk.load(tmp_path / "good")
    path = tmp_path / "zeros"
    path.touch()
    os.truncate(path, 100 * 2**30)
    refused_without_much_memory(path, "its header is missing")
    with path.open("r+b") as file:
        file.write((2**40).to_bytes(8, "little"))
    refused_without_much_memory(path, "its header is missing, or cut off")
    with path.open("r+b") as file:
        file.write((90 * 2**20).to_bytes(8, "little") + b"{")
    refused_without_much_memory(path, "not a novikoff model")
    os.truncate(path, 90 * 2**20 + 8)
    refused_without_much_memory(path, "too long for 0 bytes of arrays")


def test_arrays_are_not_read_before_the_header_is_right(tmp_path, stored):
    """A file of a good form, with weights of 16 GB for four features."""
    header, arrays, _ = stored
    table, offset = {"__metadata__": {"novikoff": json.dumps(header)}}, 0
    for name, array in arrays.items():
        shape = [2**31] if name == "0.state.weights" else list(array.shape)
        size = 8 * int(np.prod(shape))
        kind = "F64" if array.dtype == np.float64 else "I64"
        table[name] = {"dtype": kind, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(table).encode()
    path = tmp_path / "wide"
    path.write_bytes(len(text).to_bytes(8, "little") + text)
    os.truncate(path, 8 + len(text) + offset)
    refused_without_much_memory(path, "wrong shape")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_not_models(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero"):
        with pytest.raises(ModelError, match="not a regular file"):
            nk.load(path)


def test_other_files_are_not_models(tmp_path):
    for name, content in (("empty", b""), ("text", b"a,b\n1,2\n"), ("pickle", b"\x80\x04N.")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ModelError, match="not a novikoff model"):
            nk.load(tmp_path / name)
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(ModelError, match="cannot be read"):
            nk.load(path)


def test_only_fitted_estimators_of_ours_are_saved(tmp_path):
    with pytest.raises(ModelError, match="dict is not an estimator"):
        nk.save({}, tmp_path / "m")
    with pytest.raises(ModelError, match="rule of its own"):
        nk.save(nk.RuleClassifier().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m")
    with pytest.raises(ValueError, match="not fitted"):
        nk.save(nk.Perceptron(), tmp_path / "m")
    assert not any(tmp_path.iterdir())


FULL_DISK = """
import resource, sys
import novikoff as nk
model = nk.Perceptron().fit([[0.0], [1.0]], [0, 1])
nk.save(model, sys.argv[1])
big = nk.Perceptron().fit([[0.0] * 5000, [1.0] * 5000], [0, 1])
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # as if the disk were full
try:
    nk.save(big, sys.argv[1])
except nk.errors.ModelError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_model(tmp_path):
    path = tmp_path / "m"
    command = [sys.executable, "-c", "import novikoff.errors\n" + FULL_DISK, str(path)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "cannot be written" in out
    assert "nothing was changed" in out
    assert nk.load(path).n_features_in_ == 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_is_written_with_ordinary_permissions(tmp_path):
    nk.save(nk.Perceptron().fit([[0.0], [1.0]], [0, 1]), tmp_path / "m")
    (tmp_path / "plain").touch()
    assert (tmp_path / "m").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_only_regular_files_are_written_over(tmp_path):
    """A pipe or a device is refused, a link followed, permissions kept."""
    model = nk.Perceptron().fit([[0.0], [1.0]], [0, 1])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelError, match="not a regular file"):
        nk.save(model, tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "real").touch(mode=0o600)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    nk.save(model, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600
    assert nk.load(tmp_path / "real").n_features_in_ == 1


@pytest.mark.parametrize(
    "labels", [[np.datetime64("2020-01-01"), np.datetime64("2021-01-01")], [b"a", b"b"], [1, 2**63]]
)
def test_labels_that_a_file_cannot_hold_are_refused_when_saving(labels, tmp_path):
    dtype = np.uint64 if labels[0] == 1 else None
    model = nk.Perceptron().partial_fit(
        [[0.0], [1.0]], np.array(labels, dtype), np.array(labels, dtype)
    )
    with pytest.raises(ModelError, match="cannot be saved"):
        nk.save(model, tmp_path / "m")
    assert not any(tmp_path.iterdir())


def test_numpys_own_numbers_as_parameters(tmp_path):
    X, y = rows_and_labels()
    model = nk.Perceptron(
        fit_intercept=np.bool_(True), random_state=np.int64(3), max_epochs=np.int64(999)
    )
    nk.save(model.fit(X, y), tmp_path / "m")
    twin = nk.load(tmp_path / "m")
    assert (twin.fit_intercept, twin.random_state, twin.max_epochs) == (True, 3, 999)
