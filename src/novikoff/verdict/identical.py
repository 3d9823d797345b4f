"""Identical rows with opposite labels: the commonest conflict of real data, and soon found."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.rows import CsrRows
from novikoff.signed import Signed
from novikoff.verdict.result import Identical

Pairs = list[tuple[int, int]]
Fingerprints = npt.NDArray[np.uint64]


class Twins(NamedTuple):
    """All that is to be said of them, and two rows of opposite labels from each group."""

    summary: Identical | None
    pairs: Pairs


def twins(signed: Signed, fingerprints: Fingerprints) -> Twins:
    """Groups of identical rows that have both labels.

    Rows are sorted by fingerprint; those that share one are compared entry by entry.
    """
    if signed.family != "binary":
        return Twins(None, [])
    order = np.argsort(fingerprints, kind="stable")
    same = fingerprints[order][1:] == fingerprints[order][:-1]
    if not same.any():
        return Twins(None, [])
    bounds = np.flatnonzero(np.concatenate([[True], ~same, [True]]))
    long = np.flatnonzero(np.diff(bounds) > 1)
    rows, pairs = 0, []
    for start, stop in zip(bounds[long], bounds[long + 1], strict=True):
        group = order[start:stop]
        if len(set(signed.signs[group].tolist())) < 2:
            continue
        for each in _equal(signed, group):
            signs = signed.signs[each]
            if signs.min() < signs.max():
                rows += len(each)
                first, second = each[signs == -1][0], each[signs == 1][0]
                pairs.append((int(min(first, second)), int(max(first, second))))
    if not pairs:
        return Twins(None, [])
    pairs.sort()
    return Twins(Identical(rows, len(pairs), pairs[0]), pairs)


def _equal(signed: Signed, group: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """The group cut into rows that are really equal: one part, but for a freak."""
    parts: dict[object, list[int]] = {}
    for i in group.tolist():
        parts.setdefault(_content(signed, i), []).append(i)
    return [np.array(part, np.int64) for part in parts.values()]


def _content(signed: Signed, i: int) -> object:
    """What two rows must share to be equal, whatever their signs."""
    if signed.exact is None and not isinstance(signed.rows, CsrRows):
        return (signed.rows.values[i] + 0.0).tobytes()  # -0.0 is 0.0
    row = signed.row(i)
    sign = int(signed.signs[i])
    return tuple(row.columns), tuple(sign * value for value in row.values), row.denominator
