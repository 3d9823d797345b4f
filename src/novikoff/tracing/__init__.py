"""The proof as it runs: a run update by update, held against the theorem at every one of them.

Names are loaded when they are first used: Numba's cache of the loop imports `record` to know its
log, also for commands that trace nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff.tracing.checking import Check
    from novikoff.tracing.cycles import Cycle
    from novikoff.tracing.result import Trace
    from novikoff.tracing.tracer import trace

__all__ = ["Check", "Cycle", "Trace", "trace"]

_HOMES = {"Check": "checking", "Cycle": "cycles", "Trace": "result", "trace": "tracer"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'novikoff.tracing' has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(f"novikoff.tracing.{_HOMES[name]}"), name)
    return globals()[name]
