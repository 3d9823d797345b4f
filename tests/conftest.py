"""Settings for all the tests."""

import contextlib
import hashlib
import os
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.helpers import posix

# A shell starts its background jobs with Ctrl-C ignored, and so would be the commands of the tests.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # without it scikit-learn skips some of its checks

# Compiled code is what is tested, but where a test is about plain loops: `tests/test_tiers.py`.
os.environ.setdefault("NOVIKOFF_PLAIN_STEPS", "0")

# Compiling takes seconds, once; Hypothesis must not count it against an example.
HABITS = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
    "print_blob": True,
}
settings.register_profile("novikoff", max_examples=16, **HABITS)  # for a person, who waits
settings.register_profile("ci", max_examples=200, **HABITS)
settings.register_profile("thorough", max_examples=500, **HABITS)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "novikoff")
)


def one_compiles_for_all():
    """Let one of the workers compile a function for some types, while the others that need it wait:
    then they find it on the disk. What is there of a function is one file, written one by one.

    The compiler's own lock, of this process, is taken first, as it is within: else two threads
    could wait for each other.
    """
    import fcntl  # not everywhere

    from numba.core.caching import Cache
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    compiles, saves = Dispatcher.compile, Cache.save_overload
    folder = Path(tempfile.gettempdir(), f"novikoff-tests-{os.environ['PYTEST_XDIST_TESTRUNUID']}")
    folder.mkdir(exist_ok=True)
    held = set()

    @contextlib.contextmanager
    def alone(*what):
        name = hashlib.sha256(repr(what).encode()).hexdigest()[:24]
        if name in held:
            yield
            return
        with (folder / name).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # given back when the file is closed
            held.add(name)
            try:
                yield
            finally:
                held.remove(name)

    def compile_alone(self, sig):
        function = self.py_func
        with global_compiler_lock, alone(function.__module__, function.__qualname__, str(sig)):
            return compiles(self, sig)

    def save_alone(self, sig, data):
        with alone(self._impl.locator.get_cache_path(), self._impl.filename_base):
            saves(self, sig, data)

    Dispatcher.compile, Cache.save_overload = compile_alone, save_alone


if "PYTEST_XDIST_TESTRUNUID" in os.environ and posix.HERE:
    one_compiles_for_all()


#: What depends on the version of Python, or on packages that come in other versions with it.
SHORT = (
    "tests/test_",
    "tests/cluster/test_shard.py",
    "tests/cli/test_commands.py",
    "tests/data/cache/test_rows.py",
    "tests/data/test_columnar.py",
    "tests/learning/test_estimators.py",
    "tests/learning/test_online.py",
    "tests/learning/test_rules.py",
    "tests/verdict/test_known_verdicts.py",
)


def pytest_collection_modifyitems(items):
    """Mark the selection that runs on every supported Python, and what cannot run here."""
    for item in items:
        if item.nodeid.startswith(SHORT):
            item.add_marker(pytest.mark.short)
        if not posix.HERE and item.nodeid.startswith(posix.TESTS):
            item.add_marker(pytest.mark.skip(reason=posix.REASON))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """A command lets numbers of any length be written; what comes after must not rely on that."""
    limit = sys.get_int_max_str_digits()
    try:
        return (yield)
    finally:
        sys.set_int_max_str_digits(limit)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Report all tests that are skipped for one reason on one line, with their number.

    Where NOVIKOFF_REQUIRE_ALL is set they have failed: that machine must lack nothing.
    """
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        report.longrepr = str(Path(__file__).parent), None, f"Skipped: {reason}"
        if "NOVIKOFF_REQUIRE_ALL" in os.environ:
            report.outcome, report.longrepr = "failed", f"skipped, but all is required: {reason}"
    return report


@pytest.fixture
def save(tmp_path):
    """Write a file, and return its path."""

    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(monkeypatch, capsys):
    """Run a command in this process: its exit code, standard output and error.

    `shell.novikoff` does the same with files for the streams, for what looks at their numbers.
    """
    from novikoff.cli import main  # most tests need no commands

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["novikoff", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.fixture(scope="session")
def chromium():
    """The path of a browser."""
    from tests.helpers.browser import chromium

    return chromium()


@pytest.fixture(scope="module")
def browser(chromium):
    """A browser with a fresh profile."""
    from tests.helpers.browser import launched

    with launched(chromium) as found:
        yield found


@pytest.fixture(scope="session")
def lab_server():
    """A server of the lab, warm; `lab_server.url` is where the page is."""
    from tests.helpers.lab_server import served

    with served() as found:
        yield found


@pytest.fixture(scope="session")
def cluster_of_two():
    """The client of a cluster on this machine: two processes of one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
