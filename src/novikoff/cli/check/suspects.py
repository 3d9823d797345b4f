"""`check --suspects`: the rows whose labels the others contradict most."""

from typing import Any

from novikoff.cli.check.result import CheckQuestion, CheckResult
from novikoff.cli.shared import margin
from novikoff.cli.shared.loaded_source import LoadedSource, as_label
from novikoff.cli.shared.text import wrap
from novikoff.errors import ParameterError
from novikoff.verdict.suspects import Suspect
from novikoff.verdict.suspects import suspects as find_suspects

LISTED = 3  # values of a row in the text


def add_suspects(
    found: CheckResult, question: CheckQuestion, count: int, text: str, answer: dict[str, Any]
) -> tuple[list[Suspect], str, dict[str, Any]]:
    """Find suspects, and add them to the text and to the JSON of a verdict."""
    rows = found.source
    about_labels = found.verdict.signed.family in ("binary", "multinomial")
    if not about_labels or not isinstance(rows, LoadedSource):
        raise ParameterError("--suspects is about labels: leave it out for counts")
    listed = find_suspects(
        rows,
        count=count,
        fit_intercept=question.options["fit_intercept"],
        positive=as_label(question.positive, rows.labels),
    )
    lines = ["Suspects, the worst first; higher scores are worse:"]
    for each in listed:
        lines += wrap(_line(each, rows), "  ", "    ")
    answer = answer | {"suspects": [_as_json(each) for each in listed]}
    return listed, "\n".join([text, *lines]), answer


def _line(suspect: Suspect, rows: LoadedSource) -> str:
    where = f"{rows.where(suspect.row)} ({suspect.label}, rather {suspect.suggestion})"
    values = [f"{name} = {value:g}" for name, value in suspect.values[:LISTED]]
    more = len(suspect.values) - LISTED
    values += [f"and {more:,} more in --json"] if more > 0 else []
    return f"{where}: score {suspect.score:.3g}; {suspect.reason}; {', '.join(values) or 'all 0'}"


def _as_json(suspect: Suspect) -> dict[str, Any]:
    share = suspect.multiplier
    return {
        "row": suspect.row,
        "line": suspect.line,
        "score": suspect.score,
        "reason": suspect.reason,
        "label": suspect.label,
        "suggestion": suspect.suggestion,
        "neighbours": list(suspect.neighbours),
        "multiplier": None if share is None else margin.ratio(share),
        "values": [{"column": name, "value": value} for name, value in suspect.values],
    }
