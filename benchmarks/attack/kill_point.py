"""Where a process kills itself, so that every kill can be repeated."""

import os
import signal
from collections.abc import Callable
from typing import Any


class KillPoint:
    """Kills the process at the n-th time that it comes here."""

    def __init__(self, count: int) -> None:
        self.left = count

    def reach(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **named: Any) -> Any:
            self.reach()
            return function(*words, **named)

        return call

    def after(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **named: Any) -> Any:
            found = function(*words, **named)
            self.reach()
            return found

        return call
