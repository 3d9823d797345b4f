"""The fast checker: does this certificate prove its claim about these rows?

Every sentence of docs/certificate.md is checked, as `checker` does it in the standard library
alone. Here a rounding filter decides most rows, and exact arithmetic those that it cannot.
"""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data import Source
from novikoff.data.formula.design import make_design
from novikoff.data.formula.parse import has_formula_columns
from novikoff.data.matrices import as_labels
from novikoff.data.user_types import RowsLike
from novikoff.errors import CertificateError, NovikoffError
from novikoff.verdict import certificate as certificates
from novikoff.verdict.certificate import (
    INSEPARABLE,
    QUASI,
    REPAIR,
    SEPARABLE,
    TRAINING_RUN,
    Certificate,
    Combination,
)
from novikoff.verdict.certificate.digest import table_rows
from novikoff.verdict.certificate.parser import CertificateLike
from novikoff.verdict.certificate.repair_claim import ClassCosts, row_classes
from novikoff.verdict.certificate.replay import replay
from novikoff.verdict.cones.families import OutcomeValues, make_cone, make_table, outcome_of
from novikoff.verdict.cones.models import CONE, cone_input, plain_cone
from novikoff.verdict.cones.roles import load_with_roles, role_values
from novikoff.verdict.exact import dot_products, margins
from novikoff.verdict.exact import rank as ranks
from novikoff.verdict.exact.margins import rational
from novikoff.verdict.scan import Indices, Mask, Signs
from novikoff.verdict.signed import (
    ROLES,
    LabelPair,
    Signed,
    SignedRows,
    UserInput,
    dense_values,
    used_columns,
)


class Verification(NamedTuple):
    """Whether a certificate proves its claim.

    valid: whether it does.
    reason: the claim, or why it is not proven.
    """

    valid: bool
    reason: str


def verify(
    certificate: CertificateLike,
    X: RowsLike,
    y: npt.ArrayLike | None = None,
    *,
    weights: npt.ArrayLike | str | None = None,
    trials: npt.ArrayLike | str | None = None,
    exposure: npt.ArrayLike | str | None = None,
    strata: npt.ArrayLike | str | None = None,
    time: npt.ArrayLike | str | None = None,
    event: npt.ArrayLike | str | None = None,
    entry: npt.ArrayLike | str | None = None,
    held: RowsLike | None = None,
) -> Verification:
    """Check a certificate against rows and labels.

    It never raises because of the certificate; DataError says what is wrong with rows that cannot
    be used.

    certificate: a path, the text, a dict or a `Certificate`.
    X: the rows; or the Z of `cone`; or, if the certificate is about a formula, the table of which
        its design is made. A source brings its own labels.
    y, weights, trials, exposure, strata, time, event, entry: as for `check`.
    held: as for `cone`.

    >>> import novikoff as nk
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> nk.verify(nk.check(X, y).certificate, X, y)
    Verification(valid=True, reason='proven: separable, 4 rows')
    """
    roles: dict[str, Any] = {
        "weights": weights,
        "trials": trials,
        "exposure": exposure,
        "strata": strata,
        "time": time,
        "event": event,
        "entry": entry,
    }
    found, problem = _readable(certificate)
    if found is not None:
        X, roles = _apply_formula(found, X, roles)
    if isinstance(X, Source):
        X = load_with_roles(X, roles)
        roles = role_values(X, roles)
    event = roles.pop("event")
    family = "" if found is None else found.fields["family"]
    outcome = event if y is None else y
    given = cone_input(X, held) if family == CONE else UserInput.of(X, outcome)
    if found is None:  # only after the rows, which may be what is wrong
        return Verification(False, problem)
    if found.fields["version"] == 3:
        return _verify_table(found, given, roles)
    if any(each is not None for each in (*roles.values(), event, held)):
        return Verification(False, "roles: it is about rows and labels alone")
    return _verify_labelled(found, given.matrix.shape, lambda found: _sign_rows(found, given))


def _readable(certificate: CertificateLike) -> tuple[Certificate | None, str]:
    try:
        return certificates.read(certificate), ""
    except CertificateError as error:
        return None, str(error)


