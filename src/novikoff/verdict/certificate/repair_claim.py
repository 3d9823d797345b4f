"""The claim of a repair: how much every set of rows costs whose removal leaves the rest separable.

Equal rows of the same label are one class: whoever keeps one of them may keep them all, so a set
that leaves the rest separable contains some class of every conflict whole. A packing gives shares
to conflicts, at most the class's cost to those that meet in one class; so the classes that are
removed whole cost at least the sum of all shares. A proof is a tree in preorder. A branch on a row
goes on with the row's class removed whole, which costs what it costs and takes the conflicts that
it meets out of the game; then with the class not removed whole, so that it limits no share. Each
leaf is a packing, and the least of all leaves is the bound. It is rounded up to a multiple of
1 / unit, as every cost is one.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from novikoff.errors import CertificateError
from novikoff.verdict.scan import Indices
from novikoff.verdict.signed import SignedRows

Packing = list[tuple[int, Fraction]]  # conflicts, by their places, and their shares
Node = int | Packing  # a branch on a row, or a leaf
Classes = list[frozenset[int]]  # of each conflict, by the first rows of the classes


def row_classes(signed: SignedRows) -> Indices:
    """For each row, the first one that is equal to it and has the same label."""
    first = np.arange(signed.count)
    prints = np.concatenate([*signed.fingerprints_in_parts()])
    _, inverse, counts = np.unique(prints, return_inverse=True, return_counts=True)
    shared = np.flatnonzero(counts[inverse] > 1)
    known: dict[object, int] = {}
    for i, key in zip(shared.tolist(), signed.row_keys(shared), strict=True):
        first[i] = known.setdefault((key, int(signed.signs[i])), i)
    return first


class ClassCosts(NamedTuple):
    """What it costs to remove each class, by its first row; those with a trusted row are missing.

    unit: every cost is a whole multiple of 1 / unit.
    """

    costs: dict[int, Fraction]
    unit: int

    @classmethod
    def of(
        cls, first: Indices, costs: Sequence[Fraction] | None, trusted: Iterable[int]
    ) -> "ClassCosts":
        """The costs of classes, from those of rows; None: each row costs 1."""
        total: dict[int, Fraction] = {}
        for i, owner in enumerate(first.tolist()):
            total[owner] = total.get(owner, Fraction(0)) + (1 if costs is None else costs[i])
        for i in trusted:
            total.pop(int(first[i]), None)
        return cls(total, 1 if costs is None else math.lcm(*{each.denominator for each in costs}))

    def rounded_up(self, bound: Fraction) -> Fraction:
        """The bound, as a set of rows can cost it."""
        return Fraction(math.ceil(bound * self.unit), self.unit)

    def proven_lower(self, proof: Sequence[Node], conflicts: Classes) -> Fraction:
        """The bound that the proof shows; CertificateError if it is none."""
        open_nodes: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
        least: Fraction | None = None
        for node in proof:
            if not open_nodes:
                raise CertificateError("proof: it goes on after its last leaf")
            removed, kept = open_nodes.pop()
            if isinstance(node, int):
                if node in removed or node in kept:
                    raise CertificateError(f"proof: it branches on row {node} twice")
                open_nodes += [(removed, kept | {node}), (removed | {node}, kept)]
                continue
            bound = self._packed(node, conflicts, removed, kept)
            least = bound if least is None else min(least, bound)
        if least is None or open_nodes:
            raise CertificateError("proof: a leaf is missing")
        return self.rounded_up(least)

    def _packed(
        self, packing: Packing, conflicts: Classes, removed: frozenset[int], kept: frozenset[int]
    ) -> Fraction:
        """What a leaf shows: the cost of what is removed, and the packing."""
        loads: dict[int, Fraction] = {}
        for k, share in packing:
            if not k < len(conflicts) or share <= 0 or conflicts[k] & removed:
                raise CertificateError("proof: a packing has a conflict or a share that is none")
            for owner in conflicts[k] - kept:
                loads[owner] = loads.get(owner, Fraction(0)) + share
        for owner, load in loads.items():
            if owner in self.costs and load > self.costs[owner]:
                raise CertificateError(f"proof: a packing loads row {owner} beyond its cost")
        spent = sum((self.costs.get(owner, Fraction(0)) for owner in removed), Fraction(0))
        return spent + sum((share for _, share in packing), Fraction(0))
