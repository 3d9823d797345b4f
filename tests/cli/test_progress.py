"""The line of progress, the log, and how a command ends that is broken off."""

import signal
import subprocess
import sys
import time

import pytest

from novikoff.cli.shared.progress.signals import TerminatedError
from novikoff.cli.shared.progress.status_line import fit_to_width
from novikoff.cli.shared.progress.training_progress import Progress, ProgressRecord, ProgressTask
from novikoff.errors import DataError
from novikoff.report.render import html
from novikoff.report.write import write_page
from tests.helpers.shell import novikoff, running
from tests.helpers.waits import LONG

USUAL = ProgressRecord(9.0, 12, 10**6, 120_400_000, 123_456, 10**5, 180, 850e3, 0.00123, 754.0)


class Counts:
    """As much of a learner as progress looks at."""

    states = (0,)

    def __init__(self, seen):
        self.seen = seen

    def total(self, name):
        return self.seen if name == "seen" else 0

    def ceilings(self):
        return self

    def min(self):
        return float("inf")


class Reached:
    """A run in its first epoch, after so many rows."""

    past = ()

    def __init__(self, place):
        self.place, self.learner = place, Counts(place)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            120,
            "epoch 12  120/127 MB  850k rows/s  123k mistakes, 0.18% now  margin < 0.00123"
            "  12:34 left",
        ),
        (
            80,
            "epoch 12  120/127 MB  850k rows/s  123k mistakes, 0.18% now  γ<0.0013  -12:34",
        ),
        (70, "epoch 12  120/127 MB  123k mistakes, 0.18% now  γ<0.0013  12:34 left"),
        (60, "epoch 12  120/127 MB  123k mistakes 0.18%  γ<0.0013  -12:34"),
        (50, "epoch 12  123k mistakes 0.18%  γ<0.0013  -12:34"),
        (40, "epoch 12  123k mistakes 0.18%  -12:34"),
        (30, "epoch 12  123k mistakes 0.18%"),
        (20, "epoch 12"),
        (5, ""),
    ],
)
def test_a_line_that_is_too_long_loses_whole_parts(columns, line):
    parts = Progress(ProgressTask(bytes=127_000_000), quiet=True).parts(USUAL)
    assert fit_to_width(parts, columns - 1) == line


def test_speed_and_time_left_count_from_where_learning_began(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    progress = Progress(ProgressTask(bytes=4000), quiet=True)
    clock[0] += 50.0  # a cache is written
    progress.started()
    clock[0] += 2.0
    moment = progress._record(Reached(100), clock[0], 1000)
    assert (moment.seconds, moment.rows_per_second) == (2.0, 50.0)
    assert moment.seconds_left == 6.0
    # a run that went on from a checkpoint has read a part of this epoch at no cost
    progress._from = 50
    assert progress._record(Reached(100), clock[0], 1000).seconds_left == 12.0


def test_the_log_is_opened_for_its_first_line(tmp_path):
    log = tmp_path / "log"
    log.write_text("before\n")
    with Progress(ProgressTask(rows=10), quiet=True, log=log) as progress:
        assert log.read_text() == "before\n"
        progress.watch(Reached(5))
        assert log.read_text().startswith('{"seconds": ')
    with (
        Progress(ProgressTask(rows=10), quiet=True, log=tmp_path) as progress,
        pytest.raises(DataError, match="the log cannot be written: Is a directory"),
    ):
        progress.watch(Reached(5))
    with pytest.raises(DataError, match="/dev/full: the log cannot be written: No space left"):  # noqa: SIM117
        with Progress(ProgressTask(rows=10), quiet=True, log=type(log)("/dev/full")) as progress:
            progress.watch(Reached(5))


def test_sigterm_is_told_from_ctrl_c():
    with Progress(ProgressTask(), quiet=True) as progress:
        with pytest.raises(TerminatedError):
            signal.raise_signal(signal.SIGTERM)
        progress.busy = True
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt) as caught:
            progress.stop_if_pressed()
        assert caught.type is KeyboardInterrupt
        with pytest.raises(TerminatedError):
            signal.raise_signal(signal.SIGTERM)


@pytest.fixture
def model(tmp_path):
    assert novikoff("fit", "example:iris-setosa", "--save", tmp_path / "m")[0] == 0
    return tmp_path / "m"


#: A command whose data do not come; it says on standard output when it waits for them.
WAITING = """
import sys, time
from novikoff import data
from novikoff.cli import main

def waiting(*words, **named):
    print("waiting", flush=True)
    time.sleep(60)

data.open = waiting
sys.argv[0] = "novikoff"
main()
"""


@pytest.mark.parametrize(
    ("command", "number", "code"),
    [
        ("fit", signal.SIGTERM, 143),
        ("predict", signal.SIGTERM, 143),
        ("predict", signal.SIGINT, 130),
        ("convert", signal.SIGTERM, 143),
    ],
)
def test_a_signal_ends_any_command_with_its_code(command, number, code, model, tmp_path):
    words = {
        "fit": ["fit", "-"],
        "predict": ["predict", model, "-"],
        "convert": ["convert", "-", tmp_path / "out.nkcache"],
    }
    with running("-c", WAITING, *words[command]) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=LONG)
    assert (process.returncode, out, err) == (code, "", "novikoff: interrupted\n")


def test_a_reader_that_leaves_early_ends_a_command_well(model):
    for words in (f"predict {model} example:iris-setosa", "predict --help"):
        script = f"set -o pipefail; {sys.executable} -m novikoff {words} | exec true"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_page_may_name_a_file_that_is_not_utf_8(tmp_path, monkeypatch):
    monkeypatch.setattr(html, "page_html", lambda *_: "rows of a\udcff.csv")
    write_page(None, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == rb"rows of a\udcff.csv"
