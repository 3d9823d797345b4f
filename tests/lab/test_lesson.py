"""The lesson's links: each opens, and what is said beside it is what the page shows then."""

import re
from pathlib import Path

import pytest

from novikoff.lab.page_data import page_data

LESSON = Path(__file__).parents[2] / "docs" / "lesson.md"
LINK = re.compile(r"\]\(http://127\.0\.0\.1:5006/\?([^)]*)\)(?:: ([0-9,]+)\s+mistakes, (.*?)\.)?")
LINKS = LINK.findall(LESSON.read_text())


def whole(words):
    return int(words.replace(",", ""))


@pytest.mark.parametrize(("address", "mistakes", "bound"), LINKS, ids=[link[0] for link in LINKS])
def test_a_link_shows_what_is_said_beside_it(address, mistakes, bound):
    answer = page_data(address, charts=False)
    assert answer.get("problem") is None
    assert bool(mistakes) == ("tab=capacity" not in address)
    if mistakes:
        film = answer["film"]
        assert film["columns"]["mistakes"][-1] == whole(mistakes)
        expected = None if bound == "no bound" else whole(bound.removeprefix("at most "))
        assert film["countdown"]["bound"] == expected


def test_no_link_was_overlooked():
    assert len(LINKS) == LESSON.read_text().count("](http") >= 12


def test_what_the_words_say_of_winnow_s_budget():
    few, many = (page_data(f"tab=winnow&n={n}")["film"]["countdown"]["bound"] for n in (16, 64))
    assert many - few == 2 * 3 * 3
