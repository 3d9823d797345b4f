"""Verdicts while workers are lost, with real processes: the same bytes."""

import os
import signal

import numpy as np
import pytest

import novikoff as nk
from cluster_support import as_counts, spread_out, svmlight, told
from machines import Machines, pid_of
from novikoff.cluster import judging


@pytest.fixture(scope="module")
def ground():
    """A scheduler, and one worker that no test touches."""
    found = Machines()
    found.add(found.client())
    yield found
    found.close()


class Blow:
    """Stops a worker when a question to all shards is answered, and kills it when the next one is
    answered by others: it has work, and is in the middle of it.
    """

    def __init__(self, pid):
        self.pid, self.stopped, self.struck = pid, False, False

    def __call__(self, glance):
        if not self.stopped and glance.done == glance.parts > 1:
            self.stopped = True
            os.kill(self.pid, signal.SIGSTOP)
        elif self.stopped and not self.struck and self._is_asked(glance):
            self.struck = True
            os.kill(self.pid, signal.SIGKILL)

    def _is_asked(self, glance):
        return 0 < glance.done < glance.parts or (glance.parts, glance.done) == (1, 0)


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
    found = judging.check(str(rows), client, shards=4, glance=blow)
    assert told(found, False) == told(nk.check(nk.open(rows)), False)
    assert blow.struck
    assert found.signed.pieces.crew.moved > 0


def test_nor_does_one_while_a_proof_is_checked(doomed, rows):
    client, blow = doomed
    proof = nk.check(nk.open(rows)).certificate
    alone = nk.verify(proof, nk.open(rows))
    assert alone.valid
    assert judging.verify(proof, str(rows), client, shards=4, glance=blow) == alone
    assert blow.struck
