"""The whole state of a page, and its address: a query string, in one canonical form.

    preset=xor&eta=0.5            a preset, and what differs from its settings
    points=n0,0p1,1&tie=keep      points of one's own, and what differs from the defaults
    tab=capacity&N=5&P=12         the other tabs

`parsed(address(state)) == state`. Whatever is not understood is refused: an address that says less
than it seems to would show a lecturer something else than was prepared. Keys that only the page
itself uses (`PAGE_KEYS`) are passed over.
"""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, unquote

from novikoff.data.text.tokens import shown
from novikoff.errors import ParameterError
from novikoff.lab.state.presets import DEFAULT, PRESETS
from novikoff.lab.state.settings import (
    DEFAULTS,
    MOST_SEED,
    RunSettings,
    as_text,
    canonical,
    read_setting,
)
from novikoff.lab.state.url_values import Point, parse_int, read_points, write_points

TABS = ("plane", "capacity", "winnow")
PAGE_KEYS = ("step", "speed", "view", "band", "challenge")
#: The orders of Winnow's rows, in words.
WINNOW_ORDERS = {
    "given": "as they are listed",
    "shuffle": "shuffled anew in each epoch, by the seed",
    "sorted": "the negative ones first",
}
LONGEST_NAME = 60  # characters of a column's or a class's name
LONGEST = 60_000  # characters of an address; 500 points of 17 digits take a third


class AxisNames(NamedTuple):
    """What a table calls its columns, and its classes −1 and +1."""

    x: str = ""
    y: str = ""
    minus: str = ""
    plus: str = ""


class Plane(NamedTuple):
    """Points in the plane and a rule. Points of one's own have names, and no `preset`."""

    preset: str | None = DEFAULT
    points: tuple[Point, ...] = PRESETS[DEFAULT].points
    settings: RunSettings = PRESETS[DEFAULT].settings
    names: AxisNames = AxisNames()


class CapacityTabState(NamedTuple):
    """P random points in N dimensions, labelled at random; so many trials are made at once."""

    N: int = 10
    P: int = 20
    trials: int = 0
    seed: int = 0


class WinnowTabState(NamedTuple):
    """Rows of n Boolean variables, labelled by the OR of some relevant ones; 0 rows mean all."""

    n: int = 16
    relevant: int = 3
    rows: int = 100
    seed: int = 0
    order: str = "given"


State = Plane | CapacityTabState | WinnowTabState

#: The whole numbers of the other tabs, and from where to where they go.
RANGES: dict[str, dict[str, tuple[int, int]]] = {
    "capacity": {"N": (1, 50), "P": (1, 200), "trials": (0, 2000), "seed": (0, MOST_SEED)},
    "winnow": {"n": (2, 64), "relevant": (1, 64), "rows": (0, 500), "seed": (0, MOST_SEED)},
}


def parsed(address: str) -> State:
    """The state that an address means; a ParameterError says what is wrong with it.

    >>> parsed("preset=xor").settings.rule
    'perceptron'
    """
    if len(address) > LONGEST:
        raise ParameterError(
            f"the address has {len(address):,} characters, expected at most {LONGEST:,}: use fewer"
            " points, or numbers with fewer digits"
        )
    found: dict[str, str] = {}
    for key, value in _pairs(address):
        if key in found:
            raise ParameterError(f"{key}: it is in the address twice: leave one of them out")
        found[key] = value
    for key in PAGE_KEYS:
        found.pop(key, None)
    tab = found.pop("tab", TABS[0])
    if tab not in TABS:
        raise ParameterError(f"tab: found {shown(tab)}, expected plane, capacity or winnow")
    return _plane(found) if tab == "plane" else _other(tab, found)


def _pairs(address: str) -> Iterator[tuple[str, str]]:
    """The keys and values of a query string, in order."""
    query = address.removeprefix("?")
    for part in query.split("&") if query else ():
        key, equals, value = part.partition("=")
        if not equals or not key:
            raise ParameterError(
                f"found {shown(part)} in the address, expected key=value, with & between"
            )
        try:
            yield unquote(key, errors="strict"), unquote(value, errors="strict")
        except UnicodeDecodeError:
            raise ParameterError(
                f"found {shown(part)} in the address, expected UTF-8 after each %"
            ) from None


