"""Write docs/cli.md, the lab's lesson and guide, docs/pictures and docs/notebooks: run this."""

import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import typer

from novikoff.cli import app

PAGE = Path(__file__).parent / "cli.md"
LAB = PAGE.parents[1] / "src" / "novikoff" / "lab" / "page"
LAB_PAGES = {"lesson.md": "lesson.html", "lab.md": "guide.html"}  # which the lab links to
LAB_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: novikoff</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="prose.css">
</head>
<body>
<nav>
<a href="../">The lab</a> <a href="lesson.html">The lesson</a> <a href="guide.html">The guide</a>
</nav>
<main>
{html}
</main>
</body>
</html>
"""
HEAD = """# The command line

Made from the help texts by `python docs/generate.py`; a test compares.

Exit codes: 0 done, or yes (for `fit`, whether or not it converged: it says so); 1 no (`check`: not
separable, `verify`: not valid, `bound --only`: refused,
`exercise grade`: not all correct); 2 bad input or usage; 3 undecided; 70 a
defect of novikoff itself; 130 interrupted. `--json` prints one object on standard output and
nothing else there; rows count from 0 in it. Progress goes to standard error, if that is a terminal.
Ctrl-C ends `fit`, `trace` and `repair` with what was found so far, the others with nothing written.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(name, each) for name, each in commands().items())])


def commands() -> dict[str, Any]:
    """Every command by its words, those of groups included."""
    found = {}
    for name, each in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        parts = getattr(each, "commands", None)
        found |= {f"{name} {part}": c for part, c in parts.items()} if parts else {name: each}
    return found


def section(name: str, command: Any) -> str:
    """One command: what it does, and a line for each argument and option."""
    lines = []
    for parameter in command.params:
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        if parameter.param_type_name == "argument":
            names = parameter.name.upper()
        if names != "--help":
            text = (parameter.help or "").replace("|", "\\|")
            lines.append(f"| `{names}` | {text} | {default(parameter)} |")
    if lines:
        lines = ["", "| argument or option | meaning | default |", "|---|---|---|", *lines]
    return "\n".join([f"## novikoff {name}", "", inspect.cleandoc(command.help), *lines, ""])


def default(parameter: Any) -> str:
    """What holds if it is not given."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    value = getattr(parameter.default, "value", parameter.default)
    if value is True:
        return f"`{parameter.opts[0]}`"
    return "" if value is None or value is False or value in ([], "") else f"`{value}`"


def lab_page(name: str) -> str:
    """A page of docs/ as the lab shows it: its links into the lab work at any address and port."""
    import markdown

    sys.path.insert(0, str(PAGE.parent / "web"))
    from hook import on_page_content

    text = (PAGE.parent / name).read_text()
    extensions = ["attr_list", "tables", "fenced_code", "pymdownx.arithmatex"]
    settings = {"pymdownx.arithmatex": {"generic": True}}
    html = on_page_content(
        markdown.markdown(text, extensions=extensions, extension_configs=settings)
    )
    html = html.replace('href="http://127.0.0.1:5006/', 'href="../')

    def link(match: re.Match[str]) -> str:
        target = LAB_PAGES.get(match[1])
        return f'<a href="{target}">{match[2]}</a>' if target else match[2]

    html = re.sub(r'<a href="([^"#]*\.md)[^"]*">(.*?)</a>', link, html, flags=re.DOTALL)
    return LAB_PAGE.format(title=text.partition("\n")[0].removeprefix("# "), html=html)


def draw(page: Path, pictures: Path) -> None:
    """Run the commands that a page shows, and keep the pictures that they draw."""
    blocks = re.findall(r"^```console\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\$ (.*)$", "\n".join(blocks), re.MULTILINE)
    if not any(" --plot " in command for command in commands):
        return
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            subprocess.run(
                command, shell=True, cwd=folder, env=os.environ | {"PATH": path},
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        for picture in Path(folder).glob("*.svg"):
            shutil.copy(picture, pictures)


if __name__ == "__main__":
    PAGE.write_text(page())
    for source, target in LAB_PAGES.items():
        (LAB / target).write_text(lab_page(source))
    for each in PAGE.parent.rglob("*.md"):
        draw(each, PAGE.parent / "pictures")
    subprocess.run([sys.executable, PAGE.parent / "web" / "notebooks.py"], check=True)
