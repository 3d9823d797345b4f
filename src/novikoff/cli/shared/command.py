"""A command whose help text fills its lines, and is not read as markup."""

from typing import Any

from typer.core import TyperCommand


class Command(TyperCommand):
    """A command of the application."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help text with each of its paragraphs on one line, for the terminal to wrap."""
        given = self.help
        if self.rich_markup_mode == "rich" and given is not None:
            from rich.markup import escape

            self.help = escape("\n\n".join(" ".join(each.split()) for each in given.split("\n\n")))
        try:
            super().format_help(ctx, formatter)
        finally:
            self.help = given
