"""Kinds of exercise by name, or by the path of a file of your own."""

import importlib.util
import pkgutil
from pathlib import Path
from typing import cast

from novikoff.errors import ParameterError
from novikoff.exercise import kinds
from novikoff.exercise.kind import Field, Kind

PARTS = ("title", "fields", "make", "question", "key", "grade")
CALLED = PARTS[2:]


def kind_names() -> list[str]:
    """The built-in kinds.

    >>> kind_names()[:3]
    ['conflict', 'labellings', 'margin']
    """
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(kinds.__path__))


def load_kind(name: str) -> Kind:
    """A built-in kind by its name, or a kind of your own by the path of its file.

    Such a file is a program, and is run: load only what you wrote or have read.
    """
    if name in kind_names():
        found = importlib.import_module(f"{kinds.__name__}.{name.replace('-', '_')}")
        return cast(Kind, found)
    if not name.endswith(".py"):
        raise ParameterError(
            f"no kind of exercise is called {name!r}: choose one of {', '.join(kind_names())},"
            " or give the path of a file of your own that ends in .py"
        )
    return _checked(name, _loaded(Path(name)))


def _loaded(path: Path) -> object:
    if not path.is_file():
        raise ParameterError(f"{path}: there is no such file; a kind of your own is a Python file")
    spec = importlib.util.spec_from_file_location(f"_novikoff_kind_{path.stem}", path)
    assert spec is not None  # the name ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever a file does when it is run
        raise ParameterError(
            f"{path}: cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    return module


def _checked(name: str, module: object) -> Kind:
    """The module as a kind, if it has all that one needs."""
    lacking = [part for part in PARTS if not hasattr(module, part)]
    lacking += [part for part in CALLED if not callable(getattr(module, part, len))]
    if lacking:
        raise ParameterError(
            f"{name}: not a kind of exercise: it has no {' and no '.join(lacking)};"
            " see docs/exercises.md"
        )
    fields = cast(Kind, module).fields
    if not fields or not all(isinstance(each, Field) for each in fields):
        raise ParameterError(
            f"{name}: fields must be a tuple of novikoff.exercise.Field(name, hint)"
        )
    return cast(Kind, module)
