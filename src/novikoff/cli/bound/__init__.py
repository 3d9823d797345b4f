"""`novikoff bound`."""

from novikoff.cli.bound.command import bound

__all__ = ["bound"]
