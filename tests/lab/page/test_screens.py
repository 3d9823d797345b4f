"""The page on large and small screens, on a projector, in the dark."""

import pytest

from novikoff.lab.state.presets import PRESETS
from novikoff.report.model import DARK, LIGHT
from tests.helpers.browser import shot, until
from tests.helpers.lab_page import FITS, LAID_OUT, READY, redrawn, text_of

SCREENS = [(1920, 1080), (1600, 900), (1366, 768), (1280, 720), (390, 844)]
OTHERS = {
    "long-run": "preset=tiny-margin&step=400",
    "challenge": "challenge=0-0",
    "capacity": "tab=capacity&trials=20",
    "winnow": "tab=winnow&step=5",
    "many-variables": "tab=winnow&n=64&relevant=5&step=9",
}
#: Texts that go beyond the screen, or beyond what they stand in.
CUT = """() => [...document.querySelectorAll("button, summary, h2, h3, p, label, .key li, td, th")]
  .filter(each => each.checkVisibility() && !each.classList.contains("unseen"))
  .filter(each => each.getBoundingClientRect().right > innerWidth + 1
    || getComputedStyle(each).overflowX === "hidden" && each.scrollWidth > each.clientWidth + 1)
  .map(each => each.textContent.trim().slice(0, 60))"""


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_fits_every_screen(lab, name):
    page = lab(f"preset={name}&step=3", 1920, 1080)
    assert PRESETS[name].title == text_of(page, "title")
    charts = [chart.bounding_box() for chart in page.locator(".chart").all()]
    assert sum(box["y"] + box["height"] <= 1085 for box in charts) >= 2
    for width, height in on_every_screen(page, f"lab-{name}"):
        for part in (
            ("plane", "countdown", "picture", "play", "speed") if width > 960 else ("play",)
        ):
            box = page.locator(f"#{part}").bounding_box()  # within reach, wherever a phone scrolls
            assert box["x"] + box["width"] <= width, (part, width)
            assert box["y"] + box["height"] <= height, (part, height)


@pytest.mark.parametrize(("name", "address"), OTHERS.items())
def test_other_pages_fit_every_screen(lab, name, address):
    assert len([*on_every_screen(lab(address, 1920, 1080), f"lab-{name}")]) == len(SCREENS)


def on_every_screen(page, name):
    """Each size of a screen in turn; on none of them anything is cut off, or out of its place."""
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        until(page, f"innerWidth === {width}")
        until(page, FITS)
        if page.evaluate("document.documentElement.dataset.tab") != "capacity":
            until(page, LAID_OUT)
        assert page.locator("#problem").is_hidden()
        assert page.evaluate(CUT) == [], width
        shot(page, f"{name}-{width}")
        yield width, height


def test_projector_mode_has_large_letters_and_fits(lab):
    size = "parseFloat(getComputedStyle(document.getElementById('step')).fontSize)"
    page = lab("preset=overlap&step=5", 1920, 1080)
    plain = page.evaluate(size)
    page.click("#projector")
    until(page, READY)
    assert page.evaluate(size) >= 1.3 * plain
    assert page.locator("#panel").is_hidden()
    for width, share in ((1920, 0.4), (1280, 0.35), (390, 0.7)):
        page.set_viewport_size({"width": width, "height": 1000})
        until(page, f"document.getElementById('plane').clientWidth > {share * width}")
        until(page, FITS)
        shot(page, f"lab-projector-{width}")


def test_one_unit_is_as_long_on_both_axes(lab):
    unit = """() => {
      const [[x0, y0], [x1, y1]] = [[0, 0], [1, 1]].map(lab.plane.onScreen);
      return Math.abs((x1 - x0) / (y0 - y1) - 1) < 0.01;
    }"""
    page = lab("preset=loose")
    until(page, unit)
    for width, height in ((390, 844), (1920, 1080), (1280, 600)):
        page.set_viewport_size({"width": width, "height": height})
        until(page, f"document.documentElement.clientWidth === {width}")
        until(page, unit)


def test_a_projector_that_is_switched_quickly_leaves_nothing_behind(lab):
    page = lab("preset=tight")
    figures = "[Bokeh.documents.length, document.querySelectorAll('.figure').length]"
    before = page.evaluate(figures)
    for _ in range(8):
        page.evaluate("document.getElementById('projector').click()")
        page.wait_for_timeout(15)
    until(page, f"({figures}).join() === '{before[0]},{before[1]}'")
    page.wait_for_timeout(500)
    assert page.evaluate(figures) == before
    with redrawn(page):
        page.click("#tab-winnow")
    page.click("#projector")  # and the plane, which is not to be seen, has it too
    with redrawn(page):
        page.click("#tab-plane")
    letters = """Bokeh.documents.flatMap(each => each.roots())
      .map(each => each.below[0].major_label_text_font_size)"""
    assert len(set(page.evaluate(letters))) == 1


def test_dark_screens_get_dark_planes(lab):
    paper = "getComputedStyle(document.querySelector('.stage')).backgroundColor"
    ink = "Bokeh.documents[0].roots()[0].below[0].major_label_text_color"
    page = lab("preset=xor")
    page.emulate_media(color_scheme="dark")
    until(page, f"({ink}) !== '{LIGHT['ink']}'")
    until(page, READY)
    dark = page.evaluate(paper), page.evaluate(ink)
    shot(page, "lab-dark")
    assert dark[1] == DARK["ink"]
    page.emulate_media(color_scheme="light")
    until(page, f"({ink}) === '{LIGHT['ink']}'")
    assert page.evaluate(paper) != dark[0]
