"""A service: its models, its journal, and what is done with the rows and labels that come in.

One thread, the event loop's, has all models to itself. What changes them is in the journal before.
"""

import json
import os
import time
from collections.abc import Sequence
from http import HTTPStatus
from itertools import zip_longest
from typing import Any

from novikoff.errors import NovikoffError, ParameterError
from novikoff.learning.estimators.save_load import to_bytes
from novikoff.serve.journal import GroupCommit, Journal, JournalError, ModelRecord
from novikoff.serve.journal.operations import (
    AddModel,
    JournalEntry,
    KeepPrediction,
    Learn,
    Operation,
    Outcome,
    Prediction,
    Refusal,
    Repeat,
    Reveal,
)
from novikoff.serve.json_text import ServiceError, dump, tried
from novikoff.serve.messages import (
    NAME,
    LearnAnswer,
    LearnRequest,
    ModelRequest,
    PredictAnswer,
    PredictRequest,
    RevealAnswer,
    RevealRequest,
)
from novikoff.serve.recipes import make_recipe
from novikoff.serve.served_model import Decision, ServedModel
from novikoff.serve.settings import ServiceSettings

DEFAULT = "default"

Answer = dict[str, Any] | ServiceError
Texts = Sequence[str | None]  # the features of requests as they came, where they are known


