"""Functions whose body is chosen by the class of their first argument, in Python and compiled alike.

A rule and a row are NamedTuples with methods. Numba cannot call a NamedTuple's methods, so each of
them is reached through a plain function of the same name: `step(rule, ...)` runs `rule.step(...)`
where the class has that method, and the decorated function's own body where it has not. The choice
is made when the loop is compiled and costs nothing when it runs.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba.extending import overload

# Reference counts and calls between such small functions cost more than the arithmetic: an epoch
# over 100 columns takes 2.3 times as long without these two options (benchmarks/epochs.py).
# The price: no function that runs inside the loop may allocate; scratch arrays live in the state.
COMPILED = {"_nrt": False, "forceinline": True}

Function = TypeVar("Function", bound=Callable[..., Any])


def by_class(default: Function) -> Function:
    """Make `default(self, ...)` call the method of its own name on `self`, if there is one."""
    name = default.__name__

    @functools.wraps(default)
    def call(self: Any, *rest: Any) -> Any:
        return getattr(type(self), name, default)(self, *rest)

    def choose(self: Any, *_: Any) -> Any:
        # `instance_class` is what Numba's type of a NamedTuple calls the class
        return getattr(getattr(self, "instance_class", None), name, default)

    choose.__signature__ = inspect.signature(default)  # type: ignore[attr-defined]
    overload(call, strict=False, jit_options=COMPILED)(choose)
    return cast(Function, call)


def abstract(function: Function) -> Function:
    """As `by_class`, for a function that every class has to supply itself."""

    @functools.wraps(function)
    def missing(self: Any, *_: Any) -> Any:
        raise TypeError(f"{type(self).__name__} has no method {function.__name__!r}")

    return by_class(cast(Function, missing))
