"""From labels to signs: two labels, or counts."""

from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError, ParameterError
from novikoff.sources.arrays import as_labels, encode

FAMILIES = ("binary", "poisson")
COUNTS = (int, float, Decimal, Fraction)


class LabelPair(NamedTuple):
    """The two labels; `negative` is None where it is every label but the positive one."""

    negative: Any
    positive: Any


def refuse_family(family: str, unit_length: bool, positive: Any) -> None:
    """Refuse a family that there is not, and what does not go with it."""
    if family not in FAMILIES:
        raise ParameterError(f"family must be one of {', '.join(FAMILIES)}, not {family!r}")
    if family == "poisson" and (unit_length or positive is not None):
        raise ParameterError("counts have no unit length and no positive label")


def signs_and_pair(y: Any, positive: Any) -> tuple[npt.NDArray[np.int8], LabelPair]:
    classes, codes = encode(y)
    labels, chosen = pair_of(classes, positive, len(codes))
    return signs_of(codes, chosen), labels


def signs_of(codes: npt.NDArray[Any], chosen: int) -> npt.NDArray[np.int8]:
    """+1 for the chosen class, -1 for all others."""
    return np.where(codes == chosen, 1, -1).astype(np.int8)


def pair_of(classes: npt.NDArray[Any], positive: Any, rows: int) -> tuple[LabelPair, int]:
    """The two labels, and the number of the positive one among the classes of so many rows."""
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


def signs_and_none(y: Any) -> tuple[npt.NDArray[np.int8], None]:
    signs = signs_of_counts(as_labels(y))
    refuse_no_counts(signs)
    return signs, None


def signs_of_counts(given: npt.NDArray[Any], before: int = 0) -> npt.NDArray[np.int8]:
    """+1 for counts above 0, -1 for 0; errors name rows as if so many came before."""
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


def refuse_no_counts(signs: npt.NDArray[np.int8]) -> None:
    """Of counts, at least one is above 0."""
    if not (signs > 0).any():
        raise DataError("every count is 0: no fit has a finite intercept, nothing else to decide")


def _listed(classes: npt.NDArray[Any]) -> str:
    shown = [str(label) for label in classes[:5].tolist()]
    return ", ".join(shown) + (", ..." if len(classes) > 5 else "")
