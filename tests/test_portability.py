"""Where a system lacks what only POSIX has, the package imports, and the tests can be collected."""

import subprocess
import sys

from tests.helpers import posix
from tests.helpers.environment import ROOT, with_tests

#: From here on, our own modules cannot import what Windows lacks; other packages still can, for
#: those that are installed here are made for this system.
WITHOUT_POSIX = """
import builtins, contextlib, pathlib, shutil, signal, sys, tempfile
LACKING = {"fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "posix", "syslog"}
found = builtins.__import__
def only_portable(name, globals=None, *more, **named):
    importer = (globals or {}).get("__name__", "")
    if name in LACKING and importer.partition(".")[0] in ("novikoff", "tests", "benchmarks"):
        raise ModuleNotFoundError(f"{importer} imports {name}")
    return found(name, globals, *more, **named)
builtins.__import__ = only_portable
here, sys.platform = sys.platform, "win32"
import novikoff.files  # which asks where it is, and needs of others what was imported above
sys.platform = here
"""
IMPORT_ALL = """
import importlib, pkgutil, novikoff
names = [each.name for each in pkgutil.walk_packages(novikoff.__path__, "novikoff.")]
for name in names:
    if name != "novikoff.__main__":
        importlib.import_module(name)
print(len(names))
"""
COLLECT_ALL = """
import pytest
for name in ("SIGKILL", "SIGSTOP", "SIGCONT", "SIGHUP", "SIGXFSZ", "SIGUSR1", "SIGALRM"):
    delattr(signal, name)
sys.exit(pytest.main(["--collect-only", "-qq", "-n", "0", "-p", "no:cacheprovider", "tests"]))
"""


def _outside() -> dict[str, str]:
    """The environment of a process that is no worker of this run."""
    return {name: value for name, value in with_tests().items() if "XDIST" not in name}


def run(script: str) -> str:
    command = [sys.executable, "-c", WITHOUT_POSIX + script]
    done = subprocess.run(
        command, env=_outside(), capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    return done.stdout


def test_every_module_imports_without_what_only_posix_has() -> None:
    assert int(run(IMPORT_ALL)) > 200


def test_every_test_is_collected_there_and_those_that_are_skipped_exist() -> None:
    files = [line.partition(": ")[0] for line in run(COLLECT_ALL).splitlines()]
    assert len(files) > 50
    for test in posix.TESTS:
        file, _, name = test.partition("::")
        assert file in files
        assert f"def {name}" in (ROOT / file).read_text()
