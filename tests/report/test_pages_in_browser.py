"""Pages in a browser: they open offline and without a complaint, and their figures are there.

With NOVIKOFF_SHOTS set to a folder, a screenshot of each page is left there for people to look at.
"""

import contextlib
import sys

import pytest

from novikoff.cli import main
from novikoff.report.model import DARK, LIGHT
from tests.helpers.browser import PLACE, TIPS, drawn, open_page, shot, until
from tests.helpers.waits import wait_until

QUASI = "age,dose,died\n1,0,no\n2,0,yes\n3,1,yes\n4,0,no\n5,1,yes\n2,0,no\n"
NAMES = f'"</script><b>x</b>","$$a^2$$ & \'q\' ""w"" @hover0 日本 {"long" * 60}",y'
LABELS = "<img src=x onerror=alert(1)>", f"</script><script>alert(2)</script>{'W' * 150}"
HOSTILE = f'{NAMES}\n1,2,"{LABELS[0]}"\n2,1,"{LABELS[1]}"\n3,3,"{LABELS[0]}"\n4,0,"{LABELS[1]}"\n'

NAMED = ",".join(f"the mean of the measurement number {k} taken at noon" for k in range(3))
LONG = f"{NAMED},y\n" + "".join(f"{k}.123456,{k},{-k},{int(k > 3)}\n" for k in range(8))

