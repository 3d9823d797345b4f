"""The checker on its own: files, exit codes, and nothing but the standard library."""

import ast
import gzip
import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff import checker
from novikoff import data as sources
from novikoff.checker import check_arrays
from novikoff.errors import DataError
from tests.helpers.certificate_cases import CASES
from tests.helpers.certificate_reference import make, terms

THREE = "a,b,label\n0,0,0\n0,1,1\n1,0,1\n"
CSV = THREE + "1,1,0\n"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The checker in a folder of its own."""
    return Path(shutil.copy(checker.__file__, tmp_path_factory.mktemp("alone")))


def run(alone, certificate, data, *options):
    command = [sys.executable, "-I", "-S", str(alone), str(certificate), str(data), *options]
    return subprocess.run(command, capture_output=True, text=True, cwd=alone.parent, check=False)


def write_file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_the_command_line_needs_nothing_else(alone, tmp_path):
    certificate = write_file(tmp_path, "c.json", json.dumps(CASES["xor"].certificate))
    done = run(alone, certificate, write_file(tmp_path, "xor.csv", CSV))
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "valid: inseparable, 4 rows, 2 columns\n",
        "",
    )
    done = run(alone, certificate, write_file(tmp_path, "xor.csv", CSV.replace("1,1,0", "1,1,1")))
    assert (done.returncode, done.stdout) == (
        1,
        "invalid: digest: these are other rows or labels\n",
    )
    assert [path.name for path in alone.parent.iterdir()] == ["checker.py"]


def test_the_column_of_labels_can_be_told(alone, tmp_path):
    certificate = write_file(tmp_path, "c.json", json.dumps(CASES["xor"].certificate))
    fields = [line.split(",") for line in CSV.replace("label", "Group").splitlines()]
    turned = "".join(f"{c},{a},{b}\n" for a, b, c in fields)
    data = write_file(tmp_path, "turned.csv", turned)
    for column in ("Group", "0", "-3"):
        assert run(alone, certificate, data, "--target", column).returncode == 0
    assert run(alone, certificate, data).returncode == 1
    for column in ("group", "3", "-4", ""):
        assert run(alone, certificate, data, "--target", column).returncode == 2


def test_the_command_line_tells_bad_data_from_bad_certificates(alone, tmp_path):
    certificate = write_file(tmp_path, "c.json", json.dumps(CASES["xor"].certificate))
    data = write_file(tmp_path, "xor.csv", CSV)
    for bad in (
        write_file(tmp_path, "bad.csv", THREE + "1,x,1\n"),
        tmp_path / "none.csv",
        tmp_path,
    ):
        done = run(alone, certificate, bad)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("unreadable: ")
        assert done.stderr.count("\n") == 1
    assert run(alone, tmp_path / "none.json", data).returncode == 2
    assert run(alone, certificate, data, "--nonsense").returncode == 2
    for bad in ("", "{", "[" * 10**5, b"\xff\xfe", json.dumps(CASES["quasi"].certificate)):
        done = run(alone, write_file(tmp_path, "bad.json", bad), data)
        assert done.returncode == 1
        assert done.stdout.startswith("invalid: ")
        assert done.stdout.count("\n") == 1


def exit_code(folder, case, name, content):
    certificate = write_file(folder, "c.json", json.dumps(case.certificate))
    return checker.main([str(certificate), str(write_file(folder, name, content))])


XOR_FILES = [
    ("xor.csv", CSV),
    ("xor.csv", CSV.encode("utf-8-sig")),
    ("xor.csv", CSV.replace("\n", "\r\n")),
    ("xor.csv", CSV.replace(",", ", ") + "\n\n"),
    ("xor.csv", CSV.replace("0,1,1", '"0","1",1')),
    ("xor.csv", CSV.replace("1,0,1", "1e0,-0,+1.0")),
    ("xor.csv", CSV.partition("\n")[2]),
    ("xor.csv", CSV.replace(",", ";")),
    ("xor.csv", CSV.replace(",", "\t")),
    ("XOR.CSV", CSV.partition("\n")[2].replace(",", ";")),
    ("xor.tsv", CSV.replace(",", "\t")),
    ("xor.csv", "a,b,Class\n" + CSV.partition("\n")[2]),
    ("xor.csv", "Y,a,b\n0,0,0\n1,0,1\n1,1,0\n0,1,1\n"),
    ("xor.csv", "y,a,target\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n"),
    ("xor.svm", "0\n1 2:1\n1 1:1 # one\n# none\n0 2:1 1:1.0\n"),
    ("xor.svm", "0\n1 1:1\n1 0:1\n0 0:1 1:1\n"),
    ("xor.svmlight", "0 2:0\r\n1 2:1\r\n1 1:1\r\n0 1:1 2:1\r\n"),
    ("xor.libsvm", "0\n1 02:1\n1 1:1\n0 1:1\t2:1"),
]


@pytest.mark.parametrize(("name", "content"), XOR_FILES)
def test_files_are_read_as_the_package_reads_them(name, content, tmp_path, capsys):
    assert exit_code(tmp_path, CASES["xor"], name, content) == 0
    assert capsys.readouterr().out.startswith("valid")
    chunk = sources.open(tmp_path / name).read()
    X = chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.toarray()
    assert check_arrays(CASES["xor"].certificate, X, chunk.y).valid


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", ""),
        ("a.csv", "\n \n"),
        ("a.csv", "a,b,label\n"),
        ("a.csv", THREE + "1,1\n"),
        ("a.csv", THREE + "1,1,\n"),
        ("a.csv", THREE + "1,nan,0\n"),
        ("a.csv", THREE + "1,inf,0\n"),
        ("a.csv", THREE + "1,1e999,0\n"),
        ("a.csv", THREE + "1,1_0,0\n"),
        ("a.csv", THREE + "1,0x1,0\n"),
        ("a.csv", THREE + "1,٣,0\n"),
        ("a.csv", THREE + "1,1,inf\n"),
        ("a.csv", THREE + "1,1,na\n"),
        ("a.csv", "NA,,yes\n" + CSV.partition("\n")[2]),
        ("a.csv", "a,2,label\n" + CSV.partition("\n")[2]),
        ("a.csv", THREE + '1,"1,0\n'),
        ("a.csv", THREE.encode() + b"\xff,1,0\n"),
        ("a.csv", THREE + "1,1\0,0\n"),
        ("a.csv", "x\n1\n"),
        ("a.csv", CSV.replace("a,b", "label,b")),
        ("a.csv", "colour,label\nred,0\n,1\n"),
        ("a.csv", "colour,label\nred,0\nNA,1\n"),
        ("a.csv", f"colour,label\nred,0\n{201 * 'x'},1\n"),
        ("a.csv", "red,1,label\n2,1,0\nblue,0,1\n"),
        # Unusual files are left to the package.
        ("a.csv", CSV.replace(",", "|")),
        ("a.csv", CSV.replace(",", "   ")),
        ("a.csv", ",b,label\n" + CSV.partition("\n")[2]),
        ("a.csv.gz", CSV),
        ("a.csv", gzip.compress(CSV.encode(), mtime=0)),
        ("a.data", CSV),
        ("a", CSV),
        ("a.svm", "1 qid:3 1:1\n"),
        ("a.svm", "1:1 2:1\n"),
        ("a.svm", "1 1\n"),
        ("a.svm", "1 -1:1\n"),
        ("a.svm", "1 1:\n"),
        ("a.svm", "1 1:x\n"),
        ("a.svm", "1 1:1 1:2\n"),
    ],
)
def test_files_that_cannot_be_read(name, content, tmp_path, capsys):
    assert exit_code(tmp_path, CASES["xor"], name, content) == 2
    assert capsys.readouterr().err.startswith("unreadable: ")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV.replace("label", "c,label").replace("0\n", "0,0\n").replace("1\n", "1,1\n")),
        ("a.csv", CSV.replace("1\n", "yes\n").replace("0\n", "no\n")),
        ("a.csv", CSV + "1,1,0\n"),
        ("a.csv", CSV + "1,1,2\n"),
        ("a.svm", "0\n1 2:1\n1 1:1\n0 1:1 2:1 3:1\n"),
        ("a.svm", "0\n1 2:1\n1 1:1\n0 1:1 2:1 9999999999:1\n"),
    ],
)
def test_files_of_other_rows(name, content, tmp_path, capsys):
    assert exit_code(tmp_path, CASES["xor"], name, content) == 1
    assert capsys.readouterr().out.startswith("invalid: ")


def test_words_as_labels_and_decimals_as_they_are_written(tmp_path, capsys):
    words = ("x,y,class\n-1,0.25,ham\n0.1,-3,späm\n2,1e-300,späm\n").replace("y", "z", 1)
    assert exit_code(tmp_path, CASES["rough margin"], "a.csv", words) == 0
    case = make(
        "separable",
        [[Fraction(1, 10), Fraction(1, 5)], [Fraction(-3, 10), Fraction(1, 10**320)]],
        [1, 0],
        rational=True,
        weights=["1", "1", "0"],
        support=terms(_0="1"),
    )
    table = "a,b,y\n0.1,2E-1,1\n-.3,{},0\n"
    assert exit_code(tmp_path, case, "a.csv", table.format("1e-320")) == 0
    assert exit_code(tmp_path, case, "a.svm", "1 1:0.10 2:.2\n0 1:-0.3 2:0.1e-319\n") == 0
    assert exit_code(tmp_path, case, "a.csv", table.format("1.0000000000000000001e-320")) == 1
    for far in ("1e-5001", "1e-999999999", "1e-99999999999999999999", "1e5001"):
        assert exit_code(tmp_path, case, "a.csv", table.format(far)) == 2
    capsys.readouterr()


CATEGORIES = {
    "header": "colour,n,size,y\nred,1,S,1\nblue,2,M,0\nred,-1,L,1\ngreen,0,S,1\n",
    "no header": "red,1,1\nblue,2,0\nred,-1,1\ngreen,0,1\n",
    "numbers among words": "c,n,y\nx,1,1\n2,2,0\n 2 ,-1,0\n2.0,0,1\n",
    "words only": "c,d,y\na,b,1\nb,a,0\na,a,0\n",
    "odd words": 'c,y\n"two, or\nmore",1\n été ,0\n"a ""b""",1\nété,0\n',
    "no separation": "c,n,y\na,1,1\na,1,0\nb,2,0\n",
}


