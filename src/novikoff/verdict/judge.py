"""From labelled rows to a verdict with its certificate.

The order: identical rows of opposite labels; a few epochs of the perceptron; the search, face by
face. Only then, if the rows are separable, the margin, for as long as it is worth it.
"""

import math
import time
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from novikoff import certificate, figures
from novikoff.certificate import Certificate
from novikoff.errors import ParameterError
from novikoff.figures import Rational, Separation
from novikoff.signed import Signed, SignedRows
from novikoff.verdict.descent import Descent
from novikoff.verdict.faces import Faces, Split
from novikoff.verdict.fate import Fate
from novikoff.verdict.first import attempt
from novikoff.verdict.identical import Twins, twins
from novikoff.verdict.margin import Bracket, Refiner
from novikoff.verdict.points import WIDE, in_short
from novikoff.verdict.result import (
    INSEPARABLE,
    QUASI,
    SEPARABLE,
    UNDECIDED,
    Margin,
    Stage,
    Verdict,
    Watch,
)
from novikoff.verdict.search import WHOLE, Nearest, OutOfTimeError, Search

Combination = list[tuple[int, Fraction]]
NOTHING = Margin(Fraction(0), Fraction(0))
SAME = 1.0 - 1e-6
MULTIPLIER_BITS, MANY, SOME = 12, 1000, 200
WORTH = 2000  # rows that the perceptron moved along most, to begin the search with


def check(
    X: Any,
    y: Any = None,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    family: str = "binary",
    precision: float | None = None,
    time_limit: float | None = None,
    positive: Any = None,
    watch: Watch | None = None,
) -> Verdict:
    """Decide exactly whether labelled rows are linearly separable, by how much, and who is in the
    way; with a certificate that `nk.verify` and `checker.py` check.

    X, y: as for the estimators, or a source and no y. Fractions and Decimals are taken exactly.
    family: "binary" labels; or "poisson", where y are counts and the question is whether a Poisson
        fit with a log link exists.
    precision: how narrow the margin's bracket must be, (upper - lower) / upper, before the work
        stops; 1 asks for the verdict alone and 0 for the exact margin. By default it is exact where
        that is feasible (a support of a few hundred rows), else 1e-3.
    time_limit: seconds after which to stop; without a verdict by then it is "undecided".
    positive: the label to tell from all others, where there are more than two.
    watch: called with a `Stage` now and then.

    >>> verdict = check([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> verdict.outcome, [row for row, _ in verdict.conflict]
    ('inseparable', [0, 1, 2, 3])
    """
    refuse_limits(precision, time_limit)
    signed = Signed.of(
        X,
        y,
        fit_intercept=fit_intercept,
        unit_length=unit_length,
        family=family,
        positive=positive,
    )
    return Judge(signed, precision, time_limit, watch).verdict()


def refuse_limits(precision: Any, time_limit: Any) -> None:
    """Refuse what is no precision, and no time."""
    _refuse_outside("precision", precision, 0.0, 1.0)
    _refuse_outside("time_limit", time_limit, 0.0, math.inf)