class Service:
    """What answers requests. reads_only: it predicts and follows the journal of a learner."""

    def __init__(self, settings: ServiceSettings, *, reads_only: bool = False) -> None:
        self.settings, self.limits, self.reads_only = settings, settings.limits, reads_only
        self.journal = Journal(settings.journal, durability=settings.durability)
        self.view = Journal(settings.journal, write=False)  # to look while others commit
        self.lock = None if reads_only else self.journal.lock()
        self.models: dict[str, ServedModel] = {}
        self.by_key: dict[int, ServedModel] = {}
        self.applied = self.version = 0
        self.behind = 0
        inline = settings.durability == "normal" and not settings.readers
        self.commits = GroupCommit(self.journal, self._act, inline=inline)
        self.problem: str | None = None  # why labels cannot be taken at the moment
        self.ending = False
        self._numbers = 0

    # the beginning

    def restore(self) -> None:
        """All models as the journal has them."""
        fresh = [each for each in self.view.models() if each.name not in self.models]
        models = [self._restored(record) for record in fresh]
        self.applied = min((model.start for model in models), default=self.applied)
        self._apply_entries()

    def _apply_entries(self, most: int | None = None) -> None:
        """Learn what the journal has and this process has not."""
        until = None if most is None else self.applied + most
        for entry in self.view.entries(self.applied, until):
            model = self.by_key.get(entry.model)
            if model is not None and entry.seq > model.counts.seq:
                if entry.features is None:  # compacted since: there is a later snapshot
                    model = self._restored(self.view.model(entry.model))
                    if entry.seq > model.start:
                        return  # not of this compaction yet: another try finds it
                else:
                    model.apply(entry)
            self.applied = entry.seq

    def _restored(self, record: ModelRecord) -> ServedModel:
        model = ServedModel.restored(self.view, record)
        self._add(model)
        return model

    def _add(self, model: ServedModel) -> None:
        self.models[model.name] = self.by_key[model.record.key] = model

    def ensure_default(self, recipe: dict[str, Any] | None, origin: bytes | None) -> None:
        """Have the model that is meant where none is named: as it was, or as described."""
        known = self.models.get(DEFAULT)
        if known is None:
            if recipe is None:
                raise ParameterError(
                    "a new journal needs --model FILE or --rule NAME to begin with"
                )
            self.journal.commit([AddModel(DEFAULT, json.dumps(recipe), origin, time.time())])
            self.restore()
        elif recipe is not None and recipe != known.record.recipe:
            raise ParameterError(
                f"{self.settings.journal}: its model is {known.record.recipe}, not {recipe}:"
                " leave out --rule and --model to go on, or choose another --journal"
            )

    def follow(self, most: int | None = 10_000) -> None:
        """In a reader: learn what the learner has written since."""
        version = self.view.data_version()
        if version == self.version and not self.behind:
            return
        if len(self.models) < self.view.model_count():
            self.restore()
        self._apply_entries(most)
        self.behind, self.version = self.view.last_seq() - self.applied, version

    # requests

    def model(self, name: str) -> ServedModel:
        """The model of this name, even if the learner has only just added it."""
        if name not in self.models and self.reads_only:
            self.follow()
        if name not in self.models:
            raise ServiceError(HTTPStatus.NOT_FOUND, f"there is no model {name[:64]!r}")
        return self.models[name]

    def new_id(self) -> str:
        """An id that nobody has had: ascending in time, and not to be guessed."""
        self._numbers += 1
        return f"{time.time_ns():x}{self._numbers & 0xFFF:03x}{os.urandom(4).hex()}"

    async def predict(
        self, name: str, requests: Sequence[PredictRequest], texts: Texts = ()
    ) -> list[Answer]:
        """Predict, and keep the predictions that labels may come for."""
        if self.reads_only:
            self.follow()
        model, now = self.model(name), time.time()
        decisions = model.decide_many([each.features for each in requests])
        answers: list[Answer] = []
        kept: list[tuple[int, KeepPrediction]] = []
        for request, decision, text in zip_longest(requests, decisions, texts):
            if isinstance(decision, ServiceError):
                answers.append(decision)
                continue
            if request.keep:
                kept.append((len(answers), self._keep(model, request, text, decision, now)))
            fields = None, *decision, self.behind
            answers.append(dict(zip(PredictAnswer._fields, fields, strict=True)))
        if kept:
            await self._write_predictions(kept, answers)
        return answers

    def _keep(
        self,
        model: ServedModel,
        request: PredictRequest,
        text: str | None,
        decision: Decision,
        now: float,
    ) -> KeepPrediction:
        id, given = request.id or self.new_id(), request.id is not None  # noqa: A001
        text = text or dump(request.features)
        kept = Prediction(text, dump(decision.label), dump(decision.score))
        known = model.updates, self.applied, self.limits.pending
        return KeepPrediction(model.record.key, id, now, kept, *known, given)

    async def _write_predictions(
        self, kept: list[tuple[int, KeepPrediction]], answers: list[Answer]
    ) -> None:
        try:
            outcomes = await self.submit([operation for _, operation in kept])
        except JournalError:  # it keeps predicting: no id, so no label can be promised a place
            return
        for (place, operation), outcome in zip(kept, outcomes, strict=True):
            if isinstance(outcome, ServiceError):
                answers[place] = outcome
                continue
            answer = answers[place]
            assert isinstance(answer, dict)
            answer["id"] = operation.id
            if outcome is not operation.kept:  # asked again: what was served the first time
                answer["label"] = json.loads(outcome.served)
                answer["score"] = json.loads(outcome.score)

    async def reveal(
        self, name: str, requests: Sequence[RevealRequest], texts: Texts = ()
    ) -> list[Answer]:
        """Learn from the labels of predictions."""
        self._require_learner()
        model, now = self.model(name), time.time()
        key = model.record.key

        def operation(each: RevealRequest) -> Reveal:
            return Reveal(key, each.id, now, dump(model.label(each.label)), float(each.weight))

        return await self._learn([tried(operation, each) for each in requests])

    async def learn(
        self, name: str, requests: Sequence[LearnRequest], texts: Texts = ()
    ) -> list[Answer]:
        """Learn from rows that come with their labels."""
        self._require_learner()
        model, now = self.model(name), time.time()
        decisions = model.decide_many([each.features for each in requests])

        def operation(
            each: LearnRequest, decision: Decision | ServiceError, text: str | None
        ) -> Learn:
            label = dump(model.label(each.label))
            if isinstance(decision, ServiceError):  # what could not be learned from
                raise decision
            known, new = model.names_known(each.features)
            if new and known + new > self.limits.names:
                why = f"the model knows {known:,} names; {self.limits.names:,} are allowed"
                raise ServiceError(HTTPStatus.UNPROCESSABLE_ENTITY, why)
            id, given = each.id or self.new_id(), each.id is not None  # noqa: A001
            row = id, now, text or dump(each.features), label, float(each.weight)
            return Learn(model.record.key, *row, given, each.features)

        rows = zip_longest(requests, decisions, texts)
        return await self._learn([tried(operation, *each) for each in rows])

    async def _learn(self, made: Sequence[Reveal | Learn | ServiceError]) -> list[Answer]:
        """Write what can be written, in the order of the requests, and answer each."""
        operations = [each for each in made if not isinstance(each, ServiceError)]
        try:
            outcomes = iter(await self.submit(operations) if operations else ())
        except JournalError as error:
            why = f"labels cannot be taken at the moment, nothing was learned: {error}"
            raise ServiceError(HTTPStatus.SERVICE_UNAVAILABLE, why) from None
        answers: list[Answer] = []
        for each in made:
            found = each if isinstance(each, ServiceError) else next(outcomes)
            if isinstance(found, RevealAnswer):
                found = _named(LearnAnswer(each.id, *found) if isinstance(each, Learn) else found)
            answers.append(found)
        return answers

    def _require_learner(self) -> None:
        if self.reads_only:
            why = "this process only predicts: send labels to the one that learns"
            raise ServiceError(HTTPStatus.MISDIRECTED_REQUEST, why)

    async def submit(self, operations: Sequence[Operation]) -> list[Any]:
        """Write operations; what followed from each. JournalError if they cannot be written."""
        try:
            found = await self.commits.submit(operations)
        except JournalError as error:
            self.problem = str(error)
            raise
        self.problem = None
        return found

    def _act(self, operation: Operation, outcome: Outcome) -> Any:
        """What follows from what is on the disk now."""
        if isinstance(outcome, Refusal):
            return ServiceError(*outcome)
        if isinstance(outcome, JournalEntry):
            self.applied = outcome.seq
            model = self.by_key[outcome.model]
            row = operation.row if isinstance(operation, Learn) else None
            return _answer(model, model.apply(outcome, row), False)
        if isinstance(outcome, Repeat) and isinstance(outcome.of, JournalEntry):
            model = self.by_key[outcome.of.model]
            return _answer(model, self._known_mistake(model, outcome.of), True)
        return outcome.of if isinstance(outcome, Repeat) else outcome

    @staticmethod
    def _known_mistake(model: ServedModel, entry: JournalEntry) -> bool | None:
        if entry.served is not None:
            return entry.served != entry.label
        return model.recent.get(entry.seq)

    async def add_model(self, request: ModelRequest) -> ServedModel:
        """A model of its own name, which has learned nothing."""
        self._require_learner()
        if not NAME.fullmatch(request.name):
            why = "name: expected letters, digits, dots, dashes and underscores, at most 64"
            raise ServiceError(HTTPStatus.UNPROCESSABLE_ENTITY, why)
        if len(self.models) >= self.limits.models:
            why = f"there are {len(self.models)} models, as many as are allowed"
            raise ServiceError(HTTPStatus.TOO_MANY_REQUESTS, why)
        try:
            recipe = make_recipe(**{k: v for k, v in request._asdict().items() if k != "name"})
        except NovikoffError as error:
            raise ServiceError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
        operation = AddModel(request.name, json.dumps(recipe), None, time.time())
        try:
            (found,) = await self.submit([operation])
        except JournalError as error:
            raise ServiceError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None
        if isinstance(found, ServiceError):
            raise found
        record = self.view.model(found)
        self._add(ServedModel.beginning(record))
        return self.models[request.name]

    def state(self, model: ServedModel, margin: float | None = None) -> dict[str, Any]:
        """The state of a model, and what the journal and this process say of it."""
        pending, expired = self.view.pending(model.record.key)
        return model.state(margin) | {
            "pending": pending,
            "expired": expired,
            "behind": self.behind,
            "learning": self.problem or "on",
            "durability": self.settings.durability,
        }

    def model_bytes(self, model: ServedModel) -> bytes:
        """The model file as of now."""
        if not model.is_fitted:
            raise ServiceError(HTTPStatus.CONFLICT, "the model has learned nothing yet")
        return to_bytes(model.estimator)

    async def close(self) -> None:
        """Write what waits."""
        await self.commits.close()
        self.view.close()
        self.journal.close()
        if self.lock is not None:
            os.close(self.lock)


def _answer(model: ServedModel, mistake: bool | None, repeated: bool) -> RevealAnswer:
    """The answer to a label, with the counts as they are at its own place in the order."""
    return RevealAnswer(mistake, model.counts.mistakes, model.counts.seen, repeated)


def _named(answer: Any) -> dict[str, Any]:
    """An answer as JSON has it; the tuple's own method takes five times as long."""
    return dict(zip(answer._fields, answer, strict=True))
