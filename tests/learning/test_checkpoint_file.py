"""A run that was broken off and went on is the run that was not."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff as nk
from novikoff.data.files import blocks
from novikoff.errors import ModelError, ParameterError
from novikoff.learning import training
from novikoff.learning.files import checkpoint_file
from novikoff.learning.learner import Learner
from novikoff.learning.rows import length
from novikoff.learning.rules import registry
from tests.helpers.examples import examples
from tests.helpers.fit_modes import fitted, spec_for, write_rows
from tests.helpers.shell import novikoff, running
from tests.helpers.waits import LONG, wait_until

KILLS = 50


@pytest.fixture
def short_blocks(monkeypatch):
    """Many places to stop at, in few rows."""
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 700)

    def by_rows(self, rows, start=0, end=None):
        stop = length(rows) if end is None else end
        return ((k, min(k + 37, stop)) for k in range(start, stop, 37))

    monkeypatch.setattr(Learner, "blocks", by_rows)


@pytest.mark.parametrize("rule", sorted(registry.CATALOGUE))
@pytest.mark.parametrize("how", ["given", "shuffle", "streamed"])
def test_stopped_anywhere_and_gone_on_with(tmp_path, short_blocks, rule, how):
    path = write_rows(tmp_path / "a.svm", rule, rows=120)
    streamed = how == "streamed"
    plan = spec_for(rule, epochs=3, order="shuffle" if how == "shuffle" else "given")
    expected = fitted(plan, nk.open(path), tmp_path / "m", streamed=streamed)
    for stop in (1, 4, 8):
        kept, found, pieces = tmp_path / "kept", None, 0
        while found is None:
            assert pieces < 40
            found = fitted(
                plan,
                nk.open(path),
                tmp_path / "m",
                streamed=streamed,
                checkpoint=kept,
                stop=stop,
            )
            pieces += 1
        assert found == expected
        again = fitted(plan, nk.open(path), tmp_path / "m", streamed=streamed, checkpoint=kept)
        assert again == expected  # of a run that was over
        kept.unlink()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.csv", "n,city,y\n" + "".join(f"{k},c{k % 40},{k % 2}\n" for k in range(300))),
        ("a.vw", "".join(f"{k % 2} |a f{k % 9}:{k} |b g{k % 50}\n" for k in range(300))),
        ("a.svm", "".join(f"{k % 3} {k % 9}:{k}\n" for k in range(300))),
    ],
)
def test_a_stream_goes_on_with_the_names_it_knew(tmp_path, short_blocks, name, content):
    path = tmp_path / name
    path.write_text(content)
    plan = spec_for("averaged", epochs=2)
    expected = fitted(plan, nk.open(path), tmp_path / "m", streamed=True)
    kept, found = tmp_path / "kept", None
    while found is None:
        found = fitted(plan, nk.open(path), tmp_path / "m", streamed=True, checkpoint=kept, stop=3)
    assert found == expected


PLAIN = "".join(f"{k % 2} {k % 7 + 1}:{k}\n" for k in range(200))


@pytest.mark.parametrize("last", ["2 3:1\n", "1 0:1\n", "x 1:1\n", "1 0:1\nx 1:1\n", "1.0 1:1\n"])
@pytest.mark.parametrize("stop", [2, 5])
def test_what_the_data_show_after_a_stop_changes_nothing(tmp_path, short_blocks, last, stop):
    path, kept = tmp_path / "a.svm", tmp_path / "kept"
    path.write_text(PLAIN + last)
    plan = spec_for("perceptron", epochs=2)
    expected = fitted(plan, nk.open(path), tmp_path / "m", streamed=True)
    fitted(plan, nk.open(path), tmp_path / "m", streamed=True, checkpoint=kept, stop=stop)
    assert checkpoint_file.read(kept).run.place > 0
    again = fitted(plan, nk.open(path), tmp_path / "m", streamed=True, checkpoint=kept)
    assert again == expected


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("rule", ["perceptron", "winnow"])
def test_a_stream_can_be_gone_on_with_from_a_cache_and_the_other_way(
    tmp_path, short_blocks, rule, first
):
    """Raising the budget from one epoch makes a cache worth it, for example."""
    path, kept = write_rows(tmp_path / "a.svm", rule, rows=120), tmp_path / "kept"
    plan = spec_for(rule, epochs=2)
    expected = fitted(plan, nk.open(path), tmp_path / "m")
    for stop in (1, 3):
        source = nk.open(path)
        fitted(plan, source, tmp_path / "m", streamed=first, checkpoint=kept, stop=stop)
        found = fitted(plan, nk.open(path), tmp_path / "m", streamed=not first, checkpoint=kept)
        assert found == expected
        kept.unlink()


def test_skipped_rows_are_listed_once(tmp_path, short_blocks):
    path, kept, side = tmp_path / "a.svm", tmp_path / "kept", tmp_path / "left.jsonl"
    path.write_text("".join(f"{k % 2} {k % 7 + 1}:{k}\n1 x:{k}\n" for k in range(200)))
    plan, options = spec_for("perceptron", epochs=1), {"bad_rows": "skip", "skipped_to": side}
    for stop in (3, 2, 4, None):
        source = nk.open(path, **options)
        fitted(plan, source, tmp_path / "m", streamed=True, checkpoint=kept, stop=stop)
    lines = [json.loads(line)["line"] for line in side.read_text().splitlines()]
    assert lines == list(range(2, 401, 2))


def test_the_budget_can_be_raised(tmp_path):
    path = write_rows(tmp_path / "a.svm", "perceptron")
    kept = tmp_path / "kept"
    fitted(spec_for("perceptron", epochs=2), nk.open(path), tmp_path / "m", checkpoint=kept)
    plan = spec_for("perceptron", epochs=5)
    found = fitted(plan, nk.open(path), tmp_path / "m", checkpoint=kept)
    assert found == fitted(plan, nk.open(path), tmp_path / "m")


def test_other_data_and_other_plans_are_refused(tmp_path):
    path, kept = write_rows(tmp_path / "a.svm", "perceptron"), tmp_path / "kept"
    plan = spec_for("perceptron", epochs=2)
    fitted(plan, nk.open(path), tmp_path / "m", checkpoint=kept)
    before = kept.read_bytes()
    for other in (plan._replace(seed=1), plan._replace(order="shuffle"), spec_for("averaged")):
        with pytest.raises(ParameterError, match=r"resume: .* was made with"):
            fitted(other, nk.open(path), tmp_path / "m", checkpoint=kept)
    with pytest.raises(ParameterError, match="made from other data"):
        fitted(plan, nk.open(path, zero_based=False), tmp_path / "m", checkpoint=kept)
    os.utime(path, ns=(0, 0))
    with pytest.raises(ParameterError, match="or the data have changed since"):
        fitted(plan, nk.open(path), tmp_path / "m", checkpoint=kept)
    assert kept.read_bytes() == before


# Files that are none


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    path, kept = write_rows(folder / "a.svm", "averaged", rows=40), folder / "kept"
    fitted(spec_for("averaged"), nk.open(path), folder / "m", checkpoint=kept)
    return kept.read_bytes()


def refused(folder, content):
    path = folder / "damaged"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=f"^{path}: "):
        checkpoint_file.read(path)


def test_truncated_and_foreign_files_are_refused(tmp_path, good):
    for size in (0, 1, 8, 100, len(good) // 2, len(good) - 1):
        refused(tmp_path, good[:size])
    refused(tmp_path, b"PK\x03\x04" + good)
    model = tmp_path / "model"
    nk.save(nk.Perceptron().fit([[0.0], [1.0]], [0, 1]), model)
    refused(tmp_path, model.read_bytes())


FIELDS = sorted(checkpoint_file._KEYS)


@examples(200)
@given(
    field=st.sampled_from(FIELDS),
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-5, 2**70) | st.text(max_size=5) | st.floats(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
        max_leaves=5,
    ),
)
def test_any_field_of_another_kind_is_refused_or_makes_sense(tmp_path_factory, good, field, value):
    size = int.from_bytes(good[:8], "little")
    header = json.loads(good[8 : 8 + size])
    fields = json.loads(header["__metadata__"]["checkpoint"])
    fields[field] = value
    header["__metadata__"]["checkpoint"] = json.dumps(fields)
    del header["__metadata__"]["checksum"]
    text = json.dumps(header).encode()
    path = tmp_path_factory.mktemp("fuzz") / "kept"
    path.write_bytes(len(text).to_bytes(8, "little") + text + good[8 + size :])
    try:
        found = checkpoint_file.read(path)
    except ModelError as error:
        problem = str(error)
    else:
        assert found.run.place >= 0
        return
    assert problem.startswith(f"{path}: ")


def changed(good, **fields):
    """The checkpoint with other fields, and without a checksum."""
    size = int.from_bytes(good[:8], "little")
    header = json.loads(good[8 : 8 + size])
    own = json.loads(header["__metadata__"]["checkpoint"])
    for name, value in fields.items():
        own[name] = own[name] | value if isinstance(value, dict) else value
    header["__metadata__"]["checkpoint"] = json.dumps(own)
    del header["__metadata__"]["checksum"]
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + good[8 + size :]


@pytest.mark.parametrize(
    "fields",
    [
        {"memory": {"words": "yes"}},
        {"memory": {"words": 1}},
        {"memory": {"index_base": []}},
        {"memory": {"index_base": 7}},
        {"memory": {"index_base": True}},
        {"memory": {"width": 2**40}},
        {"memory": {"files": [["a"]]}},
        {"memory": {"surprise": 1}},
        {"place": 10**9},
        {"place": True},
        {"before": [0, 0]},
        {"before": [10**6, 10**6]},
        {"past": [[0, 0], [1, 1]]},
        {"because": "UPDATES"},
        {"position": [0, -1, 0]},
    ],
    ids=str,
)
def test_fields_that_contradict_the_run_are_refused(tmp_path, good, fields):
    (tmp_path / "same").write_bytes(changed(good))
    assert checkpoint_file.read(tmp_path / "same")
    refused(tmp_path, changed(good, **fields))


@pytest.mark.parametrize("position", [[5, 0, 0], [0, 10**9, 3]], ids=str)
def test_a_position_outside_of_the_data_is_refused_before_a_row_is_read(tmp_path, position):
    path, kept = tmp_path / "rows.svm", tmp_path / "kept"
    path.write_text("".join(f"{i % 2} {i % 7 + 1}:1 {i % 5 + 8}:1\n" for i in range(60)))
    spec = spec_for("perceptron")._replace(max_epochs=1)

    def run(resume):
        manager = checkpoint_file.CheckpointManager(kept, spec, every=0.0, resume=resume)
        hooks = training.Hooks(checkpoint=manager)
        return training.fit(spec, nk.open(path, cache="never"), hooks, reread=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "should_stream", lambda *_: True)
        run(resume=False)
        memory = nk.open(path).state_dict()
        kept.write_bytes(changed(kept.read_bytes(), position=position, because=None, memory=memory))
        with pytest.raises(ModelError, match="a damaged checkpoint: it stopped "):
            run(resume=True)


def test_any_other_byte_is_noticed(tmp_path, good):
    for place in (*range(0, len(good), 41), len(good) - 1):
        refused(tmp_path, good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])


def test_a_checkpoint_is_a_model_too(tmp_path, good):
    path = tmp_path / "kept"
    path.write_bytes(good)
    model = nk.load(path)
    assert model.coef_.shape[0] == 1


def test_a_signal_between_two_looks_is_not_heeded_without_a_checkpoint(monkeypatch):
    class Late(training.NoObserver):
        """The signal comes just after somebody has looked."""

        looks = 0

        @property
        def pressed(self):
            self.looks += 1
            return self.looks > 1

        def stop_if_pressed(self):
            raise KeyboardInterrupt

    kept = []
    monkeypatch.setattr(training.Hooks, "keep", lambda *words: kept.append(words))
    hooks = training.Hooks(Late(), types.SimpleNamespace(due=False))
    hooks.after_block(None, None, None)
    assert not kept
    with pytest.raises(KeyboardInterrupt):
        hooks.after_block(None, None, None)
    assert len(kept) == 1


# Real processes


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_keep_what_was_learned(tmp_path, number):
    path = write_rows(tmp_path / "a.svm", "perceptron", rows=2000)
    words = ["fit", path, "--max-epochs", "100000", "--checkpoint", tmp_path / "kept", "--json"]
    log = tmp_path / "log"
    with running("-m", "novikoff", *words, "--log", log) as process:
        wait_until(lambda: log.exists() and log.read_text().count("\n") > 2, "a log")
        process.send_signal(number)
        out, err = process.communicate(timeout=LONG)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number], err
    stopped = json.loads(out)
    assert stopped["stopped_because"] == "it was interrupted"
    kept = checkpoint_file.read(tmp_path / "kept")
    assert len(kept.run.past) >= stopped["epochs"] - 1
    code, out, err = novikoff(*words[:2], "--max-epochs", stopped["epochs"] + 5, *words[4:])
    assert code == 2
    assert "go on from it with --resume, or delete it" in err
    budget = stopped["epochs"] + 5
    code, out, _ = novikoff(*words[:2], "--max-epochs", budget, *words[4:], "--resume")
    assert code == 0
    code, straight, _ = novikoff(*words[:2], "--max-epochs", budget, "--json")
    different = {"checkpoint"}
    resumed, whole = json.loads(out), json.loads(straight)
    assert {k: v for k, v in resumed.items() if k not in different} == {
        k: v for k, v in whole.items() if k not in different
    }


#: For each line of words on standard input, a process that runs the command; it says its number.
#: All but the first are forked from one that has compiled what they need: fifty take a moment.
NURSERY = """
import os, sys
from novikoff.cli import main
from novikoff.learning.learner import Learner
from novikoff.learning.rows import length
from novikoff.data import loader
from novikoff.data.files import blocks

