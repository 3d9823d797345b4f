"""Times to events: Cox's proportional hazards, with strata, ties (Breslow, Efron) and entry times.

*Why.* An event of row i at time t has the partial likelihood exp(x_i . b) / (the sum of
exp(x_j . b) over the rows j at risk: those with entry < t <= time). Along b + t d it never falls
if and only if (x_i - x_j) . d >= 0 for all j at risk. Of two events at the same time each is at
risk for the other, so that their difference is held; Efron's denominators lack a part of tied
events only, and change nothing.

*The chain.* Not every pair is needed. Let e be an event at time t, and f one at the next later
event time t' that is at risk at t. Whoever is at risk at t and still there at t' is at risk at t',
so that f >= him (writing i >= j for (x_i - x_j) . d >= 0), and e >= f because f is at risk at t. So
e need be compared with f and with those that leave before t' only: n comparisons or so in all. With
entry times, t' is not simply the next event time, because the event there may have entered later.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.errors import DataError
from novikoff.learning.rows import make_rows
from novikoff.verdict.cones.roles import refuse
from novikoff.verdict.cones.rows import difference_cone
from novikoff.verdict.scan import Indices, Mask, Vector
from novikoff.verdict.signed import Cone, Signed, Table, dot

ROLES = ("weights", "strata", "time", "entry")


class Risk(NamedTuple):
    """A time with events in a stratum: the event to compare with, and the comparisons."""

    event: int
    tied: Indices  # other events of that time
    leaving: Indices  # at risk, but not at the later event's time
    later: int  # the place of that time in the stratum's list; -1 if there is none


class Stratum(NamedTuple):
    """The rows of a stratum, in the order of their times, and its event times in order."""

    rows: Indices
    times: Vector
    risks: list[Risk]


def cone(table: Table) -> Cone:
    """Stratum by stratum as they first come, event time by event time: the tied events, which are
    held, then those leaving, then the later event; each in the order of the rows.
    """
    _refuse(table)
    strata = [_stratum(table, rows) for rows in _stratum_rows(table)]
    owners, others, held = [], [], []
    for stratum in strata:
        for risk in stratum.risks:
            later = [stratum.risks[risk.later].event] if risk.later >= 0 else []
            compared = np.concatenate([risk.tied, risk.leaving, np.array(later, np.int64)])
            others.append(compared)
            owners.append(np.full(len(compared), risk.event))
            held.append(np.arange(len(compared)) < len(risk.tied))
    owner, other, tied = np.concatenate(owners), np.concatenate(others), np.concatenate(held)
    if not len(owner):
        raise DataError("no event has another row at risk with it: there is nothing to compare")

    def tell(k: int) -> str:
        time = f"{table.roles['time'][owner[k]]:g}"
        rows = table.where(owner[k]), table.where(other[k])
        if tied[k]:
            return f"{rows[0]} and {rows[1]} (events at {time}, tied)"
        return f"{rows[0]} (event at {time}) against {rows[1]} (at risk)"

    def spread(strict: Mask, direction: list[int]) -> Mask:
        return _strict_rows(table, strata, strict, direction)

    return difference_cone(table, owner, other, tied, tell, spread)


def _refuse(table: Table) -> None:
    event, time, entry = table.outcome, table.roles["time"], table.roles.get("entry")
    refuse(
        table.given,
        event,
        (event != 0.0) & (event != 1.0),
        "event",
        "1, or 0 where it is censored",
    )
    if entry is not None and (bad := np.flatnonzero(entry >= time)).size:
        row = int(bad[0])
        raise DataError(
            f"{table.where(row)} enters at {entry[row]:g}, not before its time, {time[row]:g}: it"
            " is never at risk"
        )
    if not (event[table.kept] == 1.0).any():
        raise DataError("no row has an event: there is nothing to compare")


def _stratum_rows(table: Table) -> list[Indices]:
    """The rows of each stratum, in the order of their times."""
    strata = table.roles.get("strata", np.zeros(table.size))[table.kept]
    order = np.lexsort((table.roles["time"][table.kept], strata))
    ends = np.flatnonzero(np.diff(strata[order])) + 1
    return np.split(table.kept[order], ends)


def _stratum(table: Table, rows: Indices) -> Stratum:
    time, entry = table.roles["time"], _entries(table)
    events = rows[table.outcome[rows] == 1.0]
    times, starts = np.unique(time[events], return_index=True)
    groups = [np.sort(group) for group in np.split(events, starts[1:])] if len(events) else []
    firsts = [int(group[np.argmin(entry[group])]) for group in groups]
    risks = []
    for k, group in enumerate(groups):
        later = k + 1
        while later < len(groups) and entry[firsts[later]] >= times[k]:
            later += 1
        last = later < len(groups)
        bounds = np.searchsorted(time[rows], [times[k], times[later] if last else np.inf])
        near = rows[bounds[0] : bounds[1]]
        leaving = np.setdiff1d(near[entry[near] < times[k]], group)
        tied = group[group != firsts[k]]
        risks.append(Risk(firsts[k], tied, leaving, later if last else -1))
    return Stratum(rows, times, risks)


def _entries(table: Table) -> Vector:
    return table.roles.get("entry", np.full(table.size, -np.inf))


def _strict_rows(table: Table, strata: list[Stratum], strict: Mask, direction: list[int]) -> Mask:
    """The rows of strict pairs, of which the chain has only some.

    A row is in one if it is an event with a strict comparison from its own on along the chain, or
    if an event of a higher score x . d occurs while it is at risk.
    """
    found, at = np.zeros(table.size, np.bool_), 0
    time, entry = table.roles["time"], _entries(table)
    for rows, times, risks in strata:
        own = scores(table, rows, direction)
        rank = {score: place for place, score in enumerate(sorted(set(own)))}
        ranks = np.array([rank[score] for score in own])
        place = dict(zip(rows.tolist(), ranks.tolist(), strict=True))
        raised = []
        for risk in risks:
            size = len(risk.tied) + len(risk.leaving) + (risk.later >= 0)
            raised.append(bool(strict[at : at + size].any()))
            at += size
        for k in reversed(range(len(risks))):
            raised[k] |= risks[k].later >= 0 and raised[risks[k].later]
            found[[risks[k].event, *risks[k].tied]] |= raised[k]
        highest = np.array([place[risk.event] for risk in risks], np.int64)
        first = np.searchsorted(times, entry[rows], "right")
        last = np.searchsorted(times, time[rows], "right")
        found[rows] |= _maxima(highest, first, last) > ranks
    return found


def scores(table: Table, rows: Indices, direction: list[int]) -> list[Fraction]:
    """x . direction for these rows, exactly."""
    given, ones = table.given, np.ones(table.size, np.int8)
    exact = Signed(make_rows(given.matrix, False, False), ones, None, exact=given.exact)
    lines = exact.integers(rows.tolist())
    return [Fraction(dot(line, direction), line.denominator) for line in lines]


def _maxima(values: Indices, first: Indices, last: Indices) -> Indices:
    """The largest of values[first : last] for each pair of bounds; -1 where there are none.

    By the maxima of all runs of 1, 2, 4, ... values: two of them cover any other run.
    """
    levels = [np.append(values, -1)]
    while (step := 1 << (len(levels) - 1)) < len(values):
        before = levels[-1]
        levels.append(np.maximum(before, np.append(before[step:], np.full(step, -1))))
    found, sizes = np.full(len(first), -1), last - first
    for k, level in enumerate(levels):
        fits = (sizes >> k) == 1
        run = level[first[fits]], level[last[fits] - (1 << k)]
        found[fits] = np.maximum(*run)
    return found
