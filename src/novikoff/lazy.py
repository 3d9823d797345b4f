"""Packages whose names are loaded on first use (PEP 562).

    __getattr__, __dir__ = attach(__name__, {"check": "judge", "Verdict": "result"})

`homes` gives each name the module below the package that defines it; "" is for a name that is a
module itself.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def attach(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package that finds its public names at `homes`."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{homes[name] or name}")
        found = getattr(module, name) if homes[name] else module
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        loaded = (name for name in vars(sys.modules[package]) if name.startswith("__"))
        return sorted({*homes, *loaded})

    return load, names
