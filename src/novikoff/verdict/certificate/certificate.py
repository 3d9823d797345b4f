"""A certificate, and how it is made and sealed."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.errors import CertificateError
from novikoff.files import atomic_write
from novikoff.verdict.certificate.digest import digest, number_kind, table_digest
from novikoff.verdict.certificate.fields import (
    CLAIMS,
    ClaimForm,
    Combination,
    FieldCodec,
    Size,
    claim_form,
    error_context,
    require_fields,
)
from novikoff.verdict.certificate.json_layout import format_json
from novikoff.verdict.certificate.labels import read_labels, write_labels
from novikoff.verdict.certificate.read_options import require_reading
from novikoff.verdict.signed import ROLES, Classes, LabelPair, SignedRows

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


#: The fields of version 3, which is about a table and the cone of a model.
TABLE_FIELDS = (*FIELDS[:9], "roles", "cone", "reading", *FIELDS[9:])


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
        """The number of signed rows, and of their coordinates."""
        if self.fields["version"] == 3:
            return Size(self.fields["cone"]["rows"], self.fields["cone"]["columns"])
        bias = self.fields["lift"]["bias"]
        return Size(self.fields["rows"], self.fields["features"] + bias)

    @property
    def form(self) -> ClaimForm:
        """The fields that its claim has in its version."""
        form = claim_form(self.fields["version"], self.claim, self.fields["witness"])
        if form is None:
            raise CertificateError(f'claim: there is none "{self.claim}" of this form')
        return form

    @property
    def reading(self) -> dict[str, Any] | None:
        """How the rows were read, as `check` was told; None where it was told nothing."""
        return self.fields.get("reading")

    @cached_property
    def labels(self) -> LabelPair | Classes | None:
        """The two labels, or all classes; None for counts and other numbers."""
        return read_labels(self.fields["labels"], self.fields["family"])

    @cached_property
    def witness(self) -> dict[str, Any]:
        """The witness by the names of its fields, with Fractions for numbers."""
        return self._parsed("witness", self.form.witness)

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The figures by their names, with Fractions for numbers."""
        return self._parsed("figures", self.form.figures)

    @cached_property
    def support(self) -> Combination:
        """The witness's combination of a separable claim; its weights, which may be many, are left
        as they are.
        """
        found: Combination = self._parsed("witness", self.form.witness, ["support"])["support"]
        return found

    def _parsed(
        self, part: str, codecs: dict[str, FieldCodec], names: Iterable[str] | None = None
    ) -> dict[str, Any]:
        fields = self.fields[part]
        with error_context(part):
            require_fields(fields, codecs)
        values = {}
        for name in codecs if names is None else names:
            with error_context(f"{part}.{name}"):
                values[name] = codecs[name].read(fields[name], self.size)
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
    fingerprints: of the rows, where they are known already. Rows of a cone, which know their table,
    have a certificate of version 3 about that table.
    """
    form = CLAIMS[version][claim]
    about = _about_rows(signed, fingerprints) if signed.cone is None else _about_table(signed)
    fields = {
        "format": FORMAT,
        "version": version if signed.cone is None else 3,
        "claim": claim,
        **about,
        "witness": {name: each.write(witness[name]) for name, each in form.witness.items()},
        "figures": {name: each.write(figures[name]) for name, each in form.figures.items()},
    }
    return Certificate(fields | {"seal": checksum(fields)})


def _about_rows(signed: SignedRows, fingerprints: npt.NDArray[np.uint64] | None) -> dict[str, Any]:
    """The fields that identify labelled rows."""
    return {
        "family": signed.family,
        "rows": signed.count,
        "features": signed.features,
        "lift": {"bias": bool(signed.bias), "unit_length": bool(signed.unit_length)},
        "numbers": number_kind(signed),
        "labels": write_labels(signed.labels),
        "digest": digest(signed, fingerprints),
    }


def _about_table(signed: SignedRows) -> dict[str, Any]:
    """The fields that identify a table, and the size of its cone."""
    assert signed.cone is not None
    table = signed.cone.table
    return {
        "family": table.family,
        "rows": table.size,
        "features": table.features,
        "lift": {"bias": table.bias, "unit_length": table.unit_length},
        "numbers": "binary64" if table.given.exact is None else "rational",
        "labels": write_labels(table.labels),
        "roles": [name for name in ROLES if name in table.roles],
        "cone": {"rows": signed.count, "columns": signed.dim},
        "reading": require_reading(None if table.reading is None else dict(table.reading)),
        "digest": table_digest(table),
    }


def checksum(fields: dict[str, Any]) -> str:
    """The seal: a digest of all other fields."""
    rest = {name: value for name, value in fields.items() if name != "seal"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        # a count of more digits than Python writes, or something that is not JSON at all
        raise CertificateError(f"this cannot be written as a certificate: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()
