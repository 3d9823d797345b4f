"""Fitted pipelines of scikit-learn's in files: short-listed steps, and an estimator of ours last.

The file is one of named arrays and texts, as a model's is (see `array_file`). Its text "novikoff"
is a JSON object with the keys of `_HEADER`: the steps (`steps` says what of each), the
name of the last one, and the header of its model file. Arrays are "model.<array of that file>" and
"step.<number>.<fitted attribute>". Everything is checked as in a model file.
"""

import os
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from novikoff.errors import ModelError
from novikoff.learning.estimators.pipeline import steps as pipeline_steps
from novikoff.learning.estimators.pipeline.kinds import KINDS, STATELESS
from novikoff.learning.files import array_file, model_file
from novikoff.learning.files.array_file import Arrays
from novikoff.learning.files.model_file import PIPELINE_FORMAT, Model

VERSION = 1
_HEADER = {"format": str, "version": int, "steps": list, "last": str, "model": dict}
_STEP: dict[str, Any] = {
    "name": str,
    "kind": str,
    "parameters": dict,
    "features": (int, type(None)),
    "columns": (list, type(None)),
    "words": (list, type(None)),
}


def to_bytes(pipeline: Pipeline, model: Model) -> bytes:
    """The bytes of a file; model: what a file says of the last step."""
    for name in ("memory", "transform_input"):
        if getattr(pipeline, name, None) is not None:
            raise ModelError(f"a file cannot hold a pipeline with {name}: set it to None")
    header, parts = model_file.parts(model)
    arrays = {f"model.{name}": array for name, array in parts.items()}
    steps = []
    for k, (name, step) in enumerate(pipeline.steps[:-1]):
        if type(step).__name__ not in STATELESS:
            check_is_fitted(step)
        text, found = pipeline_steps.described(name, step)
        steps.append(text)
        arrays |= {f"step.{k}.{each}": array for each, array in found.items()}
    last = pipeline.steps[-1][0]
    text = dict(zip(_HEADER, (PIPELINE_FORMAT, VERSION, steps, last, header), strict=True))
    return array_file.serialize({"novikoff": text}, arrays)


def is_pipeline(header: Any) -> bool:
    """Whether the text of a file says that it holds a pipeline."""
    return isinstance(header, dict) and header.get("format") == PIPELINE_FORMAT


def read(
    path: str | os.PathLike[str], header: Any, arrays: Arrays
) -> tuple[list[tuple[str, Any]], str, Model]:
    """The steps but for the last, its name, and what the file says of it."""
    try:
        _check_header(header)
        own, rest = _apart(len(header["steps"]), arrays)
        model = model_file.deserialize(path, header["model"], own)
        steps = [pipeline_steps.restored(*each) for each in zip(header["steps"], rest, strict=True)]
        takes = [step.takes for step in steps[1:]] + [model.learner.features] * bool(steps)
        if any(step.gives != width for step, width in zip(steps, takes, strict=True)):
            raise ModelError("the columns of its steps and its model do not go together")
    except ModelError as error:
        said = str(error)
        raise ModelError(said if said.startswith(f"{path}: ") else f"{path}: {said}") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{path}: a damaged pipeline: {error}") from None
    names = [each["name"] for each in header["steps"]]
    return list(zip(names, (each.step for each in steps), strict=True)), header["last"], model


def _check_header(header: dict[str, Any]) -> None:
    """Exactly the keys that there must be, of the right types, before anything is made."""
    if header.get("version") != VERSION:
        raise ModelError(f"a pipeline of version {header.get('version')}; this reads {VERSION}")
    _check_keys(header, _HEADER, "its header")
    for step in header["steps"]:
        _check_keys(step, _STEP, "a step")
        if step["kind"] not in KINDS:
            raise ModelError(f"a step is a {step['kind']!r:.40}, which no file can hold")
    names = [step["name"] for step in header["steps"]] + [header["last"]]
    if len(set(names)) != len(names) or not all(names) or any("__" in name for name in names):
        raise ModelError("the names of its steps are not different words")


def _check_keys(found: Any, known: dict[str, Any], what: str) -> None:
    if not isinstance(found, dict) or set(found) != set(known):
        raise ModelError(f"{what} should have exactly the keys {', '.join(known)}")
    for name, kind in known.items():
        if not isinstance(found[name], kind) or isinstance(found[name], bool):
            raise ModelError(f"{what} has a {name!r} of the wrong type")


def _apart(steps: int, arrays: Arrays) -> tuple[Arrays, list[Arrays]]:
    """The arrays of the model, and those of each step, without what their names begin with."""
    own: Arrays = {}
    rest: list[Arrays] = [{} for _ in range(steps)]
    places = {"model.": own} | {f"step.{k}.": each for k, each in enumerate(rest)}
    for name, array in arrays.items():
        prefix = name[: name.find(".", 5) + 1] if name.startswith("step.") else "model."
        if prefix not in places or not name.startswith(prefix):
            raise ModelError(f"it has an array {name!r:.40} too many")
        places[prefix][name.removeprefix(prefix)] = array
    return own, rest
