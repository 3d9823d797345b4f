"""`check --separated-to`: the separated rows as a file."""

import csv
from pathlib import Path

import numpy as np

from novikoff.cli.check.result import CheckResult
from novikoff.files import atomic_open
from novikoff.number_text import count


def write_separated(found: CheckResult, path: Path) -> str:
    """Write a line for each separated row: its number, place and label, and what separates it."""
    strict = found.verdict.strict
    rows = [] if strict is None else np.flatnonzero(strict).tolist()
    reasons: dict[int, str] = {}
    for each in [] if found.coefficients is None else found.verdict.explanations:
        reasons = dict.fromkeys(each.rows, each.text) | reasons
    with atomic_open(path, text=True) as file:
        lines = csv.writer(file)
        lines.writerow(["row", "place", "label", "because"])
        for row in rows:
            where, label = found.source.where(row), found.source.label(row)
            lines.writerow([row, where, label, reasons.get(row, "")])
    return f"Separated: {count(len(rows), 'row')}, in {path}"
