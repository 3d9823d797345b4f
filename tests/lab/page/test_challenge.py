"""The challenge: the verdict is hidden, answers are counted, and the address has the score."""

import numpy as np

import novikoff as nk
from novikoff.lab.state.presets import PRESETS
from novikoff.lab.state.row_orders import rows_of
from tests.helpers.browser import shot, until
from tests.helpers.lab_page import FITS, at, keys, on_screen, text_of


def answered(page, score):
    until(page, f"location.search.includes('challenge={score}')")


def test_which_point_is_the_next_mistake(lab):
    rows = nk.trace(*rows_of(PRESETS["wide"].points)).table["row"].tolist()
    page = lab("preset=wide")
    page.click("#challenge-button")
    answered(page, "0-0")
    for part in ("verdict", "countdown", "proof", "play", "scrub"):
        assert page.locator(f"#{part}").is_hidden()
    assert page.evaluate("Bokeh.documents[0].get_model_by_name('best').data.x") == []
    page.mouse.click(*on_screen(page, rows[0]))
    at(page, 1)
    answered(page, "1-1")
    assert f"Right: it is row {rows[0]}." in text_of(page, "challenge")
    wrong = next(row for row in range(12) if row != rows[1])
    page.mouse.click(*on_screen(page, wrong))
    at(page, 2)
    answered(page, "1-2")
    assert "it is row" in text_of(page, "challenge-answer")
    assert "Update 2 of" not in text_of(page, "step")  # or it would say that this is the last
    assert "onverged" not in text_of(page, "step")
    page.click("#challenge-none")
    answered(page, "2-3")
    assert "Update 2 of 2" in text_of(page, "step")
    assert "Converged" in text_of(page, "step")
    assert page.is_disabled("#challenge-none")
    page.press("#points", "Home")
    page.press("#points", "Enter")  # nothing is asked any more
    assert "2 of 3 right" in text_of(page, "challenge")
    shot(page, "lab-challenge")
    assert len(page.evaluate("lab.now.scene.points")) == len(PRESETS["wide"].points)
    page.click("#challenge-button")
    assert "challenge" not in keys(page)
    assert page.locator("#verdict").is_visible()


def test_a_score_of_an_address_goes_on(lab):
    page = lab("preset=xor&challenge=3-5&step=1", 390, 844)
    until(page, FITS)
    assert "3 of 5 right" in text_of(page, "challenge")
    assert "marked points" not in page.locator("#main").inner_text()
    page = lab("preset=xor&challenge=7-5")
    assert "challenge: found 7-5" in text_of(page, "problem")


def test_the_band_is_named_for_the_margin_that_it_shows(lab):
    page = lab("preset=loose")
    verdict = page.evaluate("lab.now.scene.verdict")
    reach = """() => {
      const data = Bokeh.documents[0].get_model_by_name("best").data;
      const [[x0, x1], [y0, y1]] = [[...data.x], [...data.y]];
      const across = Math.hypot(x1 - x0, y1 - y0);
      return Math.min(...lab.now.scene.points.map(([x, y]) =>
        Math.abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) / across));
    }"""
    assert verdict["gamma"] in text_of(page, "best-name")
    lifted = page.evaluate(reach)
    assert abs(lifted - verdict["reach"]) < 1e-9
    page.click("#band")
    until(page, "location.search.includes('band=plane')")
    assert text_of(page, "best-name") == (
        f"widest margin in the plane: {verdict['unlifted']['text']} to either side"
    )
    assert np.isclose(page.evaluate(reach), verdict["unlifted"]["reach"])
    assert page.evaluate(reach) > lifted
    assert "band=plane" in page.locator("#svg").get_attribute("href")


def test_drags_snap_to_quarters_unless_alt_is_held(lab):
    from tests.helpers.lab_page import POINTS, drag

    page = lab("preset=clouds")
    drag(page, 2, 43, -31)
    x, y, _ = page.evaluate(POINTS)[2]
    assert (4 * x, 4 * y) == (round(4 * x), round(4 * y))
    page.keyboard.down("Alt")
    drag(page, 2, 17, 13)
    page.keyboard.up("Alt")
    x, y, _ = page.evaluate(POINTS)[2]
    assert (4 * x, 4 * y) != (round(4 * x), round(4 * y))


def test_letters_say_what_they_mean(lab):
    page = lab("preset=clouds&step=3")
    symbols = page.evaluate("lab.now.scene.film.symbols")
    titles = page.evaluate(
        "[...document.querySelectorAll('#proof abbr')].map(each => [each.textContent, each.title])"
    )
    assert {"γ", "a", "w*", "k", "η"} <= {name for name, _ in titles}
    assert all(symbols[name] == title for name, title in titles)
    page.click("#symbols summary")
    assert all(name in text_of(page, "symbols") for name in symbols)
