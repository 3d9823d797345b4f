"""The live page in a browser: what it shows is what the service counts, and nothing runs in it."""

import random

import pytest

import novikoff as nk
from novikoff.report.model import DARK, LIGHT
from tests.helpers.browser import context, shot, until
from tests.helpers.lab_page import FITS
from tests.helpers.service import served

SEEN = "number => Number(document.documentElement.dataset.seen) === number"
TEXT = "id => document.getElementById(id).innerText"
#: Texts of charts that reach beyond them, where nobody sees their ends.
CLIPPED = """() => [...document.querySelectorAll('.plot svg text')].filter(each =>
    each.getBoundingClientRect().right > each.ownerSVGElement.getBoundingClientRect().right + 0.5
  ).map(each => each.textContent)"""
NASTY = "<img src=x onerror=alert(1)>"
TOKENS = "predict-predict-01 predict\nmanage-manage-manage manage\n"


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    (folder / "tokens").write_text(TOKENS)
    words = "--rule", "perceptron", "--durability", "normal", "--token-file", folder / "tokens"
    with served(folder / "journal", *words) as found:
        yield found


@pytest.fixture
def page(browser, web):
    """The page as it opens where a token is needed; the refusal is no complaint."""
    with context(browser, (web.url,)) as pages:
        found = pages()
        found.goto(f"{web.url}/")
        found.locator("#access").wait_for()
        yield found
        found.complaints = [each for each in found.complaints if "status of 40" not in each]


def learn(web, number, **options):
    rng = random.Random(number)
    with nk.Client(web.url, token="manage-manage-manage", **options) as client:
        for k in range(number):
            x = {"offer": rng.gauss(0.0, 1.0), NASTY: rng.gauss(0.0, 1.0)}
            client.learn_one(x, 1 if sum(x.values()) > 0.0 else -1, id=f"row-{number}-{k}")
        client.predict_one({"offer": 1.0})
        return client.state()


def allow(page, token="predict-predict-01"):
    page.fill("#token", token)
    page.click("#access button")


def test_a_page_asks_for_a_token_and_shows_what_is_counted_as_it_comes(web, page):
    allow(page, "wrong-wrong-wrong-1")
    page.get_by_text("an access token is needed").wait_for()
    before = learn(web, 40)
    allow(page)
    until(page, SEEN, before["seen"])
    until(page, "document.querySelectorAll('.plot svg path').length >= 3")
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(TEXT, "mistakes") == str(before["mistakes"])
    assert page.evaluate(TEXT, "status") == "predicting and learning"
    assert "Waiting for labels\n1\n" in page.evaluate(TEXT, "numbers")
    after = learn(web, 25)
    until(page, SEEN, after["seen"])  # nobody has loaded it again
    assert page.evaluate(TEXT, "mistakes") == str(after["mistakes"])
    assert f"{after['seen']} labels" in page.evaluate(TEXT, "hour")
    assert NASTY in page.evaluate(TEXT, "weights")
    assert NASTY in page.evaluate(TEXT, "last")
    assert page.locator("main img").count() == 0
    page.fill("#margin", "0.5")
    page.press("#margin", "Enter")
    page.get_by_text("With a separator of margin 0.5").wait_for()


def test_pages_fit_screens_large_and_small_light_and_dark(web, page):
    state = learn(web, 30)
    allow(page)
    until(page, SEEN, state["seen"])
    paper = "getComputedStyle(document.querySelector('.card')).backgroundColor"
    for scheme, colours in (("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=scheme)
        channels = [int(colours["paper"][k : k + 2], 16) for k in (1, 3, 5)]
        until(page, f"{paper} === 'rgb({', '.join(map(str, channels))})'")
        for width, height in ((1280, 720), (390, 844), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            until(page, FITS)
            page.wait_for_timeout(50)
            shot(page, f"serve-{scheme}-{width}", full_page=width < 400)
    page.set_viewport_size({"width": 1280, "height": 720})
    for part in ("count", "total", "rate", "ceiling"):  # seen at a glance
        until(page, f"document.getElementById('{part}').getBoundingClientRect().bottom <= 720")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{web.url}/docs")
        page.locator("summary", has_text="/reveal").click()
        until(page, FITS)
        shot(page, f"serve-docs-{width}")


def test_one_of_several_models_is_chosen_and_a_lost_connection_is_said(browser, tmp_path):
    (tmp_path / "tokens").write_text(TOKENS)
    words = "--rule", "perceptron", "--token-file", tmp_path / "tokens"
    with served(tmp_path / "journal", *words) as web, context(browser, (web.url,)) as pages:
        header = {
            "Authorization": "Bearer manage-manage-manage",
            "Content-Type": "application/json",
        }
        name = "a.b-c"
        assert web.post("/models", {"name": name, "classes": ["ham", "spam"]}, header)[0] == 201
        web.post(f"/models/{name}/learn", {"features": [1.0], "label": "spam"}, header)
        page = pages()
        page.goto(f"{web.url}/")
        allow(page)
        until(page, SEEN, 0)
        assert "Nothing has been learned yet." in page.evaluate(TEXT, "weights")
        page.select_option("#model", name)
        page.get_by_text("classes ham, spam").wait_for()
        until(page, SEEN, 1)
        web.process.kill()
        page.get_by_text("no connection; trying again").wait_for()
        page.complaints.clear()
