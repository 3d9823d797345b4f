"""Identical rows with opposite labels: the commonest conflict of real data, found by sorting."""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.verdict.signed import Indices, SignedRows

Pairs = list[tuple[int, int]]
Fingerprints = npt.NDArray[np.uint64]


class Identical(NamedTuple):
    """Rows that are the same but for their labels."""

    rows: int  # that have an identical row of the other label
    groups: int  # of identical rows
    first: tuple[int, int]  # two of them


class OppositeDuplicates(NamedTuple):
    """A summary of them, and two rows of opposite labels from each group."""

    summary: Identical | None
    pairs: Pairs


def find_opposite_duplicates(signed: SignedRows, fingerprints: Fingerprints) -> OppositeDuplicates:
    """Find the groups of identical rows that have both labels.

    Rows are sorted by fingerprint; those that share one are compared entry by entry.
    """
    if signed.family != "binary":
        return OppositeDuplicates(None, [])
    order = np.argsort(fingerprints, kind="stable")
    same = fingerprints[order][1:] == fingerprints[order][:-1]
    if not same.any():
        return OppositeDuplicates(None, [])
    bounds = np.flatnonzero(np.concatenate([[True], ~same, [True]]))
    long = np.flatnonzero(np.diff(bounds) > 1)
    groups = [order[start:stop] for start, stop in zip(bounds[long], bounds[long + 1], strict=True)]
    groups = [group for group in groups if len(set(signed.signs[group].tolist())) > 1]
    rows, pairs = 0, []
    for each in _equality_classes(signed, groups):
        signs = signed.signs[each]
        if signs.min() < signs.max():
            rows += len(each)
            first, second = each[signs == -1][0], each[signs == 1][0]
            pairs.append((int(min(first, second)), int(max(first, second))))
    if not pairs:
        return OppositeDuplicates(None, [])
    pairs.sort()
    return OppositeDuplicates(Identical(rows, len(pairs), pairs[0]), pairs)


def _equality_classes(signed: SignedRows, groups: list[Indices]) -> Iterator[Indices]:
    """Split each group into classes of exactly equal rows; more than one class only if fingerprints
    collide.
    """
    rows = np.sort(np.concatenate([np.empty(0, np.int64), *groups]))
    keys = dict(zip(rows.tolist(), signed.row_keys(rows), strict=True))
    for group in groups:
        classes: dict[Hashable, list[int]] = {}
        for i in group.tolist():
            classes.setdefault(keys[i], []).append(i)
        yield from (np.array(each, np.int64) for each in classes.values())
