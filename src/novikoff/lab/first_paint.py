"""What a page shows before its scripts run: title, story, verdict, and the points as a picture."""

from html import escape
from typing import Any

from novikoff.errors import NovikoffError
from novikoff.lab.page_data import first_data

SIDE = 400.0  # of the picture, in units of its own
MARKS = {
    -1: '<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="var(--blue)"/>',
    1: '<path d="M{x:.1f} {y:.1f}m0-8 7 13h-14z" fill="var(--red)"/>',
}


def painted(page: str, address: str) -> str:
    """The page with the content of an address; as it is where that means no points."""
    try:
        scene = first_data(address)
    except NovikoffError:  # the scripts ask again, and say it
        return page
    if scene is None:
        return page
    parts = {'<h2 id="title">': escape(scene["title"]), 'aria-label="The plane">': _picture(scene)}
    if not any(part.startswith("challenge=") for part in address.split("&")):  # which hides them
        parts['<p id="about" class="soft">'] = escape(scene["about"])
        parts['<p class="sentence">'] = escape(scene["verdict"]["sentence"])
    for tag, content in parts.items():
        page = page.replace(tag, tag + content, 1)
    return page


def _picture(scene: dict[str, Any]) -> str:
    """The points where the plane will have them, roughly."""
    (left, right), (low, high) = scene["frame"]
    scale = SIDE / max(right - left, high - low)
    marks = "".join(
        MARKS[int(label)].format(x=(x - left) * scale, y=(high - y) * scale)
        for x, y, label in scene["points"]
    )
    box = f"0 0 {(right - left) * scale:.1f} {(high - low) * scale:.1f}"
    return f'<svg viewBox="{box}" width="100%" height="100%" aria-hidden="true">{marks}</svg>'
