"""Commands whose help lists options in sections, and fills the terminal up to a readable width."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from novikoff.cli.shared.terminal import NAME, has_colour
from novikoff.verdict.account.text_layout import readable_width

#: Settings of the context: how help is asked for, and its width.
CONTEXT: dict[str, Any] = {
    "help_option_names": ["-h", "--help"],
    "terminal_width": readable_width(),
}


def _section(formatter: Any, title: str) -> Any:
    return formatter.section(typer.style(title, **NAME) if has_colour() else title)


class Command(TyperCommand):
    """A command of the application."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each section under its name."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                kind = "Arguments" if parameter.param_type_name == "argument" else "Options"
                title = getattr(parameter, "rich_help_panel", None) or kind
                sections.setdefault(title, []).append(_without_type_of_flag(record))
        for title, records in sections.items():
            with _section(formatter, title):
                formatter.write_dl(records)


class Group(TyperGroup):
    """Several commands under one name, with all that is said of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the name of each command, and the first paragraph of its help."""
        commands = [(name, self.commands[name].help or "") for name in self.list_commands(ctx)]
        with _section(formatter, "Commands"):
            formatter.write_dl(
                [(name, " ".join(text.split("\n\n")[0].split())) for name, text in commands]
            )


def _without_type_of_flag(record: tuple[str, str]) -> tuple[str, str]:
    """Recent versions of Typer give flags a type."""
    return record[0].removesuffix(" <bool>"), record[1]
