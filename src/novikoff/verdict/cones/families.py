"""All families: their cones, the roles they take, and why others have none."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import MOST_CLASSES, as_labels, encode
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.cones import (
    binary,
    binomial,
    conditional,
    cox,
    cumulative,
    log_binomial,
    multinomial,
    poisson,
)
from novikoff.verdict.cones.roles import numbers, read_roles
from novikoff.verdict.scan import Indices, Vector
from novikoff.verdict.signed import Classes, Cone, LabelPair, Table, UserInput, label_pair

PAIR, ORDER, NUMBER = "two labels", "classes", "numbers"


class Family(NamedTuple):
    """How a family's rows are made. outcome: what y is. bias: whether it can have an intercept."""

    cone: Callable[[Table], Cone]
    roles: tuple[str, ...]
    outcome: str
    bias: bool = True
    needed: tuple[str, ...] = ()


FAMILIES = {
    "binary": Family(binary.cone, binary.ROLES, PAIR),
    "binomial": Family(binomial.cone, binomial.ROLES, NUMBER),
    "log-binomial": Family(log_binomial.cone, log_binomial.ROLES, NUMBER),
    "poisson": Family(poisson.cone, poisson.ROLES, NUMBER),
    "multinomial": Family(multinomial.cone, multinomial.ROLES, ORDER),
    "cumulative": Family(cumulative.cone, cumulative.ROLES, ORDER, bias=False),
    "conditional": Family(conditional.cone, conditional.ROLES, PAIR, False, ("strata",)),
    "cox": Family(cox.cone, cox.ROLES, NUMBER, False, ("time",)),
}

_MIXTURE = (
    "a mixture's likelihood is not concave, and a direction can raise it in one part and lower it"
    " in the other, so that no cone decides. Check the zeros by themselves (binary: zero or not),"
    " then the counts (poisson)"
)
_INTEGRAL = (
    "random effects are integrated out with a variance that is itself estimated, so that no cone of"
    ' directions decides. Check the fixed part (binary, poisson), or family="conditional" with the'
    " groups as strata"
)
_NEVER = (
    "each row's likelihood falls without bound on both sides of its own outcome, so that no"
    " direction is one of separation: a fit exists whenever the columns are independent"
)
_LIKE_BINARY = 'it has the cone of family="binary"'
_LIKE_COUNTS = 'it has the cone of family="poisson"'
#: What is asked for by other names, and the answer.
OTHERS = {
    **dict.fromkeys(("zero-inflated", "zip", "zinb", "hurdle", "mixture"), _MIXTURE),
    **dict.fromkeys(("mixed", "random-effects", "random", "glmm", "gee"), _INTEGRAL),
    **dict.fromkeys(("gamma", "gaussian", "inverse-gaussian", "tweedie", "beta"), _NEVER),
    **dict.fromkeys(("logit", "logistic", "probit", "cauchit", "cloglog"), _LIKE_BINARY),
    **dict.fromkeys(("negative-binomial", "negbin", "ppml", "quasi-poisson"), _LIKE_COUNTS),
    **dict.fromkeys(("ordinal", "ordered", "polr"), 'it is family="cumulative"'),
    **dict.fromkeys(("mlogit", "multiclass", "softmax", "kesler"), 'it is family="multinomial"'),
    **dict.fromkeys(("clogit", "fixed-effects", "choice"), 'it is family="conditional"'),
}


def refuse_family(name: str, unit_length: bool, positive: Any) -> None:
    """Refuse an unknown family, and options that do not go with it."""
    if name not in FAMILIES:
        known = f"family must be one of {', '.join(FAMILIES)}, not {name!r}"
        reason = OTHERS.get(str(name).lower().replace("_", "-").replace(" ", "-"))
        raise ParameterError(known if reason is None else f"{known}: {reason}")
    if unit_length and name != "binary":
        raise ParameterError(f"family={name!r} has no unit length: that is for two labels")
    if positive is not None and FAMILIES[name].outcome != PAIR:
        what = "counts have" if name == "poisson" else f"family={name!r} has"
        raise ParameterError(f"{what} no unit length and no positive label")


class OutcomeValues(NamedTuple):
    """What y says, as numbers, and what those stand for."""

    values: Vector
    labels: LabelPair | Classes | None


