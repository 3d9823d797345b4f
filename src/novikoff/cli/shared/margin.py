"""What is known of a margin, as JSON."""

from novikoff.cli.shared.text import finite
from novikoff.verdict.account.margin_text import DIGITS, bracket, ratio
from novikoff.verdict.result import Margin

__all__ = ["DIGITS", "as_json", "bracket", "ratio"]


def as_json(margin: Margin) -> dict[str, float | str | None]:
    """The keys that scripts rely on."""
    return {
        "lower": margin.lower,
        "upper": finite(margin.upper),
        "squared": None if margin.squared is None else ratio(margin.squared),
    }
