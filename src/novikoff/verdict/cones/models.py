"""From what a caller passes to the rows of a model's cone."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from novikoff.data.matrices import are_measurements, as_labels
from novikoff.data.user_types import RowsLike
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.cones.families import make_cone, make_table, outcome_of, refuse_family
from novikoff.verdict.cones.rows import signed_cone, stacked
from novikoff.verdict.signed import Classes, Cone, LabelPair, Signed, Table, UserInput

CONE = "cone"  # the family of rows that are a cone's own
FEW = 20  # classes, of which every other row may have one of its own
PLAIN = "binary", "poisson"  # families that signs alone describe


def model_rows(
    X: RowsLike,
    y: Any,
    *,
    family: str,
    roles: Mapping[str, Any],
    fit_intercept: bool,
    unit_length: bool,
    positive: Any,
    levels: Any,
    reading: Mapping[str, object] | None,
) -> Signed:
    """The rows of the cone of a model: see `check`, which has the same parameters."""
    refuse_family(family, unit_length, positive)
    given, rest = read_input(X, y, family, roles)
    classes = levels if levels is not None else _many_labels(given, family, positive, rest)
    if family == "binary" and classes is not None:
        if unit_length:
            raise ParameterError(
                "more than two labels have no unit length: name one (positive=...)"
            )
        family = "multinomial"
    if family in PLAIN and reading is None and not any(v is not None for v in rest.values()):
        return Signed.of_input(given, family, fit_intercept, unit_length, positive)
    if family == "cumulative" and not fit_intercept:
        raise ParameterError('family="cumulative" has thresholds for intercepts: leave them in')
    table = make_table(
        family,
        given,
        rest,
        outcome_of(family, positive, levels),
        bias=fit_intercept,
        unit_length=unit_length,
        reading=reading,
    )
    return Signed.from_cone(make_cone(table))


def read_input(
    X: RowsLike, y: Any, family: str, roles: Mapping[str, Any]
) -> tuple[UserInput, dict[str, Any]]:
    """The rows with their outcome, which for Cox are events; and the roles that are left."""
    rest = dict(roles)
    event = rest.pop("event", None)
    if event is not None:
        if y is not None:
            raise ParameterError("pass event or y, not both: they are the same")
        y = event
    try:
        return UserInput.of(X, y), rest
    except DataError as error:
        if family == "cox" and y is None and "there are no labels" in str(error):
            raise DataError('family="cox" needs event: 1 for each row with one, else 0') from None
        raise


def _many_labels(
    given: UserInput, family: str, positive: Any, roles: Mapping[str, Any]
) -> list[Any] | None:
    """The classes if there are more than two where a pair is expected, else None."""
    if family != "binary" or positive is not None:
        return None
    labels = as_labels(given.y)
    if roles.get("weights") is not None and np.shape(roles["weights"]) == labels.shape:
        labels = labels[np.asarray(roles["weights"]) != 0]
    try:
        classes = np.unique(labels)
    except TypeError:
        return None  # refused where labels are read
    _refuse_measurements(classes, len(labels))
    return classes.tolist() if len(classes) > 2 else None


def _refuse_measurements(classes: Any, rows: int) -> None:
    """Refuse labels that are plainly no classes."""
    if are_measurements(classes) or (len(classes) > FEW and 2 * len(classes) > rows):
        raise DataError(
            f"y has {len(classes):,} different values in {rows:,} rows: are they numbers to predict"
            ' rather than classes? If they are classes, say so: family="multinomial"'
        )


def one_against_rest(table: Table, name: object) -> Cone:
    """The cone of one class of a table against all others."""
    assert isinstance(table.labels, Classes)
    names = table.labels.names
    rest = names[1 - names.index(name)] if len(names) == 2 else None
    values = (table.outcome == names.index(name)).astype(np.float64)
    pair = LabelPair(rest, name)
    return make_cone(table._replace(family="binary", labels=pair, outcome=values, reading=None))


def cone_rows(Z: RowsLike, held: RowsLike | None, names: Sequence[str] | None) -> Signed:
    """The rows of a cone that is given as such."""
    given = cone_input(Z, held)
    if names is not None:
        given = given._replace(names=[str(name) for name in names])
    if given.names is not None and len(given.names) != given.matrix.shape[1]:
        raise ParameterError(
            f"there are {len(given.names)} names for {given.matrix.shape[1]} columns"
        )
    return Signed.from_cone(plain_cone(given))


def cone_input(Z: RowsLike, held: RowsLike | None) -> UserInput:
    """The rows of Z, with the outcome 1, then the held ones, with 0."""
    parts = [_input("Z", Z)] if held is None else [_input("Z", Z), _input("held", held)]
    matrices = [part.matrix for part in parts]
    if len({matrix.shape[1] for matrix in matrices}) > 1:
        a, b = (matrix.shape[1] for matrix in matrices)
        raise DataError(f"Z has {a} columns, and held has {b}: they are of one space")
    return stacked(parts)


def plain_cone(given: UserInput) -> Cone:
    """The cone of rows whose outcome is 1, or 0 for held ones."""
    rows = int(given.matrix.shape[0])
    sides = np.asarray(given.y, np.float64)
    table = Table(CONE, given, False, False, np.arange(rows), None, sides, {})

    def tell(k: int) -> str:
        return f"row {k}" if sides[k] else f"row {k} (held)"

    return signed_cone(table, np.ones(rows, np.bool_), sides == 0.0, tell)


def _input(name: str, rows: RowsLike) -> UserInput:
    try:
        count = rows.shape[0] if hasattr(rows, "shape") else len(rows)  # type: ignore[arg-type]
        return UserInput.of(rows, np.full(count, float(name == "Z")))
    except (DataError, TypeError) as error:
        raise DataError(str(error).replace("X ", f"{name} ", 1)) from None
