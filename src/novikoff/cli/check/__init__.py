"""`novikoff check`."""

from novikoff.cli.check.command import check

__all__ = ["check"]
