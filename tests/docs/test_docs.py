"""What the docs say is what the code does."""

import ast
import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import novikoff
from tests.helpers.shell import novikoff as novikoff_command

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(novikoff.__path__, "novikoff.")
    if not module.name.endswith("__main__")
)


def called(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def timeless(text):
    """Seconds differ from run to run."""
    return re.sub(r" in [0-9.e+-]+ s:", " in ... s:", text)


OURS = re.compile(r"""novikoff (?P<words>[^|<>&;$`*]*)(\| (?P<rest>.*)|; echo "exit code \$\?")?""")


def shell(command, folder):
    """What a command prints, with the environment's own python and novikoff.

    A command of ours runs in this process, which has loaded compiled code; a shell does the rest.
    """
    ours = OURS.fullmatch(command)
    if ours is None or "novikoff" in (ours["rest"] or ""):
        return in_a_shell(command, folder)
    code, out, err = novikoff_command(*shlex.split(ours["words"]), cwd=folder)
    if ours["rest"]:
        return in_a_shell(ours["rest"], folder, out)
    if "; echo" in command:
        return f"{out}exit code {code}\n"
    assert code == 0, err
    return out


def in_a_shell(command, folder, stdin=None):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=True, input=stdin,
        env=os.environ | {"PATH": path},
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_commands_print_what_the_page_shows(page, tmp_path):
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            assert timeless(shell(command, tmp_path)) == timeless(expected), command
    for drawn in tmp_path.glob("*.svg"):
        shown = ROOT / "docs" / "pictures" / drawn.name
        assert alike(drawn.read_text(), shown.read_text()), f"copy {drawn} to {shown.parent}"


def alike(*pictures):
    """Whether pictures are the same; of another version of Matplotlib, made of the same parts."""
    versions = {re.search(r"Matplotlib v[\d.]+", each)[0] for each in pictures}
    parts = [re.findall(r'<g id="([A-Za-z]+)', each) for each in pictures]
    one, other = pictures if len(versions) == 1 else parts
    return one == other


def test_every_picture_is_drawn_by_a_command_on_a_page():
    shown = {picture.name for picture in (ROOT / "docs" / "pictures").iterdir()}
    command = r"(?:^\$ .* --plot|`python benchmarks/\S+ --picture) ([^\s`]+)"
    drawn = {name for page in PAGES for name in re.findall(command, page.read_text(), re.M)}
    assert shown == drawn


def test_the_quick_start_is_two_commands():
    text = (ROOT / "README.md").read_text()
    section = text.split("## Quick start\n")[1].split("\n## ")[0]
    fenced = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(fenced) == 1
    first, second = fenced[0].splitlines()
    assert first.endswith("novikoff demo")
    assert second.endswith("python -m pytest")
    assert second in (ROOT / ".ci" / "run").read_text()


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_python_sessions_on_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(page), module_relative=False)
    assert found.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_there_are_examples_to_test():
    modules = map(importlib.import_module, MODULES)
    found = [each for module in modules for each in doctest.DocTestFinder().find(module)]
    assert sum(len(each.examples) for each in found) >= 7


def script(folder, name):
    """A module that is no part of the package."""
    sys.path.insert(0, str(ROOT / folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / folder))


def test_the_command_reference_is_the_help():
    generate = script("docs", "generate")
    assert generate.PAGE.read_text() == generate.page(), "run: python docs/generate.py"


def test_the_lab_s_lesson_and_guide_are_those_of_the_docs():
    generate = script("docs", "generate")
    for source, target in generate.LAB_PAGES.items():
        html = (generate.LAB / target).read_text()
        assert html == generate.lab_page(source), "run: python docs/generate.py"
        assert 'href="http' not in html  # whatever the lab's address
        assert ".md" not in html


def test_every_command_and_option_is_documented():
    from novikoff.cli import app

    groups = {group.name: group.typer_instance for group in app.registered_groups}
    names = {command.name for command in app.registered_commands}
    for name, group in groups.items():
        names |= {f"{name} {command.name}" for command in group.registered_commands}
    page = (ROOT / "docs" / "cli.md").read_text()
    assert set(re.findall(r"## novikoff ([\w ]+)\n", page)) == names


def test_the_page_on_own_rules_shows_the_very_script():
    shown = blocks(ROOT / "docs" / "own-rule.md", "python")
    assert shown == [(ROOT / "docs" / "own_rule.py").read_text()]


def layers_of_the_page():
    """The names on each line of the page's picture, from the top."""
    picture = blocks(ROOT / "docs" / "architecture.md", "")[0]
    return [re.split(r"\s{2,}", line.strip())[0].split(" | ") for line in picture.splitlines()]


def test_the_architecture_page_is_the_import_contract():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = contract["tool"]["importlinter"]["contracts"][0]["layers"]
    assert layers_of_the_page() == [layer.split(" | ") for layer in layers[1:]]
    modules = {module.name for module in pkgutil.iter_modules(novikoff.__path__)}
    assert modules == {name for layer in layers for name in layer.split(" | ")}


def test_the_import_graph_has_the_direction_of_the_page():
    """Import-linter checks the same; this reads the files itself, so that neither stands alone."""
    height = {name: k for k, names in enumerate(layers_of_the_page()) for name in names}
    package = Path(novikoff.__file__).parent
    seen = set()
    for file in package.rglob("*.py"):
        own = file.relative_to(package).parts[0].removesuffix(".py")
        for other in re.findall(r"^\s*from novikoff\.(\w+)", file.read_text(), re.MULTILINE):
            if own in height and own != other:
                assert height[other] > height[own], f"{file} imports {other}"
                seen.add((own, other))
    assert ("verdict", "learning") in seen


