"""Verdicts while workers are lost, with real processes: the same bytes."""

import os
import signal

import numpy as np
import pytest

import novikoff as nk
from novikoff.cluster import distributed_check
from tests.helpers.lossy_shards import as_counts, spread_out, svmlight, verdict_fields
from tests.helpers.processes import pid_of


class Blow:
    """Stops a worker when a question to all shards is answered, and kills it when the next one is
    answered by others: it has work, and is in the middle of it.
    """

    def __init__(self, pid):
        self.pid, self.stopped, self.struck = pid, False, False

    def __call__(self, glance):
        if not self.stopped and glance.done == glance.shards > 1:
            self.stopped = True
            os.kill(self.pid, signal.SIGSTOP)
        elif self.stopped and not self.struck and self._is_asked(glance):
            self.struck = True
            os.kill(self.pid, signal.SIGKILL)

    def _is_asked(self, glance):
        return 0 < glance.done < glance.shards or (glance.shards, glance.done) == (1, 0)


@pytest.fixture
def doomed(ground):
    """A client of two workers, and what befalls the second."""
    client = ground.client()
    (second,) = ground.add(client)
    yield client, Blow(pid_of(client, second))
    ground.end_others(client)


@pytest.fixture
def rows(tmp_path):
    X, positive = spread_out(np.random.default_rng(8), 4000, 30, "touching")
    return svmlight(tmp_path / "rows.svm", X, as_counts(positive))


def test_a_worker_killed_in_the_middle_of_a_scan_changes_no_byte(doomed, rows):
    client, blow = doomed
    found = distributed_check.check(str(rows), client, shards=4, glance=blow)
    assert verdict_fields(found, False) == verdict_fields(nk.check(nk.open(rows)), False)
    assert blow.struck
    assert found.signed.pieces.shard_client.moved > 0


def test_nor_does_one_while_a_proof_is_checked(doomed, rows):
    client, blow = doomed
    proof = nk.check(nk.open(rows)).certificate
    alone = nk.verify(proof, nk.open(rows))
    assert alone.valid
    assert distributed_check.verify(proof, str(rows), client, shards=4, glance=blow) == alone
    assert blow.struck
