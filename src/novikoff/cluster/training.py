"""Training on a cluster: epochs of all shards, mixed one after another (see `mixing`).

An epoch is all or nothing here: whatever happens while shards learn, the state after the last whole
epoch is there, to be kept in a checkpoint or returned. Nothing of a shard's rows comes here.
"""

import contextlib
import copy
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novikoff.checkpoints import Keeper
from novikoff.cluster import mixing as mixes
from novikoff.cluster.bounding import bound_on, hold
from novikoff.cluster.crew import NUMBERS, Crew, Glance, Shared
from novikoff.cluster.data import Data, Outline
from novikoff.cluster.layout import Found, Layout
from novikoff.cluster.learning import Learned, Pass, Sent, Step, head, learned, lowest, stepped
from novikoff.cluster.runs import Gather, Moment, RunPlan, Traffic, Trained, Watch, mixed_of
from novikoff.cluster.site import Site
from novikoff.epochs import Because, Run, Stop, separator_size
from novikoff.errors import DataError, ParameterError
from novikoff.learn import Learner, outputs_for
from novikoff.loop import new_tally
from novikoff.rules import protocol
from novikoff.rules.protocol import Vector
from novikoff.sources.base import LateError
from novikoff.sources.settling import is_streamed
from novikoff.sources.shards import CutError
from novikoff.streams import NO_LABELS


def run(
    plan: RunPlan,
    gather: Gather,
    *,
    mixing: str = "uniform",
    watch: Watch | None = None,
    keeper: Keeper | None = None,
) -> Trained:
    """Learn from shards, epoch by epoch, until one passes without a mistake on any of them.

    gather: `data.gathered` with its client and source, to be called with `read` and `watch`. watch:
    called now and then; if it raises KeyboardInterrupt or `Stop`, or Ctrl-C is pressed, the last
    whole epoch is the result, and without one the interruption goes on. keeper: the checkpoint.
    """
    mixes.check(mixing)
    return _Training(plan, mixing, watch, keeper).done(gather)


class _Whole(NamedTuple):
    """The state after the last whole epoch."""

    run: Run
    mixed: Vector
    traffic: list[Traffic]


