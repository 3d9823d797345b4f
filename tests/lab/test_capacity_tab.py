"""The capacity tab in a browser: draws fill in beside Cover's curve, and the address says which."""

import math
from contextlib import contextmanager

import pytest

import novikoff as nk
from novikoff.lab import capacity_tab
from tests.helpers.browser import until

PATH = "tab=capacity&N=6&P=12&trials=20&seed=3"
#: What the chart has at the places of that name.
PLACED = """name => {
  const plots = Bokeh.documents.flatMap(each => each.roots());
  const found = plots.flatMap(each => each.renderers).map(each => each.data_source)
    .find(each => each.name === name);
  return found && {...found.data};
}"""


@contextmanager
def tab(browser, server, address=PATH, **options):
    """The page at an address, once it is drawn; it must not complain of anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda message: message.type in ("error", "warning") and complaints.append(message.text),
    )
    try:
        page.goto(f"{server.url}/?{address}")
        until(page, "() => document.documentElement.dataset.ready > 0")
        yield page
        assert complaints == []
    finally:
        context.close()


def drawn(page, trials, P=None):
    """Wait until so many labellings are shown, of so many points."""
    until(
        page,
        "([trials, P]) => { const {dataset} = document.getElementById('capacity');"
        " return dataset.trials === trials && (!P || dataset.points === P); }",
        [str(trials), P and str(P)],
    )


def expected(trials, P=12):
    (found,) = nk.cover.capacity_curve(6, [P / 6], trials=trials, seed=3)
    return found


def test_an_address_is_shown_with_what_the_library_finds(browser, lab_server):
    with tab(browser, lab_server) as page:
        found = expected(20)
        share = page.locator("#capacity-share").inner_text()
        assert share == f"{found.separable} of 20"
        placed = page.evaluate(PLACED, "now")
        assert placed["x"] == [2.0]
        assert placed["y"] == [found.fraction]
        assert (placed["lower"], placed["upper"]) == ([found.lower], [found.upper])
        assert page.locator("#capacity-strip").get_attribute("aria-label") == (
            f"{found.separable} of 20 draws are separable"
        )
        values = [page.locator(f"#capacity-{name}").input_value() for name in ("N", "P", "seed")]
        assert values == ["6", "12", "3"]


def test_drawing_on_adds_to_what_was_drawn_and_a_new_tab_shows_the_same(browser, lab_server):
    with tab(browser, lab_server) as page:
        page.click("#capacity-one")
        drawn(page, 21)
        page.click("#capacity-many")
        drawn(page, 121)
        page.wait_for_url("**trials=121**")
        words = page.locator("#capacity-words").inner_text()
        assert words.startswith(f"{expected(121).separable} of 121 random labellings")
        address = page.url.partition("?")[2]
    with tab(browser, lab_server, address) as page:
        drawn(page, 121)
        assert page.locator("#capacity-words").inner_text() == words


def test_points_that_were_visited_stay(browser, lab_server):
    with tab(browser, lab_server) as page:
        page.fill("#capacity-P", "18")
        page.press("#capacity-P", "Enter")
        until(page, "() => document.getElementById('capacity').dataset.points === '18'")
        page.click("#capacity-many")
        until(page, "() => document.getElementById('capacity').dataset.trials >= 100")
        visited, now = page.evaluate(PLACED, "visited"), page.evaluate(PLACED, "now")
        assert (visited["x"], visited["y"]) == ([2.0], [expected(20).fraction])
        trials = int(page.locator("#capacity").get_attribute("data-trials"))
        assert (now["x"], now["y"]) == ([3.0], [expected(trials, 18).fraction])
        page.click("#capacity-half")
        drawn(page, 20, 12)  # as it was left
        assert page.evaluate(PLACED, "visited")["x"] == [3.0]
        page.click("#capacity-reset")
        until(page, "() => document.getElementById('capacity').dataset.trials <= 1")
        assert page.evaluate(PLACED, "visited")["x"] == []


def test_play_draws_on_until_paused_by_keyboard_alone(browser, lab_server):
    with tab(browser, lab_server) as page:
        page.focus("#capacity-play")
        page.keyboard.press("Enter")
        assert page.locator("#capacity-play").get_attribute("aria-pressed") == "true"
        until(page, "() => document.getElementById('capacity').dataset.trials >= 50")
        page.keyboard.press("Space")
        assert page.locator("#capacity-play").get_attribute("aria-pressed") == "false"
        until(page, "() => location.search.includes(`trials=${capacity.dataset.trials}`)")
        trials = int(page.locator("#capacity").get_attribute("data-trials"))
        share = page.locator("#capacity-share").inner_text()
        assert share == f"{expected(trials).separable} of {trials}"


def test_a_sweep_goes_along_the_curve(browser, lab_server):
    with tab(browser, lab_server) as page:
        page.click("#capacity-sweep")
        drawn(page, 100, 24)
        visited = page.evaluate(PLACED, "visited")
        assert visited["x"] == sorted(visited["x"], key=lambda x: (x != 2.0, x))
        assert len(visited["x"]) >= 10
        for x, y in zip(visited["x"], visited["y"], strict=True):
            assert y == expected(100, round(6 * x)).fraction


def test_what_cannot_be_drawn_is_not_asked_for(browser, lab_server):
    with tab(browser, lab_server) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.fill("#capacity-N", "51")
        page.press("#capacity-N", "Enter")
        page.fill("#capacity-P", "")
        page.press("#capacity-P", "Enter")
        assert asked == []
        assert page.locator("#capacity").get_attribute("data-points") == "12"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_either_scheme(browser, lab_server, scheme):
    with tab(browser, lab_server, color_scheme=scheme) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.click("#capacity-many")
        drawn(page, 120)
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") <= 0
        strip = page.locator("#capacity-strip").bounding_box()
        assert strip["x"] + strip["width"] <= 390
        unlabelled = page.locator("#capacity :is(input, button)").evaluate_all(
            "all => all.filter(each => !each.labels?.length && !each.ariaLabel"
            " && !each.textContent.trim()).map(each => each.id)"
        )
        assert unlabelled == []


def test_four_points_have_14_of_16_labellings_and_each_opens_in_the_plane(browser, lab_server):
    labellings = capacity_tab.square_labellings()
    assert len({each["points"] for each in labellings}) == 2 ** len(capacity_tab.SQUARE)
    assert sum(each["realised"] for each in labellings) == nk.cover.count(4, 3) == 14
    for each in labellings:
        a, b, c, d = (corner[2] for corner in each["corners"])  # in their order around the square
        assert each["realised"] == (not a == c != b == d)
    with tab(browser, lab_server) as page:
        assert page.locator("#capacity-square button").count() == 16
        xor = page.locator("#capacity-square .none").first
        xor.click()
        until(page, "() => document.documentElement.dataset.tab === 'plane'")
        assert "marked points intersect" in page.locator("#verdict").inner_text()


@pytest.mark.parametrize(("P", "N"), [(1, 1), (4, 3), (20, 10), (3, 7)])
def test_the_count_is_said_with_its_formula(P, N):
    text = capacity_tab.count_text(P, N)
    total = 2 * sum(math.comb(P - 1, k) for k in range(min(N, P)))
    assert text.startswith(f"C({P}, {N}) = 2·[({P - 1} choose 0)")
    assert text.endswith(f" = {total:,} of 2^{P} labellings")