@pytest.mark.parametrize("case", CATEGORIES)
def test_columns_of_words_are_read_as_the_package_reads_them(case, tmp_path, capsys):
    data = write_file(tmp_path, "a.csv", CATEGORIES[case])
    proof = nk.check(nk.open(data)).certificate
    certificate = write_file(tmp_path, "c.json", proof.text)
    assert nk.verify(certificate, nk.open(data)).valid
    assert checker.main([str(certificate), str(data)]) == 0
    assert capsys.readouterr().out.startswith("valid")


def test_other_words_are_other_rows(tmp_path, capsys):
    text = CATEGORIES["header"]
    proof = nk.check(nk.open(write_file(tmp_path, "a.csv", text))).certificate
    certificate = write_file(tmp_path, "c.json", proof.text)
    for other, code in ((("green", "red"), 1), (("green", "grey"), 0), (("L", "S"), 1)):
        data = write_file(tmp_path, "b.csv", text.replace(*other))
        assert nk.verify(certificate, nk.open(data)).valid is (code == 0)
        assert checker.main([str(certificate), str(data)]) == code
    capsys.readouterr()


WORDS = st.sampled_from(["a", "b", "Ω", " a", "x y", "7", "-1e3", "inf", "1_0", '"q, r"'])


@given(rows=st.lists(st.tuples(WORDS, st.integers(-2, 2), WORDS, st.booleans()), min_size=2))
def test_tables_of_words_and_numbers(tmp_path_factory, rows):
    """What the package certifies is valid."""
    scratch = tmp_path_factory.mktemp("words")
    data = write_file(scratch, "a.csv", "".join(f"{a},{n},{b},{y:d}\n" for a, n, b, y in rows))
    try:
        proof = nk.check(nk.open(data)).certificate
    except DataError:
        return
    certificate = write_file(scratch, "c.json", proof.text)
    assert checker.main([str(certificate), str(data)]) == 0


def test_only_the_standard_library_is_imported():
    tree = ast.parse(Path(checker.__file__).read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module)
    assert names
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
