"""`novikoff repair`: the fewest labels that must be wrong, and which they may be."""

import csv
import io
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import options, report_options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, DecimalOption, reads_data
from novikoff.cli.shared.progress.repair_progress import RepairProgress
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import beside, json_text, wrap
from novikoff.errors import DataError, ParameterError, WriteError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.cli.shared.loaded_source import LoadedSource
    from novikoff.verdict.repair import Repair
    from novikoff.verdict.repair.result import Cost

LISTED = 12  # rows in the text


@reads_data
def repair(
    data: DataArgument,
    bias: options.BiasOption = True,
    positive: options.PositiveOption = None,
    trusted: Annotated[
        Path | None,
        options.question_option(
            metavar="FILE",
            help="A file with the line numbers of rows that must stay as they are.",
            dir_okay=False,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        options.question_option(
            metavar="COLUMN",
            help="A column of what it costs to doubt each row: the least sum is sought, not the"
            " fewest.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        options.question_option(
            metavar="SECONDS",
            help="Stop after this long, with the bracket proven by then; Ctrl-C does too.",
            show_default="none",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write the rows to relabel as a table, with a column of suggested labels.",
            dir_okay=False,
        ),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write the proof to this file.", dir_okay=False)
    ] = None,
    report: report_options.ReportOption = None,
    plot: report_options.PlotOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Find the fewest rows whose removal, or relabelling, leaves the rest separable; and prove it.

    The answer is a bracket: no hyperplane makes fewer mistakes than its lower end, and this one
    makes as many as its upper end.

    Exit codes: 0 exact, 3 time ran out while the bracket was open.

    Example: novikoff repair example:iris-versicolor --time-limit 10 --output doubtful.csv
    """
    files = report_options.ReportFiles(report, plot)
    source = reading.open(data, decimal=decimal)
    written_to = {"--output": output, "--certificate": certificate, **files.by_option}
    options.refuse_overwriting(source.paths, {"--trusted": trusted, **written_to})
    for name, path in (("--output", output), ("--certificate", certificate)):
        if path is not None and not path.absolute().parent.is_dir():
            raise ParameterError(f"{name} {path}: there is no folder {path.absolute().parent}")
    files.refuse()
    from novikoff.cli.shared.loaded_source import as_label
    from novikoff.verdict.cones.roles import load_with_roles, role_values
    from novikoff.verdict.repair import repair as find_repair

    with RepairProgress(quiet or json) as progress:
        roles = options.given(weights=weights)
        rows = load_with_roles(source, roles)
        found = find_repair(
            rows,
            fit_intercept=bias,
            positive=as_label(positive, rows.labels),
            sample_weight=role_values(rows, roles).get("weights"),
            trusted=None if trusted is None else _trusted_rows(trusted, rows),
            time_limit=time_limit,
            watch=progress.watch,
        )
    if certificate is not None:
        found.certificate.write(certificate)
    if output is not None:
        _write_table(found, rows, output)
    dropped = ",".join(filter(None, [reading.drop, weights]))
    spelled = rows.spelled + reading._replace(drop=dropped or None).spelled
    text = format_repair(found, rows, certificate, output, spelled)
    if files.wanted:
        from novikoff import report as pages

        known = report_options.sizes(found.signed.count, found.signed.features)
        asked = report_options.question(rows.name, known)
        answer = pages.ReportAnswer(_headline(found), _facts(found, rows), text)
        files.write(pages.repair_page(found, asked, answer, labels=rows.labels))
    answer_json = _as_json(found, certificate, output) | files.as_json()
    show(json_text(answer_json) if json else "\n".join([text, *files.lines()]), plain=json)
    raise typer.Exit(0 if found.exact else 3)


def _trusted_rows(path: Path, rows: "LoadedSource") -> list[int]:
    """The rows whose lines, or numbers where rows have no lines, a file lists."""
    try:
        words = path.read_text().split()
    except (OSError, ValueError) as error:
        raise DataError(f"--trusted {path}: cannot be read: {error}") from None
    lines = rows.chunk.lines
    known = range(rows.chunk.X.shape[0]) if lines is None else lines.tolist()
    places = {int(line): i for i, line in enumerate(known)}
    for word in words:
        if not word.isascii() or not word.isdigit() or int(word) not in places:
            kind = "row" if lines is None else "line"
            raise DataError(f"--trusted {path}: {word[:40]!r} is not the {kind} of any row")
    return [places[int(word)] for word in words]


def format_repair(
    found: "Repair",
    rows: "LoadedSource",
    certificate: Path | None,
    output: Path | None,
    spelled: str,
) -> str:
    """The answer in words; spelled: the rows as `novikoff verify` takes them."""
    signed = found.signed
    heading = f"{rows.name}: {count(signed.count, 'row')}, {count(signed.features, 'feature')}"
    lines = [heading, *wrap(_headline(found))]
    for fact in _facts(found, rows):
        lines += beside(*fact)
    if not found.exact:
        lines += wrap(
            "Next: give it more time (a longer --time-limit, or none). What is said above is proven"
            " and stays true."
        )
    elif found.rows:
        lines += wrap(
            f"These {'weigh the least' if isinstance(found.upper, Fraction) else 'are the fewest'},"
            " not necessarily the wrong ones: look at them before you change a label. A wrong label"
            " that agrees with the hyperplane cannot be seen at all."
        )
    if output is not None:
        lines.append(f"Rows to relabel: {output}")
    if certificate is not None:
        lines.append(f"Proof: {certificate}; to check it: novikoff verify {certificate} {spelled}")
    return "\n".join(lines)


def _headline(found: "Repair") -> str:
    whole = count(found.signed.count, "row")
    if not found.rows:
        return f"NOTHING TO REPAIR: a hyperplane separates these {whole}."
    which = "this one" if found.exact else "the best one found"
    if isinstance(found.upper, Fraction):
        return (
            f"No hyperplane makes mistakes that weigh less than {float(found.lower):g} on these"
            f" {whole}; those of {which} weigh {float(found.upper):g}."
        )
    least, most = (count(int(each), "mistake") for each in (found.lower, found.upper))
    makes = "as many" if found.exact else most
    return f"No hyperplane makes fewer than {least} on these {whole}; {which} makes {makes}."


def _facts(found: "Repair", rows: "LoadedSource") -> list[tuple[str, str]]:
    if not found.rows:
        return []
    shown = [
        f"{rows.where(i)} ({rows.label(i)}{'' if new is None else f', rather {new}'})"
        for i, new in zip(found.rows[:LISTED], found.labels, strict=False)
    ]
    if len(found.rows) > LISTED:
        shown.append(f"and {len(found.rows) - LISTED:,} more: --json and --output list them all")
    facts = [("mistakes", ", ".join(shown))]
    if found.margin is not None:
        from novikoff.cli.shared.margin import bracket

        facts.append(("without them", bracket(found.margin)))
    facts.append(("bound", f"rests on {count(len(found.conflicts), 'conflict')}"))
    return facts


def _write_table(found: "Repair", rows: "LoadedSource", path: Path) -> None:
    """Write the rows to relabel: where they are, both labels, and their values."""
    from novikoff.files import atomic_write

    names = rows.feature_names or [f"column {j}" for j in range(rows.features)]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["row", "line", "label", "suggested_label", *names])
    for i, new in zip(found.rows, found.labels, strict=True):
        line = "" if found.signed.lines is None else int(found.signed.lines[i])
        columns, values = found.signed.entries(i)
        entries = dict(zip(columns, values, strict=True))
        numbers = [entries.get(j, 0.0) for j in range(rows.features)]
        table.writerow([i, line, rows.label(i), "" if new is None else new, *numbers])
    atomic_write(path, text.getvalue().encode(), error=WriteError)


def _as_json(found: "Repair", certificate: Path | None, output: Path | None) -> dict[str, Any]:
    from novikoff.cli.shared import margin

    return {
        "lower": _number(found.lower),
        "upper": _number(found.upper),
        "exact": found.exact,
        "stopped": found.stopped,
        "rows": found.signed.count,
        "features": found.signed.features,
        "repair": [
            {"row": i, "suggested_label": new}
            for i, new in zip(found.rows, found.labels, strict=True)
        ],
        "margin": None if found.margin is None else margin.as_json(found.margin),
        "weights": found.weights.tolist(),
        "intercept": found.intercept,
        "conflicts": [
            [{"row": row, "multiplier": margin.ratio(each)} for row, each in conflict]
            for conflict in found.conflicts
        ],
        "certificate": None if certificate is None else str(certificate),
        "output": None if output is None else str(output),
    }


def _number(cost: "Cost") -> int | float:
    return float(cost) if isinstance(cost, Fraction) else cost
