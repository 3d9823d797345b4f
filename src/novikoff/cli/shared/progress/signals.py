"""Ctrl-C and SIGTERM: their exceptions and exit codes."""

import signal
from types import FrameType

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


class TerminatedError(KeyboardInterrupt):
    """SIGTERM came: as Ctrl-C, with an exit code of its own."""


def exit_code(error: KeyboardInterrupt) -> int:
    """The exit code for an interrupted or terminated command."""
    return EXIT_CODES[signal.SIGTERM if isinstance(error, TerminatedError) else signal.SIGINT]


def terminate(number: int, frame: FrameType | None) -> None:
    """Handle SIGTERM: raise, wherever a command is."""
    raise TerminatedError
