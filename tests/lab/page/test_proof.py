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

#: Where each name begins across, how far its middle is above the line of w*, in pixels, and it.
NAMES = """() => {
  const doc = Bokeh.documents.find(each => each.get_model_by_name("allowed"));
  const { x, y, text, shift, rise } = doc.get_model_by_name("names").data;
  const plot = doc.roots()[0];
  const unit = plot.inner_height / (plot.y_range.end - plot.y_range.start);
  return Array.from(text, (name, i) => [x[i] * unit + shift[i], y[i] * unit - rise[i], name]);
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


@pytest.mark.parametrize("tab", ["plane", "winnow"])
def test_a_small_projector_has_the_transport_on_its_screen(lab, tab):
    page = lab(f"tab={tab}&step=3&view=projector", 1280, 720)
    until(page, FITS)
    for part in ("title", "countdown", "step" if tab == "winnow" else "picture", "play", "speed"):
        box = page.locator(f"#{part}").bounding_box()
        assert box["x"] + box["width"] <= 1280, part
        assert box["y"] + box["height"] <= 720, part


@pytest.mark.parametrize("address", ["preset=tight&step=2", "step=3", "preset=tiny-margin&step=9"])
def test_names_of_vectors_are_clear_of_the_line_of_w_star_and_of_each_other(lab, address):
    page = lab(address, 1280, 720)
    for closely in (False, True):
        if closely:
            page.click("#closer")
        names = page.evaluate(NAMES)
        assert len(names) >= 2
        assert all(high >= 13 for _, high, _ in names), names
        ends = {text: (across, high) for across, high, text in names}
        (x, y), (w, star) = next(at for text, at in ends.items() if text[-1] != "*"), ends["w*"]
        assert abs(y - star) >= 14 or w - x >= 40, names


def test_rows_that_do_not_separate_have_no_such_picture(lab):
    page = lab("preset=xor&step=3")
    assert "There is no w*" in page.locator("#picture").inner_text()
    assert page.locator("#proof-plot").is_hidden()
    assert page.locator("#picture-key").inner_text().strip() == ""
