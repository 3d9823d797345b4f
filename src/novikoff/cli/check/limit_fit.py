"""`check --limit-fit`: what can be estimated and tested where a fit has no maximum."""

from typing import Any

from novikoff.cli.check.result import CheckQuestion, CheckResult
from novikoff.verdict.contrasts import ContrastColumns
from novikoff.verdict.limit_fit import limit_fit
from novikoff.verdict.limit_fit.text import limit_fit_json, limit_fit_text
from novikoff.verdict.result import UNDECIDED


def add_limit_fit(
    found: CheckResult, question: CheckQuestion, text: str, answer: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Add the limit of the fit to the text and to the JSON of a verdict."""
    verdict = found.verdict
    if verdict.outcome == UNDECIDED:
        return text, answer | {"limit_fit": None}
    assert verdict.analysis is not None
    columns = ContrastColumns(verdict.analysis.names)
    asked = {words: columns.parse(words) for words in question.contrasts}
    fit = limit_fit(verdict)
    shown = "\n".join([text, limit_fit_text(fit, asked)])
    return shown, answer | {"limit_fit": limit_fit_json(fit, asked)}
