"""Reports for people who would rather look: pages for a browser, and single pictures as files.

A page is data first (`picture.Page`), made from what a command found; `html` and `still` draw it.
"""

from novikoff.report.of_count import cover_page
from novikoff.report.of_run import Run, fit_page
from novikoff.report.of_trace import trace_page
from novikoff.report.of_verdict import check_page
from novikoff.report.picture import Answer, Asked, Page, Picture, Section, Table
from novikoff.report.writing import require, write_page, write_picture

__all__ = [
    "Answer",
    "Asked",
    "Page",
    "Picture",
    "Run",
    "Section",
    "Table",
    "check_page",
    "cover_page",
    "fit_page",
    "require",
    "trace_page",
    "write_page",
    "write_picture",
]
