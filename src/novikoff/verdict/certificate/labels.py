"""The two labels of a certificate."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from novikoff.errors import CertificateError, DataError
from novikoff.verdict.certificate.fields import require_fields, require_one_of, require_text
from novikoff.verdict.certificate.numbers import brief, format_number, parse_number
from novikoff.verdict.signed import LabelPair


def write_labels(labels: LabelPair | None) -> dict[str, object] | None:
    """The labels as JSON; None for counts."""
    if labels is None:
        return None
    pair = labels._asdict()
    if isinstance(labels.positive, str) and isinstance(labels.negative, str | None):
        return {"kind": "text", **pair}
    if all(isinstance(each, int | float | Fraction | Decimal | None) for each in labels):
        exact = (int, float, Fraction)
        known = {
            name: each
            if each is None
            else format_number(each if isinstance(each, exact) else Fraction(each))
            for name, each in pair.items()
        }
        return {"kind": "number", **known}
    raise DataError(
        f"the labels {labels.negative!r} and {labels.positive!r} are neither numbers nor text;"
        " no certificate can name them"
    )


def read_labels(field: object, family: str) -> LabelPair | None:
    """The labels that a field holds, strictly."""
    if family == "poisson":
        if field is not None:
            raise CertificateError(f"found {brief(field)}, expected null: counts are no labels")
        return None
    fields = require_fields(field, ("kind", "negative", "positive"))
    kind = require_one_of(fields["kind"], ("number", "text"))
    parse: Callable[[object], Fraction | str] = parse_number if kind == "number" else require_text
    negative = None if fields["negative"] is None else parse(fields["negative"])
    labels = LabelPair(negative, parse(fields["positive"]))
    if labels.negative == labels.positive:
        raise CertificateError("the two labels are the same")
    return labels
