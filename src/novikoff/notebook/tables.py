"""The key numbers of a result as a small HTML table, for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape

LONGEST = 300  # characters of a cell

Fact = tuple[str, object]  # a short name, and what is beside it


def facts_html(sentence: str, facts: Iterable[Fact]) -> str:
    """A sentence, and a line for each fact below it.

    >>> facts_html("It holds.", [("rows", 4)])
    '<p>It holds.</p><table><tbody><tr><th scope="row">rows</th><td>4</td></tr></tbody></table>'
    """
    lines = "".join(
        f'<tr><th scope="row">{_cell(name)}</th><td>{_cell(value)}</td></tr>'
        for name, value in facts
    )
    return f"<p>{escape(sentence)}</p><table><tbody>{lines}</tbody></table>"


def table_html(sentence: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A sentence, and a table with a heading for each column."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row)}</tr>" for row in rows
    )
    return (
        f"<p>{escape(sentence)}</p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    if isinstance(value, float):
        text = f"{value:.6g}"
    else:
        text = f"{value:,}" if type(value) is int else str(value)
    return escape(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")