loader.FEW, blocks.BLOCK_BYTES = 0, 2**14

def by_rows(self, rows, start=0, end=None):
    stop = length(rows) if end is None else end
    return ((k, min(k + 500, stop)) for k in range(start, stop, 500))

def run(line):
    sys.argv[1:] = line.rstrip("\\n").split("\\t")
    said, sys.stdout = sys.stdout, sys.stderr
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    finally:
        sys.stdout = said

Learner.blocks = by_rows
print(os.getpid(), run(sys.stdin.readline()), sep="\\n", flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(run(line))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@contextlib.contextmanager
def nursery():
    """A function that starts a command, and returns its process's number and who waits for it."""
    with running("-c", NURSERY, stdin=subprocess.PIPE) as process:

        def start(words):
            process.stdin.write("\t".join(map(str, words)) + "\n")
            process.stdin.flush()
            number = int(process.stdout.readline())
            return number, lambda: int(process.stdout.readline())

        yield start
        process.communicate()


@pytest.mark.parametrize("way", ["cache", "stream"])
def test_killed_at_random_moments_it_ends_as_if_it_never_was(tmp_path, way):
    """kill -9, half of `KILLS` times in each way: after each, the same command goes on."""
    path = write_rows(tmp_path / "a.svm", "perceptron", rows=4000)
    words = ["fit", path, "--rule", "averaged", "--save", tmp_path / "m", "--max-epochs"]
    words += {"stream": [400, "--no-cache"], "cache": [2000, "--order", "shuffle"]}[way]
    kept = tmp_path / "kept"

    def written():
        return kept.stat().st_mtime_ns if kept.exists() else 0

    with nursery() as start:
        assert start(words)[1]() == 0
        expected = (tmp_path / "m").read_bytes()
        (tmp_path / "m").unlink()
        words += ["--checkpoint", kept, "--checkpoint-every", "0.01", "--resume"]
        rng, places = random.Random(way), set()
        for _ in range(KILLS // 2):
            before = written()
            number, ended = start(words)
            while written() == before:
                os.kill(number, 0)
                time.sleep(0.002)
            time.sleep(rng.uniform(0.0, 0.03))
            os.kill(number, signal.SIGKILL)
            assert ended() == -signal.SIGKILL  # not over before
            found = checkpoint_file.read(kept)
            places.add((len(found.run.past), found.run.place))
        assert len(places) == KILLS // 2  # each time it had gone on
        assert not (tmp_path / "m").exists()
        assert start(words)[1]() == 0
    assert (tmp_path / "m").read_bytes() == expected
    assert sorted(each.name for each in tmp_path.iterdir() if "kept" in each.name) == ["kept"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_a_pipe_is_silent(tmp_path, number):
    text = PLAIN * 20
    words = ["fit", "-", "--format", "svmlight", "--checkpoint", tmp_path / "kept", "--json"]
    command = ["-m", "novikoff", *words, "--checkpoint-every", "0"]
    with running(*command, stdin=subprocess.PIPE) as process:
        process.stdin.write(text[: text.index("\n", len(text) // 2) + 1])
        process.stdin.flush()
        wait_until((tmp_path / "kept").exists, "a checkpoint")
        time.sleep(0.3)  # by now it waits for more, or will find the signal when it does
        process.send_signal(number)
        _, err = process.communicate(timeout=LONG)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number], err
    code, out, err = novikoff(*words, "--resume", stdin=text)
    assert code == 0, err
    expected = json.loads(novikoff("fit", "-", "--format", "svmlight", "--json", stdin=text)[1])
    assert json.loads(out)["mistakes"] == expected["mistakes"]
    code, _, err = novikoff(*words, "--resume", stdin=text)
    assert (code, "read to its end" in err) == (2, True)


def test_another_stream_is_refused(tmp_path):
    words = ["fit", "-", "--format", "svmlight", "--checkpoint", tmp_path / "kept"]
    command = ["-m", "novikoff", *words, "--checkpoint-every", "0"]
    with running(*command, stdin=subprocess.PIPE) as process:
        process.stdin.write(PLAIN)
        process.stdin.flush()
        wait_until((tmp_path / "kept").exists, "a checkpoint")
        process.kill()
        process.communicate()
    code, _, err = novikoff(*words, "--resume", stdin=PLAIN.replace("1:0", "1:9") * 2)
    assert (code, "not the stream that the checkpoint was made from" in err) == (2, True)


def test_a_model_is_not_touched_by_a_run_that_is_refused(tmp_path):
    path = write_rows(tmp_path / "a.svm", "perceptron")
    (tmp_path / "m").write_text("a model")
    with path.open("a") as file:
        file.write("1 5:oops\n")
    for more in ([], ["--no-cache"], ["--max-epochs", 1]):
        code, _, err = novikoff("fit", path, "--save", tmp_path / "m", *more)
        assert code == 2
        assert f"{path}:301:5: " in err
        assert "found 'oops', expected a number" in err
        assert (tmp_path / "m").read_text() == "a model"
    code, out, _ = novikoff(
        "fit", path, "--save", tmp_path / "m", "--max-epochs", 2, "--bad-rows", "skip", "--json"
    )
    assert code == 0
    assert json.loads(out)["skipped"] == 1
    listed = (tmp_path / "a.svm.skipped.jsonl").read_text()
    assert json.loads(listed)["text"] == "1 5:oops"


def test_numbers_of_a_checkpoint_are_bits(tmp_path):
    """Weights go through a file without a change, the odd ones too."""
    path, kept = write_rows(tmp_path / "a.svm", "perceptron", rows=60), tmp_path / "kept"
    plan = spec_for("perceptron", epochs=2)
    fitted(plan, nk.open(path), tmp_path / "m", checkpoint=kept)
    one, two = checkpoint_file.read(kept), nk.load(tmp_path / "m")
    assert np.array_equal(one.model.learner.linear()[0], two.coef_)
