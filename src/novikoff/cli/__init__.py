"""The command line: `novikoff fit`, `predict`, `show`, `check`, `repair`, `bound`, `verify`,
`trace`, `cover`, `convert`, `design`, `examples`, `exercise`, `demo`, `lab`, `serve` and `replay`.

Commands load what they need when they run; `novikoff --help` starts without Numba.
Exit codes: 0 done, or yes; 1 no (`check`: not separable, `bound --only`: refused, `verify`: not
valid, `exercise grade`: not all correct); 2 bad input or usage; 3 undecided; 70 a defect of
novikoff itself; 130 interrupted; 143 terminated (SIGTERM).
"""

import contextlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import typer

from novikoff.cli import (
    bound,
    check,
    convert,
    cover,
    demo,
    design,
    examples,
    exercise,
    fit,
    lab,
    predict,
    repair,
    replay,
    serve,
    show,
    trace,
    verify,
)
from novikoff.cli.shared.command import CONTEXT, Command, Group
from novikoff.cli.shared.data_options import in_option_names
from novikoff.cli.shared.progress.signals import exit_code, terminate
from novikoff.errors import NovikoffError
from novikoff.version import __version__

DEFECT = 70  # as sysexits.h has it


@contextlib.contextmanager
def _guarded() -> Iterator[None]:
    """Exit with our own codes where a command is interrupted, before Typer uses its own."""
    try:
        yield
    except KeyboardInterrupt as error:
        typer.echo("novikoff: interrupted", err=True)
        raise typer.Exit(exit_code(error)) from None
    except BrokenPipeError:  # the reader (head, less) has what it wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except SystemExit as error:  # Rich, which prints the help, takes such a reader for a failure
        if isinstance(error.__context__, BrokenPipeError):
            raise typer.Exit(0) from None
        raise


class _Commands(Group):
    """All commands and their help, with our exit codes."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        with _guarded():
            return super().make_context(*given, **named)

    def invoke(self, ctx: Any) -> Any:
        with _guarded():
            return super().invoke(ctx)


app = typer.Typer(
    name="novikoff",
    cls=_Commands,
    help="Learns linear separators one example at a time, and proves what it did.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=CONTEXT,
    epilog="DATA is a path, - for standard input, or example:NAME (see: novikoff examples).",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"novikoff {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    pass


app.command("fit", cls=Command)(fit.fit)
app.command("predict", cls=Command)(predict.predict)
app.command("show", cls=Command)(show.show)
app.command("check", cls=Command)(check.check)
app.command("repair", cls=Command)(repair.repair)
app.command("bound", cls=Command)(bound.bound)
app.command("verify", cls=Command)(verify.verify)
app.command("trace", cls=Command)(trace.trace)
app.command("cover", cls=Command)(cover.cover)
app.command("convert", cls=Command)(convert.convert)
app.command("design", cls=Command)(design.design)
app.command("examples", cls=Command)(examples.examples)
app.add_typer(exercise.app, name="exercise")
app.command("demo", cls=Command)(demo.demo)
app.command("lab", cls=Command)(lab.lab)
app.command("serve", cls=Command)(serve.serve)
app.command("replay", cls=Command)(replay.replay)


def _last_words(message: str) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"{message}\n".encode())


def main() -> None:
    """Run a command; bad input ends with one line on standard error and exit code 2."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may know fewer letters than labels do
        sys.stdout.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, terminate)
    try:
        app()
    except NovikoffError as error:
        typer.echo(f"novikoff: {in_option_names(str(error))}", err=True)
        sys.exit(2)
    except OSError as error:  # a full disk, most likely
        where = "" if error.filename is None else f"{error.filename}: "
        _last_words(f"novikoff: {where}{error.strerror or error}")
        os._exit(2)  # an orderly exit would only fail to flush standard output again
    except OverflowError as error:
        typer.echo(f"novikoff: a number is too large for this: {error}", err=True)
        sys.exit(2)
    except MemoryError as error:
        typer.echo(f"novikoff: out of memory: {error}", err=True)
        sys.exit(2)
    except Exception:  # a script must not take Python's own exit code, 1, for an answer
        traceback.print_exc()
        sys.exit(DEFECT)
