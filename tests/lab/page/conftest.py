"""The lab in a browser."""

import pytest

from tests.helpers.browser import HERE, context, launched, until
from tests.helpers.lab_page import READY


@pytest.fixture(scope="package")
def url(lab_server):
    return f"{lab_server.url}/"


@pytest.fixture(scope="package")
def window(chromium, url):
    """One window for all tests: its scripts are compiled once."""
    with launched(chromium) as browser, context(browser, (url, *HERE)) as pages:
        yield pages


@pytest.fixture(scope="package")
def first(window):
    return window()


@pytest.fixture
def lab(first, window, url):
    """Open the lab at an address; `another` opens it in one more tab."""
    first.emulate_media(color_scheme="light")

    def visit(query="", width=1280, height=900, *, page=first):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{url}?{query}" if query else url)
        until(page, READY)
        return page

    visit.another = lambda query: visit(query, page=window())
    yield visit
    assert (first.asked, first.complaints) == ([], [])
