"""Winnow's tab."""

from tests.helpers.browser import shot, until
from tests.helpers.lab_page import STEP, bound, keys, mistakes, redrawn

SUMS = """() => {
  const doc = Bokeh.documents.find(each => each.get_model_by_name("sums"));
  const { start, end } = doc.roots()[0].x_range;
  const data = doc.get_model_by_name("sums").data;
  const lists = Object.fromEntries(Object.entries(data).map(([key, all]) => [key, [...all]]));
  return [lists, start, end];
}"""


def test_winnow_plays_within_its_budget(lab):
    page = lab("tab=winnow&n=12&relevant=2")
    most = bound(page)
    page.keyboard.press("End")
    until(page, f"({STEP})() > 0")
    assert 0 < mistakes(page) <= most
    weights = page.evaluate("Bokeh.documents[0].get_model_by_name('bars').data.top")
    assert len(weights) == 12
    assert any(weight > 1 for weight in weights)
    with redrawn(page):
        page.fill("#winnow-n", "20")
        page.press("#winnow-n", "Enter")
    assert keys(page)["n"] == "20"
    shot(page, "lab-winnow")


def test_the_sums_of_a_row_have_room_however_many_variables_there_are(lab):
    for n in (8, 64):
        page = lab(f"tab=winnow&n={n}&relevant=2&step=1", 1280, 720)
        sums, start, end = page.evaluate(SUMS)
        assert len(sums["x"]) == 2
        for middle, wide, text in zip(sums["x"], sums["wide"], sums["text"], strict=True):
            assert n + 0.5 < middle - wide / 2
            assert middle + wide / 2 < end
            assert wide / (end - start) > 0.07  # of the picture: some 35 pixels for the number
            assert text.startswith("Σ ")


def test_names_beneath_the_bars_follow_the_size_of_the_screen(lab):
    """As many as there are after a load at that size."""
    named = "Bokeh.documents[0].roots()[0].below[0].ticker.desired_num_ticks"
    narrow = lab("tab=winnow&step=1", 390, 844).evaluate(named)
    page = lab("tab=winnow&step=1", 1920, 1080)
    assert page.evaluate(named) > narrow
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, f"{named} === {narrow}")
