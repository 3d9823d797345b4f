"""A certificate, and how it is made and sealed."""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.errors import CertificateError
from novikoff.files import atomic_write
from novikoff.verdict.certificate.digest import digest, number_kind
from novikoff.verdict.certificate.fields import (
    CLAIMS,
    ClaimForm,
    FieldCodec,
    Size,
    error_context,
    require_fields,
)
from novikoff.verdict.certificate.json_layout import format_json
from novikoff.verdict.certificate.labels import read_labels, write_labels
from novikoff.verdict.signed import LabelPair, SignedRows

FORMAT = "novikoff certificate"
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
    """A proof of one claim. `fields` is its JSON; `witness` and `figures` are parsed from it."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    @property
    def claim(self) -> str:
        """The claim: "separable", "inseparable", "quasi-separable", "repair" or "training run"."""
        return str(self.fields["claim"])

    @property
    def size(self) -> Size:
        """The number of rows, and of the coordinates of a lifted row."""
        bias = self.fields["lift"]["bias"]
        return Size(self.fields["rows"], self.fields["features"] + bias)

    @property
    def form(self) -> ClaimForm:
        """The fields that its claim has in its version."""
        return CLAIMS[self.fields["version"]][self.claim]

    @cached_property
    def labels(self) -> LabelPair | None:
        """The two labels; None for counts."""
        return read_labels(self.fields["labels"], self.fields["family"])

    @cached_property
    def witness(self) -> dict[str, Any]:
        """The witness by the names of its fields, with Fractions for numbers."""
        return self._parsed("witness", self.form.witness)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The figures by their names, with Fractions for numbers."""
        return self._parsed("figures", self.form.figures)

    def _parsed(self, part: str, codecs: dict[str, FieldCodec]) -> dict[str, Any]:
        fields = self.fields[part]
        with error_context(part):
            require_fields(fields, codecs)
        values = {}
        for name, codec in codecs.items():
            with error_context(f"{part}.{name}"):
                values[name] = codec.read(fields[name], self.size)
        return values

    @cached_property
    def text(self) -> str:
        """The content of the file."""
        return format_json(self.fields) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, all or nothing."""
        atomic_write(path, self.text.encode(), error=CertificateError)

    def __repr__(self) -> str:
        rows, features = self.fields["rows"], self.fields["features"]
        return f"<Certificate: {self.claim}, {rows:,} rows of {features:,} features>"


def make(
    signed: SignedRows,
    claim: str,
    witness: Mapping[str, Any],
    figures: Mapping[str, Any],
    fingerprints: npt.NDArray[np.uint64] | None = None,
    version: int = 1,
) -> Certificate:
    """Make a certificate for these rows.

    witness, figures: by their names in docs/certificate.md, with ints, Fractions and floats for
    numbers, lists of (row, multiplier) for combinations, (lower, upper) for the margin.
    fingerprints: of the rows, where they are known already.
    """
    form = CLAIMS[version][claim]
    fields = {
        "format": FORMAT,
        "version": version,
        "claim": claim,
        "family": signed.family,
        "rows": signed.count,
        "features": signed.features,
        "lift": {"bias": bool(signed.bias), "unit_length": bool(signed.unit_length)},
        "numbers": number_kind(signed),
        "labels": write_labels(signed.labels),
        "digest": digest(signed, fingerprints),
        "witness": {name: each.write(witness[name]) for name, each in form.witness.items()},
        "figures": {name: each.write(figures[name]) for name, each in form.figures.items()},
    }
    return Certificate(fields | {"seal": checksum(fields)})


def checksum(fields: dict[str, Any]) -> str:
    """The seal: a digest of all other fields."""
    rest = {name: value for name, value in fields.items() if name != "seal"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        # a count of more digits than Python writes, or something that is not JSON at all
        raise CertificateError(f"this cannot be written as a certificate: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()
