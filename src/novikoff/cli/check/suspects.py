"""`check --suspects`: the rows whose labels the others contradict most."""

from typing import Any

from novikoff.cli.check.result import CheckResult
from novikoff.cli.shared.loaded_source import LoadedSource
from novikoff.cli.shared.text import wrap
from novikoff.errors import ParameterError
from novikoff.verdict.suspects import Suspect
from novikoff.verdict.suspects import suspects as find_suspects


def add_suspects(
    found: CheckResult, count: int, text: str, answer: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Add suspects to the text and to the JSON of a verdict."""
    rows = found.source
    if found.verdict.signed.family != "binary" or not isinstance(rows, LoadedSource):
        raise ParameterError("--suspects is about labels: leave it out for counts")
    listed = find_suspects(rows, count=count, fit_intercept=found.verdict.signed.bias)
    lines = ["Suspects, the worst first; higher scores are worse:"]
    for each in listed:
        lines += wrap(_line(each, rows), "  ", "    ")
    return "\n".join([text, *lines]), answer | {"suspects": [_as_json(each) for each in listed]}


def _line(suspect: Suspect, rows: LoadedSource) -> str:
    where = f"{rows.where(suspect.row)} ({suspect.label}, rather {suspect.suggestion})"
    return f"{where}: score {suspect.score:.3g}; {suspect.reason}"


def _as_json(suspect: Suspect) -> dict[str, Any]:
    return {
        "row": suspect.row,
        "score": suspect.score,
        "reason": suspect.reason,
        "label": suspect.label,
        "suggestion": suspect.suggestion,
        "neighbours": list(suspect.neighbours),
    }
