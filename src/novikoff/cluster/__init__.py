"""The same answers beyond one machine, on Dask: see docs/scale.md.

    fit      learn from shards, mixed after each epoch
    check    the verdict, exactly as on one machine
    verify   a certificate, held against rows on many machines

Names are loaded when they are first used: Dask is needed only then.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from novikoff.cluster.fitting import fit
    from novikoff.cluster.judging import check, verify

__all__ = ["check", "fit", "verify"]

_HOMES = {"check": "judging", "fit": "fitting", "verify": "judging"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'novikoff.cluster' has no attribute {name!r}")
    try:
        home = importlib.import_module(f"novikoff.cluster.{_HOMES[name]}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("dask", "distributed"):
            raise
        from novikoff.errors import ClusterError

        raise ClusterError(
            "Dask is not installed: pip install 'novikoff[cluster]', here and on every worker"
        ) from None
    globals()[name] = getattr(home, name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*__all__]