def _plane(found: dict[str, str]) -> Plane:
    if "preset" in found and "points" in found:
        raise ParameterError(
            "the address has a preset and points, expected one of them: leave preset out to use"
            " points of your own"
        )
    names = AxisNames()
    if "points" in found:
        name, points, base = None, read_points(found.pop("points")), DEFAULTS
        given = {key: found.pop(key) for key in AxisNames._fields if key in found}
        names = AxisNames(**{key: _read_name(key, text) for key, text in given.items()})
    else:
        name = found.pop("preset", DEFAULT)
        if name not in PRESETS:
            raise ParameterError(
                f"preset: found {shown(name)}, expected one of {', '.join(PRESETS)}"
            )
        points, base = PRESETS[name].points, PRESETS[name].settings
    _refuse_unknown(found, ("preset", "points", *RunSettings._fields))
    chosen = {key: read_setting(key, value) for key, value in found.items()}
    return Plane(name, points, canonical(base._replace(**chosen)), names)


def _read_name(key: str, text: str) -> str:
    if len(text) > LONGEST_NAME or not text.isprintable():
        raise ParameterError(
            f"{key}: found {shown(text)}, expected a name of at most {LONGEST_NAME} characters that"
            " can be printed"
        )
    return text


def _other(tab: str, found: dict[str, str]) -> CapacityTabState | WinnowTabState:
    maker = CapacityTabState if tab == "capacity" else WinnowTabState
    _refuse_unknown(found, maker._fields)
    order = found.pop("order", "given")
    numbers = {key: parse_int(key, value, *RANGES[tab][key]) for key, value in found.items()}
    if tab == "capacity":
        return CapacityTabState(**numbers)
    if order not in WINNOW_ORDERS:
        raise ParameterError(f"order: found {shown(order)}, expected given, shuffle or sorted")
    state = WinnowTabState()._replace(**numbers, order=order)
    if state.relevant > state.n:
        raise ParameterError(
            f"relevant: found {state.relevant}, but there are only n={state.n} variables: take"
            " fewer relevant ones, or more variables"
        )
    return state


def _refuse_unknown(found: dict[str, str], known: tuple[str, ...]) -> None:
    for key in found:
        if key not in known:
            raise ParameterError(
                f"found the key {shown(key)} in the address, expected one of {', '.join(known)}"
            )


def address(state: State) -> str:
    """The address of a state, as short as it can be: defaults are left out.

    >>> address(parsed("?rule=margin&margin=2&eta=1&C=7&preset=xor"))
    'preset=xor&rule=margin&margin=2'
    """
    if isinstance(state, Plane):
        return _joined(_of_plane(state))
    tab = "capacity" if isinstance(state, CapacityTabState) else "winnow"
    values, defaults = state._asdict(), type(state)()._asdict()
    different = {key: str(values[key]) for key in values if values[key] != defaults[key]}
    return _joined({"tab": tab} | different)


def _of_plane(state: Plane) -> dict[str, str]:
    found = {}
    base = DEFAULTS
    if state.preset is None:
        found["points"] = write_points(state.points)
        found |= {key: name for key, name in state.names._asdict().items() if name}
    else:
        base = PRESETS[state.preset].settings
        if state.preset != DEFAULT:
            found["preset"] = state.preset
    return found | _needed(state.settings, base)


def _needed(settings: RunSettings, base: RunSettings) -> dict[str, str]:
    """The settings without which those of the base would mean another run."""
    kept = settings
    for name in RunSettings._fields:
        without = kept._replace(**{name: getattr(base, name)})
        kept = without if canonical(without) == settings else kept
    mine, theirs = as_text(kept), as_text(base)
    return {name: mine[name] for name in mine if mine[name] != theirs[name]}


def _joined(pairs: dict[str, str]) -> str:
    return "&".join(f"{key}={quote(value, safe=',')}" for key, value in pairs.items())


def as_strings(state: State) -> dict[str, str]:
    """The state as the page's controls have it."""
    if isinstance(state, Plane):
        return {"preset": state.preset or ""} | as_text(state.settings)
    return {key: str(value) for key, value in state._asdict().items()}
