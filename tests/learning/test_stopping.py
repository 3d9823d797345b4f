"""When learning ends: proven inseparable, or no better on held-out rows; and the pocket."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.errors import DataError, ParameterError
from novikoff.learning import training
from novikoff.learning.epochs import StopReason
from novikoff.learning.files.checkpoint_file import CheckpointManager
from novikoff.learning.inseparability import FIRST, NumberedRows
from novikoff.learning.rows import make_rows
from novikoff.verdict.conflict_finder import ConflictFinder, JointConflictFinder
from tests.helpers.fit_modes import spec_for

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
PLAIN = [nk.Perceptron, nk.AveragedPerceptron, nk.VotedPerceptron, nk.MarginPerceptron,
         nk.PassiveAggressive, nk.SecondOrderPerceptron, nk.BalancedWinnow]  # fmt: skip


def overlapping(rows=60, features=3, seed=0):
    rng = np.random.default_rng(seed)
    X = np.rint(4 * rng.standard_normal((rows, features)))
    return X, (X[:, 0] + 2 * rng.standard_normal(rows) > 0).astype(int)


def three_classes(rows=60, features=3, seed=0):
    """Whole numbers, so that sums have no order."""
    rng = np.random.default_rng(seed)
    X = np.rint(4 * rng.standard_normal((rows, features)))
    noise = 3 * rng.standard_normal((rows, 3))
    return X, (X @ rng.standard_normal((features, 3)) + noise).argmax(axis=1)


def sum_of_comparisons(X, y, model):
    """The exact sum of multiplier * (e_y - e_rival) (x) (x, 1)."""
    total = [Fraction(0)] * (len(model.classes_) * (len(X[0]) + 1))
    for (row, multiplier), rival in zip(model.conflict_, model.conflict_rivals_, strict=True):
        assert multiplier > 0
        assert rival != y[row]
        for label, sign in ((y[row], 1), (rival, -1)):
            start = model.classes_.tolist().index(label) * (len(X[0]) + 1)
            for j, value in enumerate([*X[row], 1], start):
                total[j] += sign * multiplier * Fraction(float(value))
    return total


def signed_sum(X, y, conflict):
    """The exact sum of multiplier * sign * (x, 1)."""
    total = [Fraction(0)] * (len(X[0]) + 1)
    for row, multiplier in conflict:
        assert multiplier > 0
        for j, value in enumerate([*X[row], 1]):
            total[j] += multiplier * (1 if y[row] else -1) * Fraction(float(value))
    return total


@pytest.mark.parametrize("kind", PLAIN)
def test_inseparable_rows_end_a_run_with_their_conflict(kind):
    model = kind().fit(*XOR)
    assert model.stopped_because_ == StopReason.PROVEN.value
    assert not model.converged_
    assert model.n_iter_ < 1000
    assert sorted(row for row, _ in model.conflict_) == [0, 1, 2, 3]
    assert not any(signed_sum(*XOR, model.conflict_))
    with pytest.warns(match="not converged after 1000 epoch"):
        model = kind(stop="budget").fit(*XOR)
    assert model.n_iter_ == 1000
    assert model.conflict_ is None


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_what_is_proven_is_the_verdict(seed, separable):
    """A conflict is one, exactly, and separable rows never have one."""
    X, y = overlapping(24, 2, seed)
    if separable:
        y = (X[:, 0] > 0).astype(int)
    if len(set(y)) < 2:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = nk.Perceptron(max_epochs=300).fit(X, y)
    if model.conflict_ is None:
        return
    assert not any(signed_sum(X, y, model.conflict_))
    assert nk.check(X, y).outcome != "separable"
    assert not separable


def test_several_classes_name_the_one_in_conflict():
    X, y = overlapping()
    model = nk.Perceptron().fit(np.vstack([X, [[99, 0, 0]] * 3]), [*y, 2, 2, 2])
    rows = {row for row, _ in model.conflict_}
    assert model.conflict_class_ in (0, 1)
    assert rows <= set(range(63))


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from(["perceptron", "PA-I"]))
def test_what_is_proven_of_all_classes_together_is_the_verdict(seed, separable, variant):
    X, y = three_classes(24, 2, seed)
    if separable:
        y = (X @ np.random.default_rng(seed).standard_normal((2, 3))).argmax(axis=1)
    if len(set(y)) < 3:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = nk.MulticlassPerceptron(variant=variant, averaged=True, max_epochs=200).fit(X, y)
    if model.conflict_ is None:
        assert model.conflict_rivals_ is None
        return
    assert not any(sum_of_comparisons(X, y, model))
    assert nk.check(X, y, family="multinomial").outcome != "separable"


@pytest.mark.parametrize("averaged", [False, True])
def test_classes_learned_together_end_with_comparisons_in_conflict(averaged):
    """Though of these four points on a line each class is an interval's."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "c", "a"]
    model = nk.MulticlassPerceptron(averaged=averaged).fit(X, y)
    assert model.stopped_because_ == StopReason.PROVEN.value
    assert model.conflict_class_ is None
    assert not any(sum_of_comparisons(X, y, model))
    with pytest.warns(match="not converged after 1000 epoch"):
        nk.MulticlassPerceptron(stop="budget").fit(X, y)
    with pytest.warns(match="not converged"):  # numbers that overflow end the question, not the run
        nk.MulticlassPerceptron(max_epochs=20).fit(np.multiply(X, 1e153), y)


