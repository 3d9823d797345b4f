"""No serious violation of axe-core's rules, on a light screen and in the dark."""

import subprocess
import sys

import pytest

from tests.helpers.browser import HERE, context, drawn, launched, until
from tests.helpers.lab_page import READY

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the extra dev")
LAB = ["", "preset=xor&step=3", "tab=capacity&trials=5", "tab=winnow&step=3", "challenge=0-0"]
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def browser(chromium):
    with launched(chromium) as found:
        yield found


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A report, and a film."""
    folder = tmp_path_factory.mktemp("pages")
    command = [sys.executable, "-m", "novikoff", "trace", "example:and", "--report", "report.html"]
    subprocess.run([*command, "--html", "film.html"], check=True, cwd=folder, capture_output=True)
    return folder


def violations(page):
    found = axe.Axe().run(page).response["violations"]
    return [
        (each["id"], each["help"], [node["html"][:200] for node in each["nodes"]][:4])
        for each in found
        if each["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lab(browser, lab_server, scheme):
    where = f"{lab_server.url}/"
    with context(browser, (where, *HERE), color_scheme=scheme, bypass_csp=True) as pages:
        page = pages()
        for address in LAB:
            page.goto(f"{where}?{address}")
            until(page, READY)
            assert violations(page) == [], address
        for name in ("lesson", "guide"):  # which the lab links to
            page.goto(f"{where}page/{name}.html")
            page.get_by_role("heading", level=1).wait_for()
            assert violations(page) == [], name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["report.html", "film.html"])
def test_a_report_and_a_film(browser, files, name, scheme):
    with context(browser, HERE, color_scheme=scheme, bypass_csp=True) as pages:
        page = pages()
        page.goto((files / name).as_uri())
        if name == "report.html":
            drawn(page, scheme)
        else:
            until(page, READY)
        assert violations(page) == []
