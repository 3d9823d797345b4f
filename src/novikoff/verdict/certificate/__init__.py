"""Certificates: proofs of what was found, as JSON files. docs/certificate.md says what each means.

`make` makes one, `read` reads one back and refuses whatever that page does not allow: a field too
many, a number in another form, a broken seal. Whether the claim is true is decided by `verify`.
"""

from novikoff.verdict.certificate.certificate import Certificate, make
from novikoff.verdict.certificate.digest import digest, number_kind, table_digest
from novikoff.verdict.certificate.fields import (
    INSEPARABLE,
    QUASI,
    SEPARABLE,
    TRAINING_RUN,
    Combination,
)
from novikoff.verdict.certificate.numbers import format_number, parse_number
from novikoff.verdict.certificate.parser import read

__all__ = [
    "INSEPARABLE",
    "QUASI",
    "SEPARABLE",
    "TRAINING_RUN",
    "Certificate",
    "Combination",
    "digest",
    "format_number",
    "make",
    "number_kind",
    "parse_number",
    "read",
    "table_digest",
]
