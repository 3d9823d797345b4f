"""Answers that are slow, wrong or missing."""

from novikoff.lab.state.presets import PRESETS
from tests.helpers.browser import until
from tests.helpers.lab_page import at, redrawn, text_of


def test_a_long_wait_is_shown_and_moves_nothing(lab):
    page = lab("preset=xor")
    held = []
    page.route("**/scene", lambda route: held.append(route))
    before = page.locator("#plane").bounding_box()
    with redrawn(page):
        page.select_option("#rule", "averaged")
        until(page, "!document.getElementById('busy').hidden")
        assert page.locator("#main").get_attribute("aria-busy") == "true"
        assert page.locator("#plane").bounding_box() == before
        held.pop().continue_()
    until(page, "document.getElementById('busy').hidden")
    assert page.locator("#main").get_attribute("aria-busy") == "false"
    page.unroute("**/scene")


def test_an_answer_that_cannot_be_shown_is_the_pages_own_fault(lab):
    page = lab("preset=xor")
    page.route("**/scene", lambda route: route.fulfill(json={"tab": "plane"}))
    page.select_option("#rule", "averaged")
    until(page, "document.getElementById('problem').textContent.includes('has a defect')")
    assert len(page.complaints) == 1
    page.complaints.clear()
    page.unroute("**/scene")


def test_a_server_that_is_away_is_said_and_asked_again(lab):
    page = lab("preset=wide")
    page.route("**/scene", lambda route: route.abort())
    page.select_option("#preset", "xor")
    until(page, "!document.getElementById('problem').hidden")
    assert "does not answer" in text_of(page, "problem")
    assert text_of(page, "title") == PRESETS["wide"].title
    page.keyboard.press("Escape")
    page.locator("#play").focus()
    page.keyboard.press("ArrowRight")  # the film needs no server
    at(page, 1)
    page.unroute("**/scene")
    with redrawn(page):
        page.select_option("#preset", "tight")
    assert page.locator("#problem").is_hidden()
    page.complaints.clear()  # of the request that failed
