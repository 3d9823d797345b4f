"""The commands on a cluster: the same answers, the same refusals, and what only a cluster shows."""

import gzip
import io
import json
import re
import subprocess
import sys

import pytest

from novikoff.cli.shared.cluster_options import Cluster
from novikoff.cli.shared.progress.search_progress import SearchProgress
from novikoff.cli.shared.progress.status_line import fit_to_width
from novikoff.cluster.workers import connection
from novikoff.cluster.workers.shard_client import CallProgress
from novikoff.verdict.result import Stage
from tests.helpers.shell import answer, in_a_process, novikoff, on_terminal

ROWS = [(k % 2, k % 7, (k * k) % 11 / 4) for k in range(60)]
NOBODY = "tcp://127.0.0.1:9"


@pytest.fixture
def there(cluster_of_two):
    """The options that name the cluster."""
    return "--cluster", cluster_of_two.scheduler.address


@pytest.fixture
def rows(tmp_path):
    """Rows that no hyperplane separates."""
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{y} {a + 1}:{b + 1} 9:1\n" for y, a, b in ROWS))
    return path


def alike(here, there):
    """Answers without the seconds that they took."""
    for each in (here, there):
        each.pop("seconds", None)
    return here, there


def test_one_shard_learns_what_one_machine_learns(rows, there, tmp_path):
    words = "fit", rows, "--max-epochs", 5, "--rule", "averaged", "--save"
    one = answer(*words, tmp_path / "one.model")
    far = answer(*words, tmp_path / "far.model", *there, "--shards", 1)
    assert (tmp_path / "one.model").read_bytes() == (tmp_path / "far.model").read_bytes()
    assert str(far.pop("dashboard")).startswith(("http:", "None"))
    names = "shards", "mixing", "mixed_mistakes", "workers"
    more = {name: far.pop(name) for name in names}
    assert more == {
        "shards": 1,
        "mixing": "uniform",
        "mixed_mistakes": one["mistakes"],
        "workers": 2,
    }
    assert list(far) == list(one)
    assert far | {"model": None} == one | {"model": None}


@pytest.mark.parametrize("mixing", ["uniform", "mistakes"])
def test_several_shards_are_mixed_and_what_they_found_is_proven(there, tmp_path, mixing):
    data, proof = "example:iris-setosa", tmp_path / "proof.json"
    words = "fit", data, *there, "--shards", 3, "--mixing", mixing, "--certificate", proof
    found = answer(*words)
    assert found["converged"]
    assert found["certificate"] == str(proof)
    assert (found["shards"], found["mixing"]) == (3, mixing)
    assert 0 < found["mixed_mistakes"] <= found["mistakes"]
    assert found["mixed_mistakes"] <= found["mistake_bound"]
    assert answer("verify", proof, data)["claim"] == "separable"
    code, out, err = novikoff(*words)
    assert (code, err) == (0, "")
    assert f"  shards    3, mixed {'evenly' if mixing == 'uniform' else 'by their mistakes'}" in out
    assert all(len(line) <= 80 for line in out.splitlines() if line.startswith("  "))


def test_a_run_that_proves_nothing_asks_for_the_verdict(rows, there, tmp_path):
    words = "fit", rows, "--max-epochs", 2, "--certificate"
    code, out, _ = novikoff(*words, tmp_path / "far.json", *there, "--shards", 3)
    assert code == 0
    assert "the run proves nothing, so the verdict was asked for: inseparable" in out
    novikoff(*words, tmp_path / "one.json")
    assert (tmp_path / "far.json").read_bytes() == (tmp_path / "one.json").read_bytes()


def test_a_proof_after_the_run_is_not_in_its_log(rows, there, tmp_path, monkeypatch):
    monkeypatch.setattr("novikoff.cli.shared.progress.training_progress.LOGGED", 0.0)
    words = "fit", rows, "--max-epochs", 2, "--certificate", tmp_path / "c", "--log", tmp_path / "l"
    code, _, _ = novikoff(*words, *there, "--shards", 3)
    assert code == 0
    assert (tmp_path / "c").exists()
    assert json.loads((tmp_path / "l").read_text().splitlines()[-1])["epoch"] == 2


