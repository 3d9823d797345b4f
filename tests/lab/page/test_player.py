"""Stepping, playing and scrubbing a run."""

from tests.helpers.browser import until
from tests.helpers.lab_page import STEP, at, bound, keys, mistakes, shown, text_of

#: From now on, `rounds` is how often the run has come back to a step of before.
COUNT_ROUNDS = f"""() => {{
  window.rounds = 0;
  let before = ({STEP})();
  new MutationObserver(() => {{
    const step = ({STEP})();
    if (step < before) window.rounds += 1;
    before = step;
  }}).observe(document.documentElement, {{ attributeFilter: ["data-step"] }});
}}"""


def test_ten_steps_forward_and_ten_back_show_the_same(lab):
    page = lab("preset=tiny-margin&step=20")
    at(page, 20)
    before = shown(page)
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    at(page, 30)
    assert shown(page) != before
    for _ in range(10):
        page.click("#back")
    at(page, 20)
    assert shown(page) == before
    assert keys(page, 20) == {"preset": "tiny-margin", "step": "20"}


def test_a_run_is_played_to_its_end_within_the_bound(lab):
    page = lab("preset=adversarial&speed=50")
    page.keyboard.press(" ")
    until(page, "document.documentElement.dataset.playing === 'yes'")
    until(page, "document.documentElement.dataset.playing === 'no'")
    assert page.evaluate(STEP) == page.evaluate("lab.player.last()") > 0
    assert "Converged" in text_of(page, "step")
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
    assert "Converged" in text_of(page, "step")
    assert asked == []


def test_xor_shows_its_conflict_and_goes_round(lab):
    page = lab("preset=xor")
    assert "Not separable" in text_of(page, "verdict")
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
    assert "there is no bound" in text_of(page, "countdown")
    page.keyboard.press("End")
    at(page, page.evaluate("lab.player.last()"))
    assert "goes round for ever" in text_of(page, "step")
    cycle = page.evaluate("lab.now.scene.film.end.cycle")
    assert f"a cycle of {cycle['length']} updates" in text_of(page, "countdown")
    words = page.locator("main").inner_text().lower()
    assert "not converged" not in words
    page.select_option("#speed", "50")
    page.evaluate(COUNT_ROUNDS)
    page.click("#play")  # and it does go round, until it is stopped
    until(page, "rounds >= 2")
    assert page.evaluate("document.documentElement.dataset.playing") == "yes"
    page.click("#play")
