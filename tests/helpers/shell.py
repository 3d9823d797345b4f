"""Commands as a shell runs them."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.helpers.waits import LONG


def novikoff(*words, stdin="", cwd=None):
    """Run a command; returns (exit code, standard output, standard error).

    It runs in this process, with files for its streams: a process of its own would load compiled
    code for seconds each time. `in_a_process` is for what only that can show.
    """
    from novikoff.cli import main

    kept = sys.argv, sys.stdin, sys.stdout, sys.stderr, Path.cwd(), os.environ.get("COLUMNS")
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin.encode())
        files[0].seek(0)
        before = [os.dup(number) for number in range(3)]
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        sys.argv = ["novikoff", *map(str, words)]
        modes = "r", "w", "w"
        sys.stdin, sys.stdout, sys.stderr = streams = [
            open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            for number, mode in enumerate(modes)
        ]
        os.environ["COLUMNS"] = "100"
        try:
            os.chdir(cwd or kept[4])
            main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        finally:
            for stream in streams[1:]:
                stream.flush()
            for number, old in enumerate(before):
                os.dup2(old, number)
                os.close(old)
            sys.argv, sys.stdin, sys.stdout, sys.stderr = kept[:4]
            os.chdir(kept[4])
            os.environ.pop("COLUMNS")
            if kept[5] is not None:
                os.environ["COLUMNS"] = kept[5]
        for file in files:
            file.seek(0)
        return code, files[1].read().decode(), files[2].read().decode()


def in_a_process(*words, stdin="", cwd=None):
    """The same, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "novikoff", *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=os.environ | {"COLUMNS": "100"},
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def answer(*words, stdin="", code=0):
    """The JSON object that a command prints, and nothing else."""
    found, out, err = novikoff(*words, "--json", stdin=stdin)
    assert (found, err) == (code, "")
    assert out.count("\n") == 1
    return json.loads(out)


@contextlib.contextmanager
def running(*command, **options):
    """A process of this Python, which is gone in the end whatever happens."""
    process = subprocess.Popen(
        [sys.executable, *map(str, command)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


class OnTerminal:
    """A process of this Python that has a terminal for standard error; `shown` is what is there."""

    def __init__(self, process, terminal):
        self.process, self.terminal, self.shown = process, terminal, ""

    def until(self, word):
        """Wait until a word is shown; all that was shown by then."""
        while word not in self.shown:
            assert self._read(), f"it ended and never showed {word}: {self.shown}"
        return self.shown

    def end(self, number=None):
        """Wait for its end, of a signal if one is given: exit code and standard output."""
        if number is not None:
            self.process.send_signal(number)
        while self._read():
            pass
        out, _ = self.process.communicate(timeout=LONG)
        return self.process.returncode, out

    def _read(self):
        try:
            found = os.read(self.terminal, 4096).decode(errors="replace")
        except OSError:  # nobody has the other end any more
            return ""
        self.shown += found
        return found


@contextlib.contextmanager
def on_terminal(*command):
    """Start a command, as `running` does, with a terminal for standard error."""
    import pty  # not everywhere

    terminal, other = pty.openpty()
    try:
        with running(*command, stderr=other) as process:
            os.close(other)
            yield OnTerminal(process, terminal)
    finally:
        os.close(terminal)