def _apply_formula(found: Certificate, X: Any, roles: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The design that a certificate is about, and its roles, if X is the table of its formula."""
    reading = found.reading or {}
    formula = reading.get("formula")
    if formula is None or not hasattr(X, "columns"):
        return X, roles
    if not has_formula_columns(formula, [str(each) for each in X.columns]):
        return X, roles
    named = {name: reading.get(name) for name in (*ROLES, "event")}
    return make_design(formula, X, named).rows, named


def _verify_table(found: Certificate, given: UserInput, roles: dict[str, Any]) -> Verification:
    """Check a certificate of version 3, whose cone is made anew from the table."""
    try:
        _require_shape(found, given.matrix.shape)
        signed = certified_cone(found, given, roles)
        _CLAIMS[found.claim](found, signed)
    except CertificateError as error:
        return Verification(False, str(error))
    return Verification(True, f"proven: {found.claim}, {found.fields['rows']:,} rows")


def verify_signed(
    certificate: CertificateLike,
    shape: tuple[int, int],
    make: Callable[[Certificate], SignedRows],
) -> Verification:
    """Check a certificate against rows of this shape, which `make` signs as it says."""
    found, problem = _readable(certificate)
    return Verification(False, problem) if found is None else _verify_labelled(found, shape, make)


def _verify_labelled(
    found: Certificate, shape: tuple[int, int], make: Callable[[Certificate], SignedRows]
) -> Verification:
    try:
        _require(found.fields["version"] < 3, "version: it is about a table, not labelled rows")
        _require_shape(found, shape)
        signed = make(found)
        rational = found.fields["numbers"] == "rational"
        _require(signed.as_rational(rational), "numbers: some entries are not binary64 numbers")
        signed.survey = found.claim != SEPARABLE  # one scan of the rows is enough, most often
        if certificates.digest(signed) != found.fields["digest"]:
            signed.scan.squares  # noqa: B018  (rows that are not finite are refused as such)
            raise CertificateError("digest: these are not the rows and labels that it is about")
        _CLAIMS[found.claim](found, signed)
    except CertificateError as error:
        return Verification(False, str(error))
    return Verification(True, f"proven: {found.claim}, {signed.count:,} rows")


def _require(holds: bool | np.bool_, reason: str) -> None:
    if not holds:
        raise CertificateError(reason)


# The rows


def _require_shape(certificate: Certificate, shape: tuple[int, int]) -> None:
    fields, (rows, features) = certificate.fields, shape
    _require(rows == fields["rows"], f"rows: it is about {fields['rows']:,}, these are {rows:,}")
    _require(
        features == fields["features"],
        f"features: it is about {fields['features']:,}, these rows have {features:,}",
    )


def certified_cone(found: Certificate, given: UserInput, roles: dict[str, Any]) -> Signed:
    """The rows of the cone that a certificate of version 3 is about, made from the table."""
    fields, given = found.fields, _as_kind(found, given)
    passed = [name for name in ROLES if roles.get(name) is not None]
    _require(passed == fields["roles"], f"roles: it is about {fields['roles']}, these are {passed}")
    lift, family = fields["lift"], fields["family"]
    try:
        if family == CONE:
            cone = plain_cone(given)
        else:
            table = make_table(
                family,
                given,
                roles,
                lambda given, kept: _outcome(found, given, kept),
                bias=lift["bias"],
                unit_length=lift["unit_length"],
            )
            cone = make_cone(table)
    except NovikoffError as error:
        if isinstance(error, CertificateError):
            raise
        raise CertificateError(f"family: these are no rows of {family}: {error}") from None
    made = {"bias": cone.table.bias, "unit_length": cone.table.unit_length}
    _require(lift == made and not (made["unit_length"] and family != "binary"), "lift: not so")
    if certificates.table_digest(cone.table) != fields["digest"]:
        table_rows(cone.table).scan.squares  # noqa: B018  (refuses what is not finite)
        raise CertificateError("digest: this is not the table that it is about")
    signed = Signed.from_cone(cone)
    size = {"rows": signed.count, "columns": signed.dim}
    _require(fields["cone"] == size, f"cone: it has {size['rows']:,} rows of {size['columns']:,}")
    return signed


def _as_kind(found: Certificate, given: UserInput) -> UserInput:
    """The rows as the certificate has their numbers."""
    values = given.matrix if isinstance(given.matrix, np.ndarray) else given.matrix.data
    if found.fields["numbers"] == "rational":
        return given if given.exact is not None else given._replace(exact=values.astype(object))
    doubles = given.exact is None or bool(np.asarray(given.exact == values).all())
    _require(doubles, "numbers: some entries are not binary64 numbers")
    return given._replace(exact=None)


def _outcome(found: Certificate, given: UserInput, kept: Indices) -> OutcomeValues:
    """The outcome as numbers, by the labels that the certificate names."""
    labels, names = as_labels(given.y), found.labels
    if names is None:
        return outcome_of(found.fields["family"])(given, kept)
    text = found.fields["labels"]["kind"] == "text"
    if isinstance(names, LabelPair):
        signs = _label_signs(labels[kept], found, 0)
        values = _equal_to(labels, names.positive, text).astype(np.float64)
        _require((signs < 0).any() and (signs > 0).any(), "labels: no row has one of them")
        return OutcomeValues(values, names)
    values = np.full(len(labels), -1.0)
    for code, name in enumerate(names.names):
        values[_equal_to(labels, name, text)] = code
    present = np.unique(values[kept]).tolist()
    _require(present == [*range(len(names.names))], "labels: other classes than those it names")
    return OutcomeValues(values, names)


def _sign_rows(certificate: Certificate, given: UserInput) -> Signed:
    """The rows with the signs that the certificate gives them."""
    fields, lift = certificate.fields, certificate.fields["lift"]
    signs = signs_of(as_labels(given.y), certificate)
    labels = certificate.labels if isinstance(certificate.labels, LabelPair) else None
    return Signed.from_signs(
        given, signs, labels, lift["bias"], fields["family"], lift["unit_length"]
    )


def signs_of(labels: npt.NDArray[Any], certificate: Certificate, before: int = 0) -> Signs:
    """The signs that the certificate gives labels; `before` rows come before them, for errors."""
    if certificate.fields["family"] == "binary":
        return _label_signs(labels, certificate, before)
    return _count_signs(labels, before)


def _count_signs(labels: npt.NDArray[Any], before: int) -> Signs:
    """+1 for counts above 0, -1 for 0."""
    if labels.dtype.kind in "biuf":
        bad = labels < 0
    else:
        labels = np.array([_comparable(label, text=False) for label in labels.tolist()], object)
        bad = np.array([label is None or label < 0 for label in labels])
    if bad.any():
        raise CertificateError(f"labels: row {before + int(np.argmax(bad))} has no count")
    return 2 * (labels > 0).astype(np.int8) - 1


def _label_signs(labels: npt.NDArray[Any], certificate: Certificate, before: int) -> Signs:
    pair = certificate.labels
    assert isinstance(pair, LabelPair)  # not counts
    text = certificate.fields["labels"]["kind"] == "text"
    positive = _equal_to(labels, pair.positive, text)
    if pair.negative is None:
        known = _of_kind(labels, text)
    else:
        known = positive | _equal_to(labels, pair.negative, text)
    if not known.all():
        bad = int(np.flatnonzero(~known)[0])
        raise CertificateError(
            f"labels: row {before + bad} has {str(labels[bad])!r:.60}, which is not one that it"
            " names"
        )
    return 2 * positive.view(np.int8) - 1  # np.where takes ten times as long


def _equal_to(labels: npt.NDArray[Any], value: object, text: bool) -> Mask:
    """Which labels are this text, or this number exactly."""
    if labels.dtype.kind in "biuf" and isinstance(value, Fraction):
        known = _as_dtype(value, labels.dtype)
        return np.zeros(len(labels), np.bool_) if known is None else np.asarray(labels == known)
    if labels.dtype.kind in "UT" and text:
        return np.asarray(labels == value)
    return np.array([_comparable(label, text) == value for label in labels.tolist()], np.bool_)


def _as_dtype(value: Fraction, dtype: np.dtype[Any]) -> np.generic | None:
    """The number as a scalar of the dtype; None if it has no such number."""
    try:
        if dtype.kind == "f":
            return np.float64(value) if Fraction(float(value)) == value else None
        whole = dtype.type(int(value))
        return whole if value.denominator == 1 and int(whole) == value else None
    except OverflowError:
        return None


def _of_kind(labels: npt.NDArray[Any], text: bool) -> Mask:
    """Which labels are text, or numbers."""
    if labels.dtype.kind in "biufUT":
        return np.full(len(labels), (labels.dtype.kind in "UT") == text)
    kinds = [_comparable(label, text) is not None for label in labels.tolist()]
    return np.array(kinds, np.bool_)


def _comparable(label: Any, text: bool) -> str | Fraction | None:
    """A label of any type as text or a Fraction; None if it is of the other kind."""
    if text or isinstance(label, str):
        return label if text and isinstance(label, str) else None
    try:
        return Fraction(label.item() if isinstance(label, np.generic) else label)
    except (TypeError, ValueError, OverflowError):
        return None


# The claims


def _separable(certificate: Certificate, signed: SignedRows) -> None:
    witness, given = certificate.witness, certificate.figures
    support: Combination = witness["support"]
    _require(not signed.pinned.any(), "claim: some rows are held, and are never strict")
    _require(len(support) > 0, "support: it has no rows")
    _require(all(each > 0 for _, each in support), "support: a multiplier is not positive")
    found = margins.separation(signed, witness["weights"], support)
    if found is None:
        raise CertificateError("weights: some row is not strictly on its own side")
    for name, value in found.figures().items():
        _require(given[name] == value, f"{name}: this is not what follows from the witness")


def _inseparable(certificate: Certificate, signed: SignedRows) -> None:
    _check_overlap(certificate, signed, np.arange(signed.count))


def _quasi_separable(certificate: Certificate, signed: SignedRows) -> None:
    weights = rational(certificate.witness["weights"]).numerators
    signs = margins.score_signs(signed, weights)
    if (signs < 0).any():
        bad = int(np.flatnonzero(signs < 0)[0])
        raise CertificateError(f"weights: row {bad} is on the wrong side")
    strict = int((signs > 0).sum())
    _require(strict > 0, "weights: no row is strictly on its own side")
    _require(strict < signed.count, "weights: all rows are strictly on their own sides")
    _require(not (signs[signed.pinned] > 0).any(), "weights: a pinned row is not on the hyperplane")
    _require(certificate.figures["strict"] == strict, f"strict: there are {strict:,} such rows")
    _check_overlap(certificate, signed, np.flatnonzero(signs == 0))


def _check_overlap(certificate: Certificate, signed: SignedRows, on: Indices) -> None:
    """Check that the rows `on` lie on every hyperplane that has no row on the wrong side."""
    witness, conflict = certificate.witness, certificate.witness["conflict"]
    name = "spanning" if "spanning" in witness else "boundary"
    spanning = conflict if witness[name] is None else witness[name]
    most = (signed.features if signed.cone is None else signed.dim) + 2
    _require(len(conflict) <= most, "conflict: it has too many rows")
    _require(all(each for _, each in conflict), "conflict: a multiplier is 0")
    only_pinned = all(signed.pinned[i] for i, _ in spanning)
    _require(len(conflict) > 0 or only_pinned, "conflict: it has no rows")
    _check_combination(signed, conflict, "conflict")
    if spanning is not conflict:
        _check_combination(signed, spanning, name)
    listed = [i for i, _ in spanning]
    if name == "boundary":
        needed = on[~signed.pinned[on]]
        complete = np.isin(needed, np.array(listed, np.int64)).all()
        _require(complete, "boundary: some row that lies on every hyperplane is not listed")
        return
    rank, complement = certificate.figures["rank"], witness["complement"]
    lines, wrong = _lines(signed, listed), "rank: the rows in spanning have another one"
    if complement is not None or rank == signed.dim:
        _require(ranks.has_rank(lines, rank), wrong)
        _check_complement(signed, complement or [], rank, on)
    else:
        complete = np.isin(on, np.array(listed, np.int64)).all()
        _require(complete, "complement: null, though some row is not listed in spanning")
        _require(ranks.rank_of(lines) == rank, wrong)


def _check_combination(signed: SignedRows, terms: Combination, name: str) -> None:
    _require(len(terms) > 0 or _may_be_empty(signed), f"{name}: it has no rows")
    positive = all(each > 0 or signed.pinned[i] for i, each in terms)
    _require(positive, f"{name}: a multiplier is not positive")
    _require(
        not any(margins.combination_sum(signed, terms).numerators), f"{name}: its sum is not zero"
    )


def _may_be_empty(signed: SignedRows) -> bool:
    """Whether pinned rows can be all that holds the others."""
    return signed.family == "poisson" if signed.cone is None else bool(signed.pinned.any())


def _check_complement(
    signed: SignedRows, complement: list[list[Fraction]], rank: int, on: Indices
) -> None:
    """Check that these are as many independent vectors as can be, orthogonal to the rows `on`."""
    free = signed.dim - rank
    _require(len(complement) == free, f"complement: it should have {free:,} vectors")
    vectors = [rational(each).numerators for each in complement]
    firsts = [next((j for j, top in enumerate(each) if top), -1) for each in vectors]
    ascending = all(a < b for a, b in itertools.pairwise([-1, *firsts]))
    _require(ascending, "complement: its vectors do not each begin later than the one before")
    bad = dot_products.first_not_orthogonal(signed, on, vectors) if vectors else None
    _require(bad is None, f"complement: row {bad} is not orthogonal to all its vectors")


def _lines(signed: SignedRows, indices: list[int]) -> ranks.Lines:
    """These rows as integers, each times its denominator, in the columns that any of them uses."""
    rows = signed.integers(indices)
    used = used_columns(rows)
    return [dense_values(row, used) for row in rows]


def _training_run(certificate: Certificate, signed: SignedRows) -> None:
    witness, given = certificate.witness, certificate.figures
    _require(witness["eta"] > 0, "eta: it is not positive")
    start, updates = witness["start"], witness["updates"]
    run = replay(signed, start, witness["eta"], witness["tie"], updates)
    _require(
        witness["rounded"] == run.rounded, "rounded: these are not the updates without a mistake"
    )
    _require(given["weights"] == run.weights, "weights: the updates lead elsewhere")
    _require(given["mistakes"] == len(updates), "mistakes: this is not the number of updates")
    _require(given["separates"] == run.separates, "separates: it is the other way round")
    _require(
        given["mistake_bound"] == run.mistake_bound, "mistake_bound: the theorem gives another"
    )
    if run.mistake_bound is not None:
        _require(len(updates) <= run.mistake_bound, "mistakes: more than their bound")


def _repair(certificate: Certificate, signed: SignedRows) -> None:
    witness, figures, costs = certificate.witness, certificate.figures, certificate.witness["costs"]
    _require(costs is None or min(costs) >= 0, "costs: one is negative")
    removed = np.array(witness["removed"], np.int64)
    _require(not np.isin(removed, witness["trusted"]).any(), "removed: a trusted row is among them")
    for conflict in witness["conflicts"]:
        _check_combination(signed, conflict, "conflicts")
    first = row_classes(signed)
    classes = [frozenset(first[[i for i, _ in each]].tolist()) for each in witness["conflicts"]]
    proof = [int(first[node]) if isinstance(node, int) else node for node in witness["proof"]]
    lower = ClassCosts.of(first, costs, witness["trusted"]).proven_lower(proof, classes)
    _require(figures["lower"] == lower, "lower: this is not what follows from the proof")
    upper = len(removed) if costs is None else sum(costs[i] for i in removed)
    _require(figures["upper"] == upper, "upper: this is not what the removed rows cost")
    rest = np.setdiff1d(np.arange(signed.count), removed)
    _check_rest(certificate, signed, rest)


def _check_rest(certificate: Certificate, signed: SignedRows, rest: Indices) -> None:
    """Check the separator of the rows that a repair leaves, and their margin."""
    witness, margin = certificate.witness, certificate.figures["margin_squared"]
    places = {int(i): k for k, i in enumerate(rest)}
    support = [(places.get(i, -1), multiplier) for i, multiplier in witness["support"]]
    inside = all(k >= 0 and multiplier > 0 for k, multiplier in support)
    _require(inside, "support: a multiplier is not positive, or its row is removed")
    _require(bool(support) == bool(rest.size), "support: it has no rows, or none are left")
    found = None
    if rest.size:
        part = signed.in_one_place().subset(rest)
        found = margins.separation(part, witness["weights"], support)
        _require(found is not None, "weights: a row that stays is not strictly on its own side")
    _require(
        margin == (None if found is None else (found.lower, found.upper)),
        "margin_squared: this is not what follows from the witness",
    )


_CLAIMS = {
    REPAIR: _repair,
    SEPARABLE: _separable,
    INSEPARABLE: _inseparable,
    QUASI: _quasi_separable,
    TRAINING_RUN: _training_run,
}
