"""Designs of formulas on files."""

import shlex
from collections.abc import Mapping, Sequence

from novikoff.cli.shared.data_options import DataOptions
from novikoff.data.formula.design import Design, make_design, read_frame
from novikoff.errors import ParameterError


def design_of(
    data: Sequence[str], formula: str, roles: Mapping[str, str], reading: DataOptions
) -> Design:
    """The design of a formula on one table in a file."""
    if len(data) != 1:
        raise ParameterError("--formula is for one table, in one file")
    unused = [each for each in reading.used_options() if each not in ("--delimiter", "--no-cache")]
    if unused:
        raise ParameterError(f"{unused[0]} is not for --formula, which names what it reads")
    return make_design(formula, read_frame(data[0], reading.delimiter), roles, data[0])


def design_line(data: Sequence[str], formula: str, roles: Mapping[str, str]) -> str:
    """How to write the design of a formula, for a checker that cannot make it."""
    words = [*data, "--formula", formula]
    words += [word for name, column in roles.items() for word in (f"--{name}", column)]
    command = shlex.join(["novikoff", "design", *words, "--output", "design.csv"])
    return f"For checker.py, which knows no formulas: {command}"
