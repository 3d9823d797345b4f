"""What is acknowledged is on the disk, and a restart has the bytes of `learn_one`."""

import asyncio
import contextlib
import json
import os
import random
import shutil
import tempfile
from http import HTTPStatus
from pathlib import Path

import pytest

from novikoff.errors import NovikoffError, ParameterError
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve import snapshots
from novikoff.serve.journal import FILE, Journal, JournalError
from novikoff.serve.journal.operations import AddModel, Learn
from novikoff.serve.json_text import ServiceError
from novikoff.serve.messages import LearnRequest, PredictRequest, RevealRequest
from novikoff.serve.recipes import make_recipe, new_estimator
from novikoff.serve.replay import replay
from novikoff.serve.service import Service
from novikoff.serve.settings import Limits, ServiceSettings
from tests.helpers.shell import novikoff

RULES = {
    "perceptron": {},
    "averaged": {},
    "voted": {},
    "margin": {},
    "passive-aggressive": {},
    "second-order": {},
    "winnow": {"theta": 3.0},
    "balanced-winnow": {},
}


@contextlib.asynccontextmanager
async def opened(folder, rule=None, **options):
    """A service on a journal, which ends without a last snapshot."""
    service = Service(ServiceSettings(journal=folder, **options))
    try:
        service.restore()
        recipe = None if rule is None else make_recipe(rule, RULES[rule], [-1, 1])
        service.ensure_default(recipe, None)
        yield service
    finally:
        await service.close()


def row(rng, boolean=False):
    names = rng.sample(range(40), 4)
    features = {f"f{j}": 1.0 if boolean else rng.gauss(0.0, 1.0) for j in names}
    return features, 1 if sum(features.values()) > 0.0 else -1


async def one(answers):
    (found,) = await answers
    assert not isinstance(found, ServiceError), found
    return found


async def all_of(answers):
    found = await answers
    assert not any(isinstance(each, ServiceError) for each in found), found
    return found


async def drive(service, rng, steps, boolean=False, weights=(1.0,)):
    """Predictions, labels that come late and in any order, and rows with their labels; in batches
    now and then.
    """
    waiting = []
    for step in range(steps):
        rows = [row(rng, boolean) for _ in range(rng.choice((1, 1, 2, 9)))]
        if step % 3:
            answers = service.predict("default", [PredictRequest(x) for x, _ in rows])
            ids = [answer["id"] for answer in await all_of(answers)]
            waiting += [(name, y) for name, (_, y) in zip(ids, rows, strict=True)]
        else:
            request = [LearnRequest(x, y, weight=rng.choice(weights)) for x, y in rows]
            await all_of(service.learn("default", request))
        rng.shuffle(waiting)
        request, waiting = waiting[5:], waiting[:5]
        if request:
            labels = [RevealRequest(name, y, rng.choice(weights)) for name, y in request]
            await all_of(service.reveal("default", labels))


def waiting(service):
    return service.state(service.models["default"])["pending"]


def learned(folder, until=None):
    """The estimator of a plain run of `learn_one` over the journal."""
    journal = Journal(folder, write=False)
    (record,) = journal.models()
    estimator = new_estimator(record.recipe, record.recipe["classes"])
    for entry in journal.entries(0, until):
        weight = {} if entry.weight == 1.0 else {"weight": entry.weight}
        estimator.learn_one(json.loads(entry.features), json.loads(entry.label), **weight)
    journal.close()
    return estimator


def rounded(counters):
    """Ceilings allow for rounding by the room that a learner has, which is no part of the model."""
    return json.loads(counters, parse_float=lambda text: round(float(text), 9))


