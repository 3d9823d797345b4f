"""Certificates: proofs of what was found, as JSON files. docs/certificate.md says what each means.

`make` writes one, `read` reads one back and refuses whatever the page does not allow: a field too
many, a number in another form, a broken seal. Whether the claim is true is for `verification`.
"""

from novikoff.certificate.digests import digest, numbers_of
from novikoff.certificate.document import Certificate, make
from novikoff.certificate.forms import INSEPARABLE, QUASI, SEPARABLE, TRAINING_RUN, Combination
from novikoff.certificate.numerals import number, parse
from novikoff.certificate.reading import read

__all__ = [
    "INSEPARABLE",
    "QUASI",
    "SEPARABLE",
    "TRAINING_RUN",
    "Certificate",
    "Combination",
    "digest",
    "make",
    "number",
    "numbers_of",
    "parse",
    "read",
]
