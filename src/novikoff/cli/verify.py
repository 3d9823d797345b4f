"""`novikoff verify`: check a certificate against the data, without trusting whoever wrote it."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from novikoff.cli.shared import cluster_options, options
from novikoff.cli.shared.data_options import BadRows, DataArgument, DataOptions, reads_data
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.terminal import show
from novikoff.cli.shared.text import json_text
from novikoff.errors import CertificateError, DataError, ParameterError
from novikoff.number_text import count

if TYPE_CHECKING:
    from novikoff.data import Source
    from novikoff.data.user_types import DataFrame
    from novikoff.verdict.certificate import Certificate
    from novikoff.verdict.certificate.verify import Verification


@reads_data
def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A file that --certificate of check, repair or fit wrote.")
    ],
    data: DataArgument,
    cluster: cluster_options.ClusterOption = None,
    workers: cluster_options.WorkersOption = None,
    shards: cluster_options.FreeShardsOption = None,
    json: options.JsonOption = False,
    reading: DataOptions = DataOptions(),  # noqa: B008  (immutable)
) -> None:
    """Check a certificate: recompute everything that it claims, exactly, from the data.

    A certificate of version 3 says how its rows were read; options given here come before that.

    Exit codes: 0 valid, 1 not valid.

    Example: novikoff verify setosa.json example:iris-setosa
    """
    from novikoff.verdict.certificate.verify import Verification
    from novikoff.verdict.certificate.verify import verify as check
    from novikoff.verdict.signed import ROLES

    chosen = cluster_options.cluster_from_options(cluster, workers, shards)
    content = _content(certificate)
    proof = None
    try:
        proof = _parse(content)
        if chosen is None:
            roles = {name: (proof.reading or {}).get(name) for name in (*ROLES, "event")}
            known = reading.completed(proof.reading).with_event(roles["event"])
            table = _table(data, proof, reading)
            found = check(proof, _open(data, proof, known) if table is None else table, **roles)
        else:
            found = _on_cluster(proof, data, reading, chosen, json)
    except CertificateError as error:
        found = Verification(False, str(error))
    answer = _as_json(found, proof)
    show(json_text(answer) if json else _as_text(answer, certificate, " ".join(data)), plain=json)
    raise typer.Exit(0 if found.valid else 1)


def _content(path: Path) -> bytes:
    """Read a file; one that is not there is bad usage, not an invalid certificate."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def _parse(content: bytes) -> "Certificate":
    from novikoff.verdict.certificate import read

    text = content.decode(errors="replace")
    if not text.lstrip().startswith("{"):
        raise CertificateError("not a certificate: not a JSON object")
    return read(text)


def _table(data: list[str], proof: "Certificate", reading: DataOptions) -> "DataFrame | None":
    """The table of a certificate's formula; None if the data are its design, or there is none."""
    from novikoff.data.formula.parse import has_formula_columns
    from novikoff.data.formula.table_file import read_table

    formula = (proof.reading or {}).get("formula")
    if formula is None or len(data) != 1 or find_spec("formulaic") is None:
        return None
    frame = read_table(data[0], reading.delimiter).frame
    return frame if has_formula_columns(formula, frame.columns) else None


def _open(data: list[str], proof: "Certificate", reading: DataOptions) -> "Source":
    """Open the data, with numbers of the kind that the certificate is about."""
    rational = proof.fields["numbers"] == "rational"
    skip = {"bad_rows": "skip"} if (proof.reading or {}).get("bad_rows") else {}
    if reading.bad_rows is BadRows.SKIP:
        skip = {}
    try:
        return reading.open(data, decimal=rational, **skip)
    except DataError:
        if not rational:
            raise
        # If it is not text, its numbers are doubles, and the certificate is about other ones.
        return reading.open(data, **skip)


def _on_cluster(
    proof: "Certificate",
    data: list[str],
    reading: DataOptions,
    cluster: cluster_options.Cluster,
    quiet: bool,
) -> "Verification":
    """Check a certificate against rows on a cluster."""
    if proof.fields["numbers"] == "rational":
        raise ParameterError(
            f"this certificate is about exact decimals, which {cluster.option} cannot check: verify"
            " it on one machine"
        )
    source = cluster.source(data, reading)
    from novikoff.cli.shared.cluster_session import session
    from novikoff.cluster import verify as verify_rows

    with SearchProgress(quiet) as progress, session(source, progress) as asked:
        progress.begin("verifying")
        client = asked.connection.client
        return asked.with_best_shard_count(
            lambda shards: verify_rows(
                proof, source.unopened, client, shards=shards, glance=progress.glance
            )
        )


def _as_json(found: "Verification", proof: "Certificate | None") -> dict[str, Any]:
    fields = {} if proof is None else proof.fields
    known = {name: fields.get(name) for name in ("claim", "rows", "features")}
    return {"valid": found.valid, "reason": found.reason, **known}


def _as_text(answer: dict[str, Any], certificate: Path, data: str) -> str:
    if not answer["valid"]:
        return f"NOT VALID: {certificate} proves nothing about {data}\n  {answer['reason']}"
    rows, features = count(answer["rows"], "row"), count(answer["features"], "feature")
    return f"VALID: {certificate} proves of {data} ({rows}, {features}): {answer['claim']}"