@pytest.mark.parametrize("joint", [False, True])
def test_a_finder_that_knows_all_classes_to_be_separable_finds_nothing_more(joint):
    """Once it has seen that, and when it is asked again: a run may be long all the same."""
    X, codes = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]]), np.arange(3, dtype=np.uint16)
    rows = make_rows(X, False, False)

    def read():
        yield NumberedRows(rows, codes, np.arange(3))

    finder = JointConflictFinder(read, 3) if joint else ConflictFinder(read, 3)
    assert finder.find(64) is None
    assert not finder.positives
    assert finder.find(128) is None


def test_a_tie_that_forgives_zero_is_never_proven():
    with pytest.warns(match="not converged"):
        model = nk.Perceptron(tie="keep", init="random", random_state=0, max_epochs=64).fit(*XOR)
    assert model.conflict_ is None


@pytest.mark.filterwarnings("ignore:not converged")
def test_rules_that_see_other_rows_are_never_proven():
    """No hyperplane through 0 has a row of zeros right; Winnow's threshold may."""
    rows, labels = [[0, 0], [0, 1], [1, 0]], [0, 1, 1]
    assert nk.Winnow(theta=1.0).fit(rows, labels).converged_
    for rule in ("winnow", "one-sided"):
        spec = spec_for(rule, epochs=40)
        assert spec.seeks_proof is (rule == "one-sided")
    assert nk.OneSidedPerceptron().fit(rows).conflict_ == [(0, 1)]


def test_rows_left_out_keep_their_numbers():
    X, y = overlapping()
    weights = np.ones(len(y))
    weights[::3] = 0.0
    weights[1::3] = 2.5
    model = nk.Perceptron().fit(X, y, sample_weight=weights)
    assert all(row % 3 for row, _ in model.conflict_)
    assert not any(signed_sum(X, y, model.conflict_))


@pytest.mark.parametrize("kind", [nk.Perceptron, nk.PassiveAggressive, nk.MulticlassPerceptron])
@pytest.mark.parametrize("rows_of", [overlapping, three_classes])
def test_dense_sparse_and_threads_end_the_same_way(kind, rows_of):
    X, y = rows_of(80, 4, 1)
    runs = [
        kind(n_jobs=jobs).fit(rows, y)
        for rows in (X, X.astype(np.float32), scipy.sparse.csr_array(X))
        for jobs in (1, 2)
    ]
    for run in runs:
        assert run.conflict_ == runs[0].conflict_ is not None
        assert run.mistakes_per_epoch_ == runs[0].mistakes_per_epoch_
        assert run.coef_.tobytes() == runs[0].coef_.tobytes()


