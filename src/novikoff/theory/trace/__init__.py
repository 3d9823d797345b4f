"""The proof as it runs: a run update by update, held against the theorem at every one of them.

Names are loaded when they are first used: Numba's cache of the loop imports `update_log` to
know its log, also for commands that trace nothing.
"""

from typing import TYPE_CHECKING

from novikoff.lazy import attach

if TYPE_CHECKING:
    from novikoff.theory.trace.cycles import Cycle
    from novikoff.theory.trace.result import Trace
    from novikoff.theory.trace.theorems.inequalities import Check
    from novikoff.theory.trace.tracer import trace

__all__ = ["Check", "Cycle", "Trace", "trace"]

_HOMES = {
    "Check": "theorems.inequalities",
    "Cycle": "cycles",
    "Trace": "result",
    "trace": "tracer",
}

__getattr__, __dir__ = attach(__name__, _HOMES)
