"""The two labels of a certificate."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from novikoff.certificate.forms import exactly, one_of, text
from novikoff.certificate.numerals import number, parse, shown
from novikoff.errors import CertificateError, DataError
from novikoff.signed import LabelPair


def write_labels(labels: LabelPair | None) -> dict[str, Any] | None:
    if labels is None:
        return None
    pair = labels._asdict()
    if isinstance(labels.positive, str) and isinstance(labels.negative, str | None):
        return {"kind": "text"} | pair
    if all(isinstance(each, int | float | Fraction | Decimal | None) for each in labels):
        exact = (int, float, Fraction)
        known = {
            name: each
            if each is None
            else number(each if isinstance(each, exact) else Fraction(each))
            for name, each in pair.items()
        }
        return {"kind": "number"} | known
    raise DataError(
        f"the labels {labels.negative!r} and {labels.positive!r} are neither numbers nor text;"
        " no certificate can name them"
    )


def read_labels(field: Any, family: str) -> LabelPair | None:
    if family == "poisson":
        if field is not None:
            raise CertificateError(f"found {shown(field)}, expected null: counts are no labels")
        return None
    exactly(field, ("kind", "negative", "positive"))
    known = parse if one_of(field["kind"], ("number", "text")) == "number" else text
    negative = None if field["negative"] is None else known(field["negative"])
    labels = LabelPair(negative, known(field["positive"]))
    if labels.negative == labels.positive:
        raise CertificateError("the two labels are the same")
    return labels
