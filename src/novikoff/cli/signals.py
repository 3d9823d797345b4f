"""Ctrl-C and SIGTERM: what they raise, and what commands exit with then."""

import signal
from typing import Any

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


class TerminatedError(KeyboardInterrupt):
    """SIGTERM: as Ctrl-C, and with an exit code of its own."""


def exit_code(error: KeyboardInterrupt) -> int:
    """What a command exits with that was broken off so."""
    return EXIT_CODES[signal.SIGTERM if isinstance(error, TerminatedError) else signal.SIGINT]


def terminate(number: int, frame: Any) -> None:
    """What SIGTERM does, wherever a command is."""
    raise TerminatedError