@pytest.mark.parametrize("rule", ["perceptron", "multiclass"])
def test_cached_streamed_and_resumed_end_the_same_way(rule, tmp_path, monkeypatch):
    X, y = (overlapping if rule == "perceptron" else three_classes)(40, 3, 2)
    path = tmp_path / "rows.svm"
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{value:g}" for j, value in enumerate(row))
        for row, label in zip(X, y, strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    spec = spec_for(rule, epochs=300)
    whole = training.fit(spec, nk.open(path)).outcome
    assert whole.because is StopReason.PROVEN
    assert whole.epochs > FIRST + 2
    found = [training.fit(spec, nk.open(path, cache=tmp_path / "c")).outcome for _ in range(2)]
    kept = tmp_path / "kept"
    for epochs in (FIRST - 1, FIRST + 2, 300, 300):  # the last one goes on from the end of the run
        part = spec._replace(max_epochs=epochs)
        manager = CheckpointManager(kept, part, resume=kept.exists())
        found.append(training.fit(part, nk.open(path), training.Hooks(checkpoint=manager)).outcome)
    with monkeypatch.context() as patch:
        patch.setattr(training, "should_stream", lambda *_: True)
        found.append(training.fit(spec, nk.open(path, cache=False), reread=True).outcome)
    for each in [*found[:2], *found[4:]]:
        assert each._replace(ceilings=None) == whole._replace(ceilings=None)


# The pocket


@pytest.mark.filterwarnings("ignore:not converged")
def test_the_pocket_keeps_the_fewest_mistakes():
    """On any rows its mistakes never rise from epoch to epoch, and the weights are among those that
    the plain run had; where that converges, it is the run's last."""
    X, y = overlapping(80, 3, 3)
    best = []
    for epochs in range(1, 12):
        model = nk.Perceptron(pocket=True, max_epochs=epochs, stop="budget").fit(X, y)
        plain = nk.Perceptron(max_epochs=epochs, stop="budget").fit(X, y)
        assert model.mistakes_per_epoch_ == plain.mistakes_per_epoch_
        assert model.margin_ceiling_ == plain.margin_ceiling_
        assert model.training_mistakes_ == (model.predict(X) != y).sum()
        best.append(model.training_mistakes_)
    assert best == sorted(best, reverse=True)
    y = (X[:, 0] > 0).astype(int)
    model, plain = nk.Perceptron(pocket=True).fit(X, y), nk.Perceptron().fit(X, y)
    assert model.converged_
    assert (model.predict(X) == y).all()
    assert model.mistakes_ == plain.mistakes_


def test_the_pocket_is_gallants():
    """The reference: in plain Python, run by run."""
    X, y = overlapping(50, 2, 4)
    signs, rows = np.where(y == 1, 1, -1), np.hstack([X, np.ones((50, 1))])
    w, kept, kept_run, kept_mistakes, began, seen = np.zeros(3), np.zeros(3), 0, None, 0, 0
    for _ in range(6):
        longest, candidate = 0, None
        for row, sign in zip(rows, signs, strict=True):
            if sign * (row @ w) <= 0:
                if seen - began > max(longest, kept_run):
                    longest, candidate = seen - began, w.copy()
                w = w + sign * row
                began = seen + 1
            seen += 1
        if seen - began >= longest:
            longest, candidate = seen - began, w.copy()
        if longest > kept_run:
            mistakes = int((signs * (rows @ candidate) <= 0).sum())
            if kept_mistakes is None or mistakes < kept_mistakes:
                kept, kept_run, kept_mistakes = candidate, longest, mistakes
            began = seen
    with pytest.warns(match="not converged"):
        model = nk.Perceptron(pocket=True, max_epochs=6).fit(X, y)
    assert [*model.coef_[0], model.intercept_[0]] == kept.tolist()


@pytest.mark.filterwarnings("ignore:not converged")
def test_a_pocket_goes_through_files_and_streams(tmp_path):
    X, y = overlapping(60, 3, 5)
    model = nk.Perceptron(pocket=True, max_epochs=5).fit(X, y)
    sparse = nk.Perceptron(pocket=True, max_epochs=5).fit(scipy.sparse.csr_array(X), y)
    assert sparse.coef_.tobytes() == model.coef_.tobytes()
    nk.save(model, tmp_path / "m")
    again = nk.load(tmp_path / "m")
    assert again.coef_.tobytes() == model.coef_.tobytes()
    assert again.get_params() == model.get_params()
    online = nk.Perceptron(pocket=True)
    for row, label in zip(X, y, strict=True):
        online.learn_one(row, label)
    assert online.score(X, y) > 0.6


def test_averaging_and_the_pocket_exclude_each_other():
    with pytest.raises(ParameterError, match="averaged and pocket exclude each other"):
        nk.PassiveAggressive(averaged=True, pocket=True).fit(*XOR)


def test_an_averaged_passive_aggressive_predicts_with_the_mean():
    X, y = overlapping(30, 2, 6)
    weights = np.zeros(3)
    total = np.zeros(3)
    for row, label in zip(X, y, strict=True):
        z = (1 if label else -1) * np.append(row, 1)
        weights = weights + min(1.0, max(0.0, 1 - z @ weights) / (z @ z)) * z
        total += weights
    model = nk.PassiveAggressive(averaged=True).partial_fit(X, y, classes=[0, 1])
    assert np.allclose([*model.coef_[0], *model.intercept_], total / 30)


# Held-out rows and warm starts


def test_held_out_rows_end_a_run():
    X, y = overlapping(200, 4, 7)
    model = nk.Perceptron(validation_fraction=0.25, n_iter_no_change=3, random_state=1).fit(X, y)
    assert model.stopped_because_ == StopReason.HELD_OUT.value
    assert 3 < model.n_iter_ < 100
    assert max(model.mistakes_per_epoch_) <= 150
    same = nk.Perceptron(validation_fraction=0.25, n_iter_no_change=3, random_state=1).fit(X, y)
    assert same.coef_.tobytes() == model.coef_.tobytes()


@pytest.mark.filterwarnings("ignore:not converged")
def test_a_warm_start_goes_on_where_learning_stands():
    X, y = overlapping(60, 3, 8)
    whole = nk.Perceptron(max_epochs=4).fit(X, y)
    parts = nk.Perceptron(max_epochs=2, warm_start=True).fit(X, y)
    parts.fit(X, y)
    assert parts.coef_.tobytes() == whole.coef_.tobytes()
    assert parts.mistakes_ == whole.mistakes_
    assert parts.n_iter_ == 2
    with pytest.raises(ParameterError, match="had other features or classes"):
        parts.fit(X[:, :2], y)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"stop": "never"}, 'stop must be "proven" or "budget", not \'never\''),
        ({"validation_fraction": 1.0}, "validation_fraction must be between 0 and 1, not 1.0"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number above 0, not 0"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, reason):
    with pytest.raises(ParameterError, match=reason):
        nk.Perceptron(**parameters).fit(*XOR)


def test_too_few_rows_to_hold_out_are_refused():
    with pytest.raises(DataError, match="leaves no rows to hold out"):
        nk.Perceptron(validation_fraction=0.1).fit(*XOR)
