"""`novikoff fit`."""

from novikoff.cli.fit.command import fit

__all__ = ["fit"]
