"""The lab in a browser: what a person does there, and whether the page says what the library says.

With NOVIKOFF_SHOTS set to a folder, screenshots of every preset are left there for people to look
at.
"""

import os
import re
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import novikoff as nk
from browser import HERE, context, launched, until
from novikoff.lab.presets import PRESETS
from novikoff.lab.written import read_points
from novikoff.report.picture import DARK, LIGHT

READY = """() => {
  const { ready, charts, tab } = document.documentElement.dataset;
  return ready && (tab === "capacity" || charts === ready) ? Number(ready) : 0;
}"""
LATER = f"before => ({READY})() > before"
STEP = "() => Number(document.documentElement.dataset.step)"
#: Nothing is off the screen to the right; figures follow a change of its size a moment later.
FITS = "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
#: All that a step shows, in words and in the plane.
SHOWN = """() => [
  ...["step", "countdown", "proof", "where"].map(id => document.getElementById(id).innerText),
  ...["line", "normal", "wrong", "looked"].map(
    name => JSON.stringify(Bokeh.documents[0].get_model_by_name(name).data)),
]"""
PLACE = "row => lab.plane.onScreen(lab.now.told.points[row])"


@pytest.fixture(scope="module")
def url(lab_server):
    return f"{lab_server.url}/"


@pytest.fixture(scope="module")
def window(url):
    """One window for all tests: its scripts are compiled once."""
    with launched() as browser, context(browser, (url, *HERE)) as pages:
        yield pages


@pytest.fixture(scope="module")
def first(window):
    return window()


@pytest.fixture
def lab(first, window, url):
    """Open the lab at an address; `another` opens it in one more tab."""
    first.emulate_media(color_scheme="light")

    def visit(query="", width=1280, height=900, *, page=first):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"{url}?{query}" if query else url)
        until(page, READY)
        return page

    visit.another = lambda query: visit(query, page=window())
    yield visit
    assert (first.asked, first.complaints) == ([], [])


@contextmanager
def told(page):
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


def text(page, element):
    return page.locator(f"#{element}").inner_text()


def bound(page):
    """The most mistakes, as the countdown has it."""
    found = re.search(r"of at most ([0-9,]+) ", text(page, "countdown"))
    return None if found is None else int(found[1].replace(",", ""))


def mistakes(page):
    return int(page.locator("#countdown .big").inner_text().replace(",", ""))


def shot(page, name):
    folder = os.environ.get("NOVIKOFF_SHOTS")
    if folder:
        Path(folder).mkdir(exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png")


def checked(points):
    """What the library says of points as an address has them."""
    rows = read_points(points)
    return nk.check(np.array([row[:2] for row in rows]), np.array([row.label for row in rows]))


def agrees(page, verdict):
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
    x, y = page.evaluate(PLACE, row)
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.3, 0.6, 1.0):
        page.mouse.move(x + part * across, y - part * up)
        page.wait_for_timeout(60)
    with told(page):
        page.mouse.up()


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_opens_on_a_large_screen_and_on_a_phone(lab, name):
    page = lab(f"preset={name}&step=3", 1920, 1080)
    assert PRESETS[name].title == text(page, "title")
    assert page.locator("#problem").is_hidden()
    for part in ("plane", "verdict", "countdown", "step", "play", "scrub"):
        box = page.locator(f"#{part}").bounding_box()
        assert box["y"] + min(box["height"], 100) <= 1080, part
    charts = [chart.bounding_box() for chart in page.locator(".chart").all()]
    assert sum(box["y"] + box["height"] <= 1085 for box in charts) >= 2
    until(page, FITS)
    shot(page, f"lab-{name}-desk")
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, FITS)
    box = page.locator("#play").bounding_box()
    assert box["y"] + box["height"] <= 844  # within reach wherever the page is scrolled to
    shot(page, f"lab-{name}-phone")


