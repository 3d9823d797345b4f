"""A terminal has colours, weight and lines as wide as it is; pipes have the plain text."""

import io
import json
import os
import re
import subprocess
import sys

import pytest

from novikoff.cli import demo
from novikoff.cli.shared import terminal
from novikoff.verdict.account import text_layout

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*words, columns=100, **environment):
    """What a command prints on a terminal, and its exit code."""
    import pty  # not everywhere

    ours, theirs = pty.openpty()
    known = os.environ | {"COLUMNS": str(columns), "TERM": "xterm"} | environment
    command = [sys.executable, "-m", "novikoff", *words]
    with subprocess.Popen(command, stdout=theirs, env=known) as process:
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
    os.close(ours)
    text = shown.decode().replace("\r\n", "\n")
    return text.removesuffix("\x1b[0m"), process.returncode  # colorama's farewell, as Numba has it


def _read(number):
    try:
        return os.read(number, 4096)
    except OSError:  # nobody has the other end any more
        return b""


def test_a_verdict_on_a_terminal():
    shown, code = on_terminal("check", "example:iris-versicolor")
    assert code == 1
    assert "\x1b[31m\x1b[1mINSEPARABLE\x1b[0m" in shown
    assert "\x1b[1m  conflict\x1b[0m" in shown
    plain = COLOURS.sub("", shown)
    assert 80 < max(map(len, plain.splitlines())) <= 100
    without, _ = on_terminal("check", "example:iris-versicolor", columns=60, NO_COLOR="1")
    assert max(map(len, without.splitlines()[1:])) <= 60  # below what names the data
    assert "\x1b" not in without
    assert without.split() == plain.split()
    answer, _ = on_terminal("check", "example:xor", "--json")
    assert json.loads(answer)["outcome"] == "inseparable"


@pytest.mark.parametrize(
    ("text", "word", "look"),
    [
        ("SEPARABLE: some", "SEPARABLE", terminal.GOOD),
        ("QUASI-SEPARABLE: some", "QUASI-SEPARABLE", terminal.ATTENTION),
        ("INSEPARABLE: no", "INSEPARABLE", terminal.BAD),
        ("UNDECIDED: the", "UNDECIDED", terminal.ATTENTION),
        ("inseparable: D = 1", "inseparable", terminal.BAD),
        ("VALID: a proves", "VALID", terminal.GOOD),
        ("NOT VALID: a proves nothing", "NOT VALID", terminal.BAD),
        ("perceptron: converged after 2 epochs", "converged", terminal.GOOD),
        ("perceptron: stopped after 2 epochs", "stopped", terminal.ATTENTION),
        ("  margin       1", "  margin", terminal.NAME),
        ("  freund-schapire      143", "  freund-schapire", terminal.NAME),
        ("refused  Ada", "refused", terminal.BAD),
        ("correct  Ada", "correct", terminal.GOOD),
    ],
)
def test_the_looks_of_a_result(text, word, look):
    import typer

    assert terminal.emphasised(text) == text.replace(word, typer.style(word, **look))


def test_plain_text_elsewhere(monkeypatch, capsys):
    terminal.show("SEPARABLE: yes", plain=False)
    assert capsys.readouterr().out == "SEPARABLE: yes\n"
    assert text_layout.line_width() == text_layout.WIDTH
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for columns, width in ((30, 40), (72, 72), (200, 100)):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert text_layout.line_width() == width
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert not terminal.has_colour()


def test_bars_have_the_length_of_their_parts(monkeypatch):
    assert demo._bar(0.0) == ""
    assert demo._bar(0.5) == "█" * 20
    assert demo._bar(1 / 320) == "▏"
    lengths = [len(demo._bar(k / 400)) for k in range(401)]
    assert lengths == sorted(lengths)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert demo._bar(0.5) == "#" * 20