#: Each page's command, how many figures it has, and a part of its answer.
PAGES = {
    "separable": (["check", "example:iris-setosa"], 3, "every row strictly on its correct side"),
    "inseparable": (["check", "example:iris-versicolor"], 2, "INSEPARABLE: no hyperplane"),
    "quasi": (["check", "quasi.csv"], 3, "2 of 6 rows strictly on their correct side"),
    "undecided": (["check", "example:wdbc", "--time-limit", "0"], 2, "UNDECIDED"),
    "hostile": (["check", "hostile.csv"], 3, "SEPARABLE"),
    "long-names": (["check", "long.csv"], 3, "SEPARABLE"),
    "fit": (["fit", "example:and"], 5, "perceptron: converged after 9 epochs"),
    "fit-stopped": (
        ["fit", "example:iris-versicolor", "--max-epochs", "30"],
        5,
        "stopped after 30",
    ),
    "trace": (["trace", "example:iris-setosa"], 6, "the theorem allows 221"),
    "winnow": (["trace", "example:disjunction", "--rule", "winnow"], 3, "winnow: converged"),
    "cover": (["cover", "100", "20"], 1, "fewer than half"),
    "capacity": (["cover", "8", "4", "--capacity", "4", "--trials", "20"], 2, "exactly half"),
}


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """Where the page of a name is; it is made when first asked for."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "quasi.csv").write_text(QUASI)
    (folder / "hostile.csv").write_text(HOSTILE)
    (folder / "long.csv").write_text(LONG)

    def make(name):
        path = folder / f"{name}.html"
        if not path.exists():
            words = [
                str(folder / word) if word.endswith(".csv") else word for word in PAGES[name][0]
            ]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys, "argv", ["novikoff", *words, "--report", str(path), "--json"])
                with contextlib.suppress(SystemExit):
                    main()
        return path

    return make


#: How much of the page is off the screen to the right.
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_offline_with_all_its_figures_and_fits_a_phone(browser, page_of, name):
    _, figures, sentence = PAGES[name]
    with open_page(browser, page_of(name)) as page:  # which waits until every figure is painted
        assert page.locator(".plot").count() == figures
        assert sentence in page.locator(".answer").inner_text()
        assert page.locator("h1").count() == 1
        labels = [plot.get_attribute("aria-label") for plot in page.locator(".plot").all()]
        assert all(labels)
        assert page.locator("figcaption").all_inner_texts() != []
        assert page.locator(".key li").count() >= figures
        assert "novikoff 0" in page.locator("footer").inner_text()
        until(page, f"{SIDEWAYS} <= 0")
        shot(page, f"{name}-desk", full_page=True)
        page.set_viewport_size({"width": 390, "height": 844})
        drawn(page, "light")
        until(page, f"{SIDEWAYS} <= 0")  # figures take their new width one by one
        box = page.locator(".plot").first.bounding_box()
        assert 300 < box["width"] <= 390
        shot(page, f"{name}-phone", full_page=True)


@pytest.mark.parametrize("name", ["separable", "trace"])
def test_dark_screens_get_dark_pages_and_figures(browser, page_of, name):
    colours = """() => [
      getComputedStyle(document.documentElement).backgroundColor,
      Bokeh.documents[0].roots()[0].xaxis?.[0]?.axis_line_color
        ?? Bokeh.documents[0].roots()[0].below[0].axis_line_color,
      Bokeh.documents.length,
    ]"""
    with open_page(browser, page_of(name)) as page:
        paper, axis, figures = page.evaluate(colours)
        assert (paper, axis) == ("rgb(255, 255, 255)", LIGHT["grey"])
        page.emulate_media(color_scheme="dark")
        drawn(page, "dark")
        dark, axis, again = page.evaluate(colours)
        assert (dark, axis) == (_rgb(DARK["paper"]), DARK["grey"])
        assert again == figures == page.locator(".plot").count()
        shot(page, f"{name}-dark", full_page=True)
        page.emulate_media(color_scheme="light")
        drawn(page, "light")
        assert page.evaluate(colours) == [paper, LIGHT["grey"], figures]


#: How far the text of each cell reaches, and what the cell and its table leave of it.
REACH = """() => [...document.querySelectorAll("td")].map(cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const room = cell.closest(".table").getBoundingClientRect().right;
  return [range.getBoundingClientRect().right, Math.min(room, innerWidth)];
})"""


def test_on_a_phone_long_names_leave_the_values_in_sight(browser, page_of):
    with open_page(browser, page_of("long-names"), width=390, height=844) as page:
        cells = page.evaluate(REACH)
        assert len(cells) > 30
        assert all(right <= room for right, room in cells)
        account = page.locator("pre").evaluate("each => getComputedStyle(each).whiteSpace")
        assert account == "pre"


def _rgb(colour):
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgb({', '.join(map(str, parts))})"


def test_a_projector_gets_larger_letters(browser, page_of):
    size = """() => [
      parseFloat(getComputedStyle(document.body).fontSize),
      parseFloat(Bokeh.documents[0].roots()[0].below[0].major_label_text_font_size),
    ]"""
    with open_page(browser, page_of("separable")) as page:
        desk = page.evaluate(size)
    with open_page(browser, page_of("separable"), width=1920, height=1080) as page:
        hall = page.evaluate(size)
        until(page, f"{SIDEWAYS} <= 0")
        figure = page.locator("figure").first.bounding_box()
        assert figure["height"] < 1080  # one figure with its caption on one screen
        shot(page, "separable-projector", full_page=True)
    assert hall == [1.5 * each for each in desk]


def hovered(page, figure, point):
    """What is said of a point when the mouse is over it."""
    page.locator(f"#figure-{figure + 1}").scroll_into_view_if_needed()

    def tip():  # a figure may still be taking its place
        x, y = page.evaluate(PLACE, [figure, point])
        page.mouse.move(x - 3, y - 3)
        page.mouse.move(x, y)
        return page.evaluate(TIPS)

    return wait_until(tip, "a tip")


def test_hovering_names_the_row(browser, page_of):
    with open_page(browser, page_of("quasi")) as page:
        shown = hovered(page, 0, 0)
        assert "line 2, label no" in shown
        assert "age = 1, dose = 0" in shown
        assert "margin 0" in shown
        shot(page, "quasi-hover", full_page=True)


def test_hostile_names_are_text_everywhere(browser, page_of):
    with open_page(browser, page_of("hostile")) as page:
        shown = hovered(page, 0, 0)
        assert "label </script><script>alert(2)</script>" in shown
        assert "</script><b>x</b> = 2, $$a^2$$ & 'q'" in shown
        assert "@hover0" in shown
        key = page.locator(".key").first.inner_text()
        assert "<img src=x onerror=alert(1)>" in key
        assert page.locator('img[src="x"]').count() == 0
        assert page.locator("main b").count() == 0
        assert page.locator("main script").count() == 0
        page.set_viewport_size({"width": 390, "height": 844})
        until(page, f"{SIDEWAYS} <= 0")


def test_on_paper_figures_are_still_light_and_whole(browser, page_of):
    with open_page(browser, page_of("separable"), scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator(".plot:visible").count() == 0
        stills = page.locator(".still:visible")
        assert stills.count() == 3
        assert all(still.evaluate("each => each.naturalWidth > 0") for still in stills.all())
        paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
        assert page.pdf(format="A4").startswith(b"%PDF")
        for figure in page.locator("figure").all():
            assert figure.evaluate("each => getComputedStyle(each).breakInside") == "avoid"
            assert figure.bounding_box()["height"] < 900  # less than a page
        page.emulate_media(media="screen", color_scheme="dark")
        drawn(page, "dark")
        assert page.locator(".plot:visible").count() == 3


def test_without_scripts_there_are_pictures_too(browser, page_of):
    with open_page(browser, page_of("inseparable"), scripts=False) as page:
        assert page.locator(".still:visible").count() == 2
        assert page.locator(".plot:visible").count() == 0
        assert "INSEPARABLE" in page.locator(".answer").inner_text()
        assert page.locator(".still").first.get_attribute("alt")