def test_a_dragged_point_is_judged_as_the_library_judges_it(lab):
    page = lab("preset=clouds")
    before = bound(page)
    agrees(page, checked(page.evaluate("lab.pointsText(lab.now.told.points)")))
    drag(page, 2, 40, -30)
    verdict = checked(keys(page)["points"])
    assert verdict.mistake_bound != before
    agrees(page, verdict)
    drag(page, 2, 230, -60)  # across to the other class
    verdict = checked(keys(page)["points"])
    assert verdict.outcome == "inseparable"
    agrees(page, verdict)
    marked = page.evaluate("Bokeh.documents[0].get_model_by_name('conflict').data.text")
    assert marked == [str(share) for _, share in verdict.conflict]
    with told(page):
        page.click("#undo")
    with told(page):
        page.click("#undo")
    assert bound(page) == before


def test_clicks_add_points_and_a_right_click_deletes(lab):
    page = lab("preset=wide")
    count = page.evaluate("lab.now.told.points.length")
    x, y = page.evaluate(PLACE, 0)
    page.check("#class-positive")
    with told(page):
        page.mouse.click(x + 60, y - 45)
    points = read_points(keys(page)["points"])
    assert len(points) == count + 1
    assert points[-1].label == 1
    assert points[-1].x > points[0].x
    assert points[-1].y > points[0].y
    x, y = page.evaluate(PLACE, 0)
    with told(page):
        page.mouse.click(x, y, button="right")
    assert read_points(keys(page)["points"]) == points[1:]
    with told(page):
        page.click("#clear")
    assert page.locator("#verdict").get_attribute("data-outcome") == "no points"
    assert "no points" in text(page, "problem")
    with told(page):
        page.mouse.click(x, y)
    assert "one class" in text(page, "verdict")


def test_ten_steps_forward_and_ten_back_show_the_same(lab):
    page = lab("preset=tiny-margin&step=20")
    at(page, 20)
    before = page.evaluate(SHOWN)
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    at(page, 30)
    assert page.evaluate(SHOWN) != before
    for _ in range(10):
        page.click("#back")
    at(page, 20)
    assert page.evaluate(SHOWN) == before
    assert keys(page, 20) == {"preset": "tiny-margin", "step": "20"}


def test_a_run_is_played_to_its_end_within_the_bound(lab):
    page = lab("preset=adversarial&speed=50")
    page.keyboard.press(" ")
    until(page, "document.documentElement.dataset.playing === 'yes'")
    until(page, "document.documentElement.dataset.playing === 'no'")
    assert page.evaluate(STEP) == page.evaluate("lab.player.last()") > 0
    assert "Converged" in text(page, "step")
    assert 0 < mistakes(page) <= bound(page)
    page.keyboard.press("Home")
    at(page, 0)
    assert mistakes(page) == 0


def test_a_long_run_is_scrubbed_without_asking_anyone(lab):
    page = lab("preset=tiny-margin")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    last = page.evaluate("lab.player.last()")
    assert last > 2000
    for part in (0.9, 0.1, 0.5):
        page.locator("#scrub").fill(str(round(part * last)))
        at(page, round(part * last))
        assert mistakes(page) == round(part * last)
    page.keyboard.press("End")
    at(page, last)
    assert "Converged" in text(page, "step")
    assert asked == []


def test_xor_shows_its_conflict_and_goes_round(lab):
    page = lab("preset=xor")
    assert "Not separable" in text(page, "verdict")
    conflict = page.evaluate("Bokeh.documents[0].get_model_by_name('conflict').data")
    assert sorted(zip(conflict["x"], conflict["y"], strict=True)) == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]
    assert conflict["text"] == ["1/4"] * 4
    meet = page.evaluate("Bokeh.documents[0].get_model_by_name('meet').data")
    assert (list(meet["x"]), list(meet["y"])) == ([0.5], [0.5])
    assert "there is no bound" in text(page, "countdown")
    page.keyboard.press("End")
    at(page, page.evaluate("lab.player.last()"))
    assert "goes round for ever" in text(page, "step")
    cycle = page.evaluate("lab.now.told.film.end.cycle")
    assert f"a cycle of {cycle['length']} updates" in text(page, "countdown")
    words = page.locator("main").inner_text().lower()
    assert "not converged" not in words
    page.select_option("#speed", "50")
    page.click("#play")  # and it does go round, until it is stopped
    page.wait_for_timeout(600)
    assert page.evaluate("document.documentElement.dataset.playing") == "yes"
    page.click("#play")
    assert page.evaluate(STEP) > 0


