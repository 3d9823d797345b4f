"""Model files: a learner with all it takes to predict with it and to learn on.

A file holds named arrays, and text beside them (see `array_file`). Its text, under the key
"novikoff", is a JSON object with the keys of `_HEADER`; its arrays are "<learner>.state.<field>"
and "<learner>.tally.<field>" for each learner, "initial" unless that was zero, and "lowest", the
lowest margin ceilings seen. Every field is checked when a file is read: a damaged, foreign or
hostile one is refused with the reason, and a file is written beside its destination and moved
there, so that a failure leaves what was there before.
"""

import itertools
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import Classes
from novikoff.errors import ModelError, ParameterError
from novikoff.files import atomic_write
from novikoff.learning.files import array_file
from novikoff.learning.files.array_file import Arrays
from novikoff.learning.inseparability import STOPS
from novikoff.learning.learner import Learner, lines_needed
from novikoff.learning.loop import Counters, Tally, WeightedCounters, new_tally
from novikoff.learning.rows import Rows
from novikoff.learning.rules import protocol, registry
from novikoff.learning.rules.protocol import Rule
from novikoff.learning.spec import OWN, TrainingSpec

FORMAT, VERSION = "novikoff model", 1
PIPELINE_FORMAT = "novikoff pipeline"

_HEADER: dict[str, Any] = {
    "format": str,
    "version": int,
    "rule": str,
    "parameters": dict,
    "features": int,
    "learners": int,
    "bias": bool,
    "unit_length": bool,
    "classes": list,
    "class_type": str,
    "feature_names": (list, type(None)),
    "options": dict,
    "epochs": int,
    "mistakes_per_epoch": list,
    "settled_at": int,
    "numbering": dict,
}
#: How features without names got their numbers, where that is not plain: options of `open`.
_NUMBERING = {"zero_based": bool, "hash_bits": int}
#: How it learned and learns on, besides the rule: which values each option can have.
_OPTIONS: dict[str, Callable[[Any], bool]] = {
    "max_epochs": lambda value: type(value) is int and value > 0,
    "order": lambda value: value in ("given", "shuffle"),
    "random_state": lambda value: value is None or type(value) is int,
    "warm_start": lambda value: type(value) is bool,
    "validation_fraction": lambda value: type(value) is float,
    "n_iter_no_change": lambda value: type(value) is int and value > 0,
    "stop": lambda value: value in STOPS,
    "class_weight": lambda value: value == "balanced" or _are_class_weights(value),
}
_CLASS_TYPES = {"b": "bool", "i": "int64", "u": "int64", "f": "float64", "U": "str", "O": "str"}


class NamedColumns(Protocol):
    """Data, as far as a model says how their columns are called."""

    @property
    def feature_names(self) -> list[str] | None:
        """The names, if the columns have any."""

    @property
    def index_options(self) -> dict[str, Any]:
        """See `Source.index_options`."""


@dataclass
class Model:
    """What a file holds."""

    rule: str  # its name in the catalogue
    parameters: dict[str, Any]
    learner: Learner
    classes: Classes
    feature_names: list[str] | None = None
    options: dict[str, Any] = field(default_factory=dict)  # max_epochs and such, for learning on
    epochs: int = 0
    mistakes_per_epoch: list[int] = field(default_factory=list)
    settled_at: int = -1  # the number of updates after which an epoch passed without a mistake
    lowest: npt.NDArray[np.float64] = field(default_factory=lambda: np.array([np.inf]))
    numbering: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        spec: TrainingSpec,
        learner: Learner,
        classes: Classes,
        data: NamedColumns,
        mistakes_per_epoch: list[int],
        lowest: npt.NDArray[np.float64],
        *,
        converged: bool = False,
    ) -> "Model":
        """The model of a run. lowest: the lowest ceilings on each learner's margin."""
        if spec.rule == OWN:
            raise ParameterError("a rule of one's own cannot be written: loading executes nothing")
        return cls(
            spec.rule,
            spec.identity()["parameters"],
            learner,
            classes,
            data.feature_names,
            spec.run_options(),
            len(mistakes_per_epoch),
            mistakes_per_epoch,
            learner.total("updates") if converged else -1,
            lowest,
            data.index_options,
        )

    def predict(self, rows: Rows) -> npt.NDArray[Any]:
        """The class of each row."""
        codes = self.learner.predicted_codes(self.learner.answers(rows))
        labels: npt.NDArray[Any] = self.classes[codes]
        return labels


def write(model: Model, path: str | os.PathLike[str]) -> None:
    """Save the model, all or nothing."""
    atomic_write(path, to_bytes(model), error=ModelError)


def to_bytes(model: Model) -> bytes:
    """The bytes of a model's file."""
    header, arrays = parts(model)
    return array_file.serialize({"novikoff": header}, arrays)


def read(path: str | os.PathLike[str]) -> Model:
    """Load a model; ModelError says what is wrong with a file that is none."""
    texts, arrays = array_file.read(path, "model")
    return deserialize(path, texts.get("novikoff"), arrays)


