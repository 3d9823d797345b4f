"""Compilation, and functions whose body is chosen by the class of their first argument.

A rule and a row are NamedTuples with methods. Numba cannot call a NamedTuple's methods, so each of
them is reached through a plain function of the same name: `step(rule, ...)` runs `rule.step(...)`
where the class has that method, and the decorated function's own body where it has not. The choice
is compiled when the loop is compiled and costs nothing when it runs.
"""

import contextlib
import functools
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import overload

# Reference counts and calls between such small functions cost more than the arithmetic: an epoch
# over 100 columns took 2.3 times as long without these two options.
# The price: no function that runs inside the loop may allocate; scratch arrays live in the state.
# `_nrt` is a private option, which Numba's annotations do not know: hence Any, twice.
COMPILED: Any = {"_nrt": False, "forceinline": True}
_njit: Any = njit

#: The source of a file with code to compile contains one of these.
COMPILES = (b"register_jitable", b"compile_loop", b"compile_small", b"register_implementation")

Function = TypeVar("Function", bound=Callable[..., Any])


def compile_loop(
    function: Function, *, cache: bool = True, threads: bool = False, allocates: bool = False
) -> Function:
    """Numba's `njit`, for loops that allocate nothing; cached on disk where that is writable.

    threads: whether other threads may run meanwhile. allocates: whether it allocates after all.
    """
    with contextlib.suppress(RuntimeError):  # nowhere to write: compile in each process
        compiled = _njit(cache=cache, nogil=threads, _nrt=allocates)(function)
        if cache:
            _stamp(compiled)
        return cast(Function, compiled)
    return cast(Function, _njit(nogil=threads, _nrt=allocates)(function))


def _stamp(compiled: Any) -> None:
    """Make the disk cache notice a change of any file of the package that is compiled.

    Numba itself looks at the function's own file only, and would serve code with old versions of
    the functions that it calls. Where it stores the time of change is private, as `_nrt` is.
    """
    file = compiled._cache._cache_file
    file._source_stamp = (*file._source_stamp, _digest())
    load = file._load_index

    def load_if_readable() -> Any:
        # An index that an older version left names its classes, and Numba unpickles it before it
        # looks at the stamp: where one of them has moved since, it is as stale as any.
        try:
            return load()
        except (AttributeError, ImportError):
            return {}

    file._load_index = load_if_readable


@functools.cache
def _digest() -> str:
    """A digest of all files of the package with code to compile."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        content = path.read_bytes()
        if any(mark in content for mark in COMPILES):
            digest.update(content)
    return digest.hexdigest()


def compile_small(function: Function) -> Function:
    """As `compile_loop`, for functions that may allocate."""
    return compile_loop(function, allocates=True)


def register_implementation(
    function: Callable[..., Any], implementation: Callable[..., Any]
) -> None:
    """Make compiled code run `implementation` where it calls `function`."""
    _overload(function, lambda kind: implementation)


def dispatch_on_type(default: Function) -> Function:
    """Make `default(self, ...)` call the method of its own name on `self`, if there is one."""
    return dispatch_with(lambda kind: getattr(kind, default.__name__, default))(default)


def dispatch_with(choose: Callable[[Any], Callable[..., Any]]) -> Callable[[Function], Function]:
    """Give a function the body that `choose` returns for the class of its first argument."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def call(self: Any, *rest: Any) -> Any:
            return choose(type(self))(self, *rest)

        _overload(call, choose)
        return cast(Function, call)

    return decorate


def _overload(function: Callable[..., Any], choose: Callable[[Any], Callable[..., Any]]) -> None:
    def typed(*types: Any) -> Any:
        # `instance_class` is what Numba's type of a NamedTuple calls the class
        return choose(getattr(types[0], "instance_class", None))

    typed.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    overload(function, strict=False, jit_options=COMPILED)(typed)


def abstract(function: Function) -> Function:
    """As `dispatch_on_type`, for a function that every class has to supply itself."""

    @functools.wraps(function)
    def missing(self: Any, *_: Any) -> Any:
        raise TypeError(f"{type(self).__name__} has no method {function.__name__!r}")

    return dispatch_on_type(cast(Function, missing))
