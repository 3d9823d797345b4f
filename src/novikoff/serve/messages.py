"""Requests and answers as types, from which they are parsed, checked and described."""

import functools
import json
import math
import re
import types
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from novikoff.serve.json_text import Features, JsonLabel, refuse
from novikoff.serve.settings import Limits

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class PredictRequest(NamedTuple):
    """A row to predict the label of. keep: false if no label will come; nothing is then kept."""

    features: Features
    id: str | None = None
    keep: bool = True


class RevealRequest(NamedTuple):
    """The label of a prediction."""

    id: str
    label: JsonLabel
    weight: float = 1.0


class LearnRequest(NamedTuple):
    """A row and its label. With an id of the client's own it can be sent again safely."""

    features: Features
    label: JsonLabel
    id: str | None = None
    weight: float = 1.0


class ModelRequest(NamedTuple):
    """A model to add. classes: all labels that will ever come."""

    name: str
    rule: str = "perceptron"
    parameters: dict[str, JsonLabel] = {}  # noqa: RUF012
    classes: list[JsonLabel] = [-1, 1]  # noqa: RUF012
    bias: bool | None = None
    unit_length: bool = False


class PredictAnswer(NamedTuple):
    """What was predicted. id: null if the prediction was not kept, so that no label can follow it.

    behind: labels that the journal has and this process had not learned from, where readers answer.
    """

    id: str | None
    label: JsonLabel
    score: float | list[float]
    behind: int = 0


class RevealAnswer(NamedTuple):
    """Whether the served prediction was wrong, and the counts so far. repeated: learned before;
    mistake is then null where it was so long ago that it is no longer known.
    """

    mistake: bool | None
    mistakes: int
    seen: int
    repeated: bool = False


class LearnAnswer(NamedTuple):
    """The same, for a row that came with its label."""

    id: str
    mistake: bool | None
    mistakes: int
    seen: int
    repeated: bool = False


class Problem(NamedTuple):
    """Why a request was refused, and what to do. line: of a batch, from 1."""

    problem: str
    status: int
    line: int | None = None


Message = TypeVar("Message")


def parse(kind: type[Message], value: object, limits: Limits) -> Message:
    """A message of a kind, from JSON."""
    if not isinstance(value, dict):
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, f"expected an object, found {shown(value)}")
    if _is_plain(kind, value, limits):
        if "features" in value:
            _check_features(value["features"], limits)
        return kind(**value)
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    defaults: dict[str, Any] = kind._field_defaults  # type: ignore[attr-defined]
    if odd := [name for name in value if name not in fields]:
        why = f"found the key {shown(odd[0])}, expected only {', '.join(fields)}"
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, why)
    if missing := [name for name in fields if name not in value and name not in defaults]:
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, f"the key {missing[0]!r} is missing")
    for name, hint in _hints(kind):
        if name in value:
            _check_field(name, value[name], hint, limits)
    return kind(**value)


def _is_plain(kind: type, value: dict[str, Any], limits: Limits) -> bool:
    """Whether all but the features is right at first sight, as it almost always is."""
    required, kinds = _plain_types(kind)
    for name, given in value.items():
        if type(given) not in kinds.get(name, ()):
            return False
        if type(given) is str and not 0 < len(given) <= limits.name:
            return False
    return required <= value.keys()


@functools.cache
def _plain_types(kind: type) -> tuple[set[str], dict[str, tuple[type, ...]]]:
    """The fields that a message must have, and types that need no closer look."""
    defaults = kind._field_defaults  # type: ignore[attr-defined]
    plain: dict[str, tuple[type, ...]] = {}
    for name, hint in _hints(kind):
        of_union = get_origin(hint) in (Union, types.UnionType)
        kinds = get_args(hint) if of_union else (hint,)
        plain[name] = tuple(each for each in kinds if each in (str, int, bool, type(None)))
        if name == "features":
            plain[name] = dict, list  # which are looked at for themselves
    return plain.keys() - defaults.keys(), plain


