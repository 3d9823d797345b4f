"""What the site adds to Markdown: links to any file of the repository, formulas, notebooks, names.

What a page links to becomes a page too.

On a code host a link such as ../tests/learning/test_theorems.py#test_xor_never_converges opens the
file. Here it is shown with a heading for each function, so that MkDocs itself can tell whether
the link leads somewhere. A link to what does not exist is left alone, and MkDocs reports it.
"""

import ast
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))
from docstrings import directives  # noqa: E402  # they are beside this file, which is no package
from notebooks import as_markdown  # noqa: E402

PICTURES = (".svg", ".png")
FORMULA = re.compile(r'<(div|span) class="arithmatex">\\[\[(](.*?)\\[\])]</\1>', re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the files outside docs/ that pages link to, and those that these link to."""
    waiting = [Path("docs", file.src_uri) for file in files.documentation_pages()]
    while waiting:
        page = waiting.pop()
        for target in linked(page):
            place = site_path(target)
            if files.get_file_from_path(place) is None:
                files.append(File.generated(config, place, content=shown(target)))
                if target.suffix == ".md":
                    waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Make links of a page lead to where their targets are on the site."""
    here = repository_path(page.file.src_uri)
    if here.suffix != ".md":  # code is shown as it is
        return markdown

    def moved(match: re.Match[str]) -> str:
        target = resolved(here, match[1])
        if target is None:
            return match[0]
        folder = posixpath.dirname(page.file.src_uri)
        return f"]({posixpath.relpath(site_path(target), folder or '.')}{match[2] or ''})"

    return directives(LINK.sub(moved, markdown))


def on_page_content(html: str, **_: Any) -> str:
    """Typeset what stands between dollars as MathML, which browsers show without a script."""

    def typeset(match: re.Match[str]) -> str:
        block = match[1] == "div"
        found = convert(unescape(match[2]), display="block" if block else "inline")
        found = found.replace("<mo>&#x0002F;</mo>", '<mo lspace="0" rspace="0">/</mo>')
        # Of a norm's bars the one with a power would stretch less than the other, and sink.
        found = found.replace("<mo>&#x02016;</mo>", '<mo stretchy="false">&#x02016;</mo>')
        return f'<div class="formula" tabindex="0">{found}</div>' if block else found

    return FORMULA.sub(typeset, html)


def on_post_page(output: str, **_: Any) -> str:
    """Name the search, which the theme leaves without a name for those who do not see it."""
    return output.replace('role="dialog"', 'role="dialog" aria-label="Search"', 1)


def on_post_template(output_content: str, **_: Any) -> str:
    """The same for a page that is made of no Markdown: that of a wrong address."""
    return on_post_page(output_content)


def linked(page: Path) -> Iterator[Path]:
    """Files of the repository that a page links to."""
    for match in LINK.finditer((ROOT / page).read_text()):
        target = resolved(page, match[1])
        if target is not None:
            yield target


def resolved(page: Path, link: str) -> Path | None:
    """The text file of the repository that a link leads to, if there is one."""
    target = Path(os.path.normpath((ROOT / page).parent / link))
    if not target.is_relative_to(ROOT) or not target.is_file() or target.suffix in PICTURES:
        return None
    return target.relative_to(ROOT)


def site_path(file: Path) -> str:
    """Where a file of the repository is on the site, as MkDocs names sources."""
    if file.is_relative_to("docs") and file.suffix == ".md":
        return file.relative_to("docs").as_posix()
    if file.is_relative_to("docs") and file.suffix == ".ipynb":
        return file.relative_to("docs").with_suffix(".md").as_posix()
    if file.name == "README.md":  # of a folder; the site's front page stands for our own
        return "index.md" if file.parent == Path() else f"{file.parent.as_posix()}.md"
    return file.as_posix() if file.suffix == ".md" else f"{file.as_posix()}.md"


def repository_path(place: str) -> Path:
    """The file of the repository that a page of the site shows."""
    shown = Path(place.removesuffix(".md"))
    notebook = Path("docs", place).with_suffix(".ipynb")
    found = (Path("docs", place), notebook, Path(place), shown / "README.md", shown)
    return next(file for file in found if (ROOT / file).is_file())


def shown(file: Path) -> str:
    """A file as Markdown: code in pieces, each under the name of what it defines."""
    if file.suffix == ".ipynb":
        return as_markdown(ROOT / file)
    text = (ROOT / file).read_text()
    if file.suffix == ".md":
        return text
    lines = [f"# {file.as_posix()}", ""]
    for name, code in pieces(text) if file.suffix == ".py" else [("", text)]:
        lines += [f"## `{name}` {{ #{name} }}", ""] if name else []
        lines += [f"~~~~~~ {file.suffix.removeprefix('.')}", code.strip("\n"), "~~~~~~", ""]
    return "---\nsearch:\n  exclude: true\n---\n" + "\n".join(lines)


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Python code cut before each function and class of the outermost level."""
    lines = text.splitlines()
    starts = [("", 0)]
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
            while first and lines[first - 1].startswith("#"):
                first -= 1
            starts.append((node.name, first))
    for (name, start), (_, end) in zip(starts, [*starts[1:], ("", len(lines))], strict=True):
        if any(line.strip() for line in lines[start:end]):
            yield name, "\n".join(lines[start:end])
