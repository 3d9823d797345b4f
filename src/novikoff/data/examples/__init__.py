"""Built-in data: truth tables, random rows with a known separator, and classics of statistics."""

from novikoff.data.examples.registry import EXAMPLES, Example

__all__ = ["EXAMPLES", "Example"]
