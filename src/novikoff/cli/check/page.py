"""The page of `check`: what a verdict shows to people who would rather look."""

from novikoff import report
from novikoff.cli.check.result import CheckResult
from novikoff.cli.shared.loaded_source import LoadedSource
from novikoff.cli.shared.report_options import question, sizes
from novikoff.cli.shared.text import Fact
from novikoff.number_text import count
from novikoff.verdict.account.text import against, figures, headline, meaning
from novikoff.verdict.result import QUASI
from novikoff.verdict.signed import SignedRows
from novikoff.verdict.suspects import Suspect


def check_page(
    found: CheckResult, account: str, suspects: list[Suspect], model: bool
) -> report.Page:
    """Make the page of `check`; account: its text. suspects: those that were asked for. model:
    whether it is a model's fit that is asked about.
    """
    verdict = found.verdict
    rows = found.source
    assert isinstance(rows, LoadedSource)  # rows on a cluster are not drawn
    known = [*sizes(verdict.rows, verdict.features), *_question(verdict.signed)]
    facts = [*figures(verdict), *meaning(verdict)]
    if verdict.conflict:
        size = count(len(verdict.conflict), "row")
        facts.append(("conflict", f"{size}, enough to rule it out"))
    return report.check_page(
        verdict,
        question(rows.name, known),
        report.ReportAnswer(headline(verdict), facts, account),
        labels=rows.labels,
        rank=found.rank,
        coefficients=found.coefficients,
        suspects=suspects,
        model=model or verdict.family == "poisson" or verdict.outcome == QUASI,
    )


def _question(signed: SignedRows) -> list[Fact]:
    about = "counts (Poisson)" if signed.labels is None else against(signed.labels)
    facts = [("labels", about), ("intercept", "yes" if signed.bias else "no")]
    if signed.unit_length:
        facts.append(("scaled", "rows to length 1"))
    if signed.rational:
        facts.append(("numbers", "exact decimals"))
    return facts
