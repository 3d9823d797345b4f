"""`novikoff lab`: how it begins, what it says, and how it ends."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.helpers.shell import in_a_process as novikoff
from tests.helpers.shell import running
from tests.helpers.waits import LONG, wait_until


@contextmanager
def lab(*words, **environment):
    """The command, once it is ready: the process and the address that it names."""
    options = {"env": os.environ | environment}
    with running("-m", "novikoff", "lab", "--port", "0", *words, **options) as process:
        line = process.stdout.readline()
        found = re.fullmatch(r"The lab is at (http://127\.0\.0\.1:(\d+)/\S*)\n", line)
        assert found, line + process.stderr.read()
        yield process, found[1], int(found[2])


def status(port, path="/"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    connection.request("GET", path)
    found = connection.getresponse().status
    connection.close()
    return found


def test_it_serves_until_ctrl_c_whoever_is_still_there():
    with lab("--no-browser") as (process, address, port):
        assert address == f"http://127.0.0.1:{port}/"
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        assert status(port) == status(port, "/page/lab.js") == 200
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            process.send_signal(signal.SIGINT)
            assert process.wait(LONG) == 0
        assert (process.stdout.read(), process.stderr.read()) == ("", "")


def test_it_opens_the_browser_at_what_was_asked_for(tmp_path):
    note = tmp_path / "opened"
    script = tmp_path / "browser.py"
    script.write_text(
        "import os, pathlib, sys, time\n"
        f"pathlib.Path({str(note)!r} + '.part').write_text(sys.argv[1])\n"
        f"os.rename({str(note)!r} + '.part', {str(note)!r})\n"
        "time.sleep(20)\n"  # a browser that stays open
    )
    browser = f"{sys.executable} {script} %s"
    with lab("xor", BROWSER=browser) as (process, address, port):
        assert address == f"http://127.0.0.1:{port}/?preset=xor"
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        wait_until(note.exists, "the opening of a browser")
        assert status(port) == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 0
        assert note.read_text() == address


def test_others_are_let_in_only_if_told_so_and_that_is_said():
    given = ("--host", "0.0.0.0", "--no-browser", "preset=xor&eta=1&rule=margin")
    with lab(*given) as (process, address, port):
        assert address == f"http://127.0.0.1:{port}/?preset=xor&rule=margin"
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0
        told = process.stderr.read()
        assert told.count("\n") == 1
        assert "--host 0.0.0.0: others can reach this server" in told


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = novikoff("lab", "--no-browser", "--port", port)
    assert (code, out) == (2, "")
    assert err == (
        f"novikoff: cannot serve at 127.0.0.1 port {port}: something is there already; choose"
        " another --port, or 0 for any\n"
    )


def test_an_address_of_another_machine():
    code, out, err = novikoff("lab", "--no-browser", "--host", "203.0.113.7")
    assert (code, out) == (2, "")
    assert "this machine has no such address; choose another --host" in err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere"], "preset: found 'nowhere', expected one of "),
        (["preset=xor&eta=zero"], "eta: found 'zero'"),
        (["tab=capacity&N=0"], "N: found"),
        (["--host", "no.such.name.invalid"], "--host no.such.name.invalid: there is no such"),
        (["--host", ""], "--host : there is no such"),
    ],
)
def test_what_cannot_be_served_is_refused_at_once(here, words, sentence):
    code, out, err = here("lab", "--no-browser", "--port", "0", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.startswith("novikoff: ")


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_is_a_number(here, port):
    assert here("lab", "--port", port)[0] == 2


@pytest.mark.parametrize("module", ["bokeh.embed", "matplotlib.figure"])
def test_what_is_missing_is_named(here, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    code, out, err = here("lab")
    assert (code, out) == (2, "")
    assert "pip install 'novikoff[report]'" in err


def test_its_help_needs_nothing_heavy():
    code = "import sys; from novikoff.cli import main; sys.argv[1:] = ['lab', '--help']\n"
    code += "try: main()\nexcept SystemExit as end: assert end.code == 0\n"
    code += (
        "heavy = {'numba', 'bokeh', 'tornado', 'matplotlib', 'novikoff.lab'} & set(sys.modules)\n"
    )
    code += "assert not heavy, heavy"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--no-browser" in done.stdout


def test_the_help_names_the_extra_that_it_needs_in_paragraphs_that_are_filled():
    _, out, _ = novikoff("lab", "--help")  # at 100 columns
    assert "'novikoff[report]'" in out
    lines = out.splitlines()
    told = next(k for k, line in enumerate(lines) if "Serves the page" in line)
    longest = 98 - len(lines[told + 1].split()[0])
    assert len(lines[told].rstrip()) > longest  # the first word of the next had no room
