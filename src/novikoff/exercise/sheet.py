"""A student's sheet: as Markdown, as HTML that prints well, as CSV; and a form for the answer."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from novikoff.exercise.kind import Field, Task

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 11pt/1.45 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff }}
h1 {{ font-size: 1.5rem; margin: 0 0 .2rem }} .student {{ margin: 0 0 1rem; color: #444 }}
table {{ border-collapse: collapse; margin: 1rem 0; font-size: .95rem }}
th, td {{ border: 1px solid #999; padding: .15rem .55rem; text-align: right }} th {{ background: #eee }}
.data {{ display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start }}
.wide table {{ font-size: .8rem }} .wide th, .wide td {{ padding: .1rem .3rem }}
dl {{ margin: 1rem 0 }} dt {{ font-weight: bold }} dd {{ margin: 0 0 .8rem; border-bottom: 1px solid #999; padding-bottom: 1.6rem; color: #444 }}
code {{ font-family: monospace }}
@page {{ size: A4; margin: 18mm }}
@media print {{ body {{ margin: 0; max-width: none }} section + section {{ break-before: page }} tr, dd, svg {{ break-inside: avoid }} }}
</style></head><body>
{body}
</body></html>
"""  # noqa: E501
CELL = 18  # pixels of a unit


class Sheet(NamedTuple):
    """One student's exercise."""

    student: str
    title: str
    question: Sequence[str]
    fields: Sequence[Field]
    task: Task

    def markdown(self, name: str) -> str:
        """The sheet as Markdown; name: of the student's files beside it."""
        table = [
            f"| row | {' | '.join(self.task.columns)} |",
            "|---:" * (len(self.task.columns) + 1) + "|",
            *(f"| {k} | {' | '.join(map(_signed, row))} |" for k, row in self._numbered()),
        ]
        parts = [f"# {self.title}", _escaped(self.student), *self.question, "\n".join(table)]
        if self.plot:
            parts.append(f"![The points]({name}.svg)")
        parts += ["Answer with a file like this:", f"```text\n{self.form()}```\n"]
        return "\n\n".join(parts)

    def html(self) -> str:
        """The sheet as a section of a page."""
        head = "".join(f"<th>{escape(name)}</th>" for name in ("row", *self.task.columns))
        rows = "".join(
            f"<tr><td>{k}</td>{''.join(f'<td>{_signed(v)}</td>' for v in row)}</tr>\n"
            for k, row in self._numbered()
        )
        fields = "".join(
            f"<dt>{escape(each.name)}</dt><dd>{escape(each.hint)}</dd>\n" for each in self.fields
        )
        text = "".join(f"<p>{_code(escape(each))}</p>\n" for each in self.question)
        width = " wide" if len(self.task.columns) > 8 else ""
        return (
            f'<section><h1>{escape(self.title)}</h1>\n<p class="student">{escape(self.student)}</p>'
            f'\n{text}<div class="data{width}"><table><tr>{head}</tr>\n{rows}</table>\n{self.plot}'
            f"</div>\n<dl>{fields}</dl></section>"
        )

    def csv(self) -> str:
        """The data alone."""
        lines = [self.task.columns, *self.task.rows]
        return "".join(f"{','.join(map(str, line))}\n" for line in lines)

    def form(self) -> str:
        """An empty answer, to be filled in."""
        hints = "".join(f"# {each.name}: {each.hint}\n" for each in self.fields)
        return f"{hints}student: {self.student}\n" + "".join(f"{f.name}:\n" for f in self.fields)

    @property
    def plot(self) -> str:
        """The points on squared paper, as SVG; "" where they are not points of a plane."""
        if self.task.columns[:2] != ("x1", "x2") or len(self.task.columns) > 3:
            return ""
        return _plot(self.task.rows)

    def _numbered(self) -> Iterable[tuple[int, tuple[int, ...]]]:
        return enumerate(self.task.rows, start=1)


def printable(sheets: Iterable[Sheet]) -> str:
    """Sheets as one page of HTML, each on a page of its own when it is printed."""
    listed = list(sheets)
    return PAGE.format(
        title=escape(listed[0].title), body="\n".join(each.html() for each in listed)
    )


def _plot(rows: Sequence[tuple[int, ...]]) -> str:
    """Discs for label 1, squares for −1, numbered, on a grid of whole numbers."""
    far = max(3, *(abs(v) for row in rows for v in row[:2])) + 1
    side = 2 * far * CELL
    lines = [
        f'<path d="M{at} 0V{side}M0 {at}H{side}" stroke="{"#444" if at == side // 2 else "#ddd"}"/>'
        for at in range(0, side + 1, CELL)
    ]
    for number, (x, y, *label) in enumerate(rows, start=1):
        left, top = (x + far) * CELL, (far - y) * CELL
        square = f'<path d="M{left - 5} {top - 5}h10v10h-10z" fill="#b34700"/>'
        disc = f'<circle cx="{left}" cy="{top}" r="5.5" fill="#1f5fa8"/>'
        text = f'<text x="{left + 7}" y="{top - 5}">{number}</text>'
        lines += [square if label == [-1] else disc, text]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" role="img"'
        f' aria-label="The points, numbered by row: discs have label 1, squares label −1"'
        f' font-family="sans-serif" font-size="11">{"".join(lines)}</svg>\n'
    )


def _signed(number: int) -> str:
    return str(number).replace("-", "−")


def _code(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


def _escaped(text: str) -> str:
    """A name in Markdown, none of its characters being a sign."""
    return re.sub(r"([\\`*_{}\[\]<>#+!|~&-])", r"\\\1", text)
