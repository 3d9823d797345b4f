"""Commands as a shell runs them."""

import json
import os
import pty
import subprocess
import sys


def novikoff(*words, stdin="", cwd=None):
    """Run a command; returns (exit code, standard output, standard error)."""
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


def until_shown(command, word):
    """Start a command with a terminal for standard error; return it and what it showed by then."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *map(str, command)], stdout=subprocess.PIPE, stderr=slave, text=True
    )
    os.close(slave)
    shown = b""
    while word.encode() not in shown:
        shown += os.read(master, 4096)  # raises when the command has ended without showing any
    return process, master, shown.decode()
