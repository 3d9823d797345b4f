"""The whole protocol against a plain model of it: two dicts, two counts and integer weights."""

import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve import snapshots
from novikoff.serve.json_text import ServiceError
from novikoff.serve.messages import LearnRequest, PredictRequest, RevealRequest
from novikoff.serve.recipes import make_recipe
from novikoff.serve.replay import replay
from novikoff.serve.service import Service
from novikoff.serve.settings import ServiceSettings

RECIPE = make_recipe("perceptron", {}, [-1, 1], bias=False)
ids = st.sampled_from("abcdefg")
rows = st.tuples(st.integers(-3, 3), st.integers(-3, 3))
labels = st.sampled_from([-1, 1])


class Protocol(RuleBasedStateMachine):
    @initialize()
    def begin(self):
        self.folder, self.loop = Path(tempfile.mkdtemp()), asyncio.new_event_loop()
        self.pending, self.learned, self.weights = {}, {}, [0, 0]
        self.seen = self.mistakes = self.expired = 0
        self.open()

    def open(self):
        self.service = Service(ServiceSettings(journal=self.folder, durability="normal"))
        self.service.restore()
        self.service.ensure_default(RECIPE, None)

    def run(self, work):
        return self.loop.run_until_complete(work)

    def one(self, act, request):
        """The answer to a request, or the status of its refusal."""
        (found,) = self.run(act("default", [request]))
        return int(found.status) if isinstance(found, ServiceError) else found

    def score(self, x):
        return x[0] * self.weights[0] + x[1] * self.weights[1]

    def learn_in_the_model(self, id, x, y, served):  # noqa: A002
        self.seen += 1
        self.mistakes += served != y
        if y * self.score(x) <= 0:
            self.weights = [w + y * value for w, value in zip(self.weights, x, strict=True)]
        self.learned[id] = x, y, served

    @rule(id=ids, x=rows)
    def predict(self, id, x):  # noqa: A002
        answer = self.one(self.service.predict, PredictRequest([*map(float, x)], id))
        known = self.pending.get(id) or self.learned.get(id)
        if known is None:
            score = self.score(x)
            self.pending[id] = x, 1 if score > 0 else -1
            assert (answer["label"], answer["score"]) == (self.pending[id][1], score)
        elif id in self.learned and id in self.forgotten:
            assert answer == 409 or answer["id"] == id
        else:
            assert answer == 409 if known[0] != x else answer["id"] == id
            if id in self.pending and known[0] == x:
                assert answer["label"] == known[1]

    @rule(id=ids, y=labels)
    def reveal(self, id, y):  # noqa: A002
        answer = self.one(self.service.reveal, RevealRequest(id, y))
        if id in self.learned:
            self.check_repeated(answer, self.learned[id], y)
        elif id not in self.pending:
            assert answer == 404
        else:
            x, served = self.pending.pop(id)
            self.learn_in_the_model(id, x, y, served)
            expected = served != y, self.mistakes, self.seen, False
            assert tuple(answer.values()) == expected

    @rule(id=ids, x=rows, y=labels)
    def learn(self, id, x, y):  # noqa: A002
        answer = self.one(self.service.learn, LearnRequest([*map(float, x)], y, id))
        if id in self.pending:
            assert answer == 409
        elif id in self.learned:
            if self.learned[id][0] == x:
                self.check_repeated(answer, self.learned[id], y)
            else:
                assert answer == 409 or (id in self.forgotten and answer["repeated"])
        else:
            served = 1 if self.score(x) > 0 else -1
            self.learn_in_the_model(id, x, y, served)
            assert answer["mistake"] == (served != y)

    def check_repeated(self, answer, known, y):
        if known[1] != y:
            assert answer == 409
        else:
            assert (answer["repeated"], answer["seen"]) == (True, self.seen)
            assert answer["mistake"] in (known[2] != y, None)

    forgotten = frozenset()

    @rule()
    def expire(self):
        self.service.settings = self.service.settings._replace(pending_for=-1.0)
        self.run(snapshots.expire(self.service))
        self.expired += len(self.pending)
        self.pending.clear()

    @rule()
    def snapshot(self):
        if self.seen:
            model = self.service.models["default"]
            self.run(snapshots.take_snapshot(self.service, model))

    @rule()
    def compact(self):
        self.run(snapshots.compact(self.service, "default"))
        self.forgotten = frozenset(self.learned)

    @rule()
    def restart(self):
        self.run(self.service.close())
        self.open()

    @rule()
    def crash(self):
        """Go on from a copy of the files, taken while the service had them open."""
        copy = Path(tempfile.mkdtemp())
        shutil.copytree(self.folder, copy, dirs_exist_ok=True)
        self.run(self.service.close())
        shutil.rmtree(self.folder)
        self.folder = copy
        self.open()

    @invariant()
    def the_counts_agree(self):
        if not hasattr(self, "service"):
            return
        model = self.service.models["default"]
        state = self.service.state(model)
        found = state["seen"], state["mistakes"], state["pending"], state["expired"]
        assert found == (self.seen, self.mistakes, len(self.pending), self.expired)
        if self.seen:
            assert model.estimator.coef_[0].tolist() == self.weights

    def teardown(self):
        if hasattr(self, "service"):
            model = self.service.models["default"]
            content = to_bytes(model.estimator) if self.seen else None
            self.run(self.service.close())
            if self.seen:
                assert to_bytes(replay(self.folder).estimator) == content
            self.loop.close()
            shutil.rmtree(self.folder)


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
