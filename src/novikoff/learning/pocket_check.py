"""The pocket's ratchet: a pass over all rows, where weights had a longer run than the pocket's."""

from collections.abc import Iterable

from novikoff.data.matrices import Codes
from novikoff.learning.learner import Learner
from novikoff.learning.rows import LearnerRows
from novikoff.learning.rules import Pocket, State


def check_pockets(learner: Learner, rows: Iterable[tuple[LearnerRows, Codes]]) -> None:
    """Let weights with longer runs replace those of pockets, where they make fewer mistakes on all
    rows; `rows` is gone through only if there are such weights.
    """
    rule = learner.rule
    if not isinstance(rule, Pocket):
        return
    seen = [int(tally.seen[0]) for tally in learner.tallies]
    found = [rule.challenger(*each) for each in zip(learner.states, seen, strict=True)]
    if not any(found):
        return
    states = [
        State(state.weights if each is None else each.weights)
        for each, state in zip(found, learner.states, strict=True)
    ]
    lift = {"bias": learner.bias, "unit_length": learner.unit_length}
    trial = Learner.from_state(rule.inner, learner.features, states, learner.tallies, **lift)
    counts = [trial.mistakes_by_learner(*part) for part in rows]
    for k, each in enumerate(found):
        if each is not None:
            mistakes = sum(count[k] for count in counts)
            rule.settle(learner.states[k], each, mistakes, seen[k])
