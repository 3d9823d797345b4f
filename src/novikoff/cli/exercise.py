"""`novikoff exercise new` and `grade`: a task for each student, and its grades."""

import csv
import io
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options
from novikoff.cli.shared.command import Command, Group
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text, wrap
from novikoff.errors import ParameterError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.exercise.grades import Grade

app = typer.Typer(
    cls=Group,
    help="Make exercises with different data for each student, and grade the answers.",
    no_args_is_help=True,
)
KINDS = "separator, conflict, margin, order, placement, relevant, labellings"


@app.command("new", cls=Command)
def new(
    kind: Annotated[
        str,
        typer.Argument(help=f"{KINDS}; or the path of a Python file with a kind of your own."),
    ],
    students: Annotated[
        Path, typer.Option(help="A CSV file with a column named student, or name.")
    ],
    output: Annotated[Path, typer.Option(help="A new folder for sheets and keys.")],
    seed: Annotated[int, typer.Option(min=0, help="A different seed gives different data.")] = 0,
    json: options.JsonOption = False,
) -> None:
    """Write a sheet and a key for each student of a list.

    The sheets are Markdown and HTML that prints well; `sheets.html` has them all. A student's data
    depend on seed, kind and name alone. `keys` is for the lecturer.

    Example: novikoff exercise new margin --students class.csv --seed 7 --output week3
    """
    from novikoff.exercise.assignment import make_assignment
    from novikoff.exercise.registry import load_kind
    from novikoff.exercise.students import read_students

    found = load_kind(kind)
    made = make_assignment(found, _kind_name(kind), read_students(students), seed, output)
    if json:
        answer = {"kind": made.kind, "title": found.title, "seed": seed, "output": str(output)}
        typer.echo(json_text({**answer, "students": dict(made.files)}))
        return
    typer.echo(f"{found.title}: {count(len(made.files), 'sheet')} in {output / 'sheets'}")
    typer.echo(f"  to print    {output / 'sheets.html'}")
    typer.echo(f"  to fill in  {output / 'sheets'}/NAME.answer.txt")
    typer.echo(f"  to keep     {output / 'keys'}")
    own = f" --kind {kind}" if kind.endswith(".py") else ""
    typer.echo(f"to grade: novikoff exercise grade {output} ANSWERS{own}")


@app.command("grade", cls=Command)
def grade(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What exercise new wrote.")],
    answers: Annotated[
        Path, typer.Argument(help="A file of answers (.txt, .csv, .json), or a folder of them.")
    ],
    kind: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The Python file, if the kind is one of your own."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the grades there too, as CSV.")
    ] = None,
    json: options.JsonOption = False,
) -> None:
    """Grade answers in exact arithmetic, and say what is wrong without giving the answer away.

    Exit codes: 0 all are correct, 1 some are not, or are missing.

    Example: novikoff exercise grade week3 answers --output grades.csv
    """
    from novikoff.exercise.assignment import open_assignment
    from novikoff.exercise.grades import Result, grade_all
    from novikoff.exercise.registry import kind_names, load_kind
    from novikoff.exercise.submissions import read_submissions

    assignment = open_assignment(folder)
    if kind is None and assignment.kind not in kind_names():
        raise ParameterError(
            f"{folder}: made by a kind of your own, {assignment.kind}: give its file with --kind"
        )
    if kind is not None and _kind_name(kind) != assignment.kind:
        raise ParameterError(f"--kind {kind}: {folder} was made by the kind {assignment.kind}")
    grades = grade_all(assignment, load_kind(kind or assignment.kind), read_submissions(answers))
    if output is not None:
        from novikoff.files import atomic_write

        atomic_write(output, _as_csv(grades).encode())
    show(json_text(_as_json(assignment.kind, grades)) if json else _as_text(grades), plain=json)
    raise typer.Exit(0 if all(each.result is Result.CORRECT for each in grades) else 1)


def _kind_name(kind: str) -> str:
    """A kind's name: its own, or its file's."""
    return Path(kind).name


def _as_text(grades: list["Grade"]) -> str:
    lines = []
    for each in grades:
        lines.append(f"{each.result:<8} {each.student or each.place}")
        for remark in each.remarks if each.result != "missing" else []:
            lines += wrap(remark, "         ", "         ")
    counts = Counter(each.result for each in grades)
    lines.append(", ".join(f"{number} {result}" for result, number in sorted(counts.items())))
    return "\n".join(lines)


def _as_json(kind: str, grades: list["Grade"]) -> dict[str, Any]:
    return {
        "kind": kind,
        "grades": [
            {"student": each.student, "result": each.result, "remarks": each.remarks}
            for each in grades
        ],
    }


def _as_csv(grades: list["Grade"]) -> str:
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["student", "result", "remarks"])
    for each in grades:
        name = each.student or each.place
        lines.writerow([_cell(name), each.result, _cell(" | ".join(each.remarks))])
    return text.getvalue()


def _cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
