"""Commands whose help text fills its lines, up to a readable width, and is not read as markup."""

import shutil
from typing import Any

from typer.core import TyperCommand

from novikoff.verdict.account.text_layout import WIDEST


def limit_width() -> None:
    """Keep Rich from writing help wider than is easy to read."""
    from typer import rich_utils

    rich_utils.MAX_WIDTH = min(shutil.get_terminal_size().columns, WIDEST)


class Command(TyperCommand):
    """A command of the application."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text with each of its paragraphs on one line, for the terminal to wrap."""
        given = self.help
        if self.rich_markup_mode == "rich" and given is not None:
            from rich.markup import escape

            limit_width()
            self.help = escape("\n\n".join(" ".join(each.split()) for each in given.split("\n\n")))
        try:
            super().format_help(ctx, formatter)
        finally:
            self.help = given
