"""What a page shows before its scripts run: titles, stories, sentences, and a picture."""

import math
import re
from html import escape
from typing import Any

from novikoff.errors import NovikoffError
from novikoff.lab.page_data import first_data

SIDE = 400.0  # of the picture, in units of its own
MARKS = {
    -1: '<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="var(--blue)"/>',
    1: '<path d="M{x:.1f} {y:.1f}m0-8 7 13h-14z" fill="var(--red)"/>',
}
#: Of each tab but the plane's: its parts, which the page hides, and those that it has no use for.
SHOWN = {"winnow": ("bars", "bars-key", "winnow-controls"), "capacity": ("capacity",)}
HIDDEN = {
    "winnow": ("plane", "plane-key", "plane-controls", "verdict", "challenge-button"),
    "capacity": ("player", "panel", "fold", "challenge-button"),
}


def painted(page: str, address: str) -> str:
    """The page with the content of an address; as it is where that means nothing."""
    try:
        scene = first_data(address)
    except NovikoffError:  # the scripts ask again, and say it
        return page
    tab = scene["tab"]
    if tab == "plane":
        content = _plane(scene)
        if any(part.startswith("challenge=") for part in address.split("&")):
            return _filled(_with_hidden(page, ("verdict",)), content)
        return _filled(page, content | _verdict(scene))
    content = _winnow(scene) if tab == "winnow" else _capacity(scene)
    return _filled(_with_values(_turned(page, tab), tab, scene["state"]), content)


def _filled(page: str, content: dict[str, str]) -> str:
    """The page with something after each of these tags, or parts of one."""
    for tag, what in content.items():
        page = page.replace(tag, tag + what, 1)
    return page


def _turned(page: str, tab: str) -> str:
    """The page with another tab in front."""
    page = page.replace("<html ", f'<html data-tab="{tab}" ', 1)
    for chosen, name in (("false", "plane"), ("true", tab)):
        page = re.sub(rf'(id="tab-{name}".*?aria-selected=)"\w+"', rf'\1"{chosen}"', page, count=1)
    return _with_hidden(_with_hidden(page, SHOWN[tab], ""), HIDDEN[tab])


def _with_hidden(page: str, names: tuple[str, ...], hidden: str = " hidden") -> str:
    """The page with some of its elements hidden, or with no such attribute."""
    for name in names:
        tag = rf'(<[^<>]*\bid="{name}"[^<>]*?)(?: hidden)?>'
        page = re.sub(tag, rf"\1{hidden}>", page, count=1)
    return page


def _with_values(page: str, tab: str, state: dict[str, str]) -> str:
    """The page with the numbers of a tab in its fields."""
    for name, value in state.items():
        field = f'<input id="{tab}-{name}"'
        page = page.replace(field, f'{field} value="{escape(value)}"', 1)
    return page


def _plane(scene: dict[str, Any]) -> dict[str, str]:
    return {'<h2 id="title">': escape(scene["title"]), 'aria-label="The plane">': _points(scene)}


def _verdict(scene: dict[str, Any]) -> dict[str, str]:
    """What a challenge keeps to itself."""
    return {
        '<p id="about" class="soft">': escape(scene["about"]),
        '<section id="verdict" ': f'data-outcome="{escape(scene["verdict"]["outcome"])}" ',
        '<p class="sentence">': escape(scene["verdict"]["sentence"]),
    }


def _winnow(scene: dict[str, Any]) -> dict[str, str]:
    content = {
        '<h2 id="title">': escape(scene["title"]),
        '<p id="about" class="soft">': escape(scene["about"]),
    }
    if scene["film"] is None:  # and the scripts say why
        return content
    return content | {
        'aria-label="The weights">': _bars(scene),
        '<p class="why soft">': escape(scene["film"]["countdown"]["why"]),
    }


def _capacity(scene: dict[str, Any]) -> dict[str, str]:
    now, picture = scene["now"], scene["picture"]
    return {
        '<p id="capacity-words">': escape(now["sentence"]),
        '<p id="capacity-count" class="formula">': escape(now["count"]),
        '<p id="capacity-meaning" class="soft">': escape(now["meaning"]),
        '<h3 id="capacity-title">': escape(picture.title),
        '<span id="capacity-y">': escape(picture.y_label),
        '<span id="capacity-x">': escape(picture.x_label),
        '<figcaption id="capacity-caption">': escape(picture.caption),
        '<div id="capacity-plot" class="plot" role="img">': _curve(scene["curve"]),
    }


def _points(scene: dict[str, Any]) -> str:
    """The points where the plane will have them, roughly."""
    (left, right), (low, high) = scene["frame"]
    scale = SIDE / max(right - left, high - low)
    marks = "".join(
        MARKS[int(label)].format(x=(x - left) * scale, y=(high - y) * scale)
        for x, y, label in scene["points"]
    )
    return _svg((right - left) * scale, (high - low) * scale, marks)


def _bars(scene: dict[str, Any]) -> str:
    """Weights of 1, on a scale of powers up to the threshold."""
    relevant, count = {*scene["relevant"]}, len(scene["names"])
    wide, high = SIDE / count, SIDE / (math.log2(scene["threshold"]) + 2.0)
    marks = "".join(
        f'<path d="M{(j + 0.1) * wide:.1f} {SIDE:.1f}v{-high:.1f}h{0.8 * wide:.1f}v{high:.1f}z"'
        f' fill="var(--{"green" if j in relevant else "grey"})"/>'
        for j in range(count)
    )
    return _svg(SIDE, SIDE, marks, ' preserveAspectRatio="none"')


def _curve(curve: dict[str, list[float]]) -> str:
    """Cover's curve."""
    far = curve["ratio"][-1]
    places = zip(curve["ratio"], curve["share"], strict=True)
    line = " ".join(f"{x / far * SIDE:.1f},{(1.02 - y) * SIDE:.1f}" for x, y in places)
    style = 'fill="none" stroke="var(--blue)" stroke-width="4" vector-effect="non-scaling-stroke"'
    mark = f'<polyline points="{line}" {style}/>'
    return _svg(SIDE, 1.04 * SIDE, mark, ' preserveAspectRatio="none"')


def _svg(wide: float, high: float, marks: str, stretch: str = "") -> str:
    size = f'viewBox="0 0 {wide:.1f} {high:.1f}" width="100%" height="100%"{stretch}'
    return f'<svg class="figure" {size} aria-hidden="true">{marks}</svg>'
