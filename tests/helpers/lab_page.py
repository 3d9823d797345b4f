"""The lab's page, as a test uses it.

With NOVIKOFF_SHOTS set to a folder, screenshots of every preset are left there for people to look
at.
"""

import re
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import numpy as np

import novikoff as nk
from novikoff.lab.state.url_values import read_points
from tests.helpers.browser import until

READY = """() => {
  const { ready, charts, tab } = document.documentElement.dataset;
  return ready && (tab === "capacity" || charts === ready) ? Number(ready) : 0;
}"""
LATER = f"before => ({READY})() > before"
STEP = "() => Number(document.documentElement.dataset.step)"
#: Nothing is off the screen to the right; figures follow a change of its size a moment later.
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
#: Every figure has the size of its place, and the plane its ranges for that size.
LAID_OUT = """() => {
  const plots = Bokeh.documents.flatMap(each => each.roots());
  const near = (one, other) => Math.abs(one - other) <= 1;
  const fits = plot => {
    const { el } = Bokeh.index.find_one(plot);
    return !el.checkVisibility()
      || near(el.clientWidth, plot.outer_width) && near(el.clientHeight, plot.outer_height);
  };
  const [across, upwards] = (lab.plane.box() ?? []).map(([low, high]) => high - low);
  const { inner_width: wide, inner_height: high } = plots[0];
  const alike = lab.plane.frame()?.map(([low, top]) => top - low) ?? [];
  const square = Math.max(...alike) >= 12 * Math.min(...alike)
    || near(across / upwards * high, wide);
  return plots.every(fits) && (across === undefined || square);
}"""
#: All that a step shows, in words and in the plane.
SHOWN = """() => [
  ...["step", "countdown", "proof", "where"].map(id => document.getElementById(id).innerText),
  ...["line", "normal", "wrong", "looked"].map(
    name => JSON.stringify(Bokeh.documents[0].get_model_by_name(name).data)),
]"""
PLACE = "row => lab.plane.onScreen(lab.now.scene.points[row])"


POINTS = "lab.now.scene.points"
SETTLED = f"({READY})() && lab.points.rows().points === {POINTS}"


@contextmanager
def redrawn(page):
    """Do something, and wait until what it asks for is drawn."""
    before = page.evaluate(READY)
    yield
    until(page, LATER, before)


def at(page, step):
    until(page, f"k => ({STEP})() === k", step)


def keys(page, step=None):
    """What the address says; steps get there a moment later than the rest."""
    if step is not None:
        until(page, f"location.search.includes('step={step}')")
    return {key: value for key, (value,) in parse_qs(urlsplit(page.url).query).items()}


def text_of(page, element):
    return page.locator(f"#{element}").inner_text()


def shown(page):
    """All that a step shows, once the figures have their sizes."""
    until(page, LAID_OUT)
    return page.evaluate(SHOWN)


def on_screen(page, row):
    """Where a point is on the screen, once the figures have their sizes."""
    until(page, LAID_OUT)
    return page.evaluate(PLACE, row)


def bound(page):
    """The most mistakes, as the countdown has it."""
    found = re.search(r"of at most ([0-9,]+) ", text_of(page, "countdown"))
    return None if found is None else int(found[1].replace(",", ""))


def mistakes(page):
    return int(page.locator("#countdown .big").inner_text().replace(",", ""))


def check_points(points):
    """What the library says of points as an address has them."""
    rows = read_points(points)
    return nk.check(np.array([row[:2] for row in rows]), np.array([row.label for row in rows]))


def check_figures(page, verdict):
    """Whether the page says what a verdict does: outcome, margin, radius and bound."""
    assert page.locator("#verdict").get_attribute("data-outcome") == verdict.outcome
    cells = page.locator("#figures tr:has(th[scope=row])").all()
    margin, radius, most = (cell.locator("td").first.inner_text() for cell in cells)
    assert radius.startswith(f"{np.floor(verdict.radius * 100) / 100:.12g}"[:4])
    if verdict.outcome != "separable":
        assert (margin, most) == ("none: not separable", "none")
        return
    shown = float(margin.rstrip("…"))
    assert shown <= verdict.margin.upper < shown * 1.001 + 1e-9
    assert int(most.replace(",", "")) == verdict.mistake_bound == bound(page)


def drag(page, row, across, up):
    """Take a point with the mouse and let it go elsewhere, so many pixels away."""
    x, y = on_screen(page, row)
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.3, 0.6, 1.0):
        page.mouse.move(x + part * across, y - part * up)
        page.wait_for_timeout(60)
    with redrawn(page):
        page.mouse.up()
