"""The notebooks of docs/notebooks: run them, and show them with their outputs as Markdown.

python docs/web/notebooks.py    runs all and keeps what they print
"""

import base64
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

FOLDER = Path(__file__).parents[1] / "notebooks"
SETUP = """%reset -f
%matplotlib inline
%config InlineBackend.figure_formats = ["svg"]
import matplotlib; matplotlib.rcParams["svg.hashsalt"] = "novikoff"
"""
PICTURE = "image/svg+xml"
VOLATILE = re.compile(r"0x[0-9a-f]+")


def run(notebooks: list[Path]) -> Iterator[tuple[Path, Any]]:
    """Each notebook as it comes out now; one kernel runs them all, emptied in between."""
    from jupyter_client.manager import start_new_kernel
    from nbclient import NotebookClient

    manager, client = start_new_kernel(cwd=str(FOLDER))
    client.stop_channels()
    try:
        for path in notebooks:
            made = nbformat.read(path, as_version=4)
            made.cells.insert(0, nbformat.v4.new_code_cell(SETUP))
            NotebookClient(made, km=manager, timeout=60).execute()
            del made.cells[0]
            yield path, plain(made)
    finally:
        manager.shutdown_kernel(now=True)


def plain(notebook: Any) -> Any:
    """Without what differs from run to run and says nothing."""
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = {}, f"cell-{number}"
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, list(_joined(cell.outputs))
        for output in cell.get("outputs", []):
            output.pop("execution_count", None)
            output.pop("metadata", None)
            if output.output_type == "execute_result":
                output["execution_count"] = None
            if output.output_type != "stream":
                output["metadata"] = {}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
    }
    return notebook


def _joined(outputs: list[Any]) -> Iterator[Any]:
    """Outputs with printed text in one piece, however many messages it came in."""
    for _, some in itertools.groupby(outputs, lambda each: each.get("name", id(each))):
        first, *others = some
        for each in others:
            first.text += each.text
        yield first


def texts(notebook: Any) -> list[str]:
    """What the cells print and show, but for pictures."""
    return [
        VOLATILE.sub("", data["text"] if kind == "stream" else data.get("text/plain", ""))
        for kind, data in _outputs(notebook)
        if PICTURE not in data
    ]


def pictures(notebook: Any) -> int:
    """How many pictures the cells draw."""
    return sum(PICTURE in data for _, data in _outputs(notebook))


def _outputs(notebook: Any) -> Iterator[tuple[str, Any]]:
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.output_type, output if output.output_type == "stream" else output.data


def as_markdown(path: Path) -> str:
    """A notebook as a page: its words, its code, and what came out."""
    parts = [f"[Download this notebook]({path.name})"]
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [_shown(output) for output in cell.outputs]
    title, *others = parts[1:2] + parts[:1] + parts[2:]  # the heading comes first
    head, _, rest = title.partition("\n\n")
    return "\n\n".join([head, *others[:1], rest, *others[1:]]) + "\n"


def _shown(output: Any) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    if PICTURE in data:
        packed = base64.b64encode(data[PICTURE].encode()).decode()
        return f"![What the cell draws](data:{PICTURE};base64,{packed})"
    if "text/html" in data:
        html = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.DOTALL)
        return f'<div class="notebook-output">{" ".join(html.split())}</div>'
    return f"```text\n{data['text/plain']}\n```"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for place, now in run(sorted(FOLDER.glob("*.ipynb"))):
        nbformat.write(now, target / place.name)
