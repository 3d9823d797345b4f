"""Epochs on several threads: the same mistakes in the same order and the same bytes as on one."""

import functools
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import novikoff as nk
from novikoff.errors import ParameterError
from novikoff.jit import Budget
from novikoff.learning import learner as learner_module
from novikoff.learning.learner import Learner
from novikoff.learning.loop import EpochInput, epoch_for
from novikoff.learning.parallel import lookahead, loops
from novikoff.learning.parallel.atomics import WORD
from novikoff.learning.parallel.lookahead import Lookahead
from novikoff.learning.parallel.pool import pool
from novikoff.learning.rows import make_rows, weighted
from novikoff.learning.rules import Perceptron, protocol
from novikoff.learning.rules.protocol import arrays_of
from tests.helpers.fit_modes import every_way, spec_for, write_rows
from tests.helpers.rule_table import JOINT_RULES, RULES, new_log
from tests.helpers.waits import LONG

AS_GIVEN = np.empty(0, np.int64)
NOISE = {"none": 0.0, "a hundredth": 0.01, "two fifths": 0.4}


@pytest.fixture(autouse=True)
def eager(monkeypatch):
    """Look ahead even where it does not pay, in chunks of a few rows."""
    monkeypatch.setattr(lookahead, "WORTH", 0.0)
    monkeypatch.setattr(lookahead, "ALONE", Budget(0.0))
    monkeypatch.setattr(lookahead, "LOOK", 20.0)
    monkeypatch.setattr(lookahead, "ROUND", 0.0)
    monkeypatch.setattr(loops, "PATIENCE", 50)


