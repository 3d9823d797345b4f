"""Signs of rows, from two labels or from counts."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import as_labels, encode
from novikoff.errors import DataError, ParameterError
from novikoff.verdict.scan import Signs

FAMILIES = ("binary", "poisson")
COUNTS = (int, float, Decimal, Fraction)


class LabelPair(NamedTuple):
    """The two labels; `negative` is None where it is every label but the positive one."""

    negative: object
    positive: object


def refuse_family(family: str, unit_length: bool, positive: Any) -> None:
    """Refuse an unknown family, and options that do not go with it."""
    if family not in FAMILIES:
        raise ParameterError(
            f"family must be one of {', '.join(FAMILIES)}, not {family!r}: others are judged in"
            " memory, on one machine"
        )
    if family == "poisson" and (unit_length or positive is not None):
        raise ParameterError("counts have no unit length and no positive label")


def label_signs(y: Any, positive: Any) -> tuple[Signs, LabelPair]:
    """The signs of rows with two labels, or of one label against all others, and the labels."""
    classes, codes = encode(y)
    labels, chosen = label_pair(classes, positive, len(codes))
    return signs_of(codes, chosen), labels


def signs_of(codes: npt.NDArray[Any], chosen: int) -> Signs:
    """+1 for the chosen class, -1 for all others."""
    return np.where(codes == chosen, 1, -1).astype(np.int8)


def label_pair(classes: npt.NDArray[Any], positive: Any, rows: int) -> tuple[LabelPair, int]:
    """The two labels, and the index of the positive one among the classes of this many rows."""
    names = classes.tolist()
    if positive is not None:
        found = [k for k, label in enumerate(names) if label == positive]
        if not found:
            raise DataError(f"no row has the label {positive!r}; there are {_listed(classes)}")
        chosen, negative = found[0], names[1 - found[0]] if len(names) == 2 else None
    elif len(names) > 2:
        raise DataError(
            f"y has {len(classes):,} labels ({_listed(classes)}); a verdict is about two."
            " Name the one to tell from the others (positive=..., --positive ...)"
        )
    else:
        chosen, negative = len(names) - 1, names[0]
    if len(names) < 2:
        raise DataError(f"all {rows:,} rows have the label {classes[0]}; a separator needs two")
    return LabelPair(negative, names[chosen]), chosen


def count_signs(y: Any, bias: bool) -> Signs:
    """The signs of rows with counts; with a bias, at least one of them is above 0."""
    signs = signs_of_counts(as_labels(y))
    refuse_no_counts(signs, bias)
    return signs


def signs_of_counts(given: npt.NDArray[Any], before: int = 0) -> Signs:
    """+1 for counts above 0, -1 for 0; errors name rows as if `before` rows came before them."""
    numeric = given.dtype.kind in "biuf" or all(isinstance(each, COUNTS) for each in given.flat)
    if not numeric:
        raise DataError('with family="poisson" y must be counts, that is, numbers')
    counts = given.astype(np.float64)
    bad = np.flatnonzero(~((counts >= 0.0) & (counts < np.inf)))
    if bad.size:
        raise DataError(
            f'row {before + bad[0]} has the count {counts[bad[0]]}; with family="poisson" counts'
            " are finite and not negative"
        )
    return np.where(counts > 0.0, 1, -1).astype(np.int8)


def refuse_no_counts(signs: Signs, bias: bool) -> None:
    """Refuse counts that are all 0 where there is a bias, which then has no finite value."""
    if bias and not (signs > 0).any():
        raise DataError("every count is 0: no fit has a finite intercept, nothing else to decide")


def _listed(classes: npt.NDArray[Any]) -> str:
    shown = [str(label) for label in classes[:5].tolist()]
    return ", ".join(shown) + (", ..." if len(classes) > 5 else "")
