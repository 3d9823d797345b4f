"""Faults, with real processes: no wrong answer, nothing lost, no hang."""

import contextlib
import json
import os
import re
import signal
import threading
import time
from functools import partial
from pathlib import Path

import dask.array as da
import numpy as np
import psutil
import pytest

import novikoff as nk
from novikoff.cluster.workers.dataset import load_dataset
from novikoff.cluster.workers.placement import REFRESH
from novikoff.cluster.workers.shard_client import BROADCAST_VERSIONS, MAX_DELTAS, Broadcast
from novikoff.errors import ClusterError
from tests.helpers.processes import (
    LONG,
    Machines,
    hog,
    pid_of,
    wait_for_word,
    wait_until,
    who,
    workers_of,
)
from tests.helpers.shell import novikoff, on_terminal, running

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHARDS = 4
RULES = {
    "perceptron": partial(nk.Perceptron, max_epochs=4),
    "winnow": partial(nk.Winnow, max_epochs=4),
    "averaged": partial(nk.AveragedPerceptron, max_epochs=4),
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Rows of zeros and ones, with labels that no rule ever gets right."""
    random = np.random.default_rng(5)
    X = random.integers(0, 2, (400, 12))
    y = np.where((X[:, 0] | X[:, 3]) ^ (random.random(400) < 0.05), 1, -1)
    path = tmp_path_factory.mktemp("faults") / "rows.svm"
    rows = (
        " ".join([f"{label:+d}", *(f"{j + 1}:1" for j in np.flatnonzero(row))])
        for row, label in zip(X, y, strict=True)
    )
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def alone():
    """Machines of a test's own."""
    found = Machines()
    yield found
    found.close()


@pytest.fixture
def machines(ground):
    """These, without what a test has added to them."""
    yield ground
    ground.end_others(ground.client())


@pytest.fixture(scope="module")
def expected(ground, data, tmp_path_factory):
    """The bytes of each rule's model, from one worker without faults."""
    folder, client = tmp_path_factory.mktemp("expected"), ground.client()
    return {rule: fitted(client, data, rule, folder) for rule in RULES}


def fitted(client, data, rule, folder, **more):
    """The bytes of a model learned there."""
    model = nk.cluster.fit(str(data), client, RULES[rule](), shards=SHARDS, **more)
    nk.save(model, folder / "model")
    return (folder / "model").read_bytes()


class Strike:
    """Stops a worker between two epochs, and strikes it when the others have answered in the next:
    it has work, and is in the middle of it.
    """

    def __init__(self, pid, blow):
        self.pid, self.blow, self.struck, self.moved = pid, blow, False, 0

    def __call__(self, moment):
        self.moved = moment.moved
        if moment.end and moment.epoch == 1:
            os.kill(self.pid, signal.SIGSTOP)
        elif moment.epoch == 2 and not moment.end and moment.done and not self.struck:
            assert moment.done < moment.shards
            self.struck = True
            self.blow()


def test_the_same_bytes_from_any_workers_and_after_one_is_killed(
    machines, data, expected, tmp_path
):
    client = machines.client()
    first = len(machines.workers)
    homes = []
    for count in (1, 2):  # two workers, then four
        homes += machines.add(client, count)
        assert {rule: fitted(client, data, rule, tmp_path) for rule in RULES} == expected
    found = load_dataset(client, str(data), shards=SHARDS)
    assert len(set(found.shard_client.map_shards(who))) == 4
    pids = [pid_of(client, home) for home in homes]
    assert sorted(pids) == sorted(each.pid for each in machines.workers[first:])
    for rule, pid in zip(RULES, pids, strict=True):
        strike = Strike(pid, partial(os.kill, pid, signal.SIGKILL))
        assert fitted(client, data, rule, tmp_path, watch=strike) == expected[rule]
        assert strike.struck
        assert strike.moved


@pytest.mark.parametrize("nanny", [False, True], ids=["alone", "nanny"])
def test_what_a_killed_worker_had_begun_is_done_by_others(machines, data, tmp_path, nanny):
    client = machines.client()
    shard_client = load_dataset(client, str(data), shards=SHARDS).shard_client
    (first,) = set(shard_client.map_shards(who))
    (late,) = machines.add(client, nanny=nanny)
    pid = pid_of(client, late)
    wait_until(
        lambda: set(shard_client.map_shards(who)) == {first, pid},
        "the use of a worker that came late",
    )
    assert shard_client.moved == 0

    def kill():
        """When both are at work."""
        try:
            begun = wait_until(
                lambda: len(b := list(tmp_path.glob("part-*"))) >= 2 and b, "the work"
            )
            assert {int(each.read_text()) for each in begun} == {first, pid}
            os.kill(pid, signal.SIGKILL)
        finally:
            (tmp_path / "go").touch()  # else nobody would go on

    killer = threading.Thread(target=kill)
    killer.start()
    numbers = list(range(SHARDS))
    assert shard_client.map_shards(wait_for_each, str(tmp_path), each=numbers) == numbers
    killer.join()
    assert shard_client.moved


def test_several_workers_lost_in_one_question(machines, data, tmp_path):
    """One after another, while what the first had is being given to others: all is asked again."""
    client = machines.client()
    late = machines.add(client, 3)
    shard_client = load_dataset(client, str(data), shards=SHARDS).shard_client
    pids = {pid_of(client, each) for each in late}

    def spread():
        """On a busy machine a new worker takes a while to be seen by the client."""
        holders = shard_client.map_shards(who)
        return holders if pids < set(holders) else None

    had = wait_until(spread, "the shards on all workers")
    (tmp_path / "go").touch()
    before, looked = shard_client.moved, shard_client._placement.refresh

    def look(now=False):
        """The other two are lost at the moment when the first one's parts are moved."""
        for pid in pids if now else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if now:
            wait_until(lambda: not workers_of(client) & set(late), "the end of the workers")
        looked(now)

    shard_client._placement.refresh = look
    os.kill(min(pids), signal.SIGKILL)
    numbers = list(range(SHARDS))
    assert shard_client.map_shards(wait_for_each, str(tmp_path), each=numbers) == numbers
    assert shard_client.moved - before == sum(pid in pids for pid in had)
    assert len(set(shard_client.map_shards(who))) == 1


def wait_for_each(shard, number, folder):
    return wait_for_word(shard, folder, number)


def test_partitions_that_are_lost_with_their_worker_are_computed_again(machines):
    client = machines.client()
    (late,) = machines.add(client)
    X, y = np.arange(80.0).reshape(40, 2), np.arange(40) % 2
    data = load_dataset(client, (da.from_array(X, (5, 2)), da.from_array(y, 5)))
    before = data.shard_client.map_shards(rows_and_codes, data.layout)
    holders = client.who_has([part.data for part in data.shard_client.shards])
    assert [late] in [list(each) for each in holders.values()]
    os.kill(pid_of(client, late), signal.SIGKILL)
    after = data.shard_client.map_shards(rows_and_codes, data.layout)
    assert data.shard_client.moved
    for found in (before, after):
        np.testing.assert_array_equal(np.concatenate([rows for rows, _ in found]), X)
        np.testing.assert_array_equal(np.concatenate([codes for _, codes in found]), y)


def rows_and_codes(shard, layout):
    return shard.matrix(layout), shard.codes(layout)


def test_the_scheduler_does_not_keep_all_that_was_ever_shared(ground):
    client = ground.client()
    shard_client = load_dataset(client, "example:xor", shards=2).shard_client
    changes = 3 * MAX_DELTAS
    total = 0
    for k in range(changes):
        total += k
        shared = Broadcast(next(BROADCAST_VERSIONS), total, added, k)
        assert shard_client.map_shards(given, broadcast=shared) == [total] * 2
    kept = client.run_on_scheduler(keys_of)
    assert 0 < len([key for key in kept if key.startswith("novikoff-share-")]) <= MAX_DELTAS + 1


def added(before, change):
    return before + change


def given(shard, shared):
    return shared


def keys_of(dask_scheduler):
    return [str(key) for key in dask_scheduler.tasks]


def test_a_slow_worker_is_waited_for(machines, data, expected, tmp_path):
    client = machines.client()
    (slow,) = machines.add(client)
    pid = pid_of(client, slow)
    wakes = threading.Timer(2.0, os.kill, (pid, signal.SIGCONT))
    strike = Strike(pid, wakes.start)
    assert fitted(client, data, "perceptron", tmp_path, watch=strike) == expected["perceptron"]
    assert strike.struck
    assert strike.moved == 0


def test_a_worker_that_comes_in_the_middle_of_a_run_takes_its_share(
    machines, data, expected, tmp_path
):
    client, seen = machines.client(), set()

    def watch(moment):
        seen.add(moment.workers)
        if moment.end and moment.epoch == 1:
            machines.add(client)
            time.sleep(REFRESH)  # it is looked for no more often than that

    assert fitted(client, data, "averaged", tmp_path, watch=watch) == expected["averaged"]
    assert seen == {1, 2}


def test_a_run_goes_on_from_its_checkpoint_after_the_scheduler_was_killed(
    alone, data, expected, tmp_path
):
    alone.add(alone.client())
    kept = {"checkpoint": tmp_path / "run", "checkpoint_every": 0.0}

    def kill(moment):
        if moment.end and moment.epoch == 2:
            alone.end(alone.scheduler)

    told = []

    def run():
        with pytest.raises(ClusterError) as problem:
            fitted(alone.client(), data, "averaged", tmp_path, watch=kill, **kept)
        told.append(str(problem.value))

    runs = threading.Thread(target=run)
    runs.start()
    runs.join(LONG)
    assert f"the scheduler at {alone.address} is gone" in told[0]
    assert "can be resumed" in told[0]
    alone.start_scheduler()
    alone.add(alone.client())
    epochs = []
    again = fitted(
        alone.client(),
        data,
        "averaged",
        tmp_path,
        watch=lambda moment: epochs.append(moment.epoch),
        resume=True,
        **kept,
    )
    assert again == expected["averaged"]
    assert set(epochs) - {0} == {3, 4}


def test_a_worker_short_of_memory_uses_its_disk_and_in_the_end_says_so(alone, tmp_path):
    client = alone.client()
    alone.add(client, nanny=True, memory="400MB")
    random = np.random.default_rng(3)
    X, y = random.standard_normal((600_000, 20)), random.integers(0, 2, 600_000)
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))  # 100 MB; 160 MB is all it may take
    model = nk.cluster.fit(
        str(tmp_path / "rows.npy"), client, nk.Perceptron(max_epochs=2), shards=1
    )
    there = nk.Perceptron(max_epochs=2).fit(X, y)
    assert model.coef_.tobytes() == there.coef_.tobytes()
    assert model.mistakes_ == there.mistakes_
    shard_client = load_dataset(client, "example:xor", shards=1).shard_client
    with pytest.raises(ClusterError, match=r"memory.*more shards"):
        shard_client.map_shards(hog)


