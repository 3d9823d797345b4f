"""The chart of a result: a door to the package `report`, which lies above all that it draws.

It is loaded by its name when a chart is asked for.
"""

import importlib


def plot(result: object, backend: str | None, **options: object) -> object:
    """Draw a result with the package `report`."""
    charts = importlib.import_module("novikoff.report.result_charts")
    drawn: object = charts.plot(result, backend, **options)
    return drawn
