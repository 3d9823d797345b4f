"""The page without a mouse: keys, names of controls, what has the focus."""

from novikoff.lab.state.url_values import read_points
from tests.helpers.browser import until
from tests.helpers.lab_page import POINTS, STEP, at, keys, redrawn


def test_the_keyboard_alone_suffices(lab):
    page = lab("preset=wide")
    count = page.evaluate("lab.now.scene.points.length")
    press = page.keyboard.press

    def tab_to(element):
        for _ in range(60):
            press("Tab")
            if page.evaluate("document.activeElement.id") == element:
                return
        raise AssertionError(f"{element} is not reached by Tab")

    tab_to("rule")
    for _ in range(2):
        with redrawn(page):
            press("ArrowDown")
    assert keys(page)["rule"] == "averaged"
    tab_to("points")
    with redrawn(page):
        press("p")
    place = read_points(keys(page)["points"])[-1]
    with redrawn(page):
        press("ArrowRight")
    with redrawn(page):
        press("ArrowUp")
    moved = read_points(keys(page)["points"])[-1]
    assert moved.x > place.x
    assert moved.y > place.y
    assert moved.label == 1
    with redrawn(page):
        press("c")
    assert read_points(keys(page)["points"])[-1].label == -1
    press("Escape")
    with redrawn(page):
        press("Delete")
    assert len(read_points(keys(page)["points"])) == count
    press("Home")
    assert "0: class" in page.locator("#points [aria-selected=true]").inner_text()
    tab_to("play")
    press("ArrowRight")
    at(page, 1)
    until(page, "document.getElementById('said').textContent.startsWith('Update 1 of')")
    with redrawn(page):
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
        with redrawn(page):
            page.click(f"#tab-{tab}")
        assert page.evaluate(unnamed) == []


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
    with redrawn(page):
        page.press("#points", "p")
    with redrawn(page):
        page.press("#points", "Control+z")
    assert page.evaluate(f"{POINTS}.length") == 4


def test_the_menu_closes_at_escape_and_at_a_click_elsewhere(lab):
    page = lab("preset=xor")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.click("#title")):
        page.click("#export summary")
        assert page.locator("#svg").is_visible()
        close()
        assert page.locator("#svg").is_hidden()
