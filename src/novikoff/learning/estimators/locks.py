"""Estimators that threads share: who may learn, who may look, and for how long.

Calls that learn take turns. A long one works on a copy of the estimator and puts it in place at its
end; a short one changes the learner where it is, and has the state to itself for that moment.
Predictions read a learner that is listed as in use meanwhile: it is not changed, but copied by
whoever learns next. So nobody waits for a prediction, and no prediction for a long fit.
"""

import threading
from types import TracebackType
from typing import Any

LOST_AFTER = 0.1  # seconds without the state, after which to see for oneself whether it is free


class Idle:
    """The state of an estimator, for whoever takes it; wanted: somebody waits for it.

    `free` is there while nobody has the state. To delete an attribute either takes it or fails, and
    to set one gives it back, each in one step that no thread and no Ctrl-C comes between.
    """

    __slots__ = ("free", "wanted")
    free: None

    def __init__(self) -> None:
        self.wanted = False

    def take(self) -> bool:
        """Take the state if nobody has it."""
        try:
            del self.free
        except AttributeError:
            return False
        return True


#: Of an estimator that has no lock yet.
TAKEN = Idle()


class EstimatorLock:
    """The lock of one estimator; `with` it, what was learned is one's own to look at or to change.

    turn: held by a long call that learns, from its start to its end, and taken before the lock.
    in_use: learners that predictions read without the lock, and the copies of the estimator that
    long calls work on.

    One of Python's locks takes half as long as learning from a row of 100 numbers. So `learn_one`
    has a way in of its own, `idle`. What it takes is given back, or handed over to a thread that
    waits for it. While a learner is in use there is nothing to take.
    """

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self.in_use: list[Any] = []
        self.idle = Idle()
        self.idle.free = None
        self._lock, self._depth = threading.RLock(), 0
        self._closed = False  # whether `idle` is taken because of us, and not of a `learn_one`
        self._handed_over = threading.Semaphore(0)

    def __enter__(self) -> None:
        self._lock.acquire()
        if not self._closed:
            try:
                self._close()
            except BaseException:
                self._lock.release()
                raise
        self._depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._depth -= 1
        if not self._depth and not self.in_use:
            self._closed = False
            self.idle.free = None
        self._lock.release()

    def _close(self) -> None:
        """Take the state, from a `learn_one` in another thread if need be."""
        self.idle.wanted = True
        while not self.idle.take():  # Ctrl-C may have come between giving back and handing over
            if self._handed_over.acquire(timeout=LOST_AFTER):
                break
        self._closed, self.idle.wanted = True, False

    def hand_over(self) -> None:
        """After a `learn_one` that somebody waits for."""
        if self.idle.take():  # nobody was quicker
            self._handed_over.release()


class LockAttribute:
    """A lock that is made when it is first needed: constructors of estimators only take parameters.

    It replaces itself in the estimator, by one call, so that all threads get the same lock. `_idle`
    is the lock's, which `learn_one` finds faster than anything behind a descriptor.
    """

    def __get__(self, estimator: Any, owner: type) -> EstimatorLock:
        lock: EstimatorLock = estimator.__dict__.setdefault("_lock", EstimatorLock())
        estimator._idle = lock.idle
        return lock
