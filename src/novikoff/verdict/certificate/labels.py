"""The labels of a certificate: two, or all classes."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from novikoff.errors import CertificateError, DataError
from novikoff.verdict.certificate.fields import require_fields, require_one_of, require_text
from novikoff.verdict.certificate.numbers import brief, format_number, parse_number
from novikoff.verdict.signed import Classes, LabelPair

CLASS_FAMILIES = ("multinomial", "cumulative")


def write_labels(labels: LabelPair | Classes | None) -> dict[str, object] | None:
    """The labels as JSON; None for counts and other numbers."""
    if labels is None:
        return None
    if isinstance(labels, Classes):
        kind, written = _written(labels.names)
        return {"kind": kind, "classes": written}
    kind, written = _written(labels)
    return {"kind": kind, **dict(zip(labels._fields, written, strict=True))}


def _written(labels: Iterable[Any]) -> tuple[str, list[str | None]]:
    """The kind of labels, some of which may be None, and each in its form."""
    given = list(labels)
    known = [each for each in given if each is not None]
    if all(isinstance(each, str) for each in known):
        return "text", [None if each is None else str(each) for each in given]
    if all(isinstance(each, int | float | Fraction | Decimal) for each in known):
        exact = [Fraction(each) if isinstance(each, Decimal) else each for each in given]
        return "number", [None if each is None else format_number(each) for each in exact]
    listed = " and ".join(repr(each) for each in given[:2])
    raise DataError(
        f"the labels {listed} are neither numbers nor text; no certificate can name them"
    )


def read_labels(field: object, family: str) -> LabelPair | Classes | None:
    """The labels that a field holds, strictly."""
    if family not in ("binary", "conditional", *CLASS_FAMILIES):
        if field is not None:
            raise CertificateError(f"found {brief(field)}, expected null: counts are no labels")
        return None
    if family in CLASS_FAMILIES:
        return _read_classes(field)
    fields = require_fields(field, ("kind", "negative", "positive"))
    kind = require_one_of(fields["kind"], ("number", "text"))
    parse: Callable[[object], Fraction | str] = parse_number if kind == "number" else require_text
    negative = None if fields["negative"] is None else parse(fields["negative"])
    labels = LabelPair(negative, parse(fields["positive"]))
    if labels.negative == labels.positive:
        raise CertificateError("the two labels are the same")
    return labels


def _read_classes(field: object) -> Classes:
    fields = require_fields(field, ("kind", "classes"))
    kind = require_one_of(fields["kind"], ("number", "text"))
    if not isinstance(fields["classes"], list) or len(fields["classes"]) < 2:
        raise CertificateError(f"found {brief(fields['classes'])}, expected two classes or more")
    parse: Callable[[object], Fraction | str] = parse_number if kind == "number" else require_text
    names = tuple(parse(each) for each in fields["classes"])
    if len(set(names)) < len(names):
        raise CertificateError("a class comes twice")
    return Classes(names)
