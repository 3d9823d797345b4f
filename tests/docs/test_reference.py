"""The reference has every public name, and says what each parameter is."""

import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "web"))
docstrings = importlib.import_module("docstrings")
sys.path.pop(0)

NAMES = dict(docstrings.public_names())
CALLED = {name: thing for name, thing in NAMES.items() if not name.startswith("errors.")}


def test_the_public_names_are_those_of_the_package():
    import novikoff

    modules = {"bounds", "cluster", "cover", "rules"}
    assert {name for name in NAMES if "." not in name} == {*novikoff.__all__, "open"} - modules
    assert {name.split(".")[0] for name in NAMES if "." in name} == {*modules, "errors"}


def test_every_public_name_is_on_one_page():
    pages = [page.read_text() for page in (ROOT / "docs" / "reference").glob("*.md")]
    shown = re.findall(r"^::: (?:nk|novikoff)\.([\w.]+)$", "\n".join(pages), re.MULTILINE)
    assert sorted(set(shown)) == sorted(shown)
    assert set(NAMES) <= set(shown)


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_described(name):
    described = docstrings.described(NAMES[name])
    missing = [each for each in docstrings.parameters(NAMES[name]) if not described.get(each)]
    assert not missing, f"{name}: a line `{missing[0]}: what it is` is missing"


@pytest.mark.parametrize("name", CALLED)
def test_every_name_has_an_example(name):
    """They are run with all docstrings, in test_docs.py."""
    if callable(CALLED[name]):
        assert ">>>" in inspect.getdoc(CALLED[name])


def test_descriptions_are_followed_to_where_they_stand():
    import novikoff as nk

    plain, margin = map(docstrings.described, (nk.Perceptron, nk.MarginPerceptron))
    assert margin["tie"] == plain["tie"]
    assert docstrings.described(nk.cover.fraction) == docstrings.described(nk.cover.count)


def test_a_docstring_becomes_sections_and_fenced_examples():
    def scaled(x, margin):
        """x in units of the margin.

        x: a number, or
            an array.
        margin: as for `nk.bounds.novikoff`.

        >>> 1 + 1
        2
        """

    assert docstrings.described(scaled)["x"] == "a number, or an array."
    assert docstrings.as_markdown(scaled) == (
        "x in units of the margin.\n\nParameters:\n    x: a number, or an array.\n"
        "    margin: gamma; some unit vector u has y u . x >= gamma on all rows.\n\n"
        "```pycon\n>>> 1 + 1\n2\n```"
    )