def test_every_package_and_its_parts_are_on_the_page():
    """A folder or module that the table names exists, and every folder of a package is named."""
    package = Path(novikoff.__file__).parent
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page, re.MULTILINE))
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    assert set(table) == packages
    for name, parts in table.items():
        folders = {path.parent.name for path in (package / name).glob("*/__init__.py")}
        named = set(re.findall(r"`(\w+)`", parts))
        shared = {
            "fit",
            "predict",
            "check",
            "trace",
            "bound",
            "cover",
        }  # commands, which are not parts
        assert folders - shared <= named, f"{name}: {folders - shared - named}"
        for part in named:
            found = [*(package / name).rglob(f"{part}.py"), *(package / name).rglob(f"{part}/")]
            assert found, f"{name} has no {part}"


def test_the_walks_of_a_row_name_files_and_what_is_in_them():
    package = Path(novikoff.__file__).parent
    page = (ROOT / "docs" / "architecture.md").read_text()
    walks = re.findall(r"^## The walk of a row.*?(?=^## )", page, re.MULTILINE | re.DOTALL)
    assert len(walks) == 2
    for walk in walks:
        steps = re.findall(r"^(\d+)\. `([\w/]+\.py)` `(\w+)`: ", walk, re.MULTILINE)
        assert [int(number) for number, _, _ in steps] == [*range(1, len(steps) + 1)]
        assert 10 <= len(steps) <= 15
        for _, file, name in steps:
            assert name in defined(package / file), f"{file} has no {name}"


def defined(file):
    """The names that a module defines at its top."""
    found = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.Assign):
            found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif hasattr(node, "name"):
            found.add(node.name)
    return found


def test_the_glossary_has_one_line_for_each_word():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page[page.index("## Words, one meaning each") :].split("\n## ")[0]
    words = [
        word
        for row in re.findall(r"^\| ([\w ,]+) \| .+ \|$", table, re.MULTILINE)
        for word in row.split(", ")
    ]
    assert len(words) == len(set(words)) >= 30


def test_no_folder_is_crowded():
    package = Path(novikoff.__file__).parent
    for folder in {path.parent for path in package.rglob("*.py")}:
        files = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(files) <= 12, f"{folder}: {len(files)} files"


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_a_number_at_the_head_of_a_line_is_that_of_a_list(page):
    """Markdown takes a sentence's own "14." there for an item, and shows another number or none."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    last = 0
    for number in map(int, re.findall(r"^ *([0-9]+)\. ", text, re.MULTILINE)):
        assert number in (1, last + 1)
        last = number


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_links_lead_somewhere(page):
    for link, place in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
        if link.startswith("http"):
            continue
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not place or place in places(target), f"{link}#{place}"


def places(file):
    """What can be named behind a # in a link to this file."""
    text = file.read_text()
    if file.suffix == ".py":
        return {node.name for node in ast.parse(text).body if hasattr(node, "name")}
    headings = re.findall(r"^#+ (.*?)(?: \{ #([\w-]+) \})?$", text, re.MULTILINE)
    return {own or re.sub(r"[^\w]+", "-", title.lower()).strip("-") for title, own in headings}


def test_a_test_that_is_named_is_the_one_that_is_linked_to():
    """On pages [test_x](../tests/test_y.py#test_x) says what holds a theorem."""
    named = []
    for page in PAGES:
        for text, link in re.findall(r"\[(test_\w+)\]\(([^)]*)\)", page.read_text()):
            assert link.endswith(f".py#{text}"), link  # and it exists: see above
            named.append(text)
    assert len(named) >= 30


def test_every_theorem_of_the_guide_has_tests_that_hold_it():
    """A line of the table for each section, in the order of the pages."""
    table = (ROOT / "docs" / "theorems.md").read_text()
    listed = re.findall(r"^\| \[(.+?)\]\(guide/(\w+\.md)#([\w-]+)\) \| \[test_", table, re.M)
    for page in ROOT.glob("docs/guide/*.md"):
        sections = re.findall(r"^## (.+?) \{ #([\w-]+) \}$", page.read_text(), re.M)
        if page.name != "index.md":
            assert sections == [
                (title, place) for title, name, place in listed if name == page.name
            ]


def test_the_rules_page_lists_every_rule_and_estimator():
    from novikoff.learning.rules.registry import CATALOGUE

    listed = re.findall(r"^\| `([\w-]+)` \| `(\w+)` \|", (ROOT / "docs/rules.md").read_text(), re.M)
    assert dict(listed) == {name: entry.estimator for name, entry in CATALOGUE.items()}


def test_the_page_on_scale_has_the_models_own_predictions():
    cluster = script("benchmarks", "cluster")
    found = json.loads((ROOT / "benchmarks" / "results" / "cluster-model.json").read_text())
    page = (ROOT / "docs" / "scale.md").read_text()
    assert "\n".join(cluster.table(found["coefficients"])) in page


def test_the_page_on_cores_has_the_models_own_predictions():
    cores = script("benchmarks", "cores")
    found = json.loads((ROOT / "benchmarks" / "results" / "cores-model.json").read_text())
    assert "\n".join(cores.table(found)) in (ROOT / "docs" / "cores.md").read_text()