@pytest.mark.parametrize("files", [1, 3])
def test_verdicts_and_their_words_are_those_of_one_machine(rows, there, tmp_path, files):
    lines = rows.read_text().splitlines(keepends=True)
    each = len(lines) // files
    data = [tmp_path / f"part-{k}.svm" for k in range(files)]
    for k, part in enumerate(data):
        part.write_text("".join(lines[k * each : (k + 1) * each]))
    proof = tmp_path / "proof.json"
    words = "check", *data, "--certificate", proof, "--contrast", "0=1"
    one, content = novikoff(*words), proof.read_bytes()
    assert novikoff(*words, *there, "--shards", 5) == one
    assert one[0] == 1
    assert "conflict" in one[1] or "identical" in one[1]
    assert proof.read_bytes() == content
    found = answer(*words, code=1), answer(*words, *there, "--shards", 4, code=1)
    one, far = alike(*found)
    assert one == far
    assert novikoff("verify", proof, *data, *there) == novikoff("verify", proof, *data)
    broken = content.replace(b'"rows": 60', b'"rows": 61')
    proof.write_bytes(broken)
    assert answer("verify", proof, *data, *there, code=1)["valid"] is False


def test_counts_are_judged_too(there, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("a,b,count\n0,1,0\n1,0,3\n1,1,2\n0,0,0\n0,2,0\n2,1,1\n")
    words = "check", path, "--family", "poisson"
    one, far = alike(answer(*words, code=1), answer(*words, *there, "--shards", 2, code=1))
    assert one == far


def test_paths_are_taken_from_where_the_command_is(rows, there, tmp_path):
    code, out, _ = novikoff("fit", rows.name, *there, "--max-epochs", 1, cwd=tmp_path)
    assert code == 0
    assert out.startswith(f"{rows}: 60 rows")
    code, out, _ = novikoff("fit", "row*.svm", *there, "--max-epochs", 1, cwd=tmp_path)
    assert out.startswith(f"{rows}: 60 rows")


def test_a_bad_row_is_told_as_on_one_machine(rows, there, tmp_path):
    lines = rows.read_text().splitlines()
    lines[40], lines[50] = "1 3:x 9:1", "1 :1"
    rows.write_text("\n".join(lines) + "\n")
    one = novikoff("fit", rows)
    assert one[0] == 2
    assert f"{rows}:41:" in one[2]
    for command in ("fit", "check"):
        for shards in (1, 3, 7):
            assert novikoff(command, rows, *there, "--shards", shards) == one


def test_rows_that_are_skipped_are_listed_as_on_one_machine(rows, there, tmp_path):
    lines = rows.read_text().splitlines()
    lines[3], lines[40], lines[50] = "1 2:x", "1 3:x 9:1", "1 :1"
    rows.write_text("\n".join(lines) + "\n")
    side = tmp_path / "side.jsonl"
    words = "fit", rows, "--max-epochs", 1, "--bad-rows", "skip", "--skipped-to", side
    alone = answer(*words)
    assert alone["skipped"] == 3
    one = side.read_text()
    spread = answer(*words, *there, "--shards", 4)
    assert (spread["skipped"], spread["remarks"]) == (3, alone["remarks"])
    assert side.read_text() == one
    assert answer("check", *words[1:2], *words[4:], *there, code=1)["skipped"] == 3
    assert side.read_text() == one
    rows.write_text("\n".join(line for line in lines if "x" not in line and " :" not in line))
    assert answer(*words, *there)["skipped"] == 0
    assert not side.exists()


def test_what_is_said_of_categories_is_said_of_all_shards(there, tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("colour,label\n" + "red,0\nblue,1\n" * 3 + "green,0\nblack,1\n" * 3)
    alone = answer("fit", path)["remarks"]
    assert "colour (4 values)" in alone[0]
    assert answer("fit", path, *there, "--shards", 3)["remarks"] == alone


def test_a_file_that_workers_do_not_find(there, tmp_path):
    code, out, err = novikoff("fit", tmp_path / "nowhere.svm", *there)
    assert (code, out) == (2, "")
    assert err.startswith(f"novikoff: {tmp_path}/nowhere.svm: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["fit", "check"])
@pytest.mark.parametrize("pattern", [False, True], ids=["name", "pattern"])
def test_a_file_that_is_here_and_not_there(command, pattern, rows, there, monkeypatch):
    connect = Cluster.connect

    def gone(cluster):
        """As if workers had other disks."""
        rows.unlink()
        return connect(cluster)

    monkeypatch.setattr(Cluster, "connect", gone)
    name = rows.with_name("row*.svm") if pattern else rows
    code, out, err = novikoff(command, name, *there)
    assert (code, out) == (2, "")
    what = "no file matches this pattern" if pattern else "no such file"
    assert err == (
        f"novikoff: {name}: {what}: it is on this machine, but a worker does not find it: use a"
        " shared folder or an address\n"
    )


@pytest.fixture
def cuts(monkeypatch):
    """How many shards the data were cut into, each time that they were read."""
    from novikoff.cli.check import on_cluster
    from novikoff.cluster import distributed_check

    found = []

    def gathered(*some, **more):
        data = gather(*some, **more)
        found.append(len(data.shard_client.shards))
        return data

    gather = on_cluster.load_dataset
    for module in (on_cluster, distributed_check):
        monkeypatch.setattr(module, "load_dataset", gathered)
    return found


def test_verdicts_use_all_workers(rows, there, tmp_path, cuts):
    proof = tmp_path / "proof.json"
    assert novikoff("check", rows, *there, "--certificate", proof)[0] == 1
    assert novikoff("verify", proof, rows, *there)[0] == 0
    assert novikoff("check", rows, *there, "--shards", 1)[0] == 1
    assert cuts == [2, 2, 1]


def test_verdicts_are_had_of_what_cannot_be_cut_for_all_workers(there, tmp_path, cuts):
    packed = tmp_path / "rows.svm.gz"
    packed.write_bytes(gzip.compress(b"1 1:1\n0 1:2\n"))
    quoted = tmp_path / "rows.csv"
    quoted.write_text('a,y\n1,"no\nno"\n')  # one row, of two lines
    assert novikoff("check", packed, *there) == novikoff("check", packed)
    assert novikoff("check", packed, *there)[0] == 0
    assert novikoff("check", quoted, *there) == novikoff("check", quoted)
    assert set(cuts) == {1}
    code, _, err = novikoff("check", packed, *there, "--shards", 2)
    assert code == 2
    assert "a compressed file cannot be cut, so that 1 shard is the most" in err


@pytest.mark.parametrize(
    ("rows", "workers", "shards"),
    [(9, 4, 4), (3, 4, 3), (3, 9, 3), (5, 8, 5), (1, 4, None), (9, 1, None)],
)
def test_as_many_shards_as_workers_or_as_there_can_be_if_these_are_more(
    tmp_path, rows, workers, shards
):
    from novikoff.cli.shared.cluster_session import more_shards

    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n" * rows)
    assert more_shards(str(path), {}, workers) == shards


def test_workers_with_nothing_to_do_are_remarked_on(rows, there):
    words = "fit", rows, "--max-epochs", 1, *there
    remark = "1 shard: 1 of 2 workers has nothing to do"
    advice = f"{remark}; --shards 2 would use it, with another result"
    others = answer(*words, "--shards", 1)["remarks"]
    assert answer(*words, "--shards", 2)["remarks"] == others
    assert answer(*words)["remarks"] == [*others, advice]
    assert advice in " ".join(novikoff(*words)[1].split())
    assert answer(*words, "--rule", "voted")["remarks"] == [*others, remark]  # for one shard


def test_checkpoints_are_of_one_number_of_shards(rows, there, tmp_path):
    run, words = tmp_path / "run", ("fit", rows, "--max-epochs", 3)
    kept = "--checkpoint", run
    assert answer(*words, *there, "--shards", 2, *kept)["checkpoint"] == str(run)
    code, _, err = novikoff(*words, *there, "--shards", 2, *kept)
    assert code == 2
    assert "it is there already" in err
    code, _, err = novikoff(*words, *there, "--shards", 3, *kept, "--resume")
    assert code == 2
    assert "was made with shards = 2, and this is 3" in err
    longer = "fit", rows, "--max-epochs", 5, *there, "--shards", 2, "--save"
    assert answer(*longer, tmp_path / "on", *kept, "--resume")["epochs"] == 5
    assert answer(*longer, tmp_path / "once")["epochs"] == 5
    assert (tmp_path / "on").read_bytes() == (tmp_path / "once").read_bytes()


REFUSED = {
    "both": (("fit", "example:xor", "--cluster", NOBODY, "--workers", 2), "contradict"),
    "shards alone": (("check", "example:xor", "--shards", 2), "--shards is for --cluster or"),
    "mixing alone": (("fit", "example:xor", "--mixing", "uniform"), "--mixing is for --cluster or"),
    "no worker": (("fit", "example:xor", "--workers", 0), "--workers"),
    "no shard": (("check", "example:xor", "--workers", 1, "--shards", 0), "--shards"),
    "standard input": (("fit", "-", "--cluster", NOBODY), "save it to a file first"),
    "judged input": (("check", "-", "--workers", 1), "save it to a file first"),
    "report": (("fit", "example:xor", "--cluster", NOBODY, "--report", "a.html"), "stay with the"),
    "plot": (("check", "example:xor", "--workers", 1, "--plot", "a.svg"), "stay with the workers"),
    "run": (
        ("fit", "example:xor", "--workers", 1, "--run-certificate", "a.json"),
        "--run-certificate cannot be had with --workers: its updates are not in one order",
    ),
    "decimal": (("check", "example:xor", "--workers", 1, "--decimal"), "on one machine only"),
    "cache": (("fit", "example:xor", "--workers", 1, "--cache", "c"), "leave --cache out"),
    "classes": (("fit", "example:xor", "--workers", 1, "--classes", "1,2"), "for standard input"),
    "voted": (("fit", "example:xor", "--workers", 1, "--shards", 2, "--rule", "voted"), "mixed"),
    "one-sided": (
        ("fit", "example:xor", "--workers", 1, "--rule", "one-sided", "--certificate", "a.json"),
        "there is no claim",
    ),
    "precision": (("check", "example:xor", "--workers", 1, "--precision", 2), "precision must be"),
    "example": (("fit", "example:nothing", "--workers", 1), "example:nothing"),
    "parts of a run": (
        ("fit", "example:xor", "--workers", 1, "--certificate", "a.json", "--checkpoint", "b"),
        "--checkpoint is for parts of one",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_cluster_cannot_do_is_refused_before_it_is_looked_for(case, here, monkeypatch):
    def nobody(*some):
        raise AssertionError("a cluster was started or sought")

    monkeypatch.setattr(connection, "start_local_cluster", nobody)
    monkeypatch.setattr(connection, "connect_to_cluster", nobody)
    words, message = REFUSED[case]
    code, out, err = here(*words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())


def test_certificates_about_decimals_are_for_one_machine(tmp_path, here):
    (tmp_path / "t.csv").write_text("a,y\n0.1,0\n0.2,1\n")
    proof = tmp_path / "proof.json"
    assert here("check", tmp_path / "t.csv", "--decimal", "--certificate", proof)[0] == 0
    code, _, err = here("verify", proof, tmp_path / "t.csv", "--cluster", NOBODY)
    assert code == 2
    assert "verify it on one machine" in err


def test_nobody_answers(here, monkeypatch, tmp_path):
    monkeypatch.setattr(connection, "CONNECT_TIMEOUT", 0.5)
    code, out, err = here("fit", "example:xor", "--cluster", NOBODY)
    assert (code, out) == (2, "")
    assert err == (
        f"novikoff: no scheduler answers at {NOBODY} within 0.5 s: start one with `dask scheduler`,"
        " or give the address it prints\n"
    )
    for address, message in {
        "nonsense": "no address of a scheduler",
        "what://127.0.0.1:9": "no address of a scheduler",
        f"{tmp_path}/none.json": "there is no such scheduler file",
    }.items():
        code, _, err = here("check", "example:xor", "--cluster", address)
        assert code == 2
        assert err.startswith(f"novikoff: {address}: {message}")


def test_a_scheduler_file_says_where_the_cluster_is(cluster_of_two, tmp_path, here):
    place = tmp_path / "scheduler.json"
    place.write_text(json.dumps({"address": cluster_of_two.scheduler.address}))
    assert here("fit", "example:xor", "--cluster", place, "--max-epochs", 2)[0] == 0
    place.write_text("[]")
    code, _, err = here("fit", "example:xor", "--cluster", place)
    assert code == 2
    assert "no scheduler file of Dask" in err


def test_workers_with_another_version_are_refused(there, here, monkeypatch):
    asked = []

    def told(client, **more):
        asked.append(client)
        found = ask(client, **more)
        for each in found["workers"].values():
            each["packages"]["novikoff"] = "9.9.9"
        return found

    from distributed import Client

    ask = Client.get_versions
    monkeypatch.setattr(Client, "get_versions", told)
    code, _, err = here("fit", "example:xor", *there)
    assert code == 2
    assert asked
    assert "has novikoff 9.9.9, and here it is" in err
    assert "install the same version on both" in err


def test_without_dask_it_is_said_what_to_install(here, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = here("fit", "example:xor", "--workers", 2)
    assert code == 2
    assert "pip install 'novikoff[cluster]'" in err


def test_help_has_a_panel_for_clusters_and_loads_no_dask(here):
    code = (
        "import sys; from novikoff.cli import main\n"
        "sys.argv = ['novikoff', 'fit', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('dask', 'distributed', 'numba', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
    for command in ("fit", "check", "verify"):
        out = here(command, "--help")[1]
        assert "Cluster" in out
        assert all(option in out for option in ("--cluster", "--workers", "--shards"))
    assert "--mixing" in done.stdout


def test_processes_of_its_own_say_nothing_on_the_terminal(rows):
    lines = rows.read_text().splitlines()
    lines[40] = "1 3:x 9:1"
    rows.write_text("\n".join(lines) + "\n")
    code, out, err = in_a_process("fit", rows, "--workers", 1, "--shards", 3)
    assert (code, out) == (2, "")
    assert err == novikoff("fit", rows)[2]


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            120,
            "epoch 12  7/16 shards  4 workers  123k mistakes, 180 in this epoch  margin < 0.00124"
            "  2 moved after a fault  0:34 left",
        ),
        (
            90,
            "epoch 12  7/16 shards  4w  123k mistakes, 180 in this epoch  γ<0.0013  2 moved"
            "  0:34 left",
        ),
        (50, "epoch 12  7/16  4w  123k mistakes +180  γ<0.0013"),
        (30, "epoch 12  123k mistakes +180"),
        (10, "epoch 12"),
    ],
)
def test_the_line_says_how_far_shards_and_workers_are(columns, line):
    from novikoff.cli.fit.cluster_progress import ClusterProgress
    from novikoff.cli.shared.progress.training_progress import (
        ProgressRecord,
        ProgressTask,
        ShardProgress,
    )

    shards = ShardProgress(180, 4, 16, 7, 2, None)
    fields = 9.0, 12, None, None, 123_456, 0, 18, 850e3, 0.001234, 34.0, shards
    parts = ClusterProgress(ProgressTask(), quiet=True).parts(ProgressRecord(*fields))
    assert fit_to_width(parts, columns - 1) == line


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            130,
            "12 s  searching  proven: separable  margin from 0.125 to 0.25  7 scans"
            "  0/1 of 4 shards  2 workers  1 moved after a fault",
        ),
        (
            100,
            "12 s  searching  proven: separable  margin from 0.125 to 0.25  7 scans"
            "  0/1 of 4  2w  1 moved",
        ),
        (80, "12 s  searching  separable  γ 0.125 to 0.25  7 scans  0/1 of 4  2w  1 moved"),
        (50, "12 s  searching  separable  γ 0.125 to 0.25"),
        (20, "12 s  searching"),
    ],
)
def test_the_line_of_a_verdict_keeps_whole_parts(columns, line):
    progress = SearchProgress(quiet=True)
    progress.glance(CallProgress(2, 4, 4, 1))
    progress.glance(CallProgress(2, 0, 1, 1))  # a question to one shard of the four
    progress.watch(Stage("searching", "separable", 0.125, 0.25, 7))
    progress.began -= 12.0
    assert fit_to_width(progress.parts(), columns - 1) == line


def test_the_line_says_what_is_begun():
    progress = SearchProgress(quiet=True)
    progress.began -= 3.0
    for cluster, doing in {
        Cluster(None, 2): "starting 2 workers",
        Cluster(None, 1): "starting 1 worker",
        Cluster(NOBODY, None): f"connecting to {NOBODY}",
    }.items():
        progress.begin(cluster.starting)
        assert fit_to_width(progress.parts(), 79) == f"3 s  {doing}"


def test_fit_says_on_a_terminal_that_workers_are_started(rows):
    words = "-m", "novikoff", "fit", rows, "--workers", 1, "--max-epochs", 1
    with on_terminal(*words) as command:
        assert "starting 1 worker" in command.until("dashboard is at")
        code, out = command.end()
    assert (code, bool(out)) == (0, True)


def test_the_welcome_goes_above_the_line(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with SearchProgress(quiet=False) as progress:
        progress.timer.cancel()
        progress.begin("starting 2 workers")
        progress.status.refresh()
        progress.status.welcome("http://127.0.0.1:8787/status")
    shown = terminal.getvalue()
    welcome = "novikoff: the cluster's dashboard is at http://127.0.0.1:8787/status"
    before, after = shown.split(welcome)
    assert re.search(r"\d s  starting 2 workers", before)
    assert before.endswith("\r\x1b[2K")  # the line is erased first
    assert after.startswith("\n")
