"""JSON as requests bring it and as the journal keeps it."""

import contextlib
import json
import math
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, NoReturn, TypeAlias, TypeVar

from novikoff.errors import NovikoffError

JsonLabel: TypeAlias = str | int | float | bool
Features: TypeAlias = dict[str, float] | list[float]
Row: TypeAlias = tuple[object, str | None]  # JSON, and the text of the features in it, if known

Made = TypeVar("Made")

LONG_NUMBER = re.compile(rb"\d{400}")  # no double needs as many digits, and converting takes longer
SAMPLED = re.compile(rb"\d{8}")  # what is left of it of every fiftieth byte
#: A row with nothing nested but the features, which come first, and no escape: group 1 is they.
USUAL = re.compile(r'\{(?:"features": ?(\{[^][{}\\\n]*\}|\[[^][{}\\\n]*\]))?[^][{}\\\n]*\}')
USUAL_LINES = re.compile(f"^{USUAL.pattern},?$", re.MULTILINE)
LONGEST_FEATURE = 64  # characters on average, its name too, of what the journal keeps as it came


class ServiceError(NovikoffError):
    """A request that is refused: an HTTP status, why, and the seconds until another may succeed."""

    def __init__(self, status: HTTPStatus, why: str, wait: int = 1) -> None:
        super().__init__(why)
        self.status, self.wait = status, wait


def refuse(status: HTTPStatus, why: str) -> NoReturn:
    raise ServiceError(status, why)


def tried(make: Callable[..., Made], *given: object) -> Made | ServiceError:
    """What is made of a request, or why it is refused."""
    try:
        return make(*given)
    except ServiceError as error:
        return error
    except NovikoffError as error:
        return ServiceError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))


def parse_json(body: bytes) -> object:
    """JSON in UTF-8 without tricks: no key twice, no number beyond doubles, no NaN."""
    return parse_row(body)[0]


def parse_rows(lines: Sequence[bytes]) -> list[Row | ServiceError]:
    """`parse_row` for each line, at once if all are as usual; or why it is refused."""
    with contextlib.suppress(ValueError, RecursionError, ServiceError):
        if not any(map(_may_be_long, lines)) and (found := _usual_rows(lines)):
            return found
    return [tried(parse_row, line) for line in lines]


def _may_be_long(body: bytes) -> bool:
    """Whether a number in it may have 400 digits."""
    return SAMPLED.search(body[::50]) is not None


def _usual_rows(lines: Sequence[bytes]) -> list[Row | ServiceError] | None:
    """The rows, read as one array of JSON; None: not all are as usual.

    A text without an escape ends on its line, and what `USUAL` allows to be open at the end of a
    line is an object at most, in which no other row can begin. So each line is a row.
    """
    text = b",\n".join(lines).decode()
    texts = USUAL_LINES.findall(text)
    if len(texts) < len(lines):
        return None
    found = _QUICK.decode(f"[{text}]")
    if text.count(":") != sum(map(_keys, found)):
        return None
    return [(row, _short(each, row)) for row, each in zip(found, texts, strict=True)]


def parse_row(body: bytes) -> Row:
    """The same, and the text of the features in it, if that is short and where it usually is."""
    if _may_be_long(body) and LONG_NUMBER.search(body):
        refuse(HTTPStatus.BAD_REQUEST, "found a number of 400 digits or more")
    try:
        text = body.decode()
        found = _QUICK.decode(text)
        if text.count(":") != _keys(found):  # else no key came twice: each has a colon
            found = _STRICT.decode(text)
        if "\\u" in text:  # half a character, which could be written nowhere
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        refuse(HTTPStatus.BAD_REQUEST, "the JSON is nested too deeply")
    except ServiceError:
        raise
    except ValueError as error:  # an undecodable byte too
        refuse(HTTPStatus.BAD_REQUEST, f"not JSON in UTF-8: {str(error)[:200]}")
    usual = USUAL.fullmatch(text)
    return found, _short(usual[1], found) if usual else None


def _short(text: str | None, row: Any) -> str | None:
    """The text of a row's features, unless it is much longer than what it says."""
    return text if text and len(text) <= (len(row["features"]) + 1) * LONGEST_FEATURE else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        refuse(HTTPStatus.BAD_REQUEST, "an object has a key twice")
    return found


def _refuse_constant(name: str) -> None:
    refuse(HTTPStatus.BAD_REQUEST, f"{name} is not a number")


_QUICK = json.JSONDecoder(parse_constant=_refuse_constant)
_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)


def _keys(found: object) -> int:
    """How many keys an object has, and the objects in it."""
    if type(found) is not dict:
        return -1
    number = len(found)
    for each in found.values():
        if type(each) is dict:
            number += len(each)
    return number


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def dump(value: object) -> str:
    """A value as the journal keeps it: JSON, from which the same doubles are read again."""
    kind = type(value)
    if kind is int or (kind is float and math.isfinite(value)):  # type: ignore[arg-type]
        return repr(value)
    return _encode(value)


def same_json(one: str, other: str) -> bool:
    """Whether two texts mean the same, keys in the same order; they may be written differently."""
    return one == other or dump(json.loads(one)) == dump(json.loads(other))
