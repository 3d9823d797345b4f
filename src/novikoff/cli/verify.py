"""`novikoff verify`: check a certificate against the data, without trusting whoever wrote it."""

import json as json_format
from pathlib import Path
from typing import Annotated, Any

import typer

from novikoff.cli import clusters, options
from novikoff.cli.reading import DataArgument, Reading, reads_data
from novikoff.cli.watching import Watching
from novikoff.errors import CertificateError, DataError, ParameterError


@reads_data
def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A file that --certificate of check or fit wrote.")
    ],
    data: DataArgument,
    cluster: clusters.ClusterOption = None,
    workers: clusters.WorkersOption = None,
    shards: clusters.FreeShardsOption = None,
    json: options.JsonOption = False,
    reading: Reading = Reading(),  # noqa: B008  (immutable)
) -> None:
    """Check a certificate: compute anew, from the data and exactly, all that it claims.

    Exit codes: 0 valid, 1 not valid.

    Example: novikoff verify setosa.json example:iris-setosa
    """
    from novikoff.verification import Verification
    from novikoff.verification import verify as check

    spread = clusters.chosen(cluster, workers, shards)
    content = _content(certificate)
    proof = None
    try:
        proof = _parsed(content)
        if spread is None:
            found = check(proof, _opened(data, proof, reading))
        else:
            found = _on_cluster(proof, data, reading, spread, json)
    except CertificateError as error:
        found = Verification(False, str(error))
    answer = _as_json(found, proof)
    typer.echo(json_format.dumps(answer) if json else _as_text(answer, certificate, " ".join(data)))
    raise typer.Exit(0 if found.valid else 1)


def _content(path: Path) -> bytes:
    """A file that is not there is bad usage; one that holds no certificate is not valid."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def _parsed(content: bytes) -> Any:
    from novikoff.certificate import read

    text = content.decode(errors="replace")
    if not text.lstrip().startswith("{"):
        raise CertificateError("not a certificate: not a JSON object")
    return read(text)


def _opened(data: list[str], proof: Any, reading: Reading) -> Any:
    """The data, with numbers of the kind that the certificate is about."""
    rational = proof.fields["numbers"] == "rational"
    try:
        return reading.open(data, decimal=rational)
    except DataError:
        if not rational:
            raise
        # If it is not text, its numbers are doubles, and the certificate is about other ones.
        return reading.open(data)


def _on_cluster(
    proof: Any, data: list[str], reading: Reading, spread: clusters.Cluster, quiet: bool
) -> Any:
    """Checked by the workers of a cluster."""
    if proof.fields["numbers"] == "rational":
        raise ParameterError(
            f"this certificate is about exact decimals, which {spread.option} cannot check: verify"
            " it on one machine"
        )
    from novikoff.cli.cluster_check import OnCluster, verify_on_cluster

    source = spread.source(data, reading)
    with Watching(quiet) as progress:
        progress.begin(spread.starting)
        with spread.joined() as joined:
            progress.welcome(joined.dashboard)
            return verify_on_cluster(proof, OnCluster(source, spread, joined, progress))


def _as_json(found: Any, proof: Any) -> dict[str, Any]:
    fields = {} if proof is None else proof.fields
    known = {name: fields.get(name) for name in ("claim", "rows", "features")}
    return {"valid": found.valid, "reason": found.reason, **known}


def _as_text(answer: dict[str, Any], certificate: Path, data: str) -> str:
    if not answer["valid"]:
        return f"NOT VALID: {certificate} proves nothing about {data}\n  {answer['reason']}"
    from novikoff.cli.results import count

    rows, features = count(answer["rows"], "row"), count(answer["features"], "feature")
    return f"VALID: {certificate} proves of {data} ({rows}, {features}): {answer['claim']}"
