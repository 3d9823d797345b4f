"""A headless Chromium for the tests that look at pages; there is no network for it."""

import os
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = (
    "no Chromium to look at pages with: apt-get install chromium, or python -m playwright install"
    " chromium, or set NOVIKOFF_CHROMIUM to the path of one"
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HERE = ("file:", "data:", "blob:")


def chromium():
    """The path of a browser; where there is none, the test is skipped, with what to do about it."""
    named = os.environ.get("NOVIKOFF_CHROMIUM")
    if named:
        assert Path(named).is_file(), f"NOVIKOFF_CHROMIUM={named}: there is no such file"
        return named
    return next(filter(None, map(shutil.which, NAMES)), None) or _playwrights_own()


def _playwrights_own():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.executable_path
    if not Path(found).is_file():
        pytest.skip(MISSING)
    return found


@contextmanager
def launched(path):
    """A browser with a fresh profile, for as long as it is needed."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser, path, *, width=1280, height=900, scheme="light", scripts=True):
    """A page from a file, once its figures are drawn.

    Whatever it asks of a network is refused and kept in `page.asked`, and what it complains of in
    `page.complaints`; both must be empty in the end.
    """
    options = {"color_scheme": scheme, "java_script_enabled": scripts}
    with context(browser, HERE, width, height, **options) as pages:
        page = pages()
        page.goto(path.as_uri())
        if scripts:
            drawn(page, scheme)
        yield page


@contextmanager
def context(browser, allowed, width=1280, height=900, **options):
    """Something to open pages with, which may load only what begins in one of the ways allowed."""
    viewport = {"width": width, "height": height}
    made = browser.new_context(viewport=viewport, **options)
    pages = []

    def look(route):
        if route.request.url.startswith(allowed):
            route.continue_()
        else:
            for page in pages:
                page.asked.append(route.request.url)
            route.abort()

    def fresh():
        page = made.new_page()
        page.asked, page.complaints = [], []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda message: _note(page, message))
        page.on("dialog", lambda dialog: (page.complaints.append(dialog.message), dialog.dismiss()))
        pages.append(page)
        return page

    made.route("**/*", look)
    try:
        yield fresh
        for page in pages:
            assert (page.asked, page.complaints) == ([], [])
    finally:
        made.close()


def until(page, expression, arg=None, seconds=30):
    """Wait until something is so; on pages whose policy lets nobody evaluate texts, too."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression, arg):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(20)


def shot(page, name, **options):
    """Leave a picture of the page in the folder NOVIKOFF_SHOTS, if that is set."""
    folder = os.environ.get("NOVIKOFF_SHOTS")
    if folder:
        Path(folder).mkdir(exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", **options)


def _note(page, message):
    if message.type in ("error", "warning"):
        page.complaints.append(message.text)


def drawn(page, scheme):
    """Wait until the figures are there in these colours."""
    until(
        page, "scheme => (document.documentElement.dataset.drawn ?? '').startsWith(scheme)", scheme
    )
    until(page, INKED)


#: For each figure, whether something is painted on it.
INKED = """() => {
  const canvases = node => [
    ...(node.shadowRoot ? canvases(node.shadowRoot) : []),
    ...[...node.children ?? []].flatMap(canvases),
    ...(node.tagName === "CANVAS" ? [node] : []),
  ];
  const painted = canvas => {
    if (!canvas.width || !canvas.height) return false;
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const paint = copy.getContext("2d", {willReadFrequently: true});
    paint.drawImage(canvas, 0, 0);
    return paint.getImageData(0, 0, copy.width, copy.height).data.some(value => value > 0);
  };
  return [...document.querySelectorAll(".plot")].every(plot => canvases(plot).some(painted));
}"""

#: Where on the screen a point of the first scatter of a figure is, and how many points it has.
PLACE = """([figure, point]) => {
  const plot = Bokeh.documents[figure].roots()[0];
  const view = Bokeh.index.find_one(plot);
  const data = plot.renderers.find(each => each.glyph.type === "Scatter").data_source.data;
  const box = view.el.getBoundingClientRect();
  return [box.x + view.frame.x_scale.compute(data.x[point]),
          box.y + view.frame.y_scale.compute(data.y[point])];
}"""

#: What all tips on the page say.
TIPS = """() => {
  const tips = node => [
    ...(node.shadowRoot ? tips(node.shadowRoot) : []),
    ...[...node.children ?? []].flatMap(tips),
    ...(String(node.className).includes("bk-tooltip-content") ? [node.textContent] : []),
  ];
  return tips(document.body).join("\\n");
}"""
