"""Processes that only predict: they follow the journal, and end with the one that learns."""

import asyncio
import contextlib
import http.client
import json
from http import HTTPStatus

import pytest

import novikoff as nk
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve import snapshots
from novikoff.serve.json_text import ServiceError
from novikoff.serve.messages import LearnRequest, ModelRequest, PredictRequest, RevealRequest
from novikoff.serve.recipes import make_recipe
from novikoff.serve.service import Service
from novikoff.serve.settings import Limits, ServiceSettings
from tests.helpers.service import JSON, served
from tests.helpers.waits import wait_until


@contextlib.asynccontextmanager
async def learner_and_reader(folder, **options):
    settings = ServiceSettings(journal=folder, durability="normal", readers=1, **options)
    learner = Service(settings)
    try:
        learner.restore()
        learner.ensure_default(make_recipe("perceptron", {}, [-1, 1]), None)
        reader = Service(settings, reads_only=True)
        try:
            reader.restore()
            yield learner, reader
        finally:
            await reader.close()
    finally:
        await learner.close()


def test_a_reader_predicts_with_the_learners_bytes_and_says_how_far_behind_it_is(tmp_path):
    async def run():
        async with learner_and_reader(tmp_path) as (learner, reader):
            rows = [LearnRequest([float(k), 3.0], 1 if k > 4 else -1) for k in range(10)]
            await learner.learn("default", rows)
            reader.follow(most=4)
            assert (reader.applied, reader.behind) == (4, 6)
            (asked,) = await reader.predict("default", [PredictRequest([1.0, 2.0], id="a")])
            assert asked["behind"] == 0  # it looks before it answers
            content = [to_bytes(each.models["default"].estimator) for each in (learner, reader)]
            assert content[0] == content[1]
            (revealed,) = await learner.reveal("default", [RevealRequest("a", -1)])
            assert revealed["mistake"] == (asked["label"] != -1)
            with pytest.raises(ServiceError, match="send labels to the one that learns") as error:
                await reader.reveal("default", [RevealRequest("a", -1)])
            assert error.value.status == HTTPStatus.MISDIRECTED_REQUEST
            await learner.add_model(ModelRequest("other", classes=["a", "b"]))
            (found,) = await reader.predict("default", [PredictRequest([1.0, 2.0], keep=False)])
            assert (found["id"], set(reader.models)) == (None, {"default", "other"})

    asyncio.run(run())


def test_a_reader_begins_at_the_snapshot_where_the_rows_that_it_missed_were_forgotten(tmp_path):
    async def run():
        async with learner_and_reader(tmp_path) as (learner, reader):
            for turn in range(3):
                rows = [LearnRequest({f"f{turn}": float(k), "b": 1.0}, 1) for k in range(5)]
                await learner.learn("default", rows)
                if turn < 2:
                    await snapshots.compact(learner, "default")
            await reader.predict("default", [PredictRequest({"b": 1.0}, keep=False)])
            assert (reader.applied, reader.behind) == (15, 0)
            models = [each.models["default"] for each in (learner, reader)]
            assert to_bytes(models[0].estimator) == to_bytes(models[1].estimator)
            assert models[0].counts.seen == models[1].counts.seen == 15

    asyncio.run(run())


def test_a_reader_knows_a_model_as_soon_as_it_is_added(tmp_path):
    async def run():
        async with learner_and_reader(tmp_path) as (learner, reader):
            with pytest.raises(ServiceError, match="there is no model 'late'"):
                reader.model("late")
            await learner.add_model(ModelRequest("late"))
            assert reader.model("late").name == "late"

    asyncio.run(run())


def test_the_bound_and_the_limit_count_what_waits_at_all_processes(tmp_path):
    """Predictions for one row, half of them by the reader: as many mistakes as there are."""

    async def run():
        limits = Limits(pending=8)
        async with learner_and_reader(tmp_path, limits=limits) as (learner, reader):
            for k in range(8):
                service = reader if k % 2 else learner
                (found,) = await service.predict("default", [PredictRequest([1.0], id=f"p{k}")])
                assert found["id"] == f"p{k}"
            (refused,) = await reader.predict("default", [PredictRequest([1.0])])
            assert refused.status == HTTPStatus.TOO_MANY_REQUESTS
            await learner.reveal("default", [RevealRequest(f"p{k}", 1) for k in range(8)])
            state = learner.state(learner.models["default"])
            assert (state["mistakes"], state["updates"], state["pending"]) == (8, 1, 0)
            assert state["delay"]["most_out"] == 8
            assert state["mistakes"] <= state["bound"]["mistakes"] * (1 + 1e-9)

    asyncio.run(run())


def ask(port):
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        link.request("POST", "/predict", json.dumps({"features": [1.0], "keep": False}), JSON)
        return json.loads(link.getresponse().read())
    finally:
        link.close()


def test_readers_answer_at_an_address_of_their_own_and_leave_with_the_learner(tmp_path):
    words = "--rule", "perceptron", "--readers", 2, "--durability", "normal"
    with served(tmp_path / "journal", *words) as web:
        line = web.process.stdout.readline().decode()
        assert line.startswith("2 readers at http://127.0.0.1:")
        port = int(line.split(":")[-1].strip().rstrip("/"))
        with nk.Client(web.url, readers=f"http://127.0.0.1:{port}") as client:
            asked = client.predict_one([1.0])
            assert (asked.label, asked.behind) == (-1, 0)
            assert client.reveal(asked.id, 1).mistake
            assert client.predict_one([1.0], keep=False).label == 1  # by another reader, perhaps
        web.process.kill()  # nobody is left to tell them

        def gone():
            with contextlib.suppress(OSError, http.client.HTTPException):
                ask(port)
                return False
            return True

        wait_until(gone, "the end of the readers")
