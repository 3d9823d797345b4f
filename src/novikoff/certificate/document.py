"""A certificate: how one is made, kept and sealed."""

import hashlib
import json
import os
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.digests import digest, numbers_of
from novikoff.certificate.forms import FIGURES, WITNESS, Form, Size, at, exactly
from novikoff.certificate.labels import read_labels, write_labels
from novikoff.certificate.layout import laid_out
from novikoff.errors import CertificateError, ModelError
from novikoff.models import replace
from novikoff.signed import LabelPair, SignedRows

FORMAT, VERSION = "novikoff certificate", 1
FIELDS = (
    "format",
    "version",
    "claim",
    "family",
    "rows",
    "features",
    "lift",
    "numbers",
    "labels",
    "digest",
    "witness",
    "figures",
    "seal",
)


class Certificate:
    """A proof of one claim. `fields` is its JSON; `witness` and `figures` hold it as numbers."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    @property
    def claim(self) -> str:
        """What it proves: "separable", "inseparable", "quasi-separable" or "training run"."""
        return str(self.fields["claim"])

    @property
    def size(self) -> Size:
        """How many rows it is about, and how many coordinates a lifted row has."""
        bias = self.fields["lift"]["bias"]
        return Size(self.fields["rows"], self.fields["features"] + bias)

    @cached_property
    def labels(self) -> LabelPair | None:
        """The two labels as values to compare with; None for counts."""
        return read_labels(self.fields["labels"], self.fields["family"])

    @cached_property
    def witness(self) -> dict[str, Any]:
        """The witness by the names of its fields, with Fractions for numbers."""
        return self._part("witness", WITNESS[self.claim])

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The figures by their names, with Fractions for numbers."""
        return self._part("figures", FIGURES[self.claim])

    def _part(self, part: str, forms: dict[str, Form]) -> dict[str, Any]:
        fields = self.fields[part]
        with at(part):
            exactly(fields, forms)
        values = {}
        for name, form in forms.items():
            with at(f"{part}.{name}"):
                values[name] = form.read(fields[name], self.size)
        return values

    @cached_property
    def text(self) -> str:
        """The file's content."""
        return laid_out(self.fields) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Save it, all or nothing."""
        try:
            replace(path, self.text.encode())
        except ModelError as error:
            raise CertificateError(str(error)) from None

    def __repr__(self) -> str:
        rows, features = self.fields["rows"], self.fields["features"]
        return f"<Certificate: {self.claim}, {rows:,} rows of {features:,} features>"


def make(
    signed: SignedRows,
    claim: str,
    witness: dict[str, Any],
    figures: dict[str, Any],
    fingerprints: npt.NDArray[np.uint64] | None = None,
) -> Certificate:
    """A certificate for these rows.

    witness, figures: by the names on the page, with ints, Fractions and floats for numbers, lists
    of (row, multiplier) for combinations, (lower, upper) for the margin. fingerprints: of the rows,
    where they are known already.
    """
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "claim": claim,
        "family": signed.family,
        "rows": signed.count,
        "features": signed.features,
        "lift": {"bias": bool(signed.bias), "unit_length": bool(signed.unit_length)},
        "numbers": numbers_of(signed),
        "labels": write_labels(signed.labels),
        "digest": digest(signed, fingerprints),
        "witness": {name: form.write(witness[name]) for name, form in WITNESS[claim].items()},
        "figures": {name: form.write(figures[name]) for name, form in FIGURES[claim].items()},
    }
    return Certificate(fields | {"seal": seal(fields)})


def seal(fields: dict[str, Any]) -> str:
    rest = {name: value for name, value in fields.items() if name != "seal"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        # a count of more digits than Python writes, or something that is not JSON at all
        raise CertificateError(f"this cannot be written as a certificate: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()
