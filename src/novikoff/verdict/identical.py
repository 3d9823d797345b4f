"""Identical rows with opposite labels: the commonest conflict of real data, and soon found."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.signed import Places, SignedRows
from novikoff.verdict.result import Identical

Pairs = list[tuple[int, int]]
Fingerprints = npt.NDArray[np.uint64]


class Twins(NamedTuple):
    """All that is to be said of them, and two rows of opposite labels from each group."""

    summary: Identical | None
    pairs: Pairs


def twins(signed: SignedRows, fingerprints: Fingerprints) -> Twins:
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
    groups = [order[start:stop] for start, stop in zip(bounds[long], bounds[long + 1], strict=True)]
    groups = [group for group in groups if len(set(signed.signs[group].tolist())) > 1]
    rows, pairs = 0, []
    for each in _equal(signed, groups):
        signs = signed.signs[each]
        if signs.min() < signs.max():
            rows += len(each)
            first, second = each[signs == -1][0], each[signs == 1][0]
            pairs.append((int(min(first, second)), int(max(first, second))))
    if not pairs:
        return Twins(None, [])
    pairs.sort()
    return Twins(Identical(rows, len(pairs), pairs[0]), pairs)


def _equal(signed: SignedRows, groups: list[Places]) -> Iterator[Places]:
    """The groups cut into rows that are really equal: one part each, but for a freak."""
    places = np.sort(np.concatenate([np.empty(0, np.int64), *groups]))
    contents = dict(zip(places.tolist(), signed.contents(places), strict=True))
    for group in groups:
        parts: dict[object, list[int]] = {}
        for i in group.tolist():
            parts.setdefault(contents[i], []).append(i)
        yield from (np.array(part, np.int64) for part in parts.values())