def parts(model: Model) -> tuple[dict[str, Any], Arrays]:
    """What a file says of a model, and the arrays that it holds."""
    learner = model.learner
    arrays = {"lowest": np.broadcast_to(model.lowest, len(learner.states)).copy()}
    if learner.initial is not None:
        arrays["initial"] = learner.initial
    for k, (state, tally) in enumerate(zip(learner.states, learner.tallies, strict=True)):
        state = protocol.compacted(learner.rule, state)
        arrays |= {f"{k}.state.{name}": array for name, array in _flat(state).items()}
        arrays |= {f"{k}.tally.{name}": array for name, array in tally._asdict().items()}
    return _header(model), {name: np.ascontiguousarray(each) for name, each in arrays.items()}


def deserialize(path: str | os.PathLike[str], header: Any, arrays: Arrays) -> Model:
    """The model that a header and arrays describe."""
    try:
        _check_header(header)
    except ValueError as error:
        raise ModelError(f"{path}: not a novikoff model, or a damaged one: {error}") from None
    try:
        return _assembled(path, header, arrays)
    except (ModelError, ParameterError, TypeError, ValueError, OverflowError, OSError) as error:
        raise ModelError(f"{path}: a damaged model: {error}") from None


def _flat(state: Any, prefix: str = "") -> dict[str, Any]:
    """The arrays of a state by the path of their fields; an array met before is not repeated."""
    found: dict[str, Any] = {}
    for name, value in zip(state._fields, state, strict=True):
        inner = (
            _flat(value, f"{prefix}{name}.")
            if hasattr(value, "_fields")
            else {prefix + name: value}
        )
        for path, array in inner.items():
            if not any(array is other for other in found.values()):
                found[path] = array
    return found


def _header(model: Model) -> dict[str, Any]:
    learner = model.learner
    return {
        "format": FORMAT,
        "version": VERSION,
        "rule": model.rule,
        "parameters": model.parameters,
        "features": learner.features,
        "learners": len(learner.states),
        "bias": learner.bias,
        "unit_length": learner.unit_length,
        "classes": model.classes.tolist(),
        "class_type": _class_type(model.classes),
        "feature_names": model.feature_names,
        "options": model.options,
        "epochs": model.epochs,
        "mistakes_per_epoch": model.mistakes_per_epoch,
        "settled_at": model.settled_at,
        "numbering": dict(model.numbering),
    }


def _class_type(classes: Classes) -> str:
    kind = _CLASS_TYPES.get(classes.dtype.kind)
    if kind is None or (kind == "int64" and classes.max() > np.iinfo(np.int64).max):
        raise ModelError(f"labels of type {classes.dtype} (such as {classes[-1]}) cannot be saved")
    if kind == "str" and not all(isinstance(label, str) for label in classes.tolist()):
        raise ModelError("labels of mixed types cannot be saved")
    return kind


def _check_header(header: Any) -> None:
    if isinstance(header, dict) and header.get("format") == PIPELINE_FORMAT:
        raise ValueError("it holds a pipeline, which nk.load reads, and commands do not")
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError("its header does not say that it is one")
    if header.get("version") != VERSION:
        raise ValueError(f"it is of version {header.get('version')}; this program reads {VERSION}")
    if set(header) != set(_HEADER):
        raise ValueError(f"its header should have exactly the keys {', '.join(_HEADER)}")
    for name, kind in _HEADER.items():
        if not isinstance(header[name], kind) or (kind is int and isinstance(header[name], bool)):
            raise ValueError(f"its {name!r} is of the wrong type")


def _assembled(path: str | os.PathLike[str], header: dict[str, Any], arrays: Arrays) -> Model:
    _check_values(header)
    rule = registry.build(header["rule"], header["parameters"])
    number, features, bias = header["learners"], header["features"], header["bias"]
    classes = _checked_classes(header["classes"], header["class_type"])
    lines = lines_needed(rule, classes)
    if number != (1 if protocol.is_joint(rule) else lines):
        raise ModelError(f"{number} learner(s) do not go with {len(classes)} classes")
    if number > len(arrays) or features < 0:
        raise ModelError("its header does not go with its arrays")
    _check_shapes(rule, number, (lines, features + bias), arrays)
    array_file.verify_checksum(path)
    _check_numbers(arrays)
    initial = arrays.pop("initial", None)
    learner = Learner(
        rule, features, lines, bias=bias, unit_length=header["unit_length"], initial=initial
    )
    lowest = np.array(arrays.pop("lowest"))
    for k in range(number):
        learner.states[k] = _filled(learner.states[k], arrays, f"{k}.state.")
        tally = _tally_kind(arrays)
        learner.tallies[k] = tally(*(np.array(arrays[f"{k}.tally.{n}"]) for n in tally._fields))
        if not protocol.sound(rule, learner.states[k]):
            raise ModelError(f"the state of learner {k} contradicts itself")
    names = header["feature_names"]
    if names is not None and (len(names) != features or not all(isinstance(n, str) for n in names)):
        raise ModelError("its feature names do not go with its features")
    return Model(
        header["rule"],
        header["parameters"],
        learner,
        classes,
        names,
        header["options"],
        header["epochs"],
        [int(count) for count in header["mistakes_per_epoch"]],
        header["settled_at"],
        lowest,
        header["numbering"],
    )