_HINTS: dict[type, list[tuple[str, Any]]] = {}


def _hints(kind: type) -> list[tuple[str, Any]]:
    if kind not in _HINTS:
        _HINTS[kind] = list(get_type_hints(kind).items())
    return _HINTS[kind]


def _check_field(name: str, value: object, hint: Any, limits: Limits) -> None:
    if name == "features":
        _check_features(value, limits)
    elif not _fits(value, hint):
        words = schema(hint).get("type") or "text, a number or a truth value"
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, f"{name}: expected {words}, found {shown(value)}")
    elif isinstance(value, str) and not 0 < len(value) <= limits.name:
        why = f"{name}: expected 1 to {limits.name} characters, found {len(value):,}"
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, why)
    elif name == "weight" and not (isinstance(value, (int, float)) and 0.0 < value < 1e100):
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, f"weight: expected a number above 0, found {value}")


def _check_features(value: object, limits: Limits) -> None:
    if not isinstance(value, (dict, list)):
        why = f"features: expected an object of numbers by name, or an array, found {shown(value)}"
        refuse(HTTPStatus.UNPROCESSABLE_ENTITY, why)
    if len(value) > limits.features:
        why = f"features: found {len(value):,}, expected at most {limits.features:,}"
        refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
    if isinstance(value, dict) and value and max(map(len, value)) > limits.name:
        why = f"features: a name has more than {limits.name} characters"
        refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, why)
    numbers = value.values() if isinstance(value, dict) else value
    try:
        if math.isfinite(sum(numbers)):  # the quick way, which is almost always enough
            return
    except (TypeError, OverflowError):
        pass
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, number in pairs:
        if not isinstance(number, (int, float)) or not _is_double(number):
            why = f"features: {shown(name)} is {shown(number)}; a number is needed"
            refuse(HTTPStatus.UNPROCESSABLE_ENTITY, why)


def _is_double(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) in (Union, types.UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if get_origin(hint) is list:
        return isinstance(value, list) and all(_fits(each, get_args(hint)[0]) for each in value)
    if get_origin(hint) is dict:
        inner = get_args(hint)[1]
        return isinstance(value, dict) and all(_fits(each, inner) for each in value.values())
    if isinstance(value, bool) or hint is bool:
        return isinstance(value, bool) and hint is bool
    if hint is float:
        return isinstance(value, (int, float)) and _is_double(value)
    return isinstance(value, hint)


def shown(value: object) -> str:
    """A value in a message: as JSON, and short."""
    if isinstance(value, int) and abs(value) > 10**15:
        return f"{float(value):.6g}" if _is_double(value) else "a number beyond doubles"
    try:
        text = json.dumps(value, default=str)
    except RecursionError:
        return "nested values"
    return text if len(text) <= 60 else f"{text[:57]}..."


_SCHEMAS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}


def schema(hint: Any) -> dict[str, Any]:
    """The JSON Schema of a type."""
    if hint in _SCHEMAS:
        return _SCHEMAS[hint]
    if get_origin(hint) in (Union, types.UnionType):
        return {"anyOf": [schema(each) for each in get_args(hint)]}
    if get_origin(hint) is list:
        return {"type": "array", "items": schema(get_args(hint)[0])}
    if get_origin(hint) is dict:
        return {"type": "object", "additionalProperties": schema(get_args(hint)[1])}
    fields, defaults = _hints(hint), hint._field_defaults
    return {
        "type": "object",
        "description": " ".join(hint.__doc__.split()),
        "properties": {name: _with_default(name, each, defaults) for name, each in fields},
        "required": [name for name, _ in fields if name not in defaults],
        "additionalProperties": False,
    }


def _with_default(name: str, hint: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    found = schema(hint)
    return found | {"default": defaults[name]} if defaults.get(name) is not None else found
