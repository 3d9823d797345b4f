"""The proof's picture: on the screen with the plane and the countdown, with the trace's numbers."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.lab.state.presets import PRESETS
from novikoff.lab.state.row_orders import rows_of
from tests.helpers.browser import until
from tests.helpers.lab_page import FITS, at

SOURCES = """() => {
  const doc = Bokeh.documents.find(each => each.get_model_by_name("allowed"));
  return Object.fromEntries(["after", "before", "step", "allowed", "disc", "way"].map(name =>
    [name, Object.fromEntries(Object.entries(doc.get_model_by_name(name).data)
      .map(([key, values]) => [key, [...values]]))]));
}"""


def test_each_step_is_drawn_where_the_trace_has_it(lab):
    X, y = rows_of(PRESETS["clouds"].points)
    table = nk.trace(X, y).table
    page = lab("preset=clouds", 1280, 720)
    for k in (1, 3, 9):
        page.locator("#scrub").fill(str(k))
        at(page, k)
        drawn = page.evaluate(SOURCES)
        x, y = drawn["after"]["x1"][0], drawn["after"]["y1"][0]
        assert np.hypot(x, y) == pytest.approx(np.sqrt(table["squared_norm"][k - 1]))
        assert x / np.hypot(x, y) == pytest.approx(table["cosine"][k - 1])
        assert max(drawn["disc"]["x"]) == pytest.approx(np.sqrt(table["norm_cap"][k - 1]))
        assert drawn["allowed"]["x"][0] == pytest.approx(np.sqrt(table["lower"][k - 1]))
        assert (drawn["step"]["x1"], drawn["step"]["y1"]) == ([x], [y])
        assert len(drawn["way"]["x"]) == k + 1
        assert f"{table['cosine'][k - 1]:.4g}" in page.locator("#picture-key").inner_text()


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 720), (1366, 768), (1600, 900), (1920, 1080), (390, 844)]
)
def test_plane_picture_and_countdown_are_on_the_screen_together(lab, width, height):
    page = lab("preset=clouds&step=3", width, height)
    until(page, FITS)
    if width < 961:  # a phone scrolls, but never sideways
        return
    for part in ("plane", "countdown", "picture", "play", "speed"):
        box = page.locator(f"#{part}").bounding_box()
        assert box["x"] + box["width"] <= width, part
        assert box["y"] + box["height"] <= height, part
    wide = page.locator("#plane").bounding_box()["width"]
    assert wide > 0.3 * width


def test_rows_that_do_not_separate_have_no_such_picture(lab):
    page = lab("preset=xor&step=3")
    assert "There is no w*" in page.locator("#picture").inner_text()
    assert page.locator("#proof-plot").is_hidden()
    assert page.locator("#picture-key").inner_text().strip() == ""
