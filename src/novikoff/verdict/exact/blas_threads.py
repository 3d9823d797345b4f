"""How many threads the products of matrices take."""

import contextlib
import functools
from collections.abc import Iterator

import threadpoolctl


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """A context for many small products, where more threads only wait for each other."""
    with _controller().limit(limits=1):
        yield


@functools.cache
def _controller() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController()
