"""The site builds strictly, asks nothing of other hosts, and its links lead somewhere."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from tests.helpers import axe
from tests.helpers.browser import HERE, context

ROOT = Path(__file__).parents[2]
LOADS = {  # what a browser fetches without being asked, and the attribute that names it
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "link": "href",
    "object": "data",
}


#: Turn the site to a scheme by its own switch, at once.
TURN = """scheme => {
  const still = document.createElement("style");
  still.textContent = "* { transition: none !important; animation: none !important }";
  document.head.append(still);
  const { mdColorScheme } = document.body.dataset;
  if (mdColorScheme !== scheme) {
    document.querySelector(`input[data-md-color-scheme=${scheme}]`).click();
  }
  if (document.body.dataset.mdColorScheme !== scheme) throw Error(`this is not ${scheme}`);
}"""


def build(folder, site, *options):
    """Run MkDocs; returns (exit code, what it said)."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site, *options],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    code, said = build(ROOT, folder)
    assert code == 0, said
    return folder


class Page(HTMLParser):
    """What a page links to, what it loads, and which places in it can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.places, self.styles = [], [], {""}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places |= {found[name] for name in ("id", "name") if found.get(name)}
        self.styles.append(found.get("style") or "")
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif found.get(LOADS.get(tag)):
            self.loads.append(found[LOADS[tag]])


@pytest.fixture(scope="module")
def served(site):
    """The site's folder, and where a server has it: the page of a wrong address needs one."""
    handler = functools.partial(QuietHandler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield site, f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """The files of a folder, without a line for each on the terminal."""

    def log_message(self, *_):
        pass


@functools.cache
def pages(site):
    return {file: Page(file.read_text()) for file in sorted(site.rglob("*.html"))}


def outside(address):
    return bool(urlsplit(address).netloc) or urlsplit(address).scheme in ("http", "https")


def broken(site):
    """Links and addresses of a site that lead nowhere within it."""
    read, found = pages(site), []
    for file, page in read.items():
        for address in [*page.links, *page.loads]:
            parts = urlsplit(address)
            if outside(address) or parts.scheme in ("data", "mailto", "javascript"):
                continue
            base = site if parts.path.startswith("/") else file.parent  # only 404.html starts so
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            places = read[target].places if target in read else {""}
            if not target.is_file() or unquote(parts.fragment) not in places:
                found.append(f"{file.relative_to(site)}: {address}")
    return found


def requests(site):
    """What pages and style sheets would fetch from other hosts."""
    found = []
    for file, page in pages(site).items():
        found += [f"{file.name}: {each}" for each in page.loads if outside(each)]
        found += [f"{file.name}: {each}" for each in page.styles if "url(http" in each]
    for file in site.rglob("*.css"):
        text = file.read_text().replace("url(http://www.w3.org", "")
        found += [file.name] if "url(http" in text or "@import" in text else []
    return found


def named(nav):
    """The pages of a navigation, however deep."""
    if isinstance(nav, str):
        return [nav]
    return [
        name for part in (nav.values() if isinstance(nav, dict) else nav) for name in named(part)
    ]


def test_every_page_of_the_navigation_is_there(site):
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    assert len(named(nav)) >= 20
    for name in named(nav):
        assert (site / name).with_suffix(".html").is_file(), name


def test_every_page_of_the_docs_is_in_the_navigation():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    docs = ROOT / "docs"
    assert {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} <= set(named(nav))


def test_links_and_anchors_lead_somewhere(site):
    assert broken(site) == []


def test_nothing_is_asked_of_other_hosts(site):
    assert requests(site) == []


def test_the_search_works_without_a_server(site):
    """The index is a script, and what the theme would fetch for this is our own file."""
    assert (site / "search" / "search_index.js").read_text().startswith("var __index = ")
    assert "web/iframe-worker.js" in Page((site / "index.html").read_text()).loads


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_opened_from_a_folder_fit_and_can_be_searched(browser, site, width):
    with context(browser, HERE, width) as pages:
        page = pages()
        for name in ("index", "guide/convergence", "engineers", "cli"):
            page.goto((site / f"{name}.html").as_uri())
            beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert beyond <= 0, name
        if width > 1000:
            page.click("input[name=query]")
            page.keyboard.type("Cauchy")
            found = page.wait_for_selector(".md-search-result__item")
            assert "Cauchy" in found.inner_text()


def test_pages_can_be_used_by_all(browser, served):
    """No serious violation that axe-core finds on any page, by day or by night: contrast, names,
    links that are only a colour.

    A page is loaded once. What does not depend on colours is asked of all that is on it, and the
    contrast of texts that look alike of the first of them. The index of the search is empty: each
    page would read all of it.
    """
    site, url = served
    found = {}
    index = json.loads((site / "search" / "search_index.json").read_text()) | {"docs": []}
    with context(browser, (url, *HERE)) as pages:
        page = pages()
        page.route("**/search_index.json", lambda route: route.fulfill(json=index))
        for file in sorted(site.rglob("*.html")):
            page.goto(f"{url}{file.relative_to(site).as_posix()}")
            axe.load(page)
            listed = axe.violations_but_of_colour(page)
            for scheme in ("default", "slate"):
                page.evaluate(TURN, scheme)
                if scheme == "default":
                    page.evaluate(axe.PRUNE)
                listed += axe.violations_of_colour(page)
            found |= {file.relative_to(site): listed} if listed else {}
    assert found == {}


def test_pale_letters_are_found_among_many_that_are_not(browser, served):
    pale, dark = (f'<b style="color: #{colour}">words</b> ' for colour in ("ccc", "000"))
    text = f"<!doctype html><body>{9 * dark}{9 * pale}{9 * dark}</body>"
    with context(browser, (served[1], *HERE)) as pages:
        page = pages()
        page.route("**/pale", lambda route: route.fulfill(body=text, content_type="text/html"))
        page.goto(f"{served[1]}pale")
        axe.load(page)
        page.evaluate(axe.PRUNE)
        assert page.locator("b").count() == 2
        ((rule, _, where),) = axe.violations_of_colour(page)
    assert rule == "color-contrast"
    assert len(where) == 1


def test_links_into_the_lab_follow_its_address(browser, site):
    with context(browser, HERE) as pages:
        page = pages()
        page.goto((site / "lesson.html").as_uri())
        page.fill(".lab-address input", "5010")
        links = page.eval_on_selector_all(
            ".md-content a[href*='preset=']", "all => all.map(link => link.href)"
        )
        assert len(links) >= 5
        assert all(link.startswith("http://127.0.0.1:5010/?") for link in links)


def test_formulas_are_mathml_and_need_no_script(site):
    text = (site / "guide" / "convergence.html").read_text()
    assert text.count("<math ") > 50
    assert 'stretchy="false">&#x02016;' in text  # a norm's two bars are of one height
    assert "<mo>&#x02016;</mo>" not in text
    left = re.compile(r'class="arithmatex"|(?<![\w$])\$[^$<>\n]*\\[a-z]+[^$<>\n]*\$')
    for page in site.glob("**/*.html"):
        if page.parts[-2] not in ("docs", "web"):
            assert not left.search(page.read_text()), page


def test_code_that_is_linked_to_is_shown_by_its_names(site):
    page = Page((site / "tests" / "learning" / "test_theorems.py.html").read_text())
    assert {"test_xor_never_converges", "test_block_and_novikoff"} <= page.places


def test_broken_links_stop_the_build(tmp_path):
    links = [
        "no-such-page.md",
        "rules.md#no-such-heading",
        "../tests/no_such_file.py",
        "../tests/learning/test_theorems.py#test_that_nobody_wrote",
    ]
    for name in ("docs", "tests", "benchmarks", "deploy"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "src").symlink_to(ROOT / "src")
    for file in [*ROOT.glob("*.md"), ROOT / "mkdocs.yml", ROOT / "LICENSE", ROOT / "CITATION.cff"]:
        shutil.copy(file, tmp_path)
    with (tmp_path / "docs" / "data.md").open("a") as page:
        page.write("".join(f"\n[to nowhere]({link})\n" for link in links))
    code, said = build(tmp_path, tmp_path / "site")
    assert code == 1
    warned = [line for line in said.splitlines() if line.startswith("WARNING")]
    assert len(warned) == len(links), said
    for link in links:
        assert any(link.rpartition("/")[2].rpartition("#")[2] in line for line in warned), link


def test_these_tests_find_what_they_look_for(tmp_path):
    (tmp_path / "other.html").write_text('<p id="here">')
    (tmp_path / "page.html").write_text(
        '<a href="other.html#here"></a><a href="other.html#there"></a><a href="none.html"></a>'
        '<script src="https://cdn.example/x.js"></script><img src="//cdn.example/x.png">'
        '<img src="data:image/png;base64,"><a href="https://example.org/">words</a>'
    )
    (tmp_path / "style.css").write_text('@import "https://fonts.example/x.css";')
    assert broken(tmp_path) == ["page.html: other.html#there", "page.html: none.html"]
    assert requests(tmp_path) == [
        "page.html: https://cdn.example/x.js",
        "page.html: //cdn.example/x.png",
        "style.css",
    ]
