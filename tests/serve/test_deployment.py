"""The walk-through, and the files for systemd, containers and nginx, as far as can be tried."""

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import novikoff as nk
from novikoff.cli import app
from novikoff.serve.client import UnreachableServiceError
from tests.helpers.service import served

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def needs(program):
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")


def test_the_walk_with_curl(tmp_path):
    """Each command prints what the page shows."""
    needs("curl")
    page = (ROOT / "docs" / "service.md").read_text()
    text = page.split("## A walk with curl")[1].split("\n## ")[0]
    walk = "".join(re.findall(r"^```shell\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = "--rule", "perceptron", "--classes", '["ham", "spam"]', "--durability", "normal"
    with served(tmp_path / "mail", *words) as web:
        for part in re.split(r"^\$ ", walk, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            done = subprocess.run(
                ["bash", "-c", command.replace("localhost:8642", f"localhost:{web.port}")],
                cwd=tmp_path, capture_output=True, text=True, check=True,
                env=os.environ | {"PATH": path},
            )  # fmt: skip
            shown = (
                done.stdout if done.stdout.endswith("\n") or not done.stdout else f"{done.stdout}\n"
            )
            assert shown == expected, command


def parsed(words):
    """The options of `novikoff serve`, as the command line understands them."""
    command = typer.main.get_command(app).commands["serve"]
    return command.make_context("serve", list(words)).params


def test_the_unit_starts_the_command_and_systemd_understands_it(tmp_path):
    text = (DEPLOY / "novikoff-serve.service").read_text()
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string(text)
    program, verb, *words = shlex.split(unit["Service"]["ExecStart"])
    assert (Path(program).name, verb) == ("novikoff", "serve")
    assert parsed(words)["readers"] == 1
    needs("systemd-analyze")
    copy = tmp_path / "novikoff-serve.service"
    copy.write_text(text.replace(program, sys.executable))
    done = subprocess.run(
        ["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False
    )
    assert (done.returncode, str(copy) in done.stderr) == (0, False), done.stderr


def test_the_container_starts_the_command_with_tokens():
    text = (DEPLOY / "Containerfile").read_text()
    words = [
        json.loads(re.search(rf"^{key} (\[.*\])$", text, re.M)[1]) for key in ("ENTRYPOINT", "CMD")
    ]
    found = parsed([*words[0][2:], *words[1]])
    assert (found["host"], str(found["token_file"])) == ("0.0.0.0", "/tokens")
    check = json.loads(re.search(r"^    CMD (\[.*\])$", text, re.M)[1])
    compile(check[2], "HEALTHCHECK", "exec")
    assert "/readyz" in check[2]


def test_the_proxy_sends_predictions_to_the_readers():
    text = re.sub(r"#.*", "", (DEPLOY / "nginx.conf").read_text())
    assert text.count("{") == text.count("}")
    rule = re.compile(re.search(r"location ~ (\S+) \{", text)[1])
    assert rule.search("/predict")
    assert rule.search("/models/mail/predict")
    assert not any(rule.search(path) for path in ("/reveal", "/x/predict", "/predict/", "/models"))
    options = re.search(r"novikoff serve (.*) \.\.\.", (DEPLOY / "nginx.conf").read_text())[1]
    assert parsed(["--rule", "perceptron", *options.split()])["trust_proxy"] == ["127.0.0.1"]


def test_tls_as_the_page_shows_it(tmp_path, monkeypatch):
    needs("openssl")
    page = (ROOT / "docs" / "service.md").read_text()
    made = re.search(r"^openssl req .*\n.*$", page, re.MULTILINE)[0]
    subprocess.run(["bash", "-c", made], cwd=tmp_path, check=True, capture_output=True)
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    words = "--rule", "perceptron", "--tls-certificate", files[0], "--tls-key", files[1]
    with served(tmp_path / "journal", *words) as web:
        url = f"https://localhost:{web.port}"
        monkeypatch.setenv("SSL_CERT_FILE", str(files[0]))
        with nk.Client(url) as client:
            assert client.reveal(client.predict_one([1.0]).id, 1).seen == 1
        monkeypatch.setenv("SSL_CERT_FILE", os.devnull)
        with pytest.raises(UnreachableServiceError, match="CERTIFICATE_VERIFY_FAILED"):
            nk.Client(url, retries=0).state()
