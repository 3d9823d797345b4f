"""Files for the tests of sources to read."""

from pathlib import Path

import pytest

from tests.helpers.chunks import Save


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Write a file of the given name and content, and return its path."""

    def write(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that Hypothesis may write into again and again."""
    return tmp_path_factory.mktemp("scratch")
