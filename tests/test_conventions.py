"""The habits that the project keeps: style, types, direction of imports, and what no file says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import novikoff as nk
from novikoff.learning.rules.registry import CATALOGUE

ROOT = Path(__file__).parent.parent
HERE_ONLY = re.compile(r"(?<![\w.~-])/(root|work|home)/")  # folders of one machine
LEFT_OUT = {"__pycache__", "build", "dist", "site"}  # by the walk, beside hidden ones


def run(*command):
    """Run a command in the project's folder; it must end with exit code 0."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def test_ruff_has_nothing_to_say():
    run(sys.executable, "-m", "ruff", "check", ".")
    run(sys.executable, "-m", "ruff", "format", "--check", ".")


def test_the_types_fit():
    run(sys.executable, "-m", "mypy")


def test_imports_go_one_way():
    run(shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or "lint-imports")


def texts():
    """(path, text) of every text file of the project."""
    for path in tracked() or walked():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue  # not text, or removed and not yet committed


def tracked():
    """The files that git knows; none where there is no git, or no repository."""
    command = ["git", "ls-files", "-z"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [ROOT / name for name in done.stdout.split("\0") if name]


def walked():
    """The files that lie here, without what tools leave behind."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if not any(part.startswith(".") or part in LEFT_OUT for part in parts):
            yield path


def test_no_file_names_a_folder_of_one_machine_or_unpickles():
    found = []
    for path, text in texts():
        odd = [match.group() for match in HERE_ONLY.finditer(text)]
        if path.startswith("src/") and "pickle.load" in text:
            odd.append("pickle.load")
        found += [f"{path}: {each}" for each in odd]
    assert not found


def test_every_public_name_says_what_it_is_and_every_rule_has_its_estimator():
    assert [name for name in nk.__all__ if not (getattr(nk, name).__doc__ or "").strip()] == []
    for rule, entry in CATALOGUE.items():
        assert entry.estimator in nk.__all__
        assert getattr(nk, entry.estimator).kind == rule
