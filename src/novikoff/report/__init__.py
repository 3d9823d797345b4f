"""HTML reports and single figures.

A page is data first (`model.Page`), made from what a command found; `render` draws it.
"""

from novikoff.report.model import Figure, Page, PageQuestion, ReportAnswer, ReportTable, Section
from novikoff.report.pages.check import check_page
from novikoff.report.pages.cover import cover_page
from novikoff.report.pages.fit import FitRun, fit_page
from novikoff.report.pages.repair import repair_page
from novikoff.report.pages.trace import trace_page
from novikoff.report.write import require_writable, write_page, write_picture

__all__ = [
    "Figure",
    "FitRun",
    "Page",
    "PageQuestion",
    "ReportAnswer",
    "ReportTable",
    "Section",
    "check_page",
    "cover_page",
    "fit_page",
    "repair_page",
    "require_writable",
    "trace_page",
    "write_page",
    "write_picture",
]
