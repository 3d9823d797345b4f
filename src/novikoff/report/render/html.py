"""A page as one self-contained HTML file: its scripts, styles and figures are within.

Whatever comes from data is escaped. The page says itself that nothing may be loaded from anywhere
(its Content-Security-Policy), so that it opens offline, and tells nobody that it was opened.
"""

import base64
import json
from html import escape
from importlib.resources import files

from novikoff.report.model import DARK, LIGHT, Figure, Page, PageQuestion, ReportTable, Section
from novikoff.report.render.bokeh import bokeh_script, figure_json
from novikoff.report.render.legend import legend
from novikoff.report.render.matplotlib import render_file

SHORT = 20  # characters of a cell that stay on one line
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data: blob:; base-uri 'none'; form-action 'none'"
)


def page_html(page: Page, version: str) -> str:
    """The HTML of a page."""
    figures: list[str] = []
    sections = "\n".join(_section(section, figures) for section in page.sections)
    return f"""{page_head(page.title, version, _resource("page.css"))}
<body>
<main>
<h1>{escape(page.title)}</h1>
{_question(page.asked)}
<p class="answer">{escape(page.answer.sentence)}</p>
{_list(page.answer.figures)}
{sections}
{_account(page.answer.account)}
</main>
<footer>Made by novikoff {escape(version)}. Every figure on this page comes from the run itself;
the page needs no network.</footer>
<script>{bokeh_script()}</script>
{dark_colours()}{"".join(figures)}
<script>
{_resource("page.js")}</script>
</body>
</html>
"""


def page_head(title: str, version: str, style: str) -> str:
    """The head of a page that may load nothing, with its style and the colours of that."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="novikoff {escape(version)}">
<link rel="icon" href="data:,">
<title>{escape(title)}</title>
<style>
{colour_styles()}
{style}</style>
</head>"""


def json_element(name: str, value: object) -> str:
    """Data in a page, for its scripts; no text in them can end the element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def _resource(name: str) -> str:
    return (files("novikoff.report") / name).read_text(encoding="utf-8")


def colour_styles() -> str:
    """The palette as CSS, for light and for dark screens."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in colours.items())
        for colours in (LIGHT, DARK)
    )
    night = "@media screen and (prefers-color-scheme: dark)"
    return f":root {{ {light} }}\n{night} {{ :root {{ {dark} }} }}"


def screen_style() -> str:
    """The look that the lab and the service share: cards and controls in those colours."""
    return _resource("screen.css")


def dark_colours() -> str:
    """The dark colour for each light one, as data for scripts."""
    return json_element("dark", {LIGHT[name]: DARK[name] for name in LIGHT})


def _question(asked: PageQuestion) -> str:
    facts = [("data", asked.data), *asked.facts]
    return f'<code class="command">{escape(asked.command)}</code>\n{_list(facts)}'


def _list(facts: list[tuple[str, str]]) -> str:
    if not facts:
        return ""
    lines = (f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)
    return f"<dl>{''.join(lines)}</dl>"


def _section(section: Section, figures: list[str]) -> str:
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    picture = "" if section.picture is None else _figure(section.picture, figures)
    table = "" if section.table is None else _table(section.table)
    long = ' class="long"' if section.table is not None else ""
    return f"<section{long}><h2>{escape(section.heading)}</h2>{text}{picture}{table}</section>"


def _figure(picture: Figure, figures: list[str]) -> str:
    name = f"figure-{len(figures) + 1}"
    kind = "application/json"
    script = f'<script type="{kind}" data-figure="{name}">{figure_json(picture, name)}</script>\n'
    figures.append(script)
    image = base64.b64encode(render_file(picture, "svg", titled=False)).decode()
    equal = ' class="equal"' if picture.equal else ""
    alt = escape(f"{picture.title}. {picture.alt}")
    upwards = f'<p class="axis y">↑ {escape(picture.y_label)}</p>' if picture.y_label else ""
    return f"""
<figure{equal}><h3>{escape(picture.title)}</h3>
{legend(picture.marks)}{upwards}
<div class="plot" id="{name}" role="img" aria-label="{alt}"></div>
<img class="still" alt="{alt}" src="data:image/svg+xml;base64,{image}">
<p class="axis x">{escape(picture.x_label)} →</p>
<figcaption>{escape(picture.caption)}</figcaption></figure>"""


def _table(table: ReportTable) -> str:
    head = "".join(
        f"<th{_flush(table, k, name)}>{escape(name)}</th>" for k, name in enumerate(table.columns)
    )
    body = "".join(f"<tr>{_cells(table, row)}</tr>" for row in table.rows)
    return (
        f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        f"</div><p>{escape(table.caption)}</p>"
    )


def _cells(table: ReportTable, row: list[str]) -> str:
    return "".join(
        f'<td{_flush(table, k, text)} data-name="{escape(table.columns[k])}">{escape(text)}</td>'
        for k, text in enumerate(row)
    )


def _flush(table: ReportTable, column: int, text: str) -> str:
    """The classes of a cell: numbers are aligned right, and short texts not broken."""
    kinds = ["number"] * table.numeric(column) + ["short"] * (len(text) <= SHORT)
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _account(account: str) -> str:
    if not account:
        return ""
    return f'<section class="long"><h2>Command output</h2><pre>{escape(account)}</pre></section>'
