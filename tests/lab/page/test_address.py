"""The address is the whole state, and a malformed one is told."""

from urllib.parse import urlsplit

from tests.helpers.browser import shot, until
from tests.helpers.lab_page import READY, at, drag, keys, redrawn, shown, text_of


def test_an_address_restores_everything_and_tabs_stay_apart(lab):
    page = lab("preset=far-start")
    with redrawn(page):
        page.fill("#eta", "0.5")
        page.press("#eta", "Enter")
    drag(page, 1, 25, 30)
    page.locator("#scrub").fill("4")
    page.select_option("#speed", "10")
    page.click("#projector")
    assert keys(page, 4) | {"points": ""} == {
        "points": "",
        "eta": "0.5",
        "seed": "6",
        "start": "random",
        "step": "4",
        "speed": "10",
        "view": "projector",
    }
    until(page, READY)
    before = shown(page)
    other = lab.another(urlsplit(page.url).query)
    at(other, 4)
    assert shown(other) == before
    assert other.input_value("#eta") == "0.5"
    assert other.input_value("#speed") == "10"
    assert other.evaluate("document.documentElement.dataset.view") == "projector"
    address = page.url
    with redrawn(other):
        other.select_option("#preset", "xor", force=True)
    assert keys(other)["preset"] == "xor"
    assert page.url == address
    assert shown(page) == before
    with redrawn(other):
        other.go_back()
    at(other, 4)
    assert shown(other) == before


MALFORMED = {
    "preset=nothing": "preset: found",
    "points=n1,2q3": "points, row 0",
    "rule=perceptron&rule=margin": "twice",
    "colour=red": "colour",
    "preset=xor&step=many": "step: found many",
}


def test_a_malformed_address_is_told_and_the_lab_opens(lab):
    for query, words in MALFORMED.items():
        page = lab(query)
        assert words in text_of(page, "problem")
        assert page.evaluate("lab.now.scene.points.length") > 0
        assert page.locator("#countdown").is_visible()
    assert all("400" in complaint for complaint in page.complaints)
    page.complaints.clear()
    with redrawn(page):
        page.select_option("#preset", "wide")
    assert page.locator("#problem").is_hidden()


def test_the_tabs_keep_where_they_were(lab):
    page = lab("preset=sorted&step=2")
    with redrawn(page):
        page.click("#tab-capacity")
    assert page.locator("#capacity").is_visible()
    assert page.locator("#player").is_hidden()
    shot(page, "lab-capacity")
    with redrawn(page):
        page.click("#tab-plane")
    at(page, 2)
    assert keys(page, 2) == {"preset": "sorted", "step": "2"}
    with redrawn(page):
        page.go_back()
    assert page.locator("#capacity").is_visible()
