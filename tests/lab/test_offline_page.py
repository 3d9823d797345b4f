"""A run as one HTML file: it holds everything, loads nothing, and hostile names stay texts."""

import json
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import novikoff as nk
from novikoff.cli.trace import html
from novikoff.lab.film.film import ROWS
from novikoff.lab.film.run import UPDATES, FilmRun
from novikoff.lab.offline_page import offline_page
from novikoff.lab.page_data import plane_page_data
from novikoff.lab.state.page_state import parsed
from novikoff.lab.trace_page_data import trace_page_data
from novikoff.report.render.html import POLICY
from novikoff.theory.trace.spec import spec_of
from tests.helpers.browser import HERE, context, until

NAMES = "</script><b>x</b>", "<img src=x onerror=alert(1)>"
HOSTILE = f'"{NAMES[0]}","{NAMES[1]}",y\n1,2,"<!-- no"\n2,1,"</script><script>alert(2)</script>"\n'
XOR = "a,b,y\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n"


class Parts(HTMLParser):
    """What a page has: its tags, and the texts of its scripts by their ids."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.data, self._id = [], {}, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self._id = dict(attributes).get("id")

    def handle_endtag(self, tag):
        if tag == "script":
            self._id = None

    def handle_data(self, text):
        if self._id is not None:
            self.data[self._id] = self.data.get(self._id, "") + text

    @property
    def scene(self):
        return json.loads(self.data["scene"])


def check_whole(text):
    """Nothing is loaded from anywhere, and the page itself forbids it."""
    parts = Parts(text)
    loading = [
        (tag, name, value)
        for tag, attributes in parts.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "data", "action", "poster")
    ]
    assert loading == [("link", "href", "data:,")]
    policies = [
        attributes["content"]
        for tag, attributes in parts.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [POLICY]
    assert not any(name.startswith("on") for _, attributes in parts.tags for name in attributes)
    scripts = sum(tag == "script" for tag, _ in parts.tags)
    assert text.count("</script") == scripts
    return parts


def test_the_page_of_an_address():
    scene = plane_page_data(parsed("preset=xor"))
    parts = check_whole(offline_page(scene))
    assert parts.scene == json.loads(json.dumps(scene))
    assert check_whole(offline_page(scene, "<i>&")).data


def test_two_features_are_a_plane(here, empty_folder):
    (empty_folder / "xor.csv").write_text(XOR)
    code, out, _ = here("trace", "xor.csv", "--html", "run.html")
    assert code == 0
    assert out.endswith("Film: run.html; open it in a browser.\n")
    scene = check_whole((empty_folder / "run.html").read_text()).scene
    assert scene["tab"] == scene["film"]["kind"] == "plane"
    assert scene["points"] == [[0, 0, -1], [0, 1, 1], [1, 0, 1], [1, 1, -1]]
    assert scene["verdict"]["outcome"] == "inseparable"
    assert len(scene["verdict"]["conflict"]) == 4
    assert scene["film"]["end"]["cycle"] == {"first": 0, "length": 4, "epochs": 1}
    assert scene["film"]["places"] == ["line 2", "line 3", "line 4", "line 5"]
    assert scene["film"]["names"] == ["a", "b", "intercept"]
    assert scene["title"] == "Perceptron on xor.csv"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["example:iris-setosa"], "rows"),
        (["example:iris-setosa", "--rule", "passive-aggressive", "--param", "variant=PA"], "rows"),
        (["example:iris-versicolor", "--max-epochs", "3", "--order", "shuffle"], "rows"),
        (["example:disjunction", "--rule", "winnow"], "winnow"),
        (["example:and", "--rule", "voted", "--init", "random"], "plane"),
    ],
    ids=["separable", "aggressive", "shuffled", "winnow", "voted"],
)
def test_any_data_and_rule(here, empty_folder, words, kind):
    code, out, _ = here("trace", *words, "--html", "run.html", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["html"] == "run.html"
    scene = check_whole((empty_folder / "run.html").read_text()).scene
    film = scene["film"]
    assert scene["tab"] == film["kind"] == kind
    assert film["steps"] == min(answer["updates"], UPDATES)
    assert film["end"]["converged"] == answer["converged"]
    assert film["countdown"]["bound"] == answer["mistake_bound"]
    if kind == "winnow":
        assert len(scene["relevant"]) == 5
        assert scene["threshold"] == 50.0
        assert np.shape(scene["rows"]) == (500, 50)
    elif kind == "rows":
        assert scene["verdict"]["outcome"] == ("separable" if answer["margin"] else "inseparable")


def test_exact_decimals_have_their_own_verdict(here, empty_folder):
    """0.1 + 0.2 = 0.3 as decimals: the middle row lies between the others, and cannot be apart."""
    (empty_folder / "exact.csv").write_text("a,b,y\n0.1,0.1,1\n0.2,0.2,0\n0.3,0.3,1\n")
    assert here("trace", "exact.csv", "--decimal", "--html", "run.html")[0] == 0
    scene = check_whole((empty_folder / "run.html").read_text()).scene
    assert scene["verdict"]["outcome"] == "inseparable"
    assert [each["multiplier"] for each in scene["verdict"]["conflict"]] == ["1/4", "1/2", "1/4"]


def test_winnow_of_few_rows_has_their_variables():
    X, y = [[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]], [1, 1, 0, 1]
    scene = trace_page_data(FilmRun.from_trace(nk.trace(X, y, nk.Winnow()), nk.Winnow()), "rows")
    assert scene["rows"] == X
    assert scene["relevant"] == [0, 1]


def test_hostile_names_stay_texts(here, empty_folder):
    (empty_folder / "bad.csv").write_text(HOSTILE)
    assert here("trace", "bad.csv", "--html", "</title><b>.html")[0] == 2  # no such folder
    assert here("trace", "bad.csv", "--html", "run.html")[0] == 0
    text = (empty_folder / "run.html").read_text()
    assert check_whole(text).scene["film"]["names"][:2] == [*NAMES]
    assert "<img" not in text
    evil = check_whole(offline_page(plane_page_data(parsed("")), NAMES[0] + "<!-- player -->"))
    assert evil.scene["tab"] == "plane"


def test_many_rows_are_told_without_the_plane():
    random = np.random.default_rng(0)
    X = random.normal(size=(ROWS + 1, 2))
    y = X[:, 0] > 0.1
    scene = trace_page_data(FilmRun.from_trace(nk.trace(X, y), nk.Perceptron()), "rows")
    assert scene["tab"] == "rows"
    assert "at most 500 points" in scene["film"]["about"]


def test_of_a_long_run_the_first_updates_are_shown(empty_folder):
    X, y, model = [[1, 0], [1, 0.011]], [0, 1], nk.Perceptron(max_epochs=40_000)
    found = nk.trace(X, y, model, keep=500, exact=False)
    assert found.thinned
    asked = []

    def again(most):
        asked.append(most)
        return nk.trace(X, y, model, max_updates=most, exact=False)

    left_out = html.write(empty_folder / "run.html", found, spec_of(model, {}), again, "rows")
    assert asked == [UPDATES]
    assert f"20,000 updates of {found.updates:,}" in " ".join(left_out)
    assert max(map(len, left_out)) <= 80
    film = check_whole((empty_folder / "run.html").read_text()).scene["film"]
    assert film["columns"]["update"] == [*range(1, UPDATES + 1)]
    assert not film["complete"]
    assert "converged" in film["end"]["sentence"]


def test_refusals_come_before_any_work(here, empty_folder, monkeypatch):
    (empty_folder / "xor.csv").write_text(XOR)
    for words, reason in (
        (("xor.csv", "--html", "xor.csv"), "that is the data"),
        (("xor.csv", "--html", "run.txt"), "a name that ends in .html"),
        (("xor.csv", "--html", "none/run.html"), "there is no folder"),
        (("xor.csv", "--html", "a.html", "--report", "a.html"), "choose another name"),
    ):
        code, out, error = here("trace", *words)
        assert (code, out) == (2, "")
        assert reason in " ".join(error.split())
    monkeypatch.setitem(sys.modules, "bokeh.embed", None)
    code, _, error = here("trace", "xor.csv", "--html", "run.html")
    assert code == 2
    assert "pip install 'novikoff[report]'" in " ".join(error.split())
    assert (empty_folder / "xor.csv").read_text() == XOR
    assert sorted(path.name for path in empty_folder.iterdir()) == ["xor.csv"]


@pytest.mark.parametrize("name", ["plane", "rows", "winnow"])
def test_it_plays_in_a_browser_without_a_network(browser, here, empty_folder, name):
    data = {"plane": "bad.csv", "rows": "example:iris-setosa", "winnow": "example:disjunction"}[
        name
    ]
    (empty_folder / "bad.csv").write_text(HOSTILE)
    rule = "winnow" if name == "winnow" else "perceptron"
    assert here("trace", data, "--rule", rule, "--html", "run.html")[0] == 0
    path = empty_folder / "run.html"
    film = check_whole(path.read_text()).scene["film"]
    with context(browser, HERE) as pages:
        page = pages()
        page.goto(path.as_uri())
        until(page, "() => document.documentElement.dataset.ready !== undefined")
        page.keyboard.press("End")
        until(page, "k => document.documentElement.dataset.step === String(k)", film["steps"])
        assert film["end"]["sentence"] in page.locator("#step").inner_text()
        page.keyboard.press("ArrowLeft")
        until(page, "k => document.documentElement.dataset.step === String(k)", film["steps"] - 1)
        until(
            page,
            "n => document.querySelectorAll('#charts figure').length === n",
            len(film["charts"]),
        )


AXIS = """() => {
  const [plot] = Bokeh.documents.flatMap(each => each.roots())
    .filter(each => each.below[0]?.major_label_overrides.size);
  const [axis] = plot.below;
  const names = [...axis.major_label_overrides.values()];
  return [axis.major_label_orientation, axis.ticker.desired_num_ticks, plot.inner_width,
    Math.max(...names.map(name => name.length)), names.length];
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_long_names_beneath_the_bars_leave_room_for_each_other(browser, here, empty_folder, width):
    words = ["example:wdbc", "--unit-length", "--max-epochs", "2", "--html", "run.html"]
    assert here("trace", *words)[0] == 0
    with context(browser, HERE, width) as pages:
        page = pages()
        page.goto((empty_folder / "run.html").as_uri())
        until(page, "() => document.documentElement.dataset.ready !== undefined")
        orientation, shown, wide, longest, names = page.evaluate(AXIS)
    assert orientation == "vertical"  # or they would lie across each other
    assert longest <= 18
    assert 2 <= shown <= names
    assert 12 * shown <= wide  # a line of letters for each
