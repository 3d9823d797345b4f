"""The files: one page that loads nothing, pictures that are valid and the same each time."""

import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
from PIL import Image

import novikoff as nk
from novikoff import report
from novikoff.report import row_info
from novikoff.report.charts import margins
from novikoff.report.pages import check as check_page_module
from novikoff.report.render.html import page_html
from novikoff.report.render.matplotlib import render_file
from novikoff.report.row_info import RowInfo
from tests.helpers.reports import HOSTILE, TWO, check_page


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [
            value for name, value in attributes if name in ("src", "href", "action", "data")
        ]


def hostile_page():
    label, other, first, second = HOSTILE
    given = RowInfo(
        np.array(TWO[0]),
        np.array([1, -1, 1, -1, 1], np.int8),
        np.array([label, other, label, other, label]),
        row_info.side_names(other, label),
        np.arange(5) + 2,
        [first, second * 40],
    )
    verdict = nk.check(*TWO)
    separator = check_page_module.separator_of(verdict)
    from novikoff.report.charts.plane import MarkedRows, separator_figure

    picture = separator_figure(given, separator, MarkedRows(np.array([0]), label))
    sections = [
        report.Section(other, label, picture),
        report.Section(label, table=margins.closest_table(given, separator.margins)),
    ]
    asked = report.PageQuestion(f"novikoff check {other}", label, [(label, other)])
    return report.Page(label, asked, report.ReportAnswer(other, [(other, label)], other), sections)


def test_a_page_is_one_file_and_whatever_is_from_data_is_text():
    text = page_html(hostile_page(), "0 & 1")
    parsed = Tags()
    parsed.feed(text)
    assert parsed.tags.count("script") == 4  # Bokeh, the colours, one figure, the page's own
    assert parsed.tags.count("img") == 1
    assert "b" not in parsed.tags
    assert all(link.startswith("data:") for link in parsed.links)
    assert "Content-Security-Policy" in text
    assert "default-src 'none'" in text
    assert "<img src=x" not in text
    assert len(text) < 2_500_000


def test_pictures_are_valid_files_the_same_each_time(tmp_path):
    page = hostile_page()
    for kind in ("png", "svg"):
        report.write_picture(page, tmp_path / f"a.{kind}")
        assert render_file(page.pictures[0], kind) == (tmp_path / f"a.{kind}").read_bytes()
    with Image.open(tmp_path / "a.png") as image:
        image.verify()
        assert image.size[0] > 800
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    words = " ".join(root.itertext())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "$$x^2$$ $y$ @told0" in words
    assert "label <img src=x onerror=alert(1)>" in words
    assert not root.findall(".//{http://www.w3.org/1999/xhtml}script")


def test_many_points_make_no_large_svg():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 3))
    X[:, 0] += np.sign(X[:, 0])
    _, page = check_page(X, (X[:, 0] > 0).astype(int))
    assert len(render_file(page.pictures[0], "svg")) < 500_000


def test_the_page_is_part_of_the_package():
    folder = Path(report.__file__).parent
    assert {"page.css", "page.js"} <= {each.name for each in folder.iterdir()}
