"""Results in a notebook: the key numbers as a small table, and a chart."""

from novikoff.notebook.chart import plot
from novikoff.notebook.tables import Fact, facts_html, table_html

__all__ = ["Fact", "facts_html", "plot", "table_html"]