def test_an_address_restores_everything_and_tabs_stay_apart(lab):
    page = lab("preset=far-start")
    with told(page):
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
    before = page.evaluate(SHOWN)
    other = lab.another(urlsplit(page.url).query)
    at(other, 4)
    assert other.evaluate(SHOWN) == before
    assert other.input_value("#eta") == "0.5"
    assert other.input_value("#speed") == "10"
    assert other.evaluate("document.documentElement.dataset.view") == "projector"
    address = page.url
    with told(other):
        other.select_option("#preset", "xor", force=True)
    assert keys(other)["preset"] == "xor"
    assert page.url == address
    assert page.evaluate(SHOWN) == before
    with told(other):
        other.go_back()
    at(other, 4)
    assert other.evaluate(SHOWN) == before


def test_the_keyboard_alone_suffices(lab):
    page = lab("preset=wide")
    count = page.evaluate("lab.now.told.points.length")
    press = page.keyboard.press

    def tab_to(element):
        for _ in range(60):
            press("Tab")
            if page.evaluate("document.activeElement.id") == element:
                return
        raise AssertionError(f"{element} is not reached by Tab")

    tab_to("rule")
    for _ in range(2):
        with told(page):
            press("ArrowDown")
    assert keys(page)["rule"] == "averaged"
    tab_to("points")
    with told(page):
        press("p")
    place = read_points(keys(page)["points"])[-1]
    with told(page):
        press("ArrowRight")
    with told(page):
        press("ArrowUp")
    moved = read_points(keys(page)["points"])[-1]
    assert moved.x > place.x
    assert moved.y > place.y
    assert moved.label == 1
    with told(page):
        press("c")
    assert read_points(keys(page)["points"])[-1].label == -1
    press("Escape")
    with told(page):
        press("Delete")
    assert len(read_points(keys(page)["points"])) == count
    press("Home")
    assert "0: class" in page.locator("#points [aria-selected=true]").inner_text()
    tab_to("play")
    press("ArrowRight")
    at(page, 1)
    until(page, "document.getElementById('said').textContent.startsWith('Update 1 of')")
    with told(page):
        page.locator("#tab-plane").focus()
        press("ArrowLeft")
    assert page.evaluate("document.documentElement.dataset.tab") == "winnow"
    assert page.evaluate("document.activeElement.id") == "tab-winnow"


def test_keys_typed_into_a_field_do_nothing_else(lab):
    page = lab("preset=wide&step=1")
    page.click("#eta")
    page.keyboard.type("n p")
    for key in ("ArrowLeft", "Home", " ", "Backspace"):
        page.keyboard.press(key)
    assert page.evaluate(STEP) == 1
    assert page.is_checked("#class-negative")
    assert page.evaluate("document.documentElement.dataset.playing ?? 'no'") == "no"


def test_every_control_has_a_name(lab):
    unnamed = """() => [...document.querySelectorAll("button, select, input, textarea, [role]")]
      .filter(each => each.checkVisibility() && !each.labels?.length
        && !each.getAttribute("aria-label") && !each.getAttribute("aria-labelledby")
        && !each.textContent.trim()
        && !["presentation", "alert", "status"].includes(each.getAttribute("role")))
      .map(each => each.outerHTML.slice(0, 80))"""
    page = lab("preset=xor")
    assert page.evaluate(unnamed) == []
    assert page.locator("[aria-live=polite]").count() == 1
    for tab in ("capacity", "winnow"):
        with told(page):
            page.click(f"#tab-{tab}")
        assert page.evaluate(unnamed) == []


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


def test_points_are_pasted_from_a_csv_with_columns_chosen(lab):
    csv = "name,height,weight,age,kind\na,1,2,30,x\nb,2,5,20,y\nc,3,1,10,x\nd,4,7,40,y\n"
    page = lab()
    page.click("#paste")
    page.fill("#paste-text", csv)
    until(page, "!document.getElementById('paste-use').disabled")
    page.select_option("#paste-x", "height")
    page.select_option("#paste-y", "age")
    page.select_option("#paste-target", "kind")
    until(page, "document.getElementById('paste-note').textContent.includes('is x')")
    until(page, "!document.getElementById('paste-use').disabled")
    with told(page):
        page.click("#paste-use")
    points = read_points(keys(page)["points"])
    assert sorted(points) == [(1, 30, -1), (2, 20, 1), (3, 10, -1), (4, 40, 1)]
    page.click("#paste")
    page.fill("#paste-text", "height,weight,kind,sort\n1,2,x,u\n3,4,y,v\n5,6,y,w\n")
    until(page, "document.getElementById('paste-note').textContent.includes('3 different labels')")
    assert page.is_disabled("#paste-use")
    page.select_option("#paste-target", "kind")
    until(page, "!document.getElementById('paste-use').disabled")


