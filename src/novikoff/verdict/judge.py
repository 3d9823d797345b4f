"""From labelled rows to a verdict with its certificate.

The order: identical rows of opposite labels; a few epochs of the perceptron; the search, face by
face. Only then, if the rows are separable, the margin, for as long as it is worth it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.data import Source
from novikoff.data.formula.design import Design, make_design
from novikoff.data.text.csv.categories import reference_levels
from novikoff.data.user_types import DataFrame, Family, Label, RowsLike
from novikoff.errors import DataError, ParameterError
from novikoff.learning.learner import norm
from novikoff.verdict import certificate
from novikoff.verdict.account.text import describe, headline
from novikoff.verdict.certificate import Certificate, Combination
from novikoff.verdict.coefficients import CoefficientAnalysis
from novikoff.verdict.cones.models import cone_rows, model_rows, one_against_rest
from novikoff.verdict.cones.roles import load_with_roles, refuse_event, role_values
from novikoff.verdict.duplicates import Fingerprints, OppositeDuplicates, find_opposite_duplicates
from novikoff.verdict.exact import margins
from novikoff.verdict.exact.margins import Rational, Separation, Terms
from novikoff.verdict.program.program_split import suits_program
from novikoff.verdict.program.split import Split
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
from novikoff.verdict.scan import Vector
from novikoff.verdict.search.coordinate_descent import Descent
from novikoff.verdict.search.facial_reduction import FacialReduction
from novikoff.verdict.search.margin_bracket import Bracket, Refiner
from novikoff.verdict.search.points import WIDE
from novikoff.verdict.search.search import ALL_ROWS, NearestPoint, OutOfTimeError, Search
from novikoff.verdict.signed import Classes, Number, Signed, SignedRows
from novikoff.verdict.warm_start import perceptron_warm_start

NO_MARGIN = Margin(Fraction(0), Fraction(0))
AS_GOOD = 1.0 - 1e-6  # of a squared margin
LARGE_SUPPORT = 1000  # rows, of which multipliers are rounded
MULTIPLIER_BITS = 12
HEAVIEST = 200  # rows of a large support, where any bound on the margin will do
MOST_CANDIDATES = 2000  # rows with the most updates of the perceptron, to start the search with


def check(
    X: RowsLike | str,
    y: npt.ArrayLike | None = None,
    *,
    data: DataFrame | None = None,
    fit_intercept: bool = True,
    unit_length: bool = False,
    family: Family = "binary",
    weights: npt.ArrayLike | str | None = None,
    trials: npt.ArrayLike | str | None = None,
    exposure: npt.ArrayLike | str | None = None,
    strata: npt.ArrayLike | str | None = None,
    time: npt.ArrayLike | str | None = None,
    event: npt.ArrayLike | str | None = None,
    entry: npt.ArrayLike | str | None = None,
    levels: Sequence[Label] | None = None,
    precision: float | None = None,
    time_limit: float | None = None,
    positive: Label | None = None,
    reference: Mapping[str, str] | None = None,
    watch: Watch | None = None,
    reading: Mapping[str, object] | None = None,
) -> Verdict:
    """Decide exactly whether labelled rows are linearly separable, by how much, and who is in the
    way; with a certificate that `nk.verify` and `checker.py` check.

    X: rows: an array, a SciPy sparse matrix or a frame; or a source of `nk.open`. Fractions and
        Decimals are taken exactly. Or a formula such as "low ~ age + C(race)*smoke", for the
        columns of `data`.
    y: a label for each row; a source, or a formula, brings its own.
    data: the frame of a formula, of pandas or polars; rows with a missing value in a column that
        it uses are left out.
    fit_intercept: lift every row x to (x, 1).
    unit_length: scale every (lifted) row to length 1.
    family: the model whose unpenalised fit is in question; see `verdict.cones`, a file for each.
        "binary": two labels. With more, and no `positive`, the question is whether all classes are
            jointly separable, as for "multinomial"; `Verdict.one_against_rest` has each class.
        "binomial": y successes of `trials`, or shares. "log-binomial": the same, risks on a log
            scale. "poisson": y counts, with an `exposure` or without.
        "multinomial": classes; "cumulative": classes in an order.
        "conditional": two labels, case and control, within `strata`.
        "cox": `time`, and `event` (or y) 0 or 1; with `strata` and `entry` times or without.
    weights: for each row; one of weight 0 is left out, and others do not change the verdict.
        With a source, or a formula, this and the other roles may be names of its columns.
    trials: of each row of the binomial families, how many there were.
    exposure: of each row of counts; one of exposure 0 is left out.
    strata: the group of each row; rows are compared within groups only.
    time: when each row's event happened, or when it was last seen without one.
    event: 1 where it happened, 0 where it was not seen to.
    entry: since when each row has been at risk.
    levels: the classes in order, the first being the reference; otherwise they are sorted.
    precision: how narrow the margin's bracket must be, (upper - lower) / upper, before the work
        stops; 1 asks for the verdict alone and 0 for the exact margin. By default it is exact where
        that is feasible (a support of a few hundred rows), else 1e-3.
    time_limit: seconds after which to stop; without a verdict by then it is "undecided".
    positive: the label to tell from all others, where there are more than two.
    reference: of columns of words in a source, the levels with which others are compared; by
        default the first in sorted order.
    watch: called with a `Stage` now and then.
    reading: how the rows were read, for the certificate: options of `novikoff check` by name.

    >>> import novikoff as nk
    >>> verdict = nk.check([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> verdict.outcome, [row for row, _ in verdict.conflict]
    ('inseparable', [0, 1, 2, 3])
    """
    refuse_limits(precision, time_limit)
    origin = None
    roles: dict[str, Any] = {
        "weights": weights,
        "trials": trials,
        "exposure": exposure,
        "strata": strata,
        "time": time,
        "event": event,
        "entry": entry,
    }
    refuse_event(family, event)
    if isinstance(X, str):
        design = _design(X, y, data, roles)
        X, levels = design.rows, design.levels if levels is None else levels
        fit_intercept, reading = fit_intercept and design.intercept, reading or design.reading
    if isinstance(X, Source):
        X = origin = load_with_roles(X, roles)
        roles = role_values(origin, roles)
    signed = model_rows(
        X,
        y,
        family=family,
        roles=roles,
        fit_intercept=fit_intercept,
        unit_length=unit_length,
        positive=positive,
        levels=levels,
        reading=reading,
    )
    if origin is not None:
        left_out = reference_levels(origin.levels, reference)
        signed.references = _parameters(signed, [(origin.feature_names or [])[j] for j in left_out])
        signed.factors = origin.factors
    elif reference:
        raise ParameterError("reference levels are for sources with columns of words")
    return replace(Judge(signed, precision, time_limit, watch).run(), origin=origin)


def _design(formula: str, y: Any, data: Any, roles: Mapping[str, Any]) -> Design:
    """The design of a formula that `check` is called with."""
    if data is None or y is not None:
        raise ParameterError(
            f"{formula!r:.80} is a formula: pass a frame as data=, and no y. A file is opened with"
            " nk.open"
        )
    return make_design(formula, data, roles)


def _parameters(signed: SignedRows, features: Sequence[str]) -> list[int]:
    """The coefficients of these features; there are several of each where there are classes."""
    ends = {*features}, tuple(f": {name}" for name in features)
    names = signed.feature_names or []
    return [j for j, name in enumerate(names) if name in ends[0] or name.endswith(ends[1])]


def cone(
    Z: RowsLike,
    held: RowsLike | None = None,
    names: Sequence[str] | None = None,
    *,
    time_limit: float | None = None,
) -> Verdict:
    """Judge the cone {d : Z d >= 0, held d = 0}, exactly: which rows of Z can be above 0 in it.

    "separable": all at once, for some d. "quasi-separable": only some can, those that `strict`
    names. "inseparable": none can. This is what every family of `check` comes down to.

    Z: rows whose product with d must not be negative.
    held: rows whose product with d must be 0; they are numbered after those of Z.
    names: of the columns, which `coefficients` speaks of.
    time_limit: as for `check`.

    >>> import novikoff as nk
    >>> nk.cone([[1, 0], [-1, 1]], held=[[0, 1]]).outcome
    'inseparable'
    """
    refuse_limits(None, time_limit)
    return Judge(cone_rows(Z, held, names), None, time_limit).run()


def refuse_limits(precision: Any, time_limit: Any) -> None:
    """Refuse a precision outside 0..1, and a negative time limit."""
    _refuse_outside("precision", precision, 0.0, 1.0)
    _refuse_outside("time_limit", time_limit, 0.0, math.inf)


def _refuse_outside(name: str, value: Any, low: float, high: float) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        limits = f"from {low:g} to {high:g}" if high < math.inf else "not below 0"
        raise ParameterError(f"{name} must be a number {limits}, not {value!r}")


class Judge:
    """The computation of one verdict."""

    def __init__(
        self,
        signed: SignedRows,
        precision: float | None = None,
        time_limit: float | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.time_limit = time_limit
        deadline = None if time_limit is None else monotonic() + time_limit
        if precision is None and signed.cone is not None and signed.family != "binary":
            precision = 1.0  # the margin of a model's comparisons is nobody's question
        self.signed, self.precision, self.watch = signed, precision, watch
        self.search = Search(signed, deadline, self._report)
        self.bracket = Bracket()
        self.separator: Rational | None = None  # exactly
        self.outcome: str | None = None
        self.scales = signed.inverse_lengths if signed.unit_length else None
        self.fingerprints = np.concatenate([*signed.fingerprints_in_parts()])

    @cached_property
    def _refiner(self) -> Refiner:
        descent = Descent(self.signed, ALL_ROWS)
        return Refiner(self.search, self.bracket, self.precision, self.scales, descent)

    def _report(self, doing: str) -> None:
        if self.watch is not None:
            lower, upper = self.bracket.lower, self.bracket.upper
            self.watch(Stage(doing, self.outcome, lower, upper, self.search.scans))

    def run(self) -> Verdict:
        """Reach the verdict."""
        duplicates = OppositeDuplicates(None, [])
        try:
            duplicates = find_opposite_duplicates(self.signed, self.fingerprints)
            if not duplicates.pairs and self._try_perceptron():
                return self._separable(None)
            reduction = FacialReduction(self.search)
            split = None
            if suits_program(self.signed):
                split = self.search.split_by_program(duplicates.pairs)
            split = split or reduction.split(duplicates.pairs)
        except OutOfTimeError:
            return self._undecided(duplicates)
        if split.separator is not None and not split.on_boundary.any():
            self.separator = split.separator
            self.bracket.update_lower(split.separator, 0.0)
            return self._separable(reduction.nearest)
        return self._not_separable(split, duplicates)

    def _try_perceptron(self) -> bool:
        """Whether the perceptron finds a separator; it bounds the margin in any case."""
        if self.signed.family != "binary":
            return False
        self.search.tick("a few epochs of the perceptron")
        start = perceptron_warm_start(self.signed)
        if start is None:
            return False
        size, updates = norm(start.weights), int(start.counts.sum())
        rows = np.flatnonzero(start.counts)
        by_counts = rows[np.argsort(-start.counts[rows], kind="stable")]
        self.search.candidates = np.sort(by_counts[:MOST_CANDIDATES])
        if size > 0.0:
            multipliers = start.counts[rows].astype(np.float64)
            if self.scales is not None:
                multipliers *= self.scales[rows]
            self.bracket.update_upper(rows, multipliers, size / updates)
        if not start.converged or not self.search.separates(start.weights, ALL_ROWS):
            return self.signed.dim > WIDE and self._refiner.separate()
        low = self.search.lowest(start.weights, ALL_ROWS, self.scales)
        self.bracket.update_lower(start.weights, low.score / size)
        lowest = low.rows[low.rows >= 0]
        self.search.candidates = np.unique(np.append(self.search.candidates, lowest))
        return True

    def _separable(self, best: NearestPoint | None) -> Verdict:
        if self.signed.family == "poisson":  # all counts are 0, and there is no intercept
            raise DataError(
                "every count is 0, and some hyperplane has all rows strictly on one side: along it"
                " the likelihood grows for ever, and there is nothing else to decide"
            )
        self.outcome = SEPARABLE
        self._report("the margin")
        try:
            if best is None or self.signed.unit_length:
                best = self._refiner.refine()
        except OutOfTimeError:
            best = None
        if best is not None and best.weights is not None:
            weights: list[Number] = [*best.weights.numerators]  # its length does not matter
            terms = sorted(zip(best.rows, best.multipliers, strict=True))
            support: Terms = integer_multipliers(terms)
            radius = margins.radius_squared(self.signed)
            found = Separation(best.square, best.square, radius, radius // best.square)
        else:
            weights, support, found = self._best_so_far()
        witness = {"weights": weights, "support": support}
        proof = certificate.make(
            self.signed, SEPARABLE, witness, found.figures(), self._float_fingerprints()
        )
        no_row = np.zeros(self.signed.count, np.bool_)
        separator = margins.rational(weights) if best is None else best.weights
        split = Split(no_row, separator, [], {}, [], None)
        margin = Margin(found.lower, found.upper)
        return self._verdict(SEPARABLE, split, margin, OppositeDuplicates(None, []), proof, found)

    def _best_so_far(self) -> tuple[list[Number], Terms, Separation]:
        """The best separator and multipliers so far, and the figures that they prove.

        With very many columns the weights are first tried as integers of a few bits, which are
        faster to write, read and check.
        """
        support = self._best_support()
        weights = self.bracket.weights
        if weights is None:
            raise AssertionError("separable without a separator")
        if isinstance(weights, Rational):
            return self._proven([*weights.numerators], support)
        if self.signed.dim > WIDE:
            short = margins.round_to_bits(weights).tolist()
            found = margins.separation(self.signed, short, support)
            if found is not None and float(found.lower) > AS_GOOD * self.bracket.lower**2:
                return short, support, found
        return self._proven(weights.tolist(), support)

    def _proven(
        self, weights: list[Number], support: Terms
    ) -> tuple[list[Number], Terms, Separation]:
        found = margins.separation(self.signed, weights, support)
        if found is None and self.separator is not None:  # the bracket's was a rounding error
            weights = [*self.separator.numerators]
            found = margins.separation(self.signed, weights, support)
        if found is None:
            raise AssertionError("a separator that does not separate")
        return weights, support, found

    def _best_support(self) -> Terms:
        """The best multipliers so far; any single row would do."""
        if self.bracket.support is None:
            return [(self.signed.scan.extremes[2], Fraction(1))]
        rows, multipliers = self.bracket.support
        large = len(rows) > LARGE_SUPPORT
        if self.precision == 1.0 and large:  # then any bound will do
            heavy = np.sort(np.argsort(-np.asarray(multipliers), kind="stable")[:HEAVIEST])
            rows, multipliers = rows[heavy], np.asarray(multipliers)[heavy]
        numbers: list[Number]
        if large:
            numbers = margins.round_to_bits(np.asarray(multipliers), MULTIPLIER_BITS).tolist()
        else:
            numbers = [Fraction(multiplier) for multiplier in multipliers]
        pairs = zip(rows.tolist(), numbers, strict=True)
        return sorted((row, multiplier) for row, multiplier in pairs if multiplier > 0)

    def _not_separable(self, split: Split, duplicates: OppositeDuplicates) -> Verdict:
        outcome = INSEPARABLE if split.separator is None else QUASI
        self.outcome = outcome
        conflict = integer_multipliers(split.conflict)
        witness: dict[str, Any] = {"conflict": conflict}
        numbers = {"strict": int((~split.on_boundary).sum())}
        if split.separator is not None:
            witness["weights"] = split.separator.numerators
        if split.lists_all:
            witness["boundary"] = sorted(split.spanning.items())
        else:
            spanning = integer_multipliers(sorted(split.spanning.items()))
            witness["spanning"] = None if spanning == conflict else spanning
            witness["complement"] = None
            if split.complement is not None:
                witness["complement"] = [vector.numerators for vector in split.complement]
            numbers["rank"] = len(split.basis)
        version = 2 if split.lists_all else 1  # of a certificate about labels or counts alone
        prints = self._float_fingerprints()
        proof = certificate.make(self.signed, outcome, witness, numbers, prints, version)
        return self._verdict(outcome, split, NO_MARGIN, duplicates, proof)

    def _undecided(self, duplicates: OppositeDuplicates) -> Verdict:
        """The verdict after the time limit: nothing but a bound on the margin."""
        last = self.search.last_suggestion
        if last is not None:
            self.bracket.support = self.bracket.support or (last.rows, last.multipliers)
        upper = margins.squared_margin_bound(self.signed, self._best_support())
        return self._verdict(UNDECIDED, None, Margin(Fraction(0), upper), duplicates, None)

    def _verdict(
        self,
        outcome: str,
        split: Split | None,
        margin: Margin,
        duplicates: OppositeDuplicates,
        proof: Certificate | None,
        separation: Separation | None = None,
    ) -> Verdict:
        signed, weights, intercept, analysis = self.signed, None, None, None
        if split is not None:
            analysis = CoefficientAnalysis(signed, split, self.search.candidates)
            if split.separator is not None:
                weights = as_doubles(split.separator)
                intercept = float(weights[signed.features]) if signed.bias else 0.0
        if separation is None:
            radius_squared, mistake_bound = margins.radius_squared(signed), None
        else:
            radius_squared, mistake_bound = separation.radius_squared, separation.mistake_bound
        cone, strict = signed.cone, None if split is None else ~split.on_boundary
        conflict = [] if split is None else split.conflict
        identical = duplicates.summary
        if cone is not None and split is not None:
            strict = cone.strict_rows(~split.on_boundary, _direction(split))
            conflict = [(int(cone.owners[k]), multiplier) for k, multiplier in conflict]
            mistake_bound = mistake_bound if signed.family == "binary" else None
        if cone is not None and identical is not None:
            first, second = (int(cone.owners[k]) for k in identical.first)
            identical = identical._replace(first=(first, second))
        return Verdict(
            outcome=outcome,
            rows=signed.count if cone is None else cone.table.size,
            features=signed.features if cone is None else cone.table.features,
            margin=margin,
            radius_squared=radius_squared,
            mistake_bound=mistake_bound,
            weights=None if weights is None else weights[: signed.features],
            intercept=intercept,
            conflict=conflict,
            strict=strict,
            identical=identical,
            certificate=proof,
            signed=signed,
            scans=self.search.scans,
            analysis=analysis,
            account=describe,
            headline=headline,
            judge=self._one_against_rest if signed.family == "multinomial" else None,
        )

    def _one_against_rest(self) -> dict[object, Verdict]:
        """The verdicts about each class against all others, in one time limit."""
        assert self.signed.cone is not None
        table, found, left = self.signed.cone.table, {}, self.time_limit
        assert isinstance(table.labels, Classes)
        for name in table.labels.names:
            began, signed = monotonic(), Signed.from_cone(one_against_rest(table, name))
            found[name] = Judge(signed, self.precision, left).run()
            left = None if left is None else max(0.0, left - (monotonic() - began))
        return found

    def _float_fingerprints(self) -> Fingerprints | None:
        """The fingerprints of doubles; None for exact numbers, which have others."""
        return None if self.signed.rational else self.fingerprints


def _direction(split: Split) -> list[int] | None:
    return None if split.separator is None else split.separator.numerators


def as_doubles(weights: Rational) -> Vector:
    """The weights rounded to doubles, scaled down where doubles would overflow."""
    top = max(map(abs, weights.numerators))
    down = 1 << max(0, top.bit_length() - weights.denominator.bit_length() - 1000)
    bottom = weights.denominator * down
    return np.array([numerator / bottom for numerator in weights.numerators])


def integer_multipliers(terms: Combination) -> Combination:
    """Multipliers as integers without a common factor, which are faster to write and read."""
    if not terms:
        return terms
    factors = margins.rational(multiplier for _, multiplier in terms)
    common = math.gcd(*factors.numerators) or 1
    wholes = [Fraction(top // common) for top in factors.numerators]
    return [(row, whole) for (row, _), whole in zip(terms, wholes, strict=True)]
