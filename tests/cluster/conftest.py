"""Machines for the tests of faults."""

import pytest

from tests.helpers.processes import Machines


@pytest.fixture(scope="module")
def ground():
    """A scheduler, and one worker that no test touches."""
    found = Machines()
    found.add(found.client())
    yield found
    found.close()
