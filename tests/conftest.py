"""Settings for all the tests."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # without it scikit-learn skips some of its checks
sys.path.insert(0, str(Path(__file__).parent))  # support and reference are plain modules

# Compiling takes seconds, once; Hypothesis must not count it against an example.
settings.register_profile(
    "novikoff", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "novikoff"))


@pytest.fixture
def save(tmp_path):
    """Write a file, and return its path."""

    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def here(monkeypatch, capsys):
    """What `shell.novikoff` does, without a process of its own: for tables of cases."""
    from novikoff.cli import main  # most tests need no commands

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["novikoff", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture(scope="session")
def lab_server():
    """A server of the lab, warm; `lab_server.url` is where the page is."""
    from lab_server import served

    with served() as found:
        yield found
