"""Placing, moving and deleting points, and undoing it."""

import pytest

from novikoff.lab.state.url_values import read_points
from tests.helpers.browser import until
from tests.helpers.lab_page import (
    LAID_OUT,
    POINTS,
    SETTLED,
    bound,
    check_figures,
    check_points,
    drag,
    keys,
    on_screen,
    redrawn,
    text_of,
)


def test_a_dragged_point_is_judged_as_the_library_judges_it(lab):
    page = lab("preset=clouds")
    before = bound(page)
    check_figures(page, check_points(page.evaluate("lab.pointsText(lab.now.scene.points)")))
    drag(page, 2, 40, -30)
    verdict = check_points(keys(page)["points"])
    assert verdict.mistake_bound != before
    check_figures(page, verdict)
    drag(page, 2, 230, -60)  # across to the other class
    verdict = check_points(keys(page)["points"])
    assert verdict.outcome == "inseparable"
    check_figures(page, verdict)
    marked = page.evaluate("Bokeh.documents[0].get_model_by_name('conflict').data.text")
    assert marked == [str(share) for _, share in verdict.conflict]
    with redrawn(page):
        page.click("#undo")
    with redrawn(page):
        page.click("#undo")
    assert bound(page) == before


def test_clicks_add_points_and_a_right_click_deletes(lab):
    page = lab("preset=wide")
    count = page.evaluate("lab.now.scene.points.length")
    x, y = on_screen(page, 0)
    page.check("#class-positive")
    with redrawn(page):
        page.mouse.click(x + 60, y - 70)
    points = read_points(keys(page)["points"])
    assert len(points) == count + 1
    assert points[-1].label == 1
    assert points[-1].x > points[0].x
    assert points[-1].y > points[0].y
    x, y = on_screen(page, 0)
    with redrawn(page):
        page.mouse.click(x, y, button="right")
    assert read_points(keys(page)["points"]) == points[1:]
    with redrawn(page):
        page.click("#clear")
    assert page.locator("#verdict").get_attribute("data-outcome") == "no points"
    assert "no points" in text_of(page, "problem")
    with redrawn(page):
        page.mouse.click(x, y)
    assert "one class" in text_of(page, "verdict")


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


def test_changes_faster_than_answers_all_count(lab):
    page = lab("preset=xor")
    first = page.evaluate(POINTS)
    for key in ("Home", "Enter"):
        page.press("#points", key)
    with redrawn(page):
        page.press("#points", "ArrowLeft")
    step = page.evaluate(POINTS)[0][0] - first[0][0]
    assert step < 0
    with redrawn(page):
        page.evaluate(QUICKLY, ["#points", PRESS, [{"key": "ArrowLeft"}] * 5])
    nudged = [[first[0][0] + 6 * step, *first[0][1:]], *first[1:]]
    assert page.evaluate(POINTS) == nudged
    until(page, "document.getElementById('said').textContent.startsWith('0: class −1 at (−')")

    until(page, LAID_OUT)
    places = [page.evaluate("lab.plane.onScreen([%g, 0.8])" % (0.2 + 0.1 * i)) for i in range(5)]
    clicks = [{"clientX": x, "clientY": y, "pointerType": "mouse"} for x, y in places]
    with redrawn(page):
        page.evaluate(QUICKLY, ["#plane", CLICK, clicks])
    added = page.evaluate(POINTS)
    assert added[:4] == nudged
    assert [x for x, _, _ in added[4:]] == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6], abs=0.02)
    assert read_points(keys(page)["points"]) == tuple(map(tuple, added))

    page.press("#points", "Home")
    with redrawn(page):
        page.evaluate(QUICKLY, ["#points", PRESS, [{"key": "Delete"}] * 5])
        drawn = "Bokeh.documents[0].get_model_by_name('points').data.x"
        assert [x for x in page.evaluate(drawn) if x == x] == [x for x, _, _ in added[5:]]
    assert page.evaluate(POINTS) == added[5:]

    with redrawn(page):  # each of them is undone on its own
        page.evaluate("for (let i = 0; i < 5; i += 1) document.getElementById('undo').click()")
    assert page.evaluate(POINTS) == added
    with redrawn(page):
        page.evaluate("for (let i = 0; i < 11; i += 1) document.getElementById('undo').click()")
    assert page.evaluate(POINTS) == first
    assert keys(page) == {"preset": "xor"}
    assert page.is_disabled("#undo")


def test_a_held_key_moves_a_point_at_every_repeat_and_is_one_change(lab):
    page = lab("preset=xor")
    first = page.evaluate(POINTS)
    for key in ("Home", "Enter"):
        page.press("#points", key)
    with redrawn(page):
        for _ in range(6):
            page.keyboard.down("ArrowLeft")
        page.keyboard.up("ArrowLeft")
    until(page, SETTLED)
    moved = page.evaluate(POINTS)[0][0]
    with redrawn(page):
        page.keyboard.press("ArrowLeft")
    assert page.evaluate(POINTS)[0][0] - moved == pytest.approx((moved - first[0][0]) / 6)
    for _ in range(2):
        with redrawn(page):
            page.click("#undo")
    assert page.evaluate(POINTS) == first


def test_changes_of_points_and_settings_at_once_both_count(lab):
    page = lab("preset=xor")
    with redrawn(page):
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
    with redrawn(page):  # what a preset brings, but for what is asked of it
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
    x, y = on_screen(page, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y)
    page.wait_for_timeout(20)
    page.mouse.move(x + 230, y + 60, steps=4)
    until(page, f"{POINTS}[2][0] === lab.pointer.points()?.[2][0]")
    until(page, f"{POINTS}[2][1] === lab.pointer.points()[2][1]")
    place = page.evaluate(POINTS)[2]
    check_figures(page, check_points(page.evaluate("lab.pointsText(lab.now.scene.points)")))
    with redrawn(page):  # a pointer that is taken away leaves the point there
        page.evaluate(
            "document.getElementById('plane').dispatchEvent(new PointerEvent('pointercancel',"
            " { pointerId: 1 }))"
        )
    assert page.evaluate(POINTS)[2] == place
    assert not page.evaluate("lab.pointer.dragging()")
    page.mouse.up()


def test_undo_leaves_the_settings_and_failures_leave_nothing_to_undo(lab):
    page = lab("preset=xor")
    with redrawn(page):
        page.press("#points", "p")
    with redrawn(page):
        page.select_option("#rule", "averaged")
    with redrawn(page):
        page.click("#undo")
    assert keys(page) == {"preset": "xor", "rule": "averaged"}
    page.route("**/scene", lambda route: route.abort())
    page.press("#points", "p")
    until(page, "!document.getElementById('problem').hidden")
    assert page.is_disabled("#undo")
    assert page.locator("#points [role=option]").count() == 4
    page.unroute("**/scene")
    page.complaints.clear()  # of the request that failed
