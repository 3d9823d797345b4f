"""Text, numbers and names as all commands write them."""

import json
import math
import sys

from novikoff.verdict.account.text_layout import (
    Fact,
    beside,
    large_count,
    line_width,
    shorten,
    wrap,
)

__all__ = [
    "UNLABELLED",
    "Fact",
    "beside",
    "finite",
    "json_text",
    "large_count",
    "line_width",
    "shorten",
    "wrap",
]

UNLABELLED = ", each taken as positive: this rule looks at no label"


def json_text(answer: object) -> str:
    """An answer as JSON. Its counts and bounds can have more digits than Python writes unasked;
    the limit is there for input, and comes back at once.
    """
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(answer)
    finally:
        sys.set_int_max_str_digits(limit)


def finite(number: float | None) -> float | None:
    """The number as JSON can hold it, which knows no infinity."""
    return number if number is not None and math.isfinite(number) else None
