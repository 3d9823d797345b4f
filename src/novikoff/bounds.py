"""Mistake bounds: the public name of `theory.bounds`, whose names are loaded when they are used."""

from typing import TYPE_CHECKING, Any

from novikoff.theory import bounds as _home

if TYPE_CHECKING:
    from novikoff.theory.bounds import *  # noqa: F403

__all__ = _home.__all__


def __getattr__(name: str) -> Any:
    return getattr(_home, name)


def __dir__() -> list[str]:
    return dir(_home)
