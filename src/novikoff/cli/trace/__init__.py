"""`novikoff trace`."""

from novikoff.cli.trace.command import trace

__all__ = ["trace"]