@pytest.mark.parametrize("rule", RULES)
def test_a_restart_has_the_bytes_of_learn_one_over_the_journal(rule, tmp_path):
    async def run():
        rng = random.Random(1)
        weights = (1.0,) if rule == "winnow" else (1.0, 2.0, 0.5)
        async with opened(tmp_path, rule, durability="normal") as service:
            await drive(service, rng, 60, rule == "winnow", weights)
            model = service.models["default"]
            await snapshots.take_snapshot(service, model)
            await drive(service, rng, 60, rule == "winnow", weights)
            before = to_bytes(model.estimator), model.counters(), waiting(service)
        async with opened(tmp_path) as service:  # from the snapshot, and what came after
            model = service.models["default"]
            assert to_bytes(model.estimator) == before[0] == to_bytes(learned(tmp_path))
            assert rounded(model.counters()) == rounded(before[1])
            assert waiting(service) == before[2] > 0
        assert to_bytes(replay(tmp_path).estimator) == before[0]

    asyncio.run(run())


def test_a_lost_or_damaged_snapshot_is_made_up_for_by_the_journal(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            await drive(service, random.Random(2), 30)
            model = service.models["default"]
            await snapshots.take_snapshot(service, model)
            expected = to_bytes(model.estimator)
            file = tmp_path / model.snapshot[1]
        file.write_bytes(file.read_bytes()[:-1])
        for lose in (lambda: None, file.unlink):
            lose()
            async with opened(tmp_path) as service:
                assert to_bytes(service.models["default"].estimator) == expected

    asyncio.run(run())


@pytest.fixture
def fast_folder(tmp_path):
    """A folder in memory, where there is one: thousands of journals are opened and closed there."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else tmp_path) as name:
        yield Path(name)


def test_the_write_ahead_log_cut_anywhere_holds_all_that_was_acknowledged_by_then(fast_folder):
    folder, copy = fast_folder / "journal", fast_folder / "copy"
    sizes, labels = [], [0]  # of the log when labels were acknowledged, and how many they were

    async def run():
        rng = random.Random(3)
        async with opened(folder, "perceptron") as service:
            log = folder / f"{FILE}-wal"
            for many in (1, 1, 3, 1, 9, 1, 2, 1):
                rows = [LearnRequest(*row(rng)) for _ in range(many)]
                await all_of(service.learn("default", rows))
                sizes.append(log.stat().st_size)
                labels.append(labels[-1] + many)
            shutil.copytree(folder, copy)  # before it is closed, and so put into the file

    asyncio.run(run())
    whole = (copy / f"{FILE}-wal").read_bytes()
    files = {path.name: path.read_bytes() for path in copy.iterdir()}
    bytes_after = {n: to_bytes(learned(copy, n)) for n in labels[1:]}
    began = sizes[0] - 3 * 4120  # before the first label's commit, after the model's
    edges = {size + step for size in sizes for step in (-1, 0, 1)}
    cuts = {*edges, *range(began, len(whole) + 1, 997)}
    if "CI" in os.environ:  # every byte of two commits
        cuts |= {*range(sizes[-3], len(whole) + 1)}
    for cut in sorted(each for each in cuts if each <= len(whole)):
        for name in ("journal.db-shm", f"{FILE}-wal", FILE):
            (copy / name).unlink(missing_ok=True)
        (copy / FILE).write_bytes(files[FILE])
        (copy / f"{FILE}-wal").write_bytes(whole[:cut])
        acknowledged = labels[sum(size <= cut for size in sizes)]
        if not acknowledged:
            continue
        journal = Journal(copy, write=False)
        found = [entry.seq for entry in journal.entries()]
        journal.close()
        assert found == [*range(1, acknowledged + 1)], cut
        if cut in edges:
            assert to_bytes(replay(copy).estimator) == bytes_after[acknowledged]


def test_what_is_repeated_changes_nothing_and_what_contradicts_is_refused(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            asked = PredictRequest([1.0, 2.0], id="a")
            first = await one(service.predict("default", [asked]))
            assert await one(service.predict("default", [asked])) == first
            request = RevealRequest("a", 1)
            assert (await one(service.reveal("default", [request])))["seen"] == 1
            learned_once = to_bytes(service.models["default"].estimator)
            again = await one(service.reveal("default", [request]))
            assert again == {"mistake": True, "mistakes": 1, "seen": 1, "repeated": True}
            assert await one(service.predict("default", [asked])) == first
            row = LearnRequest([2.0, 1.0], -1, id="b")
            (answer,) = await service.learn("default", [row])
            (again,) = await service.learn("default", [row])
            assert again == answer | {"repeated": True}
            refused = [
                *await service.reveal("default", [RevealRequest("a", -1)]),
                *await service.predict("default", [PredictRequest([9.0, 9.0], id="a")]),
                *await service.learn("default", [LearnRequest([9.0, 9.0], 1, id="b")]),
                *await service.reveal("default", [RevealRequest("nobody", 1)]),
                *await service.reveal("default", [RevealRequest("a", 7)]),
                *await service.learn("default", [LearnRequest([1.0], 1)]),
            ]
            statuses = [each.status for each in refused]
            assert statuses == [HTTPStatus.CONFLICT] * 3 + [404, 422, 422]
            assert "has been learned with the label 1 and the weight 1" in str(refused[0])
            assert "none of the classes [-1, 1]" in str(refused[4])
            assert service.models["default"].counts.seen == 2
            assert waiting(service) == 0
        assert to_bytes(replay(tmp_path, labels=1).estimator) == learned_once

    asyncio.run(run())


def test_a_full_disk_refuses_labels_and_keeps_predicting(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            await drive(service, random.Random(4), 20)
            model = service.models["default"]
            before, out = to_bytes(model.estimator), waiting(service)
            pages = service.journal.db.execute("PRAGMA page_count").fetchone()[0]
            service.journal.db.execute(f"PRAGMA max_page_count = {pages}")
            big = {f"f{j}": 1.0 for j in range(2000)}
            with pytest.raises(ServiceError, match=r"nothing was learned: .* full") as error:
                await service.learn("default", [LearnRequest(big, 1)] * 20)
            assert error.value.status == HTTPStatus.SERVICE_UNAVAILABLE
            answer = (await service.predict("default", [PredictRequest(big)] * 20))[0]
            assert answer["id"] is None
            assert answer["label"] in (-1, 1)
            assert "full" in service.problem
            assert (to_bytes(model.estimator), waiting(service)) == (before, out)
            service.journal.db.execute("PRAGMA max_page_count = 1000000")
            await one(service.learn("default", [LearnRequest(big, 1)]))
            assert service.problem is None
            after = to_bytes(model.estimator)
        assert after != before
        assert to_bytes(replay(tmp_path).estimator) == after

    asyncio.run(run())


def test_a_folder_that_became_read_only_refuses_labels_and_keeps_predicting(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            await one(service.learn("default", [LearnRequest([1.0], 1)]))
            service.journal.db.execute("PRAGMA query_only = ON")  # as SQLite finds such a folder
            with pytest.raises(ServiceError, match=r"nothing was learned: .* readonly"):
                await service.learn("default", [LearnRequest([1.0], 1)])
            (answer,) = await service.predict("default", [PredictRequest([1.0])])
            assert (answer["id"], answer["label"]) == (None, 1)
            service.journal.db.execute("PRAGMA query_only = OFF")
            assert (await one(service.learn("default", [LearnRequest([1.0], 1)])))["seen"] == 2

    asyncio.run(run())


def test_predictions_expire_and_the_pending_are_limited(tmp_path):
    async def run():
        limits = Limits(pending=3)
        async with opened(tmp_path, "perceptron", limits=limits, pending_for=-1.0) as service:
            asked = [PredictRequest([1.0])] * 4
            *kept, refused = await service.predict("default", asked)
            assert refused.status == HTTPStatus.TOO_MANY_REQUESTS
            await snapshots.expire(service)
            model = service.models["default"]
            assert service.view.pending(model.record.key) == (0, 3)
            (late,) = await service.reveal("default", [RevealRequest(kept[0]["id"], 1)])
            assert "it expired, or never was" in str(late)

    asyncio.run(run())


def test_compaction_forgets_rows_but_no_ids_and_no_counts(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            await drive(service, random.Random(5), 30)
            named = LearnRequest({"f1": 1.0}, 1, id="r")
            await one(service.learn("default", [named]))
            model = service.models["default"]
            assert await snapshots.compact(service, "default") == model.counts.seq
            assert (await one(service.learn("default", [named])))["repeated"]
            await drive(service, random.Random(6), 10)
            expected, seen = to_bytes(model.estimator), model.counts.seen
            (tmp_path / model.snapshot[1]).unlink()
        async with opened(tmp_path) as service:
            model = service.models["default"]
            assert (to_bytes(model.estimator), model.counts.seen) == (expected, seen)
        assert to_bytes(replay(tmp_path).estimator) == expected

    asyncio.run(run())


def test_a_replay_refuses_moments_whose_rows_were_compacted(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            await service.learn("default", [LearnRequest({"a": 1.0}, 1)] * 4)
            await snapshots.compact(service, "default")
            then = to_bytes(service.models["default"].estimator)
            await service.learn("default", [LearnRequest({"a": -3.0}, 1)] * 3)
            return then

    then = asyncio.run(run())
    found = replay(tmp_path, labels=4, rules=["averaged"])
    assert (to_bytes(found.estimator), found.model.counts.seen) == (then, 4)
    found = replay(tmp_path, labels=6, rules=["averaged"])
    assert (found.model.counts.seen, found.backtests["averaged"].counts.seen) == (6, 2)
    for earlier in ({"labels": 3}, {"until": 1.0}):
        with pytest.raises(ParameterError, match=r"the first 4 labels, until .*, were compacted"):
            replay(tmp_path, **earlier)
    _, text, _ = novikoff("replay", tmp_path, "--rule", "averaged")
    assert "other rules begin after 4 labels whose rows were compacted; since then, " in text


def test_a_replay_stops_at_a_moment_and_tries_other_rules(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron", durability="normal") as service:
            await drive(service, random.Random(7), 40)

    asyncio.run(run())
    journal = Journal(tmp_path, write=False)
    entries = [*journal.entries()]
    journal.close()
    found = replay(tmp_path, until=entries[9].time, rules=["perceptron", "averaged"])
    assert found.model.counts.seen == sum(entry.time <= entries[9].time for entry in entries)
    assert found.backtests["perceptron"].counts.mistakes <= found.backtests["perceptron"].updates
    assert set(found.backtests) == {"perceptron", "averaged"}
    assert to_bytes(replay(tmp_path, labels=10).estimator) == to_bytes(learned(tmp_path, 10))
    refused = replay(tmp_path, rules=["winnow"]).backtests["winnow"]
    assert (refused.counts.seen, refused.counts.refused) == (0, len(entries))
    assert refused.refusal.startswith("Winnow on named features needs theta")
    with pytest.raises(NovikoffError, match="there is no model 'other'; it has default"):
        replay(tmp_path, "other")


def test_one_process_learns_and_a_journal_is_recognised(tmp_path):
    async def run():
        async with opened(tmp_path, "perceptron"):
            with pytest.raises(JournalError, match="another process learns with this journal"):
                Service(ServiceSettings(journal=tmp_path))
        async with opened(tmp_path, "perceptron"):
            pass
        with pytest.raises(NovikoffError, match="leave out --rule and --model to go on"):
            async with opened(tmp_path, "averaged"):
                pass

    asyncio.run(run())
    with pytest.raises(JournalError, match=f"there is no {FILE}"):
        Journal(tmp_path / "nothing", write=False)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / FILE).write_text("not a database, but a text that is long enough")
    with pytest.raises(JournalError, match="no journal can be kept or read here"):
        Journal(tmp_path / "text")


def test_a_commit_is_all_or_nothing(tmp_path):
    journal = Journal(tmp_path)
    journal.commit([AddModel("default", "{}", None, 0.0)])
    good = Learn(1, "a", 0.0, "[1]", "1", 1.0, True)
    with pytest.raises(JournalError):
        journal.commit([good, good._replace(id=None)])
    assert [*journal.entries()] == []
    journal.close()
