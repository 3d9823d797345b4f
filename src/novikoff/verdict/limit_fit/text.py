"""A limit fit in words: estimates, intervals, tests, and a sentence for the methods section."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from novikoff.number_text import count
from novikoff.verdict.account.text import methods_sentence
from novikoff.verdict.account.text_layout import shorten, wrap

if TYPE_CHECKING:
    from novikoff.verdict.limit_fit.fit import Estimate, Interval, LimitFit, Weights

MOST_LINES = 12  # estimates that are listed; JSON has all
MOST_INTERVALS = 8  # of coefficients that diverge, worked out without being asked for
NAME = 34


def limit_fit_text(fit: "LimitFit", asked: "Mapping[str, Weights] | None" = None) -> str:
    """The whole account; asked: contrasts that are wanted besides, by what they are called."""
    verdict = fit.verdict
    left = count(fit.rows, "row")
    lines = [
        f"Limit fit: the log-likelihood's supremum is {fit.loglikelihood:.6g}, from {left} on the"
        f" boundary of {verdict.rows:,}.",
        f"  {'coefficient':{NAME}} {'estimate':>10} {'std. error':>10}",
    ]
    shown = fit.coefficients[:MOST_LINES]
    lines += [f"  {shorten(each.name, NAME):{NAME}} {_numbers(each)}" for each in shown]
    if len(fit.coefficients) > len(shown):
        lines.append(f"  and {len(fit.coefficients) - len(shown):,} more: --json lists them all")
    for name, weights in (asked or {}).items():
        lines.append(f"  {shorten(name, NAME):{NAME}} {_numbers(fit.contrast(weights, name))}")
    lines += [_interval_line(fit, *each) for each in _wanted(fit, asked)]
    return "\n".join([*lines, *wrap(f"For the methods section: {methods_sentence(verdict)}")])


def limit_fit_json(fit: "LimitFit", asked: "Mapping[str, Weights] | None" = None) -> dict[str, Any]:
    """The same for scripts; infinite numbers are the words "inf" and "-inf"."""
    tests, contrasts = [], [fit.contrast(each, name) for name, each in (asked or {}).items()]
    for name, weights in _wanted(fit, asked):
        interval, test = fit.interval(weights), fit.test(weights)
        ends = {"lower": _number(interval.lower), "upper": _number(interval.upper)}
        tests.append({"name": name, **ends, "level": interval.level, **test._asdict()})
    return {
        "loglikelihood": fit.loglikelihood,
        "rows": fit.rows,
        "coefficients": [
            each._asdict() | {"value": _number(each.value)}
            for each in [*fit.coefficients, *contrasts]
        ],
        "tests": tests,
        "methods": methods_sentence(fit.verdict),
    }


def _wanted(fit: "LimitFit", asked: "Mapping[str, Weights] | None") -> "list[tuple[str, Weights]]":
    """What to give an interval and a test of: the coefficients that diverge, and what is asked."""
    thresholds = 0
    if fit.verdict.family == "cumulative":
        thresholds = len(fit.coefficients) - fit.verdict.features
    names = [each.name for each in fit.coefficients[thresholds:] if each.status == "diverges"]
    others: list[tuple[str, Weights]] = [*(asked or {}).items()]
    return [*zip(names[:MOST_INTERVALS], names[:MOST_INTERVALS], strict=True), *others]


def _numbers(each: "Estimate") -> str:
    if each.value is None:
        return f"{'±∞' if each.status == 'diverges' else each.status:>10}"
    if math.isinf(each.value):
        return f"{'+∞' if each.value > 0 else '-∞':>10}"
    return f"{each.value:>10.4g} {each.standard_error:>10.4g}"


def _interval_line(fit: "LimitFit", name: str, weights: "Weights") -> str:
    test, what = fit.test(weights), _interval(shorten(name, NAME), fit.interval(weights))
    p = "p < 0.0001" if test.p_value < 1e-4 else f"p = {test.p_value:.4f}"
    return f"  {what}; likelihood ratio {test.statistic:.4g} on {test.df} df, {p}"


def _interval(name: str, found: "Interval") -> str:
    """An interval in words.

    >>> from novikoff.verdict.limit_fit.fit import Interval
    >>> _interval("NV", Interval(0.61234, math.inf, 0.95))
    'NV > 0.6123 (95 %)'
    """
    level = f"({found.level:.0%})".replace("%", " %")
    ends = [math.isfinite(found.lower), math.isfinite(found.upper)]
    if all(ends):
        return f"{name} from {found.lower:.4g} to {found.upper:.4g} {level}"
    if not any(ends):
        return f"{name}: anything is possible {level}"
    end = f"> {found.lower:.4g}" if ends[0] else f"< {found.upper:.4g}"
    return f"{name} {end} {level}"


def _number(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else str(value)
