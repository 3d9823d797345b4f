"""Verdicts and proofs of rows on a cluster: `nk.check` and `nk.verify`, to the byte.

The judge and the checker are the ordinary ones and run on the client; whatever goes through rows
goes to the workers (`cluster.signed`). On the client there are a few tens of bytes for each row
(its sign, its fingerprint, masks), and the few rows that the search looks at.
"""

import contextlib
from typing import Any

from distributed import Client

from novikoff import certificate as certificates
from novikoff.certificate import Certificate
from novikoff.cluster import crew
from novikoff.cluster.data import Data, gathered
from novikoff.cluster.signed import (
    ShardedSigned,
    Shards,
    Signing,
    Terms,
    by_certificate,
    by_class,
    by_count,
)
from novikoff.cluster.site import Site
from novikoff.errors import CertificateError, DataError
from novikoff.signed import pair_of, refuse_family, refuse_no_counts
from novikoff.verdict.judge import Judge, refuse_limits
from novikoff.verdict.result import Verdict, Watch
from novikoff.verification import Verification, verified


def check(
    source: Any,
    client: Client,
    *,
    y: Any = None,
    target: str | int | None = None,
    shards: int | None = None,
    fit_intercept: bool = True,
    unit_length: bool = False,
    family: str = "binary",
    precision: float | None = None,
    time_limit: float | None = None,
    positive: Any = None,
    watch: Watch | None = None,
    glance: crew.Watch | None = None,
) -> Verdict:
    """Decide exactly whether labelled rows on a cluster are linearly separable: see `nk.check`,
    whose verdict and certificate this gives, whatever the shards and the workers.

    source, y, target, shards: as for `cluster.fit`. glance: called now and then while workers are
    waited for; `watch` as in `nk.check`. The rows stay with the workers as long as the verdict is
    there: what is asked of it later (its `coefficients`) is asked of them.
    """
    refuse_limits(precision, time_limit)
    refuse_family(family, unit_length, positive)
    data = _gathered(source, client, y, target, shards, family == "binary", glance)
    with contextlib.ExitStack() as stack:
        stack.callback(data.crew.close)  # if anything goes wrong, nothing stays there
        signed = signed_rows(
            data,
            fit_intercept=fit_intercept,
            unit_length=unit_length,
            family=family,
            positive=positive,
        )
        verdict = Judge(signed, precision, time_limit, watch).verdict()
        stack.pop_all()
    return verdict


def signed_rows(
    data: Data,
    *,
    fit_intercept: bool = True,
    unit_length: bool = False,
    family: str = "binary",
    positive: Any = None,
) -> ShardedSigned:
    """The rows of a data set with their signs, where they are."""
    layout, labels = data.layout, None
    _refuse_narrow(data)
    signing: Signing = by_count
    if family == "binary":
        labels, chosen = pair_of(layout.classes, positive, layout.rows)
        signing = by_class(chosen)
    terms = Terms(layout, signing, bool(fit_intercept), unit_length, family)
    signed = ShardedSigned(Shards(data.crew, terms), labels)
    if family == "poisson":
        refuse_no_counts(signed.signs)
    return signed


def verify(
    certificate: Any,
    source: Any,
    client: Client,
    *,
    y: Any = None,
    target: str | int | None = None,
    shards: int | None = None,
    glance: crew.Watch | None = None,
) -> Verification:
    """Check a certificate against rows on a cluster: see `nk.verify`."""
    found: Certificate | None = None
    try:
        found = certificates.read(certificate)
    except CertificateError as error:
        problem = str(error)
    counts = found is None or found.fields["family"] == "poisson"
    data = _gathered(source, client, y, target, shards, not counts, glance)
    with contextlib.closing(data.crew):
        if found is None:  # only after the rows, which may be what is wrong
            return Verification(False, problem)
        _refuse_narrow(data)
        shape = data.layout.rows, data.layout.features
        return verified(found, shape, lambda found: certified_rows(data, found))


def certified_rows(data: Data, certificate: Certificate) -> ShardedSigned:
    """The rows as a certificate means them."""
    fields = certificate.fields
    if fields["family"] == "poisson" and any(data.crew.ask(_has_words)):
        # then all labels are words, as one reader would have them
        raise CertificateError("labels: row 0 has no count")
    lift = fields["lift"]
    signing = by_certificate(certificate)
    terms = Terms(data.layout, signing, lift["bias"], lift["unit_length"], fields["family"])
    return ShardedSigned(Shards(data.crew, terms), certificate.labels)


def _has_words(site: Site) -> bool:
    y = site.labels()
    return y is not None and y.dtype.kind not in "biuf"


def _gathered(
    source: Any,
    client: Client,
    y: Any,
    target: Any,
    shards: int | None,
    labels: bool,
    glance: crew.Watch | None,
) -> Data:
    if "decimal" in getattr(source, "asked", {}):
        raise DataError(
            f"{source.name}: exact decimals are judged on one machine only: their products take"
            " Python's own numbers row by row. Leave decimal out, or leave the cluster"
        )
    return gathered(client, source, y=y, target=target, shards=shards, labels=labels, watch=glance)


def _refuse_narrow(data: Data) -> None:
    rows, features = data.layout.rows, data.layout.features
    if features < 1:
        raise DataError(f"X has 0 feature(s) (shape {(rows, features)}); at least 1 is needed")