def labelled(noise, rows=400, features=12, seed=0, boolean=False):
    """Rows that a hyperplane labels, but for the share of noise; many have zeros."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((rows, features)) < 0.4, rng.integers(-3, 4, (rows, features)), 0)
    X = (X > 0) if boolean else X
    codes = (X @ rng.standard_normal(features) > 0).astype(np.int64)
    return X.astype(np.float64), np.where(rng.random(rows) < noise, 1 - codes, codes)


class Run:
    """A learner that reads the same rows epoch after epoch."""

    def __init__(self, rule, bias, X, codes, unit_length=False, weights=None):
        self.rows, self.codes = weighted(make_rows(X, bias, unit_length), weights), codes
        self.learner = Learner(rule, X.shape[1], bias=bias, unit_length=unit_length)
        if weights is not None:
            self.learner.count_weights()
        self.log = new_log(40 * X.shape[0])
        self.refused = 0

    def read(self, read_block, epochs=3, order=AS_GIVEN, block=None):
        total = len(self.codes)
        for epoch in range(epochs):
            for start in range(0, total, block or total):
                stop = min(start + (block or total), total)
                reading = EpochInput(self.rows, self.codes, 1, order, start, stop, epoch == 0)
                if self.learner.reserves:
                    room = total, total * (self.rows.values.shape[-1] + 1)
                    state = protocol.reserve(self.learner.rule, self.learner.states[0], *room)
                    self.learner.states[0] = state
                state, tally = self.learner.states[0], self.learner.tallies[0]
                self.refused = read_block(self.learner.rule, state, reading, tally, self.log)
                if self.refused:
                    return self
        return self

    @property
    def outcome(self):
        """All that the run left behind, as bytes."""
        state = protocol.compacted(self.learner.rule, self.learner.states[0])
        arrays = [*arrays_of(state), *self.learner.tallies[0], *self.log]
        return self.refused, [each.tobytes() for each in arrays]


def on_one_thread(rule, state, reading, tally, log):
    return epoch_for(rule, log)(rule, state, reading, tally, log)


def looking_ahead(threads):
    """A way to read that looks ahead from the first row on."""
    ahead = Lookahead()
    ahead.gap = 10.0
    return functools.partial(ahead.read, threads)


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("name", [*RULES, "multiclass-averaged"])
def test_any_number_of_threads_gives_the_bytes_of_one(name, layout, noise):
    rule, bias = (RULES | JOINT_RULES)[name]
    X, codes = labelled(NOISE[noise], boolean="winnow" in name and "balanced" not in name)
    one = Run(rule, bias, layout(X), codes).read(on_one_thread)
    for threads, block in ((1, 400), (2, 400), (3, 150), (4, 23)):
        many = Run(rule, bias, layout(X), codes).read(looking_ahead(threads), block=block)
        assert many.outcome == one.outcome, (threads, block)


@pytest.mark.parametrize("noise", NOISE)
def test_rows_with_weights_and_scores_of_zero_give_the_bytes_of_one_thread(noise):
    X, codes = labelled(NOISE[noise])
    X[::7] = 0.0  # a tie, whatever the weights
    weights = np.linspace(0.5, 2.0, len(X))
    one = Run(Perceptron(), False, X, codes, weights=weights).read(on_one_thread)
    for threads in (2, 3, 4):
        many = Run(Perceptron(), False, X, codes, weights=weights).read(looking_ahead(threads))
        assert many.outcome == one.outcome, threads


@given(
    seed=st.integers(0, 2**32 - 1),
    noise=st.sampled_from([0.0, 0.02, 0.3]),
    block=st.integers(1, 200),
    look=st.floats(1.0, 1e4),
    gap=st.floats(0.0, 1e3),
    shuffled=st.booleans(),
)
def test_chunks_and_blocks_of_any_size_give_the_same_bytes(seed, noise, block, look, gap, shuffled):
    X, codes = labelled(noise, rows=150, seed=seed)
    order = np.random.default_rng(seed).permutation(150) if shuffled else AS_GIVEN
    one = Run(Perceptron(), True, X, codes, True).read(on_one_thread, order=order)
    before, lookahead.LOOK = lookahead.LOOK, look
    try:
        ahead = Lookahead()
        ahead.gap = gap
        read = functools.partial(ahead.read, 2)
        many = Run(Perceptron(), True, X, codes, True).read(read, order=order, block=block)
    finally:
        lookahead.LOOK = before
    assert many.outcome == one.outcome


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e-200, 1e200])
def test_a_row_that_cannot_be_learned_from_is_refused_at_its_place(value):
    X, codes = labelled(0.0)
    X[250, 3:] = 0.0
    X[250, 3] = value
    one = Run(Perceptron(), False, X, codes).read(on_one_thread)
    many = Run(Perceptron(), False, X, codes).read(looking_ahead(2))
    assert many.refused == one.refused
    assert one.refused in (0, 251)


def test_weights_that_overflow_are_noticed_at_the_same_row():
    X, codes = labelled(0.4)
    one = Run(Perceptron(1e305), True, X * 1e3, codes).read(on_one_thread, epochs=30)
    many = Run(Perceptron(1e305), True, X * 1e3, codes).read(looking_ahead(3), epochs=30)
    assert one.refused
    assert many.refused == one.refused


class NoThreads:
    """A pool that can start no thread."""

    def submit(self, *task):
        raise RuntimeError("can't start new thread")


def test_where_no_thread_can_start_the_leader_goes_without(monkeypatch):
    X, codes = labelled(0.01)
    one = Run(Perceptron(), True, X, codes).read(on_one_thread)
    monkeypatch.setattr(lookahead, "pool", lambda threads: NoThreads())
    assert Run(Perceptron(), True, X, codes).read(looking_ahead(3)).outcome == one.outcome


def test_an_interruption_leaves_the_block_it_waited_for_counted_in_full(monkeypatch):
    X, codes = labelled(0.01)
    one = Run(Perceptron(), True, X, codes).read(on_one_thread, epochs=1)
    lead_for = lookahead.lead_for

    def interrupted_lead_for(*kinds):
        def lead(*call):
            lead_for(*kinds)(*call)
            raise KeyboardInterrupt

        return lead

    monkeypatch.setattr(lookahead, "lead_for", interrupted_lead_for)
    many = Run(Perceptron(), True, X, codes)
    with pytest.raises(KeyboardInterrupt):
        many.read(looking_ahead(2), epochs=1)
    assert many.outcome == one.outcome


def test_the_leader_alone_as_plain_python_is_the_epoch():
    X, codes = labelled(0.01, rows=120)
    lead, chunks = loops._make_lead(""), 4

    def read(rule, state, reading, tally, log):
        words = np.zeros((loops.FOUND + chunks) * WORD, np.int64)
        radius = np.full(1, tally.radius_squared[0])
        pace = np.array([10.0, 0.0, 2.0, 50.0])
        refused = lead(rule, state, reading, tally, log, radius, words, chunks, pace)
        tally.radius_squared[0] = max(tally.radius_squared[0], radius[0])
        return refused

    one = Run(Perceptron(), True, X, codes).read(on_one_thread)
    assert Run(Perceptron(), True, X, codes).read(read).outcome == one.outcome


def test_a_rule_from_elsewhere_is_not_looked_ahead_for_unless_it_says_so():
    class Elsewhere(Perceptron):
        __slots__ = ()

    assert protocol.scores_ahead(Perceptron())
    assert not protocol.scores_ahead(Elsewhere())


@pytest.mark.parametrize("rule", ["perceptron", "averaged"])
def test_rows_from_memory_cache_and_stream_give_the_bytes_of_one_thread(rule, tmp_path):
    found = []
    for threads in (1, 2, 3):
        folder = tmp_path / str(threads)
        folder.mkdir()
        path = write_rows(folder / "a.svm", rule)
        found += every_way(spec_for(rule)._replace(threads=threads), path, folder).values()
    assert len(set(found)) == 1


def test_more_helpers_than_the_pool_has_threads_are_not_waited_for():
    """Of several learners that all look ahead, none waits for helpers that could not begin."""
    X, codes = labelled(0.01)
    one = Run(Perceptron(), True, X, codes).read(on_one_thread)
    runs = [Run(Perceptron(), True, X, codes) for _ in range(4)]
    busy = [pool(2).submit(run.read, looking_ahead(2)) for run in runs]
    assert [each.result().outcome for each in busy] == [one.outcome] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_has_threads_of_its_own():
    pool(2).submit(int).result()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        child = os.fork()
    if not child:
        os._exit(pool(2).submit(int, "7").result(LONG))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


ALONE_SCRIPT = """
import os, warnings
from pathlib import Path
import numpy as np
import novikoff as nk
from novikoff.verdict.signed import Signed
def others():
    tasks = [each for each in Path("/proc/self/task").iterdir() if int(each.name) != os.getpid()]
    return {each.name: int((each / "schedstat").read_text().split()[0]) for each in tasks}
