"""Waiting for what is meant, not for a time."""

import time

#: Seconds within which whatever is waited for must have happened: a hang is meant, not a speed.
LONG = 120.0


def wait_until(happened, what, seconds=LONG):
    """Wait for something, not for ever; what it gave."""
    end = time.monotonic() + seconds
    while not (found := happened()):
        assert time.monotonic() < end, f"{what} did not happen within {seconds:.0f} s"
        time.sleep(0.02)
    return found
