"""A model of a service: an estimator, and the counts that its entries of the journal add up to.

All of it is a function of the entries, applied in their order; a restart applies them again.
"""

import contextlib
import copy
import json
import math
import tempfile
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any, NamedTuple

import numpy as np

from novikoff.errors import DataError, ModelError, NovikoffError
from novikoff.learning.estimators.save_load import load
from novikoff.learning.rules import protocol
from novikoff.number_text import listed
from novikoff.serve.journal import Journal, ModelRecord
from novikoff.serve.journal.operations import JournalEntry
from novikoff.serve.json_text import Features, JsonLabel, ServiceError, tried
from novikoff.serve.recipes import make_recipe, new_estimator

#: Rules whose weights move at mistakes only, and predict: what a delay costs them is proven.
MISTAKE_DRIVEN = ("perceptron", "winnow", "second-order", "balanced-winnow")
MANY = 8  # rows that are decided faster together
POINTS, MINUTES, MISTAKES_SHOWN, WEIGHTS_SHOWN, REPEATS_KNOWN = 400, 60, 10, 12, 2**16


class Decision(NamedTuple):
    """What is predicted for a row: one score for two classes, else one for each."""

    label: JsonLabel
    score: float | list[float]


@dataclass
class Counts:
    """What is known of a model beside its weights.

    mistakes: of the predictions that were served. late: labels before which the weights had moved
    since the prediction; delay: the largest number of such moves. most_out: predictions that waited
    for labels at one time. majority: mistakes of always predicting the commonest label so far.
    series: [rows, mistakes, majority, ceiling], thinned; minutes: [minute, rows, mistakes].
    """

    seq: int = 0
    seen: int = 0
    mistakes: int = 0
    late: int = 0
    delay: int = 0
    most_out: int = 0
    majority: int = 0
    refused: int = 0
    weighted: int = 0
    ceiling: float | None = None
    by_class: list[int] = field(default_factory=list)
    every: int = 1
    series: list[list[float | None]] = field(default_factory=list)
    minutes: list[list[int]] = field(default_factory=list)
    last: list[dict[str, Any]] = field(default_factory=list)


