"""Cover's counting theorem: the public name of `theory.cover`."""

from novikoff.theory.cover import *  # noqa: F403
from novikoff.theory.cover import __all__ as __all__
