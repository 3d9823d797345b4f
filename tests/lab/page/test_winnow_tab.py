"""Winnow's tab."""

from tests.helpers.browser import shot, until
from tests.helpers.lab_page import STEP, bound, keys, mistakes, redrawn


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
