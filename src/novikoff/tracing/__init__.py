"""The proof as it runs: a run update by update, held against the theorem at every one of them."""

from novikoff.tracing.checking import Check
from novikoff.tracing.result import Trace
from novikoff.tracing.tracer import trace

__all__ = ["Check", "Trace", "trace"]