def _refuse_outside(name: str, value: Any, low: float, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        limits = f"from {low:g} to {high:g}" if high < math.inf else "not below 0"
        raise ParameterError(f"{name} must be a number {limits}, not {value!r}")


class Judge:
    """One verdict in the making."""

    def __init__(
        self,
        signed: SignedRows,
        precision: float | None = None,
        time_limit: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        deadline = None if time_limit is None else time.monotonic() + time_limit
        self.signed, self.precision, self.watch = signed, precision, watch
        self.search = Search(signed, deadline, self._tell)
        self.bracket = Bracket()
        self.known: Rational | None = None  # a separator, exactly
        self.outcome: str | None = None
        self.scales = signed.to_unit if signed.unit_length else None
        self.fingerprints = np.concatenate([*signed.fingerprints_in_parts()])

    @cached_property
    def _refiner(self) -> Refiner:
        descent = Descent(self.signed, WHOLE)
        return Refiner(self.search, self.bracket, self.precision, self.scales, descent)

    def _tell(self, doing: str) -> None:
        if self.watch is not None:
            lower, upper = self.bracket.lower, self.bracket.upper
            self.watch(Stage(doing, self.outcome, lower, upper, self.search.scans))

    def verdict(self) -> Verdict:
        """Decide."""
        found = Twins(None, [])
        try:
            found = twins(self.signed, self.fingerprints)
            if not found.pairs and self._attempt():
                return self._separable(None)
            faces = Faces(self.search)
            split = faces.split(found.pairs)
        except OutOfTimeError:
            return self._undecided(found)
        if split.separator is not None and not split.within.any():
            self.known = split.separator
            self.bracket.from_below(split.separator, 0.0)
            return self._separable(faces.best)
        return self._not_separable(split, found)

    def _attempt(self) -> bool:
        """The perceptron's separator, if it finds one; its bound on the margin in any case."""
        if self.signed.family != "binary":
            return False
        self.search.tick("a few epochs of the perceptron")
        tried = attempt(self.signed)
        if tried is None:
            return False
        size, moves = float(np.linalg.norm(tried.weights)), int(tried.counts.sum())
        rows = np.flatnonzero(tried.counts)
        self.search.worth = np.sort(rows[np.argsort(-tried.counts[rows], kind="stable")][:WORTH])
        if size > 0.0:
            multipliers = tried.counts[rows].astype(np.float64)
            if self.scales is not None:
                multipliers *= self.scales[rows]
            self.bracket.from_above(rows, multipliers, size / moves)
        if not tried.converged or not self.search.separates(tried.weights, WHOLE):
            return self.signed.dim > WIDE and self._refiner.separate()
        low = self.search.lowest(tried.weights, WHOLE, self.scales)
        self.bracket.from_below(tried.weights, low.score / size)
        self.search.worth = np.unique(np.append(self.search.worth, low.rows[low.rows >= 0]))
        return True

    def _separable(self, best: Nearest | None) -> Verdict:
        self.outcome = SEPARABLE
        self._tell("the margin")
        try:
            if best is None or self.signed.unit_length:
                best = self._refiner.refine()
        except OutOfTimeError:
            best = None
        if best is not None and best.weights is not None:
            weights: list[Any] = best.weights.numerators  # a separator's length does not matter
            support = in_wholes(sorted(zip(best.rows, best.multipliers, strict=True)))
            radius = figures.radius_squared(self.signed)
            found = Separation(best.square, best.square, radius, radius // best.square)
        else:
            weights, support, found = self._best_so_far()
        witness = {"weights": weights, "support": support}
        proof = certificate.make(
            self.signed, SEPARABLE, witness, found.figures(), self._known_fingerprints()
        )
        nobody = np.zeros(self.signed.count, np.bool_)
        separator = figures.rational(weights) if best is None else best.weights
        split = Split(nobody, separator, [], {}, [], None)
        margin = Margin(found.lower, found.upper)
        return self._verdict(SEPARABLE, split, margin, Twins(None, []), proof, found)

    def _best_so_far(self) -> tuple[list[Any], Combination, Separation]:
        """The best separator and multipliers at hand, and what they prove.

        With very many columns the weights are first tried as integers of a few bits, which are
        sooner written, read and checked.
        """
        support = self._best_support()
        given = self.bracket.weights
        if given is None:
            raise AssertionError("separable without a separator")
        if isinstance(given, Rational):
            return self._proven(given.numerators, support)
        if self.signed.dim > WIDE:
            short = in_short(given).tolist()
            found = figures.separation(self.signed, short, support)
            if found is not None and float(found.lower) > SAME * self.bracket.lower**2:
                return short, support, found
        return self._proven(given.tolist(), support)

    def _proven(
        self, weights: list[Any], support: Combination
    ) -> tuple[list[Any], Combination, Separation]:
        found = figures.separation(self.signed, weights, support)
        if found is None and self.known is not None:  # the bracket's was a mistake of rounding
            weights = self.known.numerators
            found = figures.separation(self.signed, weights, support)
        if found is None:
            raise AssertionError("a separator that does not separate")
        return weights, support, found

    def _best_support(self) -> Combination:
        """The best multipliers at hand; any row by itself would do."""
        if self.bracket.support is None:
            return [(self.signed.scan.extremes[2], Fraction(1))]
        rows, multipliers = self.bracket.support
        many = len(rows) > MANY
        if self.precision == 1.0 and many:  # then any bound will do
            heavy = np.sort(np.argsort(-np.asarray(multipliers), kind="stable")[:SOME])
            rows, multipliers = rows[heavy], np.asarray(multipliers)[heavy]
        numbers: list[Any]
        if many:
            numbers = in_short(np.asarray(multipliers), MULTIPLIER_BITS).tolist()
        else:
            numbers = [Fraction(multiplier) for multiplier in multipliers]
        pairs = zip(rows.tolist(), numbers, strict=True)
        return sorted((row, multiplier) for row, multiplier in pairs if multiplier > 0)

    def _not_separable(self, split: Split, found: Twins) -> Verdict:
        outcome = INSEPARABLE if split.separator is None else QUASI
        self.outcome = outcome
        conflict, spanning = in_wholes(split.conflict), in_wholes(sorted(split.spanning.items()))
        witness: dict[str, Any] = {
            "conflict": conflict,
            "spanning": None if spanning == conflict else spanning,
            "complement": None
            if split.complement is None
            else [vector.numerators for vector in split.complement],
        }
        numbers: dict[str, Any] = {"rank": len(split.on_all)}
        if split.separator is not None:
            witness["weights"] = split.separator.numerators
            numbers["strict"] = int((~split.within).sum())
        proof = certificate.make(self.signed, outcome, witness, numbers, self._known_fingerprints())
        return self._verdict(outcome, split, NOTHING, found, proof)

    def _undecided(self, found: Twins) -> Verdict:
        """Nothing but a bound on the margin."""
        if self.search.last is not None:
            last = self.search.last
            self.bracket.support = self.bracket.support or (last.rows, last.multipliers)
        upper = figures.margin_above(self.signed, self._best_support())
        return self._verdict(UNDECIDED, None, Margin(Fraction(0), upper), found, None)

    def _verdict(
        self,
        outcome: str,
        split: Split | None,
        margin: Margin,
        found: Twins,
        proof: Certificate | None,
        separation: Separation | None = None,
    ) -> Verdict:
        weights = None
        if split is not None and split.separator is not None:
            weights = _as_doubles(split.separator)
        features = self.signed.features
        return Verdict(
            outcome=outcome,
            rows=self.signed.count,
            features=features,
            margin=margin,
            radius_squared=figures.radius_squared(self.signed)
            if separation is None
            else separation.radius_squared,
            mistake_bound=None if separation is None else separation.mistake_bound,
            weights=None if weights is None else weights[:features],
            intercept=None
            if weights is None
            else float(weights[features])
            if self.signed.bias
            else 0.0,
            conflict=[] if split is None else split.conflict,
            strict=None if split is None else ~split.within,
            identical=found.summary,
            certificate=proof,
            signed=self.signed,
            scans=self.search.scans,
            fate=None if split is None else Fate(self.signed, split, self.search.worth),
        )

    def _known_fingerprints(self) -> Any:
        """Of the doubles; exact numbers have others."""
        return None if self.signed.rational else self.fingerprints


def _as_doubles(weights: Rational) -> Any:
    """Weights for use, rounded; on a scale that doubles can hold."""
    top = max(map(abs, weights.numerators))
    down = 1 << max(0, top.bit_length() - weights.denominator.bit_length() - 1000)
    bottom = weights.denominator * down
    return np.array([numerator / bottom for numerator in weights.numerators])


def in_wholes(terms: Combination) -> Combination:
    """Multipliers as integers without a common factor, which are sooner written and read."""
    if not terms:
        return terms
    factors = figures.rational(multiplier for _, multiplier in terms)
    common = math.gcd(*factors.numerators) or 1
    wholes = [Fraction(top // common) for top in factors.numerators]
    return [(row, whole) for (row, _), whole in zip(terms, wholes, strict=True)]