def _run(data, tmp_path, *more):
    """A command on processes of its own, as a terminal starts it; it would take for ever."""
    words = "fit", data, "--workers", 2, "--shards", SHARDS, "--max-epochs", 10**9, *more
    return ["-m", "novikoff", *map(str, words)]


def _ended(process, children, code):
    """It ends, with this exit code, and nothing of it is left; what it said."""
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == code
    _, alive = psutil.wait_procs(children, LONG)
    assert alive == []
    return out, err


def _epochs_in(log):
    """The epoch that a log has come to, as far as its lines are whole."""
    whole = log.read_text().split("\n")[:-1] if log.exists() else []
    return json.loads(whole[-1])["epoch"] if whole else 0


def _blocked(pid, number):
    """Whether a process never sees a signal."""
    (mask,) = re.findall(r"^SigBlk:\s*(\w+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return bool(int(mask, 16) >> (number - 1) & 1)


def test_ctrl_c_ends_a_run_after_a_whole_epoch_and_leaves_no_process(machines, data, tmp_path):
    run, log = tmp_path / "run", tmp_path / "log"
    words = _run(data, tmp_path, "--checkpoint", run, "--log", log, "--json")
    with running(*words, start_new_session=True) as process:
        wait_until(lambda: _epochs_in(log) >= 3, "a few epochs")
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) > 2
        workers = [each for each in children if "spawn_main" in " ".join(each.cmdline())]
        assert [_blocked(each.pid, signal.SIGINT) for each in workers] == [True, True]
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all of them
        out, err = _ended(process, children, 130)
    assert "Traceback" not in err
    answer = json.loads(out)
    assert answer["stopped_because"] == "it was interrupted"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert {(line["workers"], line["shards"]) for line in lines} == {(2, SHARDS)}
    assert lines[-1]["shards_done"] == SHARDS
    assert lines[0]["dashboard"] == answer["dashboard"] is not None
    there = "--cluster", machines.address, "--shards", SHARDS
    longer = *there, "--max-epochs", answer["epochs"] + 1
    on = novikoff("fit", data, *longer, "--checkpoint", run, "--resume", "--save", tmp_path / "a")
    once = novikoff("fit", data, *longer, "--save", tmp_path / "b")
    assert (on[0], once[0]) == (0, 0)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_signals_while_workers_read_and_do_not_answer(data, tmp_path):
    with on_terminal(*_run(data, tmp_path)) as command:
        command.until("dashboard")
        children = psutil.Process(command.process.pid).children(recursive=True)
        workers = [each for each in children if "spawn_main" in " ".join(each.cmdline())]
        assert len(workers) == 2
        for worker in workers:
            worker.suspend()
        command.process.send_signal(signal.SIGTERM)
        command.process.send_signal(signal.SIGTERM)  # impatient
        assert _ended(command.process, children, 143)[0] == ""
