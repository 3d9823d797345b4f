"""`novikoff trace`: a run update by update, held against the theorem at every one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from novikoff.cli.shared import options, report_options
from novikoff.cli.shared.data_options import DataArgument, DataOptions, DecimalOption, reads_data
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text
from novikoff.cli.trace import html as trace_html
from novikoff.errors import ParameterError

EPOCHS = 1000
proof_option = options.panel("The proof")


@reads_data
def trace(
    data: DataArgument,
    rule: Annotated[
        str,
        options.rule_option(
            help="perceptron, one-sided, averaged, voted, margin, passive-aggressive or winnow."
        ),
    ] = "perceptron",
    eta: options.EtaOption = None,
    tie: options.TieOption = None,
    param: options.ParamOption = None,
    init: options.InitOption = "zeros",
    bias: options.LearnBiasOption = None,
    unit_length: options.UnitLengthOption = False,
    max_epochs: Annotated[int, typer.Option(min=1, help="The budget.")] = EPOCHS,
    order: options.OrderOption = options.Order.GIVEN,
    seed: options.SeedOption = 0,
    positive: options.PositiveOption = None,
    towards: Annotated[
        str | None,
        proof_option(
            metavar="NUMBERS",
            help="w*, with commas between, the intercept last; for Winnow the relevant variables.",
            show_default="the separator of largest margin",
        ),
    ] = None,
    exact: Annotated[
        bool | None,
        proof_option(
            "--exact/--rounded",
            help="Check over the rationals, or in floating point with an allowance for rounding.",
            show_default="exactly where that takes a second or two",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Write every update to this .csv or .parquet file.", dir_okay=False),
    ] = None,
    report: report_options.ReportOption = None,
    plot: report_options.PlotOption = None,
    html: trace_html.HtmlOption = None,
    quiet: options.QuietOption = False,
    json: options.JsonOption = False,
    decimal: DecimalOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Run a rule, and hold each update against the inequalities of its convergence proof.

    Every update is checked, even in long runs; one that broke an inequality would be an error
    that names it. Rows that no hyperplane separates have no w*; what remains of the theorem is
    checked.

    Example: novikoff trace example:iris-setosa --output setosa.csv
    """
    from novikoff.cli.shared.spec_options import spec_from_options
    from novikoff.cli.trace.run import run_trace
    from novikoff.cli.trace.text import as_json, format_trace, interrupted
    from novikoff.theory.trace.spec import require_traceable_rule

    require_traceable_rule(rule)
    source = reading.open(data, decimal=decimal)
    files = report_options.ReportFiles(report, plot)
    named = {"--output": output, **files.by_option, "--html": html}
    options.refuse_overwriting(source.paths, named)
    files.refuse(html)
    spec = spec_from_options(
        rule,
        {"eta": eta, "tie": tie},
        param or [],
        init,
        bias,
        unit_length,
        seed,
        max_epochs=max_epochs,
        order=order.value,
    )
    found, code, left_out = run_trace(
        spec,
        source,
        quiet or json,
        positive=positive,
        target=_numbers(rule, towards),
        exact=exact,
        output=output,
        html=html,
    )
    text = format_trace(found, source, output)
    if files.wanted:
        from novikoff.cli.trace.page import trace_page

        files.write(trace_page(found, source, text))
    answer = as_json(found, output) | files.as_json() | trace_html.as_json(html)
    lines = [text, *files.lines(), *trace_html.lines(html, left_out)]
    show(json_text(answer) if json else "\n".join(lines), plain=json)
    if interrupted(found):
        raise typer.Exit(code)


def _numbers(rule: str, words: str | None) -> Sequence[float | str] | None:
    """--towards as numbers; for Winnow as variables, by place or by name."""
    if words is None:
        return None
    if rule == "winnow":
        parts = [part.strip() for part in words.split(",")]
        return [int(part) if part.isdecimal() else part for part in parts]
    try:
        return [float(part) for part in words.split(",")]
    except ValueError:
        raise ParameterError(f"--towards {words}: expected numbers with commas between") from None