#: Quick changes, each of them events of its own, in less time than any answer takes.
QUICKLY = """([selector, types, each]) => {
  for (const options of each) {
    for (const [kind, type] of types) {
      document.querySelector(selector).dispatchEvent(
        new window[kind](type, { bubbles: true, cancelable: true, ...options }));
    }
  }
}"""
PRESS = [["KeyboardEvent", "keydown"], ["KeyboardEvent", "keyup"]]
CLICK = [["PointerEvent", "pointerdown"], ["PointerEvent", "pointerup"]]
POINTS = "lab.now.told.points"
SETTLED = f"({READY})() && lab.points.rows().points === {POINTS}"


def test_changes_faster_than_answers_all_count(lab):
    page = lab("preset=xor")
    first = page.evaluate(POINTS)
    for key in ("Home", "Enter"):
        page.press("#points", key)
    with told(page):
        page.press("#points", "ArrowLeft")
    step = page.evaluate(POINTS)[0][0] - first[0][0]
    assert step < 0
    with told(page):
        page.evaluate(QUICKLY, ["#points", PRESS, [{"key": "ArrowLeft"}] * 5])
    nudged = [[first[0][0] + 6 * step, *first[0][1:]], *first[1:]]
    assert page.evaluate(POINTS) == nudged
    until(page, "document.getElementById('said').textContent.startsWith('0: class −1 at (−')")

    places = [page.evaluate("lab.plane.onScreen([%g, 0.8])" % (0.2 + 0.1 * i)) for i in range(5)]
    clicks = [{"clientX": x, "clientY": y, "pointerType": "mouse"} for x, y in places]
    with told(page):
        page.evaluate(QUICKLY, ["#plane", CLICK, clicks])
    added = page.evaluate(POINTS)
    assert added[:4] == nudged
    assert [x for x, _, _ in added[4:]] == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6], abs=0.02)
    assert read_points(keys(page)["points"]) == tuple(map(tuple, added))

    page.press("#points", "Home")
    with told(page):
        page.evaluate(QUICKLY, ["#points", PRESS, [{"key": "Delete"}] * 5])
        drawn = "Bokeh.documents[0].get_model_by_name('points').data.x"
        assert [x for x in page.evaluate(drawn) if x == x] == [x for x, _, _ in added[5:]]
    assert page.evaluate(POINTS) == added[5:]

    with told(page):  # each of them is undone on its own
        page.evaluate("for (let i = 0; i < 5; i += 1) document.getElementById('undo').click()")
    assert page.evaluate(POINTS) == added
    with told(page):
        page.evaluate("for (let i = 0; i < 11; i += 1) document.getElementById('undo').click()")
    assert page.evaluate(POINTS) == first
    assert keys(page) == {"preset": "xor"}
    assert page.is_disabled("#undo")


def test_a_held_key_moves_a_point_at_every_repeat_and_is_one_change(lab):
    page = lab("preset=xor")
    first = page.evaluate(POINTS)
    for key in ("Home", "Enter"):
        page.press("#points", key)
    with told(page):
        for _ in range(6):
            page.keyboard.down("ArrowLeft")
        page.keyboard.up("ArrowLeft")
    until(page, SETTLED)
    moved = page.evaluate(POINTS)[0][0]
    with told(page):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate(POINTS)[0][0] - moved == pytest.approx((moved - first[0][0]) / 6)
    for _ in range(2):
        with told(page):
            page.click("#undo")
    assert page.evaluate(POINTS) == first


