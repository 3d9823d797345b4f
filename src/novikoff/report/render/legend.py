"""The legend of a figure, in HTML."""

from html import escape

from novikoff.report.model import (
    DASHES,
    LOOKS,
    Band,
    Bars,
    Line,
    Mark,
    Patch,
    PointSeries,
    ReferenceLine,
)

#: Each marker within a circle of radius 5 around the middle of a box of 30 by 16.
SHAPES = {
    "circle": '<circle cx="15" cy="8" r="5"/>',
    "triangle": '<path d="M15 2.5 20.2 12H9.8Z"/>',
    "square": '<path d="M10.5 3.5h9v9h-9Z"/>',
    "diamond": '<path d="M15 2 20 8 15 14 10 8Z"/>',
    "star": '<path d="M15 1.5 16.8 6 21.5 6.2 17.8 9.2 19.1 14 15 11.2 10.9 14 12.2 9.2 8.5 6.2'
    ' 13.2 6Z"/>',
}


def legend(marks: list[Mark]) -> str:
    """The symbol and the name of each mark that has a name, as a list."""
    items = "".join(f"<li>{_symbol(mark)}{escape(mark.name)}</li>" for mark in marks if mark.name)
    return f'<ul class="key">{items}</ul>' if items else ""


def _symbol(mark: Mark) -> str:
    colour = f"var(--{mark.colour})"
    match mark:
        case Line() | ReferenceLine():
            upright = isinstance(mark, ReferenceLine) and mark.upright
            path = "M15 0V16" if upright else "M1 8H29"
            drawn = f'<path d="{path}" stroke="{colour}" stroke-width="2.5"{_dash(mark.dash)}/>'
        case PointSeries():
            drawn = f"<g {_style(mark, colour)}>{SHAPES[mark.marker]}</g>"
        case Band() | Patch():
            outline = f'stroke="{colour}"' if isinstance(mark, Patch) else ""
            drawn = _box(f'fill="{colour}" fill-opacity=".2" {outline}')
        case Bars():
            drawn = _box(f'fill="{colour}"')
            if mark.hatched:
                lines = "M5 13 11 3M12 13 18 3M19 13 25 3"
                drawn += f'<path d="{lines}" stroke="var(--paper)" stroke-width="1.5"/>'
    return f'<svg viewBox="0 0 30 16" fill="none" aria-hidden="true">{drawn}</svg>'


def _dash(name: str) -> str:
    dash = DASHES[name]
    return "" if dash is None else ' stroke-dasharray="{:g} {:g}"'.format(*dash.in_key)


def _style(mark: PointSeries, colour: str) -> str:
    look = LOOKS[mark.look]
    if not look.filled:
        weight = 'stroke-width="2"' if look.opacity == 1.0 else 'stroke-opacity=".5"'
        return f'fill="none" stroke="{colour}" {weight}'
    edge = ' stroke="var(--ink)" stroke-width="1.3"' if look.edge == "ink" else ""
    return f'fill="{colour}"{edge}'


def _box(style: str) -> str:
    return f'<rect x="3" y="2" width="24" height="12" {style}/>'