def spent_since(before):  # a thread that ended in between had its time before
    return sum(time - before.get(name, 0) for name, time in others().items())
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X, y = rng.standard_normal((30, 60_000)), rng.integers(0, 2, 30)
nk.Perceptron(max_epochs=2).fit(X, y)
before = others()
nk.Perceptron(max_epochs=20, init="random").fit(X, y)
fitted = spent_since(before)
scan, weights = Signed.of(X, y).scan, rng.standard_normal(60_001)
before = others()
for _ in range(100):
    scan.error(weights)
print(fitted, spent_since(before))
"""


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="threads tell no times here")
def test_fits_and_bounds_of_scans_on_one_thread_leave_those_of_blas_alone():
    done = subprocess.run(
        [sys.executable, "-c", ALONE_SCRIPT], capture_output=True, text=True, timeout=LONG
    )
    assert done.stdout.split() == ["0", "0"], done.stdout + done.stderr


@pytest.mark.parametrize("rule", [nk.Perceptron, nk.AveragedPerceptron])
@pytest.mark.parametrize("classes", [2, 4])
def test_scores_in_parts_are_those_of_the_whole(rule, classes, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 6))
    with pytest.warns(ConvergenceWarning):
        model = rule(max_epochs=2).fit(X, rng.integers(0, classes, 500))
    whole = model.decision_function(X).tobytes()
    monkeypatch.setattr(learner_module, "ANSWERS", 100)
    for n_jobs in (1, 2, 3):
        assert model.set_params(n_jobs=n_jobs).decision_function(X).tobytes() == whole


@pytest.mark.parametrize("classes", [2, 5])
def test_estimators_on_several_threads_are_those_on_one(classes, tmp_path):
    rng = np.random.default_rng(classes)
    X = rng.standard_normal((3000, 8))
    y = (X @ rng.standard_normal((8, classes))).argmax(axis=1)
    files, answers = [], []
    for n_jobs in (None, 2, 3, -1):
        model = nk.Perceptron(max_epochs=7, n_jobs=n_jobs)
        with pytest.warns(ConvergenceWarning):
            model.fit(X, y)
        nk.save(model, tmp_path / "a.model")
        files.append((tmp_path / "a.model").read_bytes())
        answers.append(model.decision_function(np.tile(X, (30, 1))).tobytes())
    assert len(set(files)) == len(set(answers)) == 1


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True, "all"])
def test_a_number_of_threads_that_is_none_is_refused(n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be None, -1 or a whole number above 0"):
        nk.Perceptron(n_jobs=n_jobs).fit([[0.0], [1.0]], [0, 1])