def test_changes_of_points_and_settings_at_once_both_count(lab):
    page = lab("preset=xor")
    with told(page):
        page.evaluate(
            """() => {
              const press = key => document.getElementById("points")
                .dispatchEvent(new KeyboardEvent("keydown", { key }));
              press("p");
              const choose = (id, value) => {
                const element = document.getElementById(id);
                element.value = value;
                element.dispatchEvent(new Event("change", { bubbles: true }));
              };
              choose("order", "sorted");
              choose("dialect", "004");
              press("n");
            }"""
        )
    assert page.evaluate(f"{POINTS}.length") == 6
    assert keys(page) | {"points": ""} == {"points": "", "tie": "positive", "order": "sorted"}
    assert page.input_value("#dialect") == "004"
    with told(page):  # what a preset brings, but for what is asked of it
        page.evaluate(
            """() => {
              for (const [id, value] of [["preset", "wide"], ["rule", "averaged"]]) {
                document.getElementById(id).value = value;
                document.getElementById(id).dispatchEvent(new Event("change", { bubbles: true }));
              }
            }"""
        )
    assert keys(page) == {"preset": "wide", "rule": "averaged"}


def test_a_point_that_is_held_still_is_judged_where_it_is(lab):
    page = lab("preset=clouds")
    x, y = page.evaluate(PLACE, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y)
    page.wait_for_timeout(20)
    page.mouse.move(x + 230, y + 60, steps=4)
    until(page, f"{POINTS}[2][0] === lab.editing.points()?.[2][0]")
    until(page, f"{POINTS}[2][1] === lab.editing.points()[2][1]")
    place = page.evaluate(POINTS)[2]
    agrees(page, checked(page.evaluate("lab.pointsText(lab.now.told.points)")))
    with told(page):  # a pointer that is taken away leaves the point there
        page.evaluate(
            "document.getElementById('plane').dispatchEvent(new PointerEvent('pointercancel',"
            " { pointerId: 1 }))"
        )
    assert page.evaluate(POINTS)[2] == place
    assert not page.evaluate("lab.editing.dragging()")
    page.mouse.up()


def test_undo_leaves_the_settings_and_failures_leave_nothing_to_undo(lab):
    page = lab("preset=xor")
    with told(page):
        page.press("#points", "p")
    with told(page):
        page.select_option("#rule", "averaged")
    with told(page):
        page.click("#undo")
    assert keys(page) == {"preset": "xor", "rule": "averaged"}
    page.route("**/told", lambda route: route.abort())
    page.press("#points", "p")
    until(page, "!document.getElementById('problem').hidden")
    assert page.is_disabled("#undo")
    assert page.locator("#points [role=option]").count() == 4
    page.unroute("**/told")
    page.complaints.clear()  # of the request that failed


def test_a_dialect_leaves_step_and_order_as_they_are(lab):
    page = lab("preset=wide&eta=0.5&order=sorted")
    with told(page):
        page.select_option("#dialect", "001")
    assert keys(page) == {
        "preset": "wide",
        "eta": "0.5",
        "order": "sorted",
        "tie": "negative",
        "unit": "yes",
    }
    assert page.input_value("#dialect") == "001"
    assert page.locator("#dialect option[value='']").is_hidden()
    with told(page):
        page.select_option("#dialect", "000")
    assert keys(page) == {"preset": "wide", "rule": "one-sided", "order": "sorted"}


def test_only_what_was_read_of_the_text_that_is_there_can_be_used(lab, tmp_path):
    page = lab()
    note = "document.getElementById('paste-note').textContent"
    page.click("#paste")
    page.fill("#paste-text", "a,b,c\n1,2,x\n3,4,y\n")
    until(page, "!document.getElementById('paste-use').disabled")
    page.fill("#paste-text", "a,b,c\n1,2,x\n5,6,y\n")
    assert page.is_disabled("#paste-use")
    until(page, "!document.getElementById('paste-use').disabled")
    (tmp_path / "latin.csv").write_bytes("a,b,c\n1,2,ä\n3,4,ö\n".encode("latin-1"))
    page.set_input_files("#paste-file", tmp_path / "latin.csv")
    until(page, f"{note}.includes('not text in UTF-8')")
    assert page.is_disabled("#paste-use")
    (tmp_path / "large.csv").write_text('a,b,c\n"1",2,x\n' + '"3",4,y\n' * 110_000)
    page.set_input_files("#paste-file", tmp_path / "large.csv")
    until(page, f"{note}.includes('are the most')")
    assert page.input_value("#paste-text") == "a,b,c\n1,2,x\n5,6,y\n"
    page.fill("#paste-text", "a,b,c\n1,2,x\n7,8,y\n")
    until(page, "!document.getElementById('paste-use').disabled")
    with told(page):
        page.click("#paste-use")
    assert read_points(keys(page)["points"])[1][:2] == (7, 8)
    with told(page):
        page.click("#undo")
    assert "points" not in keys(page)