class ServedModel:
    """A model that is served."""

    def __init__(self, record: ModelRecord, estimator: Any, counts: Counts) -> None:
        self.record, self.estimator, self.counts = record, estimator, counts
        self.classes: list[JsonLabel] = estimator.classes_.tolist()
        counts.by_class = counts.by_class or [0] * len(self.classes)
        self.updates = self._updates()
        self.start = counts.seq  # entries up to here need not be looked at
        self.refusal: str | None = None  # why the last label of those refused could not be learned
        self.snapshot: tuple[int, str] | None = None  # its sequence number and file
        self.blank: tuple[int | None, Any] | None = None  # the size of arrays, and a copy for them
        self.first_names: frozenset[str] | None = None  # of a file, until the first row is learned
        self.recent: OrderedDict[int, bool | None] = OrderedDict()  # mistakes by sequence number

    @classmethod
    def restored(cls, journal: Journal, record: ModelRecord) -> "ServedModel":
        """The model at its last snapshot, or else where it began."""
        snapshot = journal.snapshot(record.key)
        if snapshot is not None and snapshot.seq >= record.base:
            try:
                model = cls(record, load(snapshot.file), Counts(**snapshot.counters))
                model.start, model.snapshot = snapshot.seq, (model.counts.seq, snapshot.file.name)
            except ModelError:  # lost or damaged: the journal has it all
                return cls.beginning(record)
            return model
        return cls.beginning(record)

    @classmethod
    def beginning(cls, record: ModelRecord) -> "ServedModel":
        """The model before its first entry."""
        counts = Counts(**record.counters) if record.counters else Counts(seq=record.base)
        return cls(record, first_estimator(record), counts)

    @property
    def name(self) -> str:
        return self.record.name

    def decide(self, features: Features) -> Decision:
        """What is predicted now; DataError if the row does not fit the model."""
        self._require_names(features)
        estimator = self.estimator if self.is_fitted else self._unlearned(features)
        return _made(*estimator.decide_one(features))

    def decide_many(self, rows: Sequence[Features]) -> list[Decision | ServiceError]:
        """What is predicted for each row now, or why nothing can be."""
        if len(rows) >= MANY and len({type(each) for each in rows}) == 1:
            with contextlib.suppress(NovikoffError, ValueError):  # below, each row is told why
                return self._decisions(rows)
        return [tried(self.decide, each) for each in rows]

    def _decisions(self, rows: Sequence[Features]) -> list[Decision | ServiceError]:
        self._require_names(rows[0])
        estimator = self.estimator if self.is_fitted else self._unlearned(rows[0])
        return [_made(*each) for each in estimator.decide_many(rows)]

    def _unlearned(self, features: Features) -> Any:
        """A copy that is prepared for such rows, but has learned nothing, not even names."""
        size = len(features) if isinstance(features, list) else None
        if self.blank is None or self.blank[0] != size:
            twin = copy.deepcopy(self.estimator)
            twin._bind(features if size is not None else {})
            self.blank = size, twin
        return self.blank[1]

    def label(self, given: object) -> JsonLabel:
        """The class that a label means."""
        for known in self.classes:
            if known == given and isinstance(known, bool) == isinstance(given, bool):
                return known
        classes = listed([json.dumps(each) for each in self.classes])
        raise ServiceError(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"the label {json.dumps(given)[:80]} is none of the classes [{classes}]",
        )

    def names_known(self, features: Features) -> tuple[int, int]:
        """How many names the model has learned, and how many of these are new to it."""
        if isinstance(features, list):
            return 0, 0
        names: Collection[str] | None = self.estimator.__dict__.get("_names")
        if names is None:  # fresh, or from a file: the first row that is learned makes the index
            if self.first_names is None:
                self.first_names = frozenset(getattr(self.estimator, "feature_names_in_", ()))
            names = self.first_names
        return len(names), len(features) - sum(map(names.__contains__, features))

    def _require_names(self, features: Features) -> None:
        if isinstance(features, list) and self.is_named:
            raise DataError("features: the model knows its features by name; send an object")

    @property
    def is_named(self) -> bool:
        """Whether its features have names, so that an array says nothing about them."""
        return not self.estimator.__dict__.keys().isdisjoint(("_names", "feature_names_in_"))

    def apply(self, entry: JournalEntry, features: Features | None = None) -> bool | None:
        """Learn from an entry; whether the served prediction was wrong, None if it was refused.

        features: those of the entry, where they have been read before.
        """
        counts = self.counts
        counts.seq = entry.seq
        assert entry.features is not None, "an entry that was compacted is never applied"
        features = json.loads(entry.features) if features is None else features
        label = json.loads(entry.label)
        try:
            served = (
                self.decide(features).label if entry.served is None else json.loads(entry.served)
            )
            self._learn(features, label, entry.weight)
        except NovikoffError as error:
            counts.refused += 1
            self.refusal = str(error)
            mistake = None
        else:
            mistake = served != label
            self._count(entry, features, served, label)
        self.recent[entry.seq] = mistake
        if len(self.recent) > REPEATS_KNOWN:
            self.recent.popitem(last=False)
        return mistake

    def _learn(self, features: Features, label: JsonLabel, weight: float) -> None:
        if weight == 1.0:
            self.estimator.learn_one(features, label)
        else:
            self.estimator.learn_one(features, label, weight=weight)

    def _count(
        self, entry: JournalEntry, features: Features, served: JsonLabel, label: JsonLabel
    ) -> None:
        counts, mistake, code = self.counts, served != label, self.classes.index(label)
        counts.seen += 1
        counts.mistakes += mistake
        counts.weighted += entry.weight != 1.0
        delay = 0 if entry.version is None else self.updates - entry.version
        counts.late += delay > 0
        counts.delay = max(counts.delay, delay)
        counts.most_out = max(counts.most_out, entry.out)
        counts.majority += counts.by_class.index(max(counts.by_class)) != code
        counts.by_class[code] += 1
        self.updates = self._updates()
        minute = int(entry.time // 60)
        if not counts.minutes or counts.minutes[-1][0] != minute:
            counts.minutes = [*counts.minutes[1 - MINUTES :], [minute, 0, 0]]
        counts.minutes[-1][1] += 1
        counts.minutes[-1][2] += mistake
        if mistake:
            shown = list(features.items()) if isinstance(features, dict) else features
            fact = {"id": entry.id, "time": entry.time, "served": served, "label": label}
            counts.last = [*counts.last[1 - MISTAKES_SHOWN :], fact | {"features": shown[:8]}]
        if counts.seen % counts.every == 0:
            self._add_point()

    def _add_point(self) -> None:
        counts = self.counts
        counts.ceiling = self.ceiling()
        counts.series.append([counts.seen, counts.mistakes, counts.majority, counts.ceiling])
        if len(counts.series) > POINTS:
            counts.every *= 2
            counts.series = [each for each in counts.series if not (each[0] or 0) % counts.every]

    def _updates(self) -> int:
        return int(self.estimator.updates_) if self.is_fitted else 0

    @property
    def is_fitted(self) -> bool:
        """Whether it has learned anything yet."""
        return bool(self.estimator.__sklearn_is_fitted__())

    def ceiling(self) -> float | None:
        """A number that no separator's margin exceeds (for several classes: of some class)."""
        if not self.is_fitted:
            return None
        now = float(np.min(self.estimator.margin_ceiling_))
        lowest = min(now, math.inf if self.counts.ceiling is None else self.counts.ceiling)
        return lowest if math.isfinite(lowest) else None

    def bound(self, margin: float) -> dict[str, float | None] | None:
        """What the theorem allows if the rows have a separator of this margin; None: nothing known.

        updates <= (D/margin)^2 whatever the delay, for the order of the journal is just an order;
        mistakes served <= most_out * updates, and <= updates + late. at_served_mistakes: what a
        perceptron is allowed that moves at those instead, at this run's delay. See docs/serve.md.
        """
        mine = self.record.recipe["rule"] in MISTAKE_DRIVEN and len(self.classes) == 2
        if not self.is_fitted or not mine or self.counts.weighted:
            return None
        learner = self.estimator._learner
        updates = protocol.mistake_bound(learner.rule, learner.radius, margin)
        if updates is None:
            return None
        most, late = max(1, self.counts.most_out), self.counts.late
        mistakes = min(most * updates, updates + late)
        plain = self.record.recipe["rule"] == "perceptron"
        other = bound_at_served_mistakes(updates, self.counts.delay) if plain else None
        found = {"margin": margin, "updates": updates, "mistakes": mistakes}
        return found | {"at_served_mistakes": other}

    def state(self, margin: float | None = None) -> dict[str, Any]:
        """All counts and the theorem's quantities, as JSON."""
        counts, ceiling = self.counts, self.ceiling()
        assumed = ceiling if margin is None else margin
        return {
            "model": self.name,
            "rule": self.record.recipe["rule"],
            "classes": self.classes,
            "seq": counts.seq,
            "seen": counts.seen,
            "mistakes": counts.mistakes,
            "updates": self.updates,
            "majority_mistakes": counts.majority,
            "refused": counts.refused,
            "radius": self.estimator.radius_ if self.is_fitted else None,
            "margin_ceiling": ceiling,
            "delay": {"largest": counts.delay, "late": counts.late, "most_out": counts.most_out},
            "bound": self.bound(assumed) if assumed else None,
            "bound_assumes": "ceiling" if margin is None else "given",
        }

    def details(self) -> dict[str, Any]:
        """What the live page shows beside the state."""
        counts = self.counts
        return {
            "series": [
                *counts.series,
                [counts.seen, counts.mistakes, counts.majority, self.ceiling()],
            ],
            "minutes": counts.minutes,
            "minute": int(time.time() // 60),
            "last": counts.last[::-1],
            "weights": self._largest_weights(),
        }

    def _largest_weights(self) -> list[tuple[str, float]]:
        if not self.is_fitted:
            return []
        weights = self.estimator.coef_[-1]
        most = min(WEIGHTS_SHOWN, len(weights))
        places = np.argpartition(-np.abs(weights), most - 1)[:most].tolist() if most else []
        top = sorted((j for j in places if weights[j]), key=lambda j: -abs(weights[j]))
        names = getattr(self.estimator, "feature_names_in_", None)
        return [(f"x{j}" if names is None else str(names[j]), float(weights[j])) for j in top]

    def counters(self) -> str:
        """The counts as JSON, for a snapshot."""
        return json.dumps(asdict(self.counts))


def _made(label: Any, scores: list[float]) -> Decision:
    score = scores[0] if len(scores) == 1 else scores
    return Decision(label.item() if isinstance(label, np.generic) else label, score)


def bound_at_served_mistakes(once: float, delay: float) -> float:
    """The most mistakes of a perceptron that moves at each one it served, as seen at its label.

    once: (D/margin)^2. delay: tau, the most moves between a prediction and its label, or their mean
    over the mistakes.
    """
    return (1.0 + 2.0 * delay) * once


def first_estimator(record: ModelRecord, rule: str | None = None) -> Any:
    """The estimator before its first entry; rule: another one, with its own defaults."""
    recipe = record.recipe
    if rule is not None and rule != recipe["rule"]:
        recipe = make_recipe(rule, {}, recipe["classes"])
    elif record.origin is not None:
        with tempfile.NamedTemporaryFile(prefix="novikoff-", suffix=".model") as file:
            file.write(record.origin)
            file.flush()
            return load(file.name)
    return new_estimator(recipe, recipe["classes"])