def _check_values(header: dict[str, Any]) -> None:
    """Parameters, options and counts of the right kinds."""
    for name, default in registry.lookup(header["rule"]).parameters().items():
        value = header["parameters"].get(name, default)
        kinds = type(default) if isinstance(default, (bool, str)) else (int, float, type(None))
        if not isinstance(value, kinds) or isinstance(value, bool) != isinstance(default, bool):
            raise ModelError(f"its parameter {name!r} is {value!r}")
    for name, value in header["options"].items():
        if name not in _OPTIONS or not _OPTIONS[name](value):
            raise ModelError(f"its options are {header['options']}")
    for name, value in header["numbering"].items():
        if type(value) is not _NUMBERING.get(name):
            raise ModelError(f"its numbering is {header['numbering']}")
    counts = header["mistakes_per_epoch"]
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ModelError("its mistakes per epoch are not counts")
    if header["epochs"] != len(counts) or not -1 <= header["settled_at"] < 2**62:
        raise ModelError("its number of epochs does not go with its mistakes per epoch")


def _checked_classes(labels: list[Any], kind: str) -> npt.NDArray[Any]:
    known = {"bool": bool, "int64": int, "float64": float, "str": str}
    if kind not in known or not all(type(label) is known[kind] for label in labels):
        raise ModelError("its classes are not all of one known type")
    if kind == "float64" and not all(map(math.isfinite, labels)):
        raise ModelError("its classes are not all numbers")
    if len(labels) < 2 or any(a >= b for a, b in itertools.pairwise(labels)):
        raise ModelError("its classes are not two or more, in ascending order")
    return np.array(labels, kind)


def _check_shapes(rule: Rule, learners: int, shape: tuple[int, int], arrays: Arrays) -> None:
    """Exactly the arrays that there must be, before anything is made of the size they claim."""
    expected: dict[str, tuple[int, ...]] = {"lowest": (learners,)}
    if "initial" in arrays:
        expected["initial"] = shape
    free: set[str] = set()
    lines, width = shape
    small = [_flat(protocol.zero_state(rule, each, lines)) for each in (2, 3)]
    for k in range(learners):
        for name, array in small[0].items():
            by_width = list(zip(array.shape, small[1][name].shape, strict=True))
            if all(a == b for a, b in by_width):
                free.add(f"{k}.state.{name}")  # its length does not follow from the features
            expected[f"{k}.state.{name}"] = tuple(width if a != b else a for a, b in by_width)
        expected |= {f"{k}.tally.{name}": (1,) for name in _tally_kind(arrays)._fields}
    if set(expected) != set(arrays):
        odd = sorted(set(expected) ^ set(arrays))
        raise ModelError(f"it has too few or too many arrays: {odd[0]!r}")
    blank = new_tally()
    kinds = {f"tally.{name}": array.dtype for name, array in blank._asdict().items()}
    kinds |= {f"state.{name}": array.dtype for name, array in small[0].items()}
    for name, array in arrays.items():
        kind = kinds.get(name.partition(".")[2], np.dtype(np.float64))
        grows = hasattr(type(rule), "compacted") and name in free
        if array.ndim != len(expected[name]):
            raise ModelError(f"its array {name!r} has {array.ndim} dimensions")
        if array.dtype != kind or (array.shape != expected[name] and not grows):
            raise ModelError(f"its array {name!r} has the wrong shape or type")


def _are_class_weights(value: Any) -> bool:
    """Whether it is a list of pairs of labels and weights."""
    return isinstance(value, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and type(pair[0]) in (bool, int, float, str)
        and type(pair[1]) in (int, float)
        for pair in value
    )


def _tally_kind(arrays: Arrays) -> type[Tally]:
    """What the learners count: with weights if the rows had any."""
    return WeightedCounters if "0.tally.weighted_mistakes" in arrays else Counters


def _check_numbers(arrays: Arrays) -> None:
    for name, array in arrays.items():
        numbers = ~np.isnan(array) if name == "lowest" else np.isfinite(array)
        if not numbers.all():
            raise ModelError(f"its array {name!r} holds something that is not a number")
        if (".tally." in name or name == "lowest") and (array < 0).any():
            raise ModelError(f"its array {name!r} is negative, and counts or measures something")


def _filled(state: Any, arrays: dict[str, Any], prefix: str) -> Any:
    """The state with the file's arrays in the places of its own, shared where its own were."""
    found = {id(array): arrays[prefix + name] for name, array in _flat(state).items()}

    copies: dict[int, Any] = {}

    def shared(part: Any) -> Any:
        if hasattr(part, "_fields"):
            return type(part)(*map(shared, part))
        return copies.setdefault(id(part), np.array(found[id(part)]))

    return shared(state)