def test_every_stop_of_the_tab_key_can_be_seen(lab):
    page = lab("preset=tight")
    page.locator("#tab-plane").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            """() => {
              let at = document.activeElement;
              while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
              const { outlineStyle } = getComputedStyle(at);
              return at === document.body ? null : [at.id || at.className, outlineStyle];
            }"""
        )
        if stop is None:
            break
        assert not stop[0].startswith("bk-"), stop
        assert stop[1] != "none", stop


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
    with told(page):
        page.click("#tab-winnow")
    page.click("#projector")  # and the plane, which is not to be seen, has it too
    with told(page):
        page.click("#tab-plane")
    letters = """Bokeh.documents.flatMap(each => each.roots())
      .map(each => each.below[0].major_label_text_font_size)"""
    assert len(set(page.evaluate(letters))) == 1


def test_combinations_of_keys_are_the_browsers_own(lab):
    page = lab("preset=xor&step=1")
    page.check("#class-negative")
    page.locator("#class-negative").evaluate("each => each.blur()")
    for key in ("p", "n", "c", "ArrowRight", "End"):
        for held in ("ctrlKey", "altKey", "metaKey"):
            page.evaluate(
                """([key, held]) => {
                  for (const at of [document.body, document.getElementById("points")]) {
                    const options = { key, bubbles: true, [held]: true };
                    at.dispatchEvent(new KeyboardEvent("keydown", options));
                  }
                }""",
                [key, held],
            )
    assert page.is_checked("#class-negative")
    assert page.evaluate(STEP) == 1
    assert page.evaluate("lab.points.all().length") == 4
    with told(page):
        page.press("#points", "p")
    with told(page):
        page.press("#points", "Control+z")
    assert page.evaluate(f"{POINTS}.length") == 4


def test_the_menu_closes_at_escape_and_at_a_click_elsewhere(lab):
    page = lab("preset=xor")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.click("#title")):
        page.click(".menu summary")
        assert page.locator("#svg").is_visible()
        close()
        assert page.locator("#svg").is_hidden()


def test_a_long_wait_is_shown_and_moves_nothing(lab):
    page = lab("preset=xor")
    held = []
    page.route("**/told", lambda route: held.append(route))
    before = page.locator("#plane").bounding_box()
    with told(page):
        page.select_option("#rule", "averaged")
        until(page, "!document.getElementById('busy').hidden")
        assert page.locator("#main").get_attribute("aria-busy") == "true"
        assert page.locator("#plane").bounding_box() == before
        held.pop().continue_()
    until(page, "document.getElementById('busy').hidden")
    assert page.locator("#main").get_attribute("aria-busy") == "false"
    page.unroute("**/told")


def test_an_answer_that_cannot_be_shown_is_the_pages_own_fault(lab):
    page = lab("preset=xor")
    page.route("**/told", lambda route: route.fulfill(json={"tab": "plane"}))
    page.select_option("#rule", "averaged")
    until(page, "document.getElementById('problem').textContent.includes('has a defect')")
    assert len(page.complaints) == 1
    page.complaints.clear()
    page.unroute("**/told")


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
        assert words in text(page, "problem")
        assert page.evaluate("lab.now.told.points.length") > 0
        assert page.locator("#countdown").is_visible()
    assert all("400" in complaint for complaint in page.complaints)
    page.complaints.clear()
    with told(page):
        page.select_option("#preset", "wide")
    assert page.locator("#problem").is_hidden()


