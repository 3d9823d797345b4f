"""`novikoff cover`."""

from novikoff.cli.cover.command import cover

__all__ = ["cover"]
