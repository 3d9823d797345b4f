"""Compilation, where it pays, and functions whose body is chosen by their first argument's class.

A loop runs as plain Python while that is cheap, and is compiled by Numba when it has much to do:
compiling takes a second, and even to import Numba takes longer than four rows do. Both give the
same bits. Each loop has a `Budget` in each process; the environment variable NOVIKOFF_PLAIN_STEPS
sets another number of steps for all of them (0: compile everything).

A rule and a row are NamedTuples with methods. Numba cannot call a NamedTuple's methods, so each of
them is reached through a plain function of the same name: `step(rule, ...)` runs `rule.step(...)`
where the class has that method, and the decorated function's own body where it has not. The choice
is compiled when the loop is compiled and costs nothing when it runs.
"""

import contextlib
import functools
import hashlib
import importlib
import inspect
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

# Reference counts and calls between such small functions cost more than the arithmetic: an epoch
# over 100 columns took 2.3 times as long without these two options.
# The price: no function that runs inside the loop may allocate; scratch arrays live in the state.
INLINE = {"_nrt": False, "forceinline": True}

#: The source of a file with code to compile contains this.
COMPILES = b"novikoff.jit"

Function = TypeVar("Function", bound=Callable[..., Any])
Work = Callable[..., float]


class Budget:
    """How many steps of plain Python, of about 100 ns each, are left for something to be done.

    They are as many as take about the time of compiling it: then no more is lost, at the worst,
    than a second time of either.
    """

    is_open = True  # for all of them; see `compile_at_once`

    def __init__(self, steps: float = 1_500_000.0) -> None:
        self._left = float(os.environ.get("NOVIKOFF_PLAIN_STEPS", steps))

    def take(self, steps: float) -> bool:
        """Take so many steps, if they are there."""
        if steps >= self._left or not Budget.is_open:
            return False
        self._left -= steps
        return True


def compile_at_once() -> None:
    """Run no more plain loops: for a process that lives long, and must not pause later on."""
    Budget.is_open = False


class Loop:
    """A function that runs as plain Python as long as `work`, its estimated steps, is affordable.

    work: called with the function's arguments; None compiles at once. plain: another way to compute
    the same, with NumPy, if the function itself would be slow as plain Python. budget: for code
    that is quicker or slower to compile than most.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        work: Work | None,
        plain: Callable[..., Any] | None,
        budget: Budget | None,
        cache: bool,
        **options: Any,
    ) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.plain, self._work = function, plain or function, work
        self._budget, self._cache, self._options = budget or Budget(), cache, options
        self._dispatcher: Any = None

    def __call__(self, *args: Any) -> Any:
        if self._dispatcher is None and self._work and self._budget.take(self._work(*args)):
            with np.errstate(all="ignore"):  # compiled code does not warn either
                return self.plain(*args)
        return self.compiled(*args)

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher, cached on disk where that is writable."""
        if self._dispatcher is None or _registrations:
            with _lock:  # one for all threads: each would compile for itself
                module = numba()
                self._dispatcher = self._dispatcher or self._make_dispatcher(module.njit)
        return self._dispatcher

    def _make_dispatcher(self, njit: Any) -> Any:
        if self._cache:
            with contextlib.suppress(RuntimeError):  # nowhere to write: compile in each process
                dispatcher = njit(cache=True, **self._options)(self.py_func)
                _stamp(dispatcher)
                return _noted(dispatcher)
        return _noted(njit(**self._options)(self.py_func))

    def bind(self, args: tuple[Any, ...]) -> Any:
        """The compiled code for arguments of these very types, without a look-up at each call."""
        types = tuple(map(numba().typeof, args))
        self.compiled.compile(types)
        return self.compiled.get_overload(types)


def compile_loop(
    function: Callable[..., Any],
    *,
    work: Work | None = None,
    plain: Callable[..., Any] | None = None,
    budget: Budget | None = None,
    cache: bool = True,
    threads: bool = False,
    allocates: bool = False,
) -> Any:
    """A `Loop`, for functions that allocate nothing.

    threads: whether other threads may run meanwhile. allocates: whether it allocates after all.
    """
    return Loop(function, work, plain, budget, cache, nogil=threads, _nrt=allocates)


