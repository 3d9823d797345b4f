"""The same answers beyond one machine, on Dask: see docs/scale.md.

    fit      learn from shards, mixed after each epoch
    check    the verdict, exactly as on one machine
    verify   a certificate, checked against rows on many machines

Names are loaded when they are first used: Dask is needed only then.
"""

from typing import TYPE_CHECKING, Any

from novikoff.lazy import attach

if TYPE_CHECKING:
    from novikoff.cluster.distributed_check import check, verify
    from novikoff.cluster.distributed_fit import fit

__all__ = ["check", "fit", "verify"]

_MODULES = {"check": "distributed_check", "fit": "distributed_fit", "verify": "distributed_check"}

_load, __dir__ = attach(__name__, _MODULES)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except ModuleNotFoundError as missing:
        if missing.name not in ("dask", "distributed"):
            raise
        from novikoff.errors import ClusterError

        raise ClusterError(
            "Dask is not installed: pip install 'novikoff[cluster]', here and on every worker"
        ) from None
