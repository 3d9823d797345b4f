"""The notebooks run, and print what they are kept with."""

import importlib
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "web"))
notebooks = importlib.import_module("notebooks")
sys.path.pop(0)
PATHS = sorted(notebooks.FOLDER.glob("*.ipynb"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with all of them, run anew."""
    folder = tmp_path_factory.mktemp("notebooks")
    subprocess.run([sys.executable, notebooks.__file__, folder], check=True)
    return folder


def test_there_is_one_for_each_note_and_for_two_professions():
    assert len(PATHS) == 7


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_is_kept_with(made, path):
    kept, now = (nbformat.read(each, as_version=4) for each in (path, made / path.name))
    assert notebooks.texts(now) == notebooks.texts(kept), "run: python docs/web/notebooks.py"
    assert notebooks.pictures(now) == notebooks.pictures(kept)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_page_has_the_words_the_code_and_the_outputs(path):
    page = notebooks.as_markdown(path)
    kept = nbformat.read(path, as_version=4)
    assert page.startswith("# ")
    assert all(cell.source in page for cell in kept.cells if cell.cell_type == "code")
    assert page.count("![What the cell draws]") == notebooks.pictures(kept)