def compile_small(
    work: Work | None = None, budget: Budget | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """As `compile_loop`, to decorate functions that may allocate."""
    return functools.partial(compile_loop, work=work, budget=budget, allocates=True)


_compilations: list[str] = []  # the names of loops that are being compiled


def is_compiling() -> bool:
    """Whether a loop is being compiled, or read from the disk, at the moment."""
    return bool(_compilations)


def _noted(dispatcher: Any) -> Any:
    """Let `is_compiling` know when a dispatcher compiles."""
    compile_types, name = dispatcher.compile, dispatcher.__name__

    def note_and_compile(types: Any) -> Any:
        _compilations.append(name)
        try:
            return compile_types(types)
        finally:
            _compilations.remove(name)

    dispatcher.compile = note_and_compile
    return dispatcher


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

    def save(key: Any, data: Any) -> None:
        # Numba numbers the files of compiled code, and writes the index first. Of two processes
        # that compile at once, or beside files of an older version, one could load the other's
        # code under its own key. So a file is named by what it holds, and comes before the index.
        digest = hashlib.sha256(file._dump((file._source_stamp, key))).hexdigest()
        name = file._data_name(int(digest[:15], 16))
        file._save_data(name, data)
        file._save_index({**file._load_index(), key: name})

    file._load_index, file.save = load_if_readable, save


@functools.cache
def _digest() -> str:
    """A digest of all files of the package with code to compile."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        content = path.read_bytes()
        if COMPILES in content:
            digest.update(content)
    return digest.hexdigest()


_lock = threading.RLock()
_registrations: list[Callable[[], Any]] = []  # what Numba has to know before it compiles


def numba() -> Any:
    """The module, which is slow to import, once it knows all functions that loops may call."""
    with _lock:
        module = importlib.import_module("numba")
        while _registrations:  # some of them import modules that add more
            _registrations.pop(0)()
    return module


def register_module(name: str) -> None:
    """Import a module of implementations for compiled code when something is compiled."""
    _registrations.append(lambda: importlib.import_module(name))


def register_implementation(
    function: Callable[..., Any], implementation: Callable[..., Any], *, allocates: bool = False
) -> None:
    """Make compiled code run `implementation` where it calls `function`."""
    _overload(function, lambda kind: implementation, INLINE | {"_nrt": allocates})


def intrinsic(function: Callable[..., Any]) -> Any:
    """Numba's own: a function in LLVM, called without the typing context that it is written with.

    For modules that are imported when something is compiled.
    """
    return importlib.import_module("numba.extending").intrinsic(function)


def inline(function: Function) -> Function:
    """Let loops call a function, which becomes a part of them; it must not allocate."""
    _overload(function, lambda kind: function)
    return function


def subroutine(*, allocates: bool = False) -> Callable[[Function], Function]:
    """Let loops call a function, which is not copied to where it is called: that takes long to
    compile.
    """

    def decorate(function: Function) -> Function:
        _overload(function, lambda kind: function, {"_nrt": allocates})
        return function

    return decorate


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


def _overload(
    function: Callable[..., Any],
    choose: Callable[[Any], Callable[..., Any]],
    options: dict[str, bool] = INLINE,
) -> None:
    def typed(*types: Any) -> Any:
        # `instance_class` is what Numba's type of a NamedTuple calls the class
        return choose(getattr(types[0], "instance_class", None))

    def register() -> None:
        from numba.extending import overload

        # `_nrt` is not among the options that Numba's annotations know
        overload(function, strict=False, jit_options=cast(Any, options))(typed)

    typed.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    _registrations.append(register)


def abstract(function: Function) -> Function:
    """As `dispatch_on_type`, for a function that every class has to supply itself."""

    @functools.wraps(function)
    def missing(self: Any, *_: Any) -> Any:
        raise TypeError(f"{type(self).__name__} has no method {function.__name__!r}")

    return dispatch_on_type(cast(Function, missing))