def make_table(
    family: str,
    given: UserInput,
    roles: dict[str, Any],
    outcome: Callable[[UserInput, Indices], OutcomeValues],
    *,
    bias: bool = True,
    unit_length: bool = False,
    reading: Mapping[str, object] | None = None,
) -> Table:
    """The table of a model; `outcome` makes numbers of y, given which rows are kept."""
    form, rows = FAMILIES[family], int(given.matrix.shape[0])
    found = read_roles(family, given, roles, form.roles, form.needed)
    counted = np.ones(rows, np.bool_)
    for name in ("weights", "trials", "exposure"):
        counted &= found.get(name, np.ones(rows)) > 0.0
    kept = np.flatnonzero(counted)
    if not kept.size:
        raise DataError("every row has a weight, exposure or number of trials of 0: none is left")
    values, labels = outcome(given, kept)
    lift = bool(bias) and form.bias
    return Table(family, given, lift, unit_length, kept, labels, values, found, reading)


def make_cone(table: Table) -> Cone:
    """The cone of a table."""
    return FAMILIES[table.family].cone(table)


def outcome_of(
    family: str, positive: Any = None, levels: Any = None
) -> Callable[[UserInput, Indices], OutcomeValues]:
    """How to make numbers of y in this family. levels: the classes in order."""
    form = FAMILIES[family].outcome
    if levels is not None and form != ORDER:
        raise ParameterError(f"family={family!r} has no levels: its outcome is {form}")

    def numeric(given: UserInput, kept: Indices) -> OutcomeValues:
        name = "event" if family == "cox" else "y"
        return OutcomeValues(numbers(name, given.y, given), None)

    def pair(given: UserInput, kept: Indices) -> OutcomeValues:
        labels = as_labels(given.y)
        classes, _ = encode(labels[kept])
        found, chosen = label_pair(classes, positive, len(kept))
        values = (labels == classes[chosen]).astype(np.float64)
        return OutcomeValues(values, found)

    def ordered(given: UserInput, kept: Indices) -> OutcomeValues:
        return _ordered(given, kept, family, levels)

    return {NUMBER: numeric, PAIR: pair, ORDER: ordered}[form]


def _ordered(given: UserInput, kept: Indices, family: str, levels: Any) -> OutcomeValues:
    """The class of each row; the order is that of the levels, of a categorical, or of numbers."""
    y = given.y
    if levels is None and getattr(y, "dtype", None) is not None and hasattr(y, "cat"):
        levels = [each for each in y.cat.categories if (np.asarray(y)[kept] == each).any()]
    labels = as_labels(y)
    if levels is None:
        names = encode(labels[kept])[0].tolist()
        if family == "cumulative" and labels.dtype.kind not in "biuf" and len(names) > 2:
            raise DataError(
                "y has words for classes, which have no order of their own: name it (levels=[...],"
                " --levels a,b,c), or give numbers"
            )
    else:
        names = list(levels)
    values = class_codes(labels, names)
    if (bad := np.flatnonzero(values[kept] < 0)).size:
        row = int(kept[bad[0]])
        where, label = given.where(row), labels[row].item()
        raise DataError(f"{where} has the label {label!r}, which is not among the levels")
    refuse_classes(names, values[kept], len(kept))
    return OutcomeValues(values, Classes(tuple(names)))


def class_codes(labels: npt.NDArray[Any], names: list[Any]) -> Vector:
    """The number of each label among these names, -1 where it is none of them."""
    known = {name: float(code) for code, name in enumerate(names)}
    return np.array([known.get(label, -1.0) for label in labels.tolist()])


def refuse_classes(names: list[Any], codes: Vector, rows: int) -> None:
    """Refuse fewer than two classes, more than can be, and one that no row has."""
    if len(set(names)) < len(names):
        raise ParameterError("levels names a class twice")
    present = np.bincount(codes.astype(np.int64), minlength=len(names)) > 0
    if not present.all():
        raise DataError(f"no row has the class {names[int(np.argmin(present))]!r}: leave it out")
    if len(names) < 2:
        raise DataError(f"all {rows:,} rows have the label {names[0]}; a separator needs two")
    if len(names) > MOST_CLASSES:
        raise DataError(f"y has {len(names):,} different values; at most {MOST_CLASSES:,} can be")
