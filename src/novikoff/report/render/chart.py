"""One figure for a notebook: Bokeh's where scripts run, a still picture where they do not."""

import base64
from html import escape
from itertools import count
from typing import TYPE_CHECKING

from novikoff.report.model import LIGHT, Figure
from novikoff.report.render.bokeh import bokeh_script, figure_json
from novikoff.report.render.legend import legend
from novikoff.report.render.matplotlib import canvas_of, render_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NUMBERS = count(1)
STYLE = (
    "<style>.novikoff-chart{max-width:46rem}.novikoff-chart .key{display:flex;flex-wrap:wrap;"
    "gap:.2rem 1rem;list-style:none;padding:0;margin:.3rem 0}.novikoff-chart .key svg"
    "{width:30px;height:16px;margin-right:.4em;vertical-align:middle}"
    ".novikoff-chart .plot{height:22rem}.novikoff-chart .plot img{max-height:100%}</style>"
)


class Chart:
    """A figure that a notebook shows; `figure` is its data, `canvas()` a Matplotlib figure of it.

    The first chart of a process carries Bokeh's own script, so that nothing is loaded from
    anywhere; the still picture stays where that script is not there.
    """

    script_sent = False

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def __repr__(self) -> str:
        return f"<Chart: {self.figure.title}>"

    def canvas(self) -> "Canvas":
        """The figure drawn by Matplotlib, to change or to save."""
        return canvas_of(self.figure)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        still = base64.b64encode(render_file(self.figure, "png")).decode()
        return {"text/plain": repr(self), "text/html": self._html(), "image/png": still}

    def _html(self) -> str:
        name, picture = f"novikoff-chart-{next(NUMBERS)}", self.figure
        colours = " ".join(f"--{key}: {colour};" for key, colour in LIGHT.items())
        image = base64.b64encode(render_file(picture, "svg", titled=False)).decode()
        alt = escape(f"{picture.title}. {picture.alt}")
        first, Chart.script_sent = not Chart.script_sent, True
        script = f"<script>if (!window.Bokeh) {{{bokeh_script()}}}</script>" if first else ""
        upwards = f"<p>↑ {escape(picture.y_label)}</p>" if picture.y_label else ""
        return f"""{STYLE}<figure class="novikoff-chart" style="{colours}">
<strong>{escape(picture.title)}</strong>{legend(picture.marks)}{upwards}
<div class="plot" id="{name}" role="img" aria-label="{alt}"><img alt=""
 src="data:image/svg+xml;base64,{image}"></div>
<p>{escape(picture.x_label)} →</p><figcaption>{escape(picture.caption)}</figcaption></figure>
{script}<script>(() => {{
  const place = document.getElementById("{name}");
  if (!window.Bokeh || !place) return;
  place.replaceChildren();
  Bokeh.embed.embed_item({figure_json(picture, name)}, "{name}");
}})()</script>"""