class _Training:
    def __init__(
        self, plan: RunPlan, mixing: str, watch: Watch | None, keeper: Keeper | None
    ) -> None:
        self.plan, self.mixing, self.keeper = plan, mixing, keeper
        self._watch = watch
        self.whole: _Whole | None = None
        self.streamed = False
        self._epoch, self._missed = 0, 0
        self._glanced = Glance(0, 0, 0, 0)
        self._answers: list[Learned] | None = None  # to an epoch that was begun while reading
        self._down = 0
        self._before: tuple[int, Sent] | None = None  # what was shared last, and its number
        self._identity: dict[str, Any] | None = None  # of the data, as they were asked for

    def done(self, gather: Gather) -> Trained:
        began = time.perf_counter()
        data = gather(read=self._read, watch=self._glance)
        with contextlib.ExitStack() as stack:
            stack.callback(data.crew.close)  # if anything goes wrong, nothing stays there
            trained = self._trained(data, began)
            stack.pop_all()
        return trained

    def _trained(self, data: Data, began: float) -> Trained:
        self.crew, self.data = data.crew, data
        self._begin()
        self._learn()
        assert self.whole is not None
        run, mixed, traffic = self.whole
        outcome = run.outcome()
        margin = bound = None
        with contextlib.suppress(KeyboardInterrupt, Stop):  # what was learned is whole without them
            margin = self._margin(run.learner) if outcome.converged else None
            bound = self._bound(run.learner, margin)
        if bound is not None:
            hold(float(mixed[0]), bound, run.learner)
        keeper = self.keeper
        return Trained(
            data,
            run.learner,
            data.layout.classes,
            outcome,
            data.layout.rows,
            margin,
            self.mixing,
            len(self.crew.parts),
            mixed,
            bound,
            traffic,
            time.perf_counter() - began if keeper is None else keeper.seconds,
            self.streamed,
            None if keeper is None else keeper.path,
        )

    # Reading

    def _read(self, crew: Crew, outline: Outline) -> list[Found]:
        """Go through the shards for the first time; where rows are not kept, learning from them."""
        shards = len(crew.parts)
        mixes.refuse_unmixable(self.plan.made(), shards)
        found = None
        if self.keeper is not None:
            self._identity = self._identity or outline.identity  # not as it turned out to be needed
            found = self.keeper.begin(self._identity, shards=shards, mixing=self.mixing)
        self.crew, self._answers = crew, None
        self.streamed = is_streamed(self.plan, outline.format, outline.cache, outline.bytes)
        if self.streamed and found is None and not self.plan.needs_width:
            founds = self._at_once()
            if founds is not None:
                return founds
        self._epoch = 0
        return crew.ask(Site.found, self.plan.labels, not self.streamed)

    def _at_once(self) -> list[Found] | None:
        """The first epoch, begun with what the first rows show; None if the rest shows more."""
        first = self.crew.ask(head, self.plan.labels, only=[0])[0]
        classes = first.classes if self.plan.labels else NO_LABELS
        if classes is None or first.names or not first.features:
            return None
        learner = self.plan.learner(first.features, outputs_for(classes))
        sent = Sent.of(learner, Layout(first.features, classes, None, ()), self.plan.labels)
        asked = Pass(0, streamed=True, known=False)
        self._epoch, self._missed, self._down = 1, 0, sent.size
        try:
            answers = self._ask(learned, Shared(next(NUMBERS), sent), asked)
        except (CutError, LateError):
            raise  # these say how to begin again
        except DataError:
            return None  # a survey shows whether it is one, and where
        founds: list[Found] = [each.found for each in answers]
        if any(each.names != founds[0].names for each in founds):
            return None
        self._answers = answers
        return founds

    def _begin(self) -> None:
        layout = self.data.layout
        if self.plan.labels and len(layout.classes) < 2:
            raise DataError(
                f"{self.data.name}: all {layout.rows:,} rows have the label {layout.classes[0]};"
                " a separator needs two"
            )
        found = None if self.keeper is None else self.keeper.found
        if found is None or self.keeper is None:
            outputs = outputs_for(layout.classes)
            run = Run(self.plan.learner(layout.features, outputs))
            self.whole = _Whole(run, np.zeros(outputs), [])
            return
        mixed = mixed_of(found, self.keeper.path)
        same = np.array_equal(found.model.classes, layout.classes)
        if not same or found.run.learner.features != layout.features:
            raise ParameterError(
                f"resume: {self.keeper.path} was made from rows of other classes or features"
            )
        self.whole = _Whole(found.run, np.array(mixed), [])

    # Learning

    def _learn(self) -> None:
        """Epoch after epoch, to the end or to an interruption."""
        problem: KeyboardInterrupt | Stop | None = None
        try:
            while self._goes_on():
                self._one_epoch()
                if self.keeper is not None and self.keeper.due:
                    self._keep()
                self._tell(end=True)
        except (KeyboardInterrupt, Stop) as raised:
            problem = raised
        finally:
            self._keep()
        assert self.whole is not None
        if problem is None:
            return
        if not self.whole.run.past:
            raise problem
        because = problem.because if isinstance(problem, Stop) else Because.INTERRUPTED
        self.whole.run.because = because

    def _goes_on(self) -> bool:
        assert self.whole is not None
        run = self.whole.run
        return run.because is None and len(run.past) < self.plan.max_epochs

    def _one_epoch(self) -> None:
        assert self.whole is not None
        run, mixed, traffic = self.whole
        answers, self._answers = self._answers, None
        if answers is None:
            self._epoch, self._missed = len(run.past) + 1, 0
            asked = Pass(len(run.past), self.plan.order, self.plan.seed, self.streamed)
            answers = self._ask(learned, self._shared(run.learner), asked)
        found = mixes.mixed(run.learner, answers, self.mixing)
        after = copy.copy(run)
        after.learner, after.past = found.learner, [*run.past]
        after.end_epoch()
        sent = Traffic(sum(answer.size for answer in answers), self._down)
        self.whole = _Whole(after, mixed + found.mistakes, [*traffic, sent])

    def _keep(self) -> None:
        """Whole epochs only, and the mistakes by the shards' shares."""
        if self.keeper is not None and self.whole is not None and self.whole.run.past:
            known = {"mixed": self.whole.mixed.tolist()}
            self.keeper.keep(self.whole.run, self.data.layout.classes, self.data, memory=known)

    def _ask(self, function: Callable[..., Any], shared: Shared, asked: Pass) -> list[Any]:
        numbers = list(range(len(self.crew.parts)))
        return self.crew.ask(function, asked, shared=shared, each=numbers)

    def _shared(self, learner: Learner) -> Shared:
        """The state, for all shards; by what changed since the last epoch where that is shorter."""
        now, number = Sent.of(learner, self.data.layout, self.plan.labels), next(NUMBERS)
        shared = Shared(number, now, sizes=(now.size, 0))
        self._down = now.size
        if self._before is not None and self._before[0] == number - 1:
            step = Step.between(self._before[1], now)
            if step.size < now.size:
                sizes = now.size, step.size
                shared, self._down = Shared(number, now, stepped, step, sizes), step.size
        self._before = number, now
        return shared

    # What is known in the end

    def _margin(self, learner: Learner) -> float | None:
        """See `epochs.found_margin`."""
        size = separator_size(learner)
        if size is None:
            return None
        margin = self._lowest(learner) / size
        return margin if margin > 0.0 else None

    def _lowest(self, learner: Learner) -> float:
        asked = Pass(0, streamed=self.streamed)
        return float(min(self._ask(lowest, self._shared(learner), asked)))

    def _bound(self, learner: Learner, margin: float | None) -> float | None:
        if margin is None:
            return None
        score = 0.0
        if learner.initial is not None:
            start = [protocol.start(learner.rule, learner.initial[0].copy())]
            lift = {"bias": learner.bias, "unit_length": learner.unit_length}
            first = Learner.at(learner.rule, learner.features, start, [new_tally()], **lift)
            score = self._lowest(first)
        return bound_on(learner, margin, score)

    # Telling

    def _glance(self, glance: Glance) -> None:
        if isinstance(glance.answer, Learned):
            self._missed += glance.answer.mistakes
        self._glanced = glance._replace(answer=None)
        self._tell()

    def _tell(self, end: bool = False) -> None:
        if self._watch is None:
            return
        glance, whole = self._glanced, self.whole
        run, traffic = (None, []) if whole is None else (whole.run, whole.traffic)
        counts = self._epoch, self._missed
        at = glance.workers, glance.done, glance.parts, glance.moved
        self._watch(Moment(*at, *counts, run, traffic, end))