def test_a_server_that_is_away_is_said_and_asked_again(lab):
    page = lab("preset=wide")
    page.route("**/told", lambda route: route.abort())
    page.select_option("#preset", "xor")
    until(page, "!document.getElementById('problem').hidden")
    assert "does not answer" in text(page, "problem")
    assert text(page, "title") == PRESETS["wide"].title
    page.keyboard.press("Escape")
    page.locator("#play").focus()
    page.keyboard.press("ArrowRight")  # the film needs no server
    at(page, 1)
    page.unroute("**/told")
    with told(page):
        page.select_option("#preset", "tight")
    assert page.locator("#problem").is_hidden()
    page.complaints.clear()  # of the request that failed


def test_only_settings_that_a_rule_uses_can_be_set(lab):
    page = lab("preset=wide")
    assert page.is_hidden("#margin")
    with told(page):
        page.select_option("#rule", "margin")
    assert page.is_enabled("#margin")
    with told(page):
        page.select_option("#rule", "passive-aggressive")
    assert page.is_hidden("#margin")
    assert page.is_enabled("#C")
    assert page.is_disabled("#eta")
    with told(page):
        page.select_option("#dialect", "003")
    assert page.input_value("#start") == "random"
    assert page.input_value("#tie") == "negative"
    assert page.is_enabled("#seed")
    assert keys(page) == {"preset": "wide", "start": "random", "tie": "negative"}


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


def test_winnow_plays_within_its_budget(lab):
    page = lab("tab=winnow&n=12&relevant=2")
    most = bound(page)
    page.keyboard.press("End")
    until(page, f"({STEP})() > 0")
    assert 0 < mistakes(page) <= most
    weights = page.evaluate("Bokeh.documents[0].get_model_by_name('bars').data.top")
    assert len(weights) == 12
    assert any(weight > 1 for weight in weights)
    with told(page):
        page.fill("#winnow-n", "20")
        page.press("#winnow-n", "Enter")
    assert keys(page)["n"] == "20"
    shot(page, "lab-winnow")


def test_the_tabs_keep_where_they_were(lab):
    page = lab("preset=sorted&step=2")
    with told(page):
        page.click("#tab-capacity")
    assert page.locator("#capacity").is_visible()
    assert page.locator("#player").is_hidden()
    shot(page, "lab-capacity")
    with told(page):
        page.click("#tab-plane")
    at(page, 2)
    assert keys(page, 2) == {"preset": "sorted", "step": "2"}
    with told(page):
        page.go_back()
    assert page.locator("#capacity").is_visible()


def test_what_is_exported_is_what_is_shown(lab, window, tmp_path):
    page = lab("preset=xor&step=2")
    files = {}
    for kind in ("svg", "png", "csv", "html"):
        page.locator(".menu").evaluate("menu => { menu.open = true; }")
        with page.expect_download() as download:
            page.click(f"#{kind}")
        files[kind] = tmp_path / f"run.{kind}"
        download.value.save_as(files[kind])
    last = page.evaluate("lab.player.last()")
    assert b"<svg" in files["svg"].read_bytes()[:1000]
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    assert len(files["csv"].read_text().splitlines()) == last + 1
    page.keyboard.press("End")
    at(page, last)
    shown = text(page, "step")

    page, asked = window(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(files["html"].as_uri())
    until(page, READY)
    before = page.evaluate(SHOWN)
    page.keyboard.press("End")
    at(page, last)
    assert text(page, "step") == shown
    assert page.locator("#tools").is_hidden()
    for _ in range(last):
        page.click("#back")
    at(page, 0)
    assert page.evaluate(SHOWN) == before
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, FITS)
    shot(page, "lab-offline-phone")
    assert asked
    assert all(each.startswith(HERE) for each in asked)


def test_a_run_of_any_rows_is_a_file_that_fits_a_phone(window, here, tmp_path):
    file = tmp_path / "iris.html"
    code, _, _ = here("trace", "example:iris-setosa", "--html", file, "--json")
    assert code == 0
    page = window()
    page.goto(file.as_uri())
    until(page, READY)
    last = page.evaluate("lab.player.last()")
    page.keyboard.press("End")
    at(page, last)
    assert 0 < mistakes(page) <= bound(page)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        until(page, FITS)
    page.keyboard.press("ArrowLeft")
    at(page, last - 1)
    assert "petal width" in text(page, "step")
