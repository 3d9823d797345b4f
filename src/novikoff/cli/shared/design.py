"""Designs of formulas on files."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from novikoff.cli.shared.data_options import DataOptions
from novikoff.data.formula.design import Design, make_design
from novikoff.data.formula.syntax import require_column
from novikoff.data.formula.table_file import read_table
from novikoff.errors import ParameterError
from novikoff.verdict.signed import ROLES

USED = ("--delimiter", "--columns", "--drop", "--no-cache")  # options of reading


def design_of(
    data: Sequence[str], formula: str, roles: Mapping[str, str], reading: DataOptions
) -> Design:
    """The design of a formula on one table in a file."""
    if len(data) != 1:
        raise ParameterError("--formula is for one table, in one file")
    unused = [each for each in reading.used_options() if each not in USED]
    if unused:
        raise ParameterError(f"{unused[0]} is not for --formula, which names what it reads")
    frame, lines = read_table(data[0], reading.delimiter)
    gone = _named("--drop", reading.drop, frame.columns)
    if reading.columns is not None:
        chosen = _named("--columns", reading.columns, frame.columns)
        gone += [each for each in frame.columns if each not in chosen]
    return make_design(formula, frame, roles, data[0], lines=lines, set_aside=gone)


def _named(option: str, words: str | None, columns: Sequence[str]) -> list[str]:
    """The columns that an option names."""
    names = [] if words is None else [each.strip() for each in words.split(",")]
    for name in names:
        require_column(name, columns, f"{option}: ")
    return names


def design_line(data: Sequence[str], reading: Mapping[str, Any], spelled: str) -> str:
    """How to write the design of a formula, for a checker that cannot make it.

    reading: what the certificate says of it. spelled: options of reading besides.
    """
    roles = {name: reading[name] for name in ROLES if name in reading}
    options = {"formula": reading["formula"], **roles}
    words = [word for name, each in options.items() for word in (f"--{name}", each)]
    command = shlex.join(["novikoff", "design", *data, *words, "--output", "design.csv"])
    return f"For checker.py, which knows no formulas: {command}{spelled}"
