"""A run as one HTML file that steps back and forth through it and needs nothing else.

It is the lab's own player with the data of one page in it. As in a report (`report.render.html`)
everything that comes from data is escaped, and the page says itself that nothing may be loaded from
anywhere.
"""

from html import escape
from typing import Any

from novikoff.errors import ParameterError
from novikoff.lab.assets import figures, own
from novikoff.lab.page_data import NO_RUN, page_data
from novikoff.lab.plane.bokeh_figures import PLAYER
from novikoff.report.render.bokeh import bokeh_script
from novikoff.report.render.html import dark_colours, json_element, page_head, screen_style
from novikoff.version import __version__


def offline_run(address: str) -> str:
    """The run of an address as such a file."""
    found = page_data(address)
    if found.get("film") is None:
        raise ParameterError(found.get("problem") or NO_RUN)
    return offline_page(found)


def offline_page(scene: dict[str, Any], title: str | None = None) -> str:
    """The whole file, of what `page_data` or `trace_page_data` tells."""
    player = "".join(f"<script>\n{own(script)}</script>\n" for script in PLAYER)
    return f"""{page_head(title or scene["title"], __version__, screen_style() + own("lab.css"))}
<body class="offline">
<main>
{own("player.html")}
</main>
<footer class="soft">Made by novikoff {escape(__version__)}, which computed every number on this
page; the page only shows them, and needs no network.</footer>
<script>{bokeh_script()}</script>
{dark_colours()}{figures()}{json_element("scene", scene)}{player}</body>
</html>
"""
