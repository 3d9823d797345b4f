"""`nk.cluster.check` and `nk.cluster.verify`: verdicts on rows of a cluster, equal to the byte.

The judge and the verifier are the ordinary ones and run on the client; whatever passes over rows
runs on the workers (`signed_shards`). The client holds a few tens of bytes for each row (its sign,
its fingerprint, masks), and the few rows of the active set.
"""

import contextlib
from collections.abc import Mapping
from functools import partial
from typing import Any

from distributed import Client

from novikoff.cluster.data.collections import DaskCollection
from novikoff.cluster.data.shard import WorkerShard
from novikoff.cluster.signed_shards import (
    ShardedSigned,
    ShardPieces,
    SignFunction,
    SigningSpec,
    sign_by_certificate,
    sign_by_class,
    sign_by_count,
)
from novikoff.cluster.workers.dataset import Dataset, DataSource, load_dataset
from novikoff.cluster.workers.shard_client import CallWatch
from novikoff.data import Source
from novikoff.data.text.csv.categories import reference_levels
from novikoff.data.user_types import Label
from novikoff.errors import CertificateError, DataError
from novikoff.verdict import certificate as certificates
from novikoff.verdict.certificate import Certificate
from novikoff.verdict.certificate.verify import Verification, verify_signed
from novikoff.verdict.judge import Judge, refuse_limits
from novikoff.verdict.result import Verdict, Watch
from novikoff.verdict.signed import LabelPair, label_pair, refuse_family, refuse_no_counts


def check(
    source: DataSource | Dataset,
    client: Client,
    *,
    y: DaskCollection | None = None,
    target: str | int | None = None,
    shards: int | None = None,
    fit_intercept: bool = True,
    unit_length: bool = False,
    family: str = "binary",
    precision: float | None = None,
    time_limit: float | None = None,
    positive: Label | None = None,
    reference: Mapping[str, str] | None = None,
    watch: Watch | None = None,
    glance: CallWatch | None = None,
) -> Verdict:
    """Decide exactly whether labelled rows on a cluster are linearly separable: see `nk.check`,
    whose verdict and certificate this gives, whatever the shards and the workers.

    The rows stay with the workers as long as the verdict exists: its `coefficients` are computed
    there.

    source, y, target, shards: as for `cluster.fit`; or a `Dataset` that is loaded.
    client: the client of a Dask cluster.
    fit_intercept, unit_length, precision, time_limit, positive, reference, watch: as for `check`.
    family: "binary" or "poisson"; as for `check`.
    glance: called now and then, with a `CallProgress`, while responses of workers are awaited.

    >>> import novikoff as nk
    >>> from dask.distributed import Client
    >>> with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    ...     nk.cluster.check(nk.open("example:xor"), client).outcome
    'inseparable'
    """
    refuse_limits(precision, time_limit)
    refuse_family(family, unit_length, positive)
    data = _load(source, client, y, target, shards, family == "binary", glance)
    with contextlib.ExitStack() as stack:
        stack.callback(data.shard_client.close)  # after an error, workers keep nothing
        signed = signed_rows(
            data,
            fit_intercept=fit_intercept,
            unit_length=unit_length,
            family=family,
            positive=positive,
        )
        signed.references = reference_levels(data.levels, reference)
        verdict = Judge(signed, precision, time_limit, watch).run()
        stack.pop_all()
    return verdict


def signed_rows(
    data: Dataset,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    family: str = "binary",
    positive: Label | None = None,
) -> ShardedSigned:
    """The rows of a data set with their signs, on the workers."""
    layout, labels = data.layout, None
    _refuse_narrow(data)
    sign: SignFunction = sign_by_count
    if family == "binary":
        labels, chosen = label_pair(layout.classes, positive, layout.rows)
        sign = partial(sign_by_class, chosen)
    spec = SigningSpec(layout, sign, bool(fit_intercept), unit_length, family)
    signed = ShardedSigned(ShardPieces(data.shard_client, spec), labels)
    if family == "poisson":
        refuse_no_counts(signed.signs, signed.bias)
    return signed


def verify(
    certificate: Any,
    source: DataSource | Dataset,
    client: Client,
    *,
    y: DaskCollection | None = None,
    target: str | int | None = None,
    shards: int | None = None,
    glance: CallWatch | None = None,
) -> Verification:
    """Check a certificate against rows on a cluster, as `nk.verify` does on one machine.

    certificate: as for `verify`.
    source, client, y, target, shards, glance: as for `cluster.check`.

    >>> import novikoff as nk
    >>> from dask.distributed import Client
    >>> rows = nk.open("example:xor")
    >>> with Client(processes=False, n_workers=1, dashboard_address=None) as client:
    ...     nk.cluster.verify(nk.check(rows).certificate, rows, client).valid
    True
    """
    found: Certificate | None = None
    try:
        found = certificates.read(certificate)
    except CertificateError as error:
        problem = str(error)
    counts = found is None or found.fields["family"] == "poisson"
    data = _load(source, client, y, target, shards, not counts, glance)
    with contextlib.closing(data.shard_client):
        if found is None:  # only after the rows, which may be what is wrong
            return Verification(False, problem)
        _refuse_narrow(data)
        shape = data.layout.rows, data.layout.features
        return verify_signed(found, shape, lambda found: certified_rows(data, found))


def certified_rows(data: Dataset, certificate: Certificate) -> ShardedSigned:
    """The rows with the signs that a certificate gives them, on the workers."""
    fields = certificate.fields
    if fields["family"] == "poisson" and any(data.shard_client.map_shards(_has_words)):
        # then all labels are words, as one reader would have them
        raise CertificateError("labels: row 0 has no count")
    lift = fields["lift"]
    sign = partial(sign_by_certificate, {name: fields[name] for name in ("family", "labels")})
    spec = SigningSpec(data.layout, sign, lift["bias"], lift["unit_length"], fields["family"])
    labels = certificate.labels if isinstance(certificate.labels, LabelPair) else None
    return ShardedSigned(ShardPieces(data.shard_client, spec), labels)


def _has_words(shard: WorkerShard) -> bool:
    y = shard.labels()
    return y is not None and y.dtype.kind not in "biuf"


def _load(
    source: DataSource | Dataset,
    client: Client,
    y: DaskCollection | None,
    target: str | int | None,
    shards: int | None,
    labels: bool,
    watch: CallWatch | None,
) -> Dataset:
    if isinstance(source, Dataset):
        return source
    if isinstance(source, Source) and "decimal" in source.opening.options:
        raise DataError(
            f"{source.name}: exact decimals are judged on one machine only: their products take"
            " Python's own numbers row by row. Leave decimal out, or leave the cluster"
        )
    return load_dataset(
        client, source, y=y, target=target, shards=shards, labels=labels, watch=watch
    )


def _refuse_narrow(data: Dataset) -> None:
    rows, features = data.layout.rows, data.layout.features
    if features < 1:
        raise DataError(f"X has 0 feature(s) (shape {(rows, features)}); at least 1 is needed")
