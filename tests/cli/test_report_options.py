"""The options --report and --plot: what they write, what they refuse, what they need."""

import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from PIL import Image

from tests.helpers.reports import QUASI


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (
            ["check", "example:and"],
            0,
            "SEPARABLE: some hyperplane puts every row strictly on its correct side",
        ),
        (["check", "example:xor"], 1, "INSEPARABLE: no hyperplane separates the classes"),
        (["fit", "example:and"], 0, "perceptron: converged after"),
        (["trace", "example:and"], 0, "perceptron: converged after"),
        (["cover", "4", "2"], 0, "exactly half of all labellings"),
    ],
    ids=["check-and", "check-xor", "fit", "trace", "cover"],
)
def test_commands_write_pages_and_pictures_and_say_so(here, tmp_path, words, code, sentence):
    page, plot = tmp_path / "page.html", tmp_path / "plot.svg"
    found, out, err = here(*words, "--report", page, "--plot", plot, "--json")
    assert (found, err) == (code, "")
    answer = json.loads(out)
    assert (answer["report"], answer["plot"]) == (str(page), str(plot))
    text = page.read_text()
    assert sentence in text
    assert f"novikoff {words[0]} {words[1]}" in text
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    found, out, _ = here(*words, "--plot", tmp_path / "plot.png")
    assert found == code
    assert f"Picture: {tmp_path / 'plot.png'}" in out
    with Image.open(tmp_path / "plot.png") as image:
        assert image.format == "PNG"
    answer = json.loads(here(*words, "--json")[1])
    assert (answer["report"], answer["plot"]) == (None, None)


def test_the_page_has_the_figures_of_the_command(here, tmp_path):
    path = tmp_path / "page.html"
    out = here("fit", "example:iris-setosa", "--report", path)[1]
    text = path.read_text()
    for line in out.splitlines()[2:-1]:
        assert line.split(maxsplit=1)[1] in text
    assert "326,263" in text
    (tmp_path / "quasi.csv").write_text(QUASI)
    out = here("check", tmp_path / "quasi.csv", "--report", path)[1]
    text = path.read_text()
    assert "2 of 6 rows strictly" in text
    assert "line 3" in text
    assert "to +∞" in text
    assert f"Report: {path}; open it in a browser." in out


@pytest.mark.parametrize("command", ["check", "fit", "trace", "cover"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--report", "page.pdf"], "--report page.pdf: expected a name that ends in .html"),
        (["--report", "page"], "expected a name that ends in .html"),
        (["--plot", "plot.jpg"], "--plot plot.jpg: expected a name that ends in .png or .svg"),
        (["--report", "nowhere/page.html"], "there is no folder"),
        (["--plot", "nowhere/plot.png"], "there is no folder"),
        (["--report", "folder.html"], "folder"),
        (["--report", "data.html"], "that is the data"),
        (["--plot", "data.png"], "that is the data"),
    ],
    ids=["pdf", "none", "jpg", "folder", "plot-folder", "is-folder", "data", "plot-data"],
)
def test_what_cannot_be_written_is_refused_at_once(
    here, tmp_path, monkeypatch, command, words, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    data = tmp_path / words[1] if "data" in words[1] else tmp_path / "rows.csv"
    data.write_text(QUASI)
    code, out, err = here(command, data, *words, "--format", "csv")
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert data.read_text() == QUASI
    assert {each.name for each in tmp_path.iterdir()} == {"folder.html", data.name}


@pytest.mark.parametrize(
    ("option", "name", "module", "library"),
    [
        ("--report", "a.html", "bokeh.embed", "Bokeh"),
        ("--report", "a.html", "matplotlib.figure", "Matplotlib"),
        ("--plot", "a.png", "matplotlib.figure", "Matplotlib"),
    ],
)
def test_a_missing_library_is_named_before_any_work(
    here, tmp_path, monkeypatch, option, name, module, library
):
    from novikoff.cli.check import result

    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(result, "run_check", lambda *_: pytest.fail("it began to work"))
    code, out, err = here("check", "example:and", option, tmp_path / name)
    assert (code, out) == (2, "")
    assert f"{option} needs {library}" in err
    assert "pip install 'novikoff[report]'" in err
    assert not list(tmp_path.iterdir())


def test_a_picture_needs_no_bokeh(here, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "bokeh", None)
    monkeypatch.setitem(sys.modules, "bokeh.embed", None)
    code, _, err = here("check", "example:and", "--plot", tmp_path / "a.png")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    "words", [["--report", "a.html"], ["--plot", "a.png"]], ids=["page", "plot"]
)
def test_a_stream_keeps_no_rows_to_draw(here, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1,2,a\n3,4,b\n")))
    code, out, err = here("fit", "-", *words)
    assert (code, out) == (2, "")
    assert "rows from a stream are not kept, so there is nothing to draw" in err
    assert not list(tmp_path.iterdir())


def test_outputs_do_not_replace_each_other(here, tmp_path):
    path = tmp_path / "a.html"
    code, _, err = here("check", "example:and", "--certificate", path, "--report", path)
    assert code == 2
    assert "that is --certificate" in err


def test_help_starts_without_the_libraries_of_the_report():
    script = "import sys, novikoff.cli\nprint({'bokeh', 'matplotlib', 'numba'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
