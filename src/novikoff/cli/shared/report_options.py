"""`--report` and `--plot`: the options, and the files that they name."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from novikoff.cli.shared.text import Fact

if TYPE_CHECKING:
    from novikoff.report import Page, PageQuestion


def option(metavar: str, help: str) -> Any:
    """Make an option that names a file of pictures."""
    return typer.Option(metavar=metavar, help=help, dir_okay=False, rich_help_panel="Pictures")


ReportOption = Annotated[
    Path | None,
    option(
        "FILE.html", "Write a page with pictures to this file; it opens in any browser, offline."
    ),
]
PlotOption = Annotated[
    Path | None, option("FILE.png|svg", "Write the most telling picture to this file.")
]


class ReportFiles(NamedTuple):
    """The files that a command is to draw; None where none is asked for."""

    report: Path | None
    plot: Path | None

    @property
    def wanted(self) -> bool:
        return self.report is not None or self.plot is not None

    @property
    def by_option(self) -> dict[str, Path | None]:
        return {"--report": self.report, "--plot": self.plot}

    def refuse(self, html: Path | None = None) -> None:
        """Refuse bad names, folders that are not there and missing libraries, before any work."""
        named = {option: path for option, path in self.by_option.items() if path is not None}
        if html is not None:
            named["--html"] = html
        if not named:
            return
        from novikoff.report import require_writable

        for option, path in named.items():
            require_writable(option, path)

    def write(self, page: "Page") -> None:
        """Write the files."""
        from novikoff.report import write_page, write_picture

        if self.report is not None:
            write_page(page, self.report)
        if self.plot is not None:
            write_picture(page, self.plot)

    def as_json(self) -> dict[str, str | None]:
        """The keys that scripts rely on."""
        return {name: None if path is None else str(path) for name, path in self._asdict().items()}

    def lines(self) -> list[str]:
        """Where the files are, for a person."""
        lines = [] if self.report is None else [f"Report: {self.report}; open it in a browser."]
        return lines if self.plot is None else [*lines, f"Picture: {self.plot}"]


def question(data: str, facts: list[Fact]) -> "PageQuestion":
    """The command as it was typed, and what it was about."""
    from novikoff.report import PageQuestion

    return PageQuestion(shlex.join(["novikoff", *sys.argv[1:]]), data, facts)


def sizes(rows: int, features: int) -> list[Fact]:
    """The numbers of rows and of features."""
    return [("rows", f"{rows:,}"), ("features", f"{features:,}")]
