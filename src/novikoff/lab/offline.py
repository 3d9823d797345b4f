"""A run as one HTML file that steps back and forth through it and needs nothing else.

It is the lab's own player with one told in it. As in a report (see `report.html`) everything that
comes from data is escaped, and the page says itself that nothing may be loaded from anywhere.
"""

from html import escape
from typing import Any

from novikoff import __version__
from novikoff.lab.assets import figures, own
from novikoff.lab.figures import PLAYER
from novikoff.report.bokeh_figures import scripts
from novikoff.report.html import dark, element, head


def offline_page(told: dict[str, Any], title: str | None = None) -> str:
    """The whole file, of what `told` tells, or `told_of_trace`."""
    player = "".join(f"<script>\n{own(script)}</script>\n" for script in PLAYER)
    return f"""{head(title or told["title"], __version__, own("lab.css"))}
<body class="offline">
<main>
{own("player.html")}
</main>
<footer class="soft">Made by novikoff {escape(__version__)}, which computed every number on this
page; the page only shows them, and needs no network.</footer>
<script>{scripts()}</script>
{dark()}{figures()}{element("told", told)}{player}</body>
</html>
"""
