"""Reads certificates; whatever docs/certificate.md does not allow is refused, with the reason."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from novikoff.errors import CertificateError
from novikoff.verdict.certificate.certificate import (
    FIELDS,
    FORMAT,
    TABLE_FIELDS,
    Certificate,
    checksum,
)
from novikoff.verdict.certificate.fields import (
    CLAIMS,
    INSEPARABLE,
    QUASI,
    REPAIR,
    TRAINING_RUN,
    VERSIONS,
    Size,
    claim_form,
    error_context,
    read_bool,
    read_count,
    require_fields,
    require_hexadecimal,
    require_one_of,
)
from novikoff.verdict.certificate.numbers import brief, parse_numbers
from novikoff.verdict.certificate.read_options import require_reading
from novikoff.verdict.cones.families import FAMILIES as MODELS
from novikoff.verdict.cones.models import CONE
from novikoff.verdict.signed import FAMILIES, ROLES

CertificateLike = str | os.PathLike[str] | dict[str, Any] | Certificate

LARGEST_FILE = 2**28  # bytes
LONGEST_INTEGER = 4300  # digits of a JSON integer: as many as Python reads


def read(given: CertificateLike) -> Certificate:
    """Read a certificate from a path, its text, its fields as a dict, or another certificate.

    Text is what begins with a brace; any other str is a path. CertificateError says what is wrong
    with anything that is not one.
    """
    fields = _parse_json(_content(given))
    _check(fields)
    certificate = Certificate(fields)
    with error_context("labels"):
        certificate.labels  # noqa: B018  (parsed, and cached, when first used)
    certificate.witness, certificate.figures  # noqa: B018
    if certificate.claim == TRAINING_RUN:
        with error_context("witness.start and witness.eta"):
            parse_numbers([*fields["witness"]["start"], fields["witness"]["eta"]])
    return certificate


def _content(given: object) -> str:
    if isinstance(given, Certificate | dict):
        return _dump(given.fields if isinstance(given, Certificate) else given)
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return given
    if not isinstance(given, str | os.PathLike):
        kind = type(given).__name__
        raise CertificateError(f"a certificate is a path, text or a dict, not {kind}")
    return _read_file(Path(given))


def _read_file(path: Path) -> str:
    try:
        if path.exists() and not (path.is_file() or path.is_fifo()):
            raise CertificateError(f"{path}: not a regular file")
        with path.open("rb") as file:
            _require_size(os.fstat(file.fileno()).st_size)
            return file.read(LARGEST_FILE + 1).decode()
    except CertificateError:
        raise
    except OSError as error:
        raise CertificateError(f"{brief(str(path))}: cannot be read: {error.strerror}") from None
    except ValueError:  # not UTF-8, or a name that no file can have
        raise CertificateError(f"{brief(str(path))}: not a certificate: not text") from None


def _require_size(size: int) -> None:
    if size > LARGEST_FILE:
        raise CertificateError(f"not a certificate: more than {LARGEST_FILE:,} bytes")


def _dump(fields: dict[str, Any]) -> str:
    try:
        return json.dumps(fields)
    except (TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"not a certificate: not JSON: {error}") from None


def _parse_json(text: str) -> dict[str, Any]:
    def refuse(token: str) -> NoReturn:
        raise CertificateError(f"{token:.40} is a number that no certificate contains")

    def integer(token: str) -> int:
        return int(token) if len(token) <= LONGEST_INTEGER else refuse(token)

    _require_size(len(text))
    try:
        fields = json.loads(
            text,
            object_pairs_hook=_without_repeats,
            parse_int=integer,
            parse_float=refuse,
            parse_constant=refuse,
        )
    except CertificateError:
        raise
    except RecursionError:
        raise CertificateError("not a certificate: nested too deep") from None
    except ValueError as error:
        raise CertificateError(f"not a certificate: {error}") from None
    if not isinstance(fields, dict):
        raise CertificateError("not a certificate: not a JSON object")
    return fields


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise CertificateError("a field comes twice")
    return fields


def _check(fields: dict[str, Any]) -> None:
    """Check all that can be checked without the data."""
    if fields.get("format") != FORMAT:
        raise CertificateError("not a novikoff certificate: its format does not say that it is one")
    version = fields.get("version")
    if type(version) is not int or version not in VERSIONS:
        readable = f"{', '.join(map(str, VERSIONS[:-1]))} and {VERSIONS[-1]}"
        raise CertificateError(f"it is of version {brief(version)}; this program reads {readable}")
    require_fields(fields, TABLE_FIELDS if version == 3 else FIELDS)
    size = Size(0, 0)
    known_claims = CLAIMS[1] | CLAIMS[2]
    claims = [claim for claim in known_claims if claim_form(version, claim, fields["witness"])]
    choices: dict[str, Iterable[str]] = {
        "claim": claims,
        "family": (*MODELS, CONE) if version == 3 else FAMILIES,
        "numbers": ("binary64", "rational"),
    }
    for name, known in choices.items():
        with error_context(name):
            require_one_of(fields[name], known)
    for name in ("rows", "features"):
        with error_context(name):
            if read_count(fields[name], size) < 1:
                raise CertificateError("found 0, expected at least 1")
    with error_context("lift"):
        require_fields(fields["lift"], ("bias", "unit_length"))
        for each in fields["lift"].values():
            read_bool(each, size)
    if version == 3:
        _check_table_fields(fields)
    for name in ("digest", "seal"):
        with error_context(name):
            require_hexadecimal(fields[name])
    if fields["seal"] != checksum(fields):
        raise CertificateError("its seal does not fit: it was changed after it was made")
    _check_claim(fields)


def _check_table_fields(fields: dict[str, Any]) -> None:
    with error_context("roles"):
        model = MODELS.get(fields["family"])
        known = [] if model is None else [name for name in ROLES if name in model.roles]
        given = fields["roles"]
        if not isinstance(given, list) or given != [name for name in known if name in given]:
            raise CertificateError(f"found {brief(given)}, expected some of {known}")
    with error_context("cone"):
        require_fields(fields["cone"], ("rows", "columns"))
        for each in fields["cone"].values():
            if read_count(each, Size(0, 0)) < 1:
                raise CertificateError("found 0, expected at least 1")
    with error_context("reading"):
        require_reading(fields["reading"])


def _check_claim(fields: dict[str, Any]) -> None:
    claim = fields["claim"]
    counts = fields["family"] in ("poisson", "log-binomial")
    if counts and claim not in (INSEPARABLE, QUASI):
        raise CertificateError(f'the claim "{claim}" is not for counts')
    if claim == REPAIR and fields["lift"]["unit_length"]:
        raise CertificateError("a repair is of rows as they are, not of rows of unit length")
    if claim == TRAINING_RUN and fields["lift"]["unit_length"]:
        raise CertificateError("rows of unit length are not rational: no run can be replayed")
