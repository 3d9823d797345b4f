"""What is exported is what is shown."""

from tests.helpers.browser import HERE, shot, until
from tests.helpers.lab_page import FITS, READY, at, bound, mistakes, shown, text_of


def test_what_is_exported_is_what_is_shown(lab, window, tmp_path):
    page = lab("preset=xor&step=2")
    files = {}
    for kind in ("svg", "png", "csv", "html"):
        page.locator("#export").evaluate("menu => { menu.open = true; }")
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
    said = text_of(page, "step")

    page, asked = window(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(files["html"].as_uri())
    until(page, READY)
    before = shown(page)
    page.keyboard.press("End")
    at(page, last)
    assert text_of(page, "step") == said
    assert page.locator("#tools").is_hidden()
    for _ in range(last):
        page.click("#back")
    at(page, 0)
    assert shown(page) == before
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
    assert "petal width" in text_of(page, "step")
