"""What a rule is: how the weights react to one row.

A rule is a NamedTuple of numbers, one of them a `Tie`, with a few small methods. The functions
below call them. Eight are compiled, and nothing may be allocated in them (scratch arrays belong
into the state); all but `step` have a default:

    class_label(rule, code, positive)     -> float    +1 for the positive class, -1 for others
    learned_row(rule, state, row, code)   -> row      the row itself
    score(rule, state, row)               -> float    row . state.weights
    mistaken(rule, score, label)          -> bool     the sign is wrong; rule.tie decides at 0
    step(rule, state, row, seen)          -> amount   0.0: leave the weights alone
    move(rule, state, row, amount, seen)              weights += amount * label * row
    accepts(rule, row)                    -> bool     True
    decide(rule, state, row)              -> float    score

The rest are plain Python; a rule overrides what it needs to.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from novikoff.errors import ParameterError
from novikoff.jit import abstract, dispatch_on_type, dispatch_with
from novikoff.learning.rows import add_scaled, dot, dot_and_rough_square, rough_square

Vector = npt.NDArray[np.float64]


class Rule(Protocol):
    """A rule, as far as types can say: compiled code knows it by its class."""

    def step(self, state: Any, row: Any, seen: Any) -> float:
        """The amount to move by."""


class Tie(NamedTuple):
    """What a score of exactly 0 means: for which labels it counts as a mistake.

    positive_loses: whether it is a mistake on a positive row.
    negative_loses: whether it is a mistake on a negative row.

    >>> import novikoff as nk
    >>> nk.rules.TIES["positive"]  # 0 predicts the positive class
    Tie(positive_loses=False, negative_loses=True)
    """

    positive_loses: bool
    negative_loses: bool


TIES = {
    "mistake": Tie(True, True),
    "positive": Tie(False, True),
    "negative": Tie(True, False),
    "keep": Tie(False, False),
}
"""What a score of exactly 0 may mean: the ties by the names that estimators take."""


class Seen(NamedTuple):
    """What is known about a row once its label is out.

    label: -1.0 or +1.0.
    score: what the rule answered before it saw the label.
    mistaken: whether that answer was wrong.
    t: how many rows this learner had seen before.

    >>> import novikoff as nk
    >>> nk.rules.Perceptron(eta=0.5).step(None, None, nk.rules.Seen(1.0, -2.0, True, t=0))
    0.5
    """

    label: float  # -1.0 or +1.0
    score: float  # what the rule answered before it saw the label
    mistaken: bool  # whether that answer was wrong
    t: int  # how many rows this learner had seen before


class State(NamedTuple):
    """What a rule changes as it learns. A rule may use a larger one, which has `weights` too.

    weights: an entry for each feature, and one for the intercept if there is one.

    >>> import novikoff as nk
    >>> import numpy as np
    >>> nk.rules.State(np.zeros(2)).weights
    array([0., 0.])
    """

    weights: Vector


@dispatch_on_type
def class_label(self: Any, code: int, positive: int) -> Any:
    """The label of a row of class number `code`."""
    return 1.0 if code == positive else -1.0


@dispatch_on_type
def learned_row(self: Any, state: Any, row: Any, code: int) -> Any:
    """What the rule learns from, given a row of class number `code`."""
    return row


@dispatch_on_type
def score(self: Any, state: Any, row: Any) -> Any:
    """What the rule answers for a row while it learns; the sign is the prediction."""
    return dot(row, state.weights)


def _measured_dot(self: Any, state: Any, row: Any) -> Any:
    return dot_and_rough_square(row, state.weights)


def _score_and_measure(self: Any, state: Any, row: Any) -> Any:
    return score(self, state, row), rough_square(row)


@dispatch_with(lambda kind: _score_and_measure if hasattr(kind, "score") else _measured_dot)
def measured_score(self: Any, state: Any, row: Any) -> Any:
    """The score and, but for rounding, |row|^2, in one pass over the row where it can be."""


@dispatch_on_type
def mistaken(self: Any, score: float, label: float) -> Any:
    """Whether that answer is wrong for the label."""
    if score == 0.0:
        return self.tie.positive_loses if label > 0.0 else self.tie.negative_loses
    return score * label < 0.0


@abstract
def step(self: Any, state: Any, row: Any, seen: Seen) -> Any:
    """How far to move along the signed row; 0.0 leaves the weights alone."""


@dispatch_on_type
def move(self: Any, state: Any, row: Any, amount: float, seen: Seen) -> Any:
    """Move the weights by amount * label * row."""
    add_scaled(row, amount * seen.label, state.weights)


@dispatch_on_type
def accepts(self: Any, row: Any) -> Any:
    """Whether the rule is defined for this row; asked when the row is first seen."""
    return True


@dispatch_on_type
def decide(self: Any, state: Any, row: Any) -> Any:
    """What the finished rule answers for a row, given the state that `readout` returned."""
    return score(self, state, row)


@dispatch_on_type
def seeks_margin(self: Any) -> Any:
    """Whether the rule goes on moving after its last mistake, for the sake of a margin."""
    return seeks_margin(self.inner) if hasattr(self, "inner") else False


@dispatch_on_type
def scores_ahead(self: Any) -> Any:
    """Whether `score`, `mistaken` and `step` leave the state alone, so that several threads may
    look at rows to come; a rule from elsewhere has to say so.
    """
    return type(self).__module__.startswith("novikoff.")


@dispatch_on_type
def check(self: Any) -> Any:
    """Raise ParameterError if a parameter is out of range."""
    if hasattr(self, "inner"):
        validate(self.inner)


@dispatch_on_type
def for_features(self: Any, features: int) -> Any:
    """The rule with those parameters filled in that depend on the number of features."""
    return self


@dispatch_on_type
def start(self: Any, initial: Vector) -> Any:
    """The state before the first row, from a weight vector that the rule may keep."""
    return State(initial)


@dispatch_on_type
def mistake_bound(self: Any, radius: float, gamma: float) -> Any:
    """The most mistakes from a start of zeros, for this radius and margin; None if not known."""
    return None


@dispatch_on_type
def reserve(self: Any, state: Any, rows: int, entries: int) -> Any:
    """A state with room for so many more rows, of so many entries in all; most rules need none."""
    return state


@dispatch_on_type
def forked(self: Any, state: Any) -> Any:
    """A copy of the state, to be changed while others read the first."""
    return copy.deepcopy(state)


@dispatch_on_type
def readout(self: Any, state: Any, seen: int) -> Any:
    """The state that `decide` predicts with, after `seen` rows."""
    return state


@dispatch_on_type
def readout_at(self: Any, state: Any, seen: int, columns: Any, before: Any) -> Any:
    """`readout`, where only these columns of its arrays need to be right.

    before: None, or what was returned last for states of this shape, which may be changed.
    """
    return readout(self, state, seen)


@dispatch_on_type
def outputs(self: Any, found: Any) -> Any:
    """What answers for each class that a readout is about: pairs of a rule and its own readout."""
    return [(self, found)]


def is_joint(rule: Any) -> bool:
    """Whether one state of the rule is about all classes, with a line of weights for each."""
    return hasattr(type(rule), "outputs")


@dispatch_on_type
def learned_with(self: Any, state: Any) -> Any:
    """The rule and the state that mistakes are made with: those within, where a rule wraps one."""
    return (self.inner, state.inner) if hasattr(state, "inner") else (self, state)


@dispatch_on_type
def linear(self: Any, state: Any) -> Any:
    """The readout as (weights, offset): decide = row . weights + offset."""
    return state.weights, 0.0


@dispatch_on_type
def resized(self: Any, state: Any, fresh: Any, old: int, new: int, bias: bool) -> Any:
    """`fresh`, a start for `new` features, with what `state` had learned about the `old` ones.

    An array's axis belongs to the features if it has one place for each, and one for the bias.
    """
    common = np.arange(min(old, new))
    source, target = (np.append(common, n) if bias else common for n in (old, new))

    def carry(before: Any, after: Any) -> Any:
        if isinstance(before, tuple):
            return type(before)(*map(carry, before, after))
        if before.shape == after.shape:
            return before
        axes = list(zip(before.shape, after.shape, strict=True))
        places = (
            [source if a != b else np.arange(a) for a, b in axes],
            [target if a != b else np.arange(b) for a, b in axes],
        )
        after[np.ix_(*places[1])] = before[np.ix_(*places[0])]
        return after

    return carry(state, fresh)


@dispatch_on_type
def compacted(self: Any, state: Any) -> Any:
    """The state without spare room, for a file."""
    return state


@dispatch_on_type
def sound(self: Any, state: Any) -> Any:
    """Whether a state from a file, of the right shapes, can be given to the loop."""
    return True


@dispatch_on_type
def unmixable(self: Any) -> Any:
    """Why the states of learners on several shards cannot be mixed into one; None if they can be.

    A mixed state has for each array of numbers the weighted mean of the states' arrays. That is
    right for weights that add up moves, and for whatever else is linear in them.
    """
    if hasattr(type(self), "mixed") or all(
        each.dtype.kind == "f" for each in arrays_of(start(self, np.zeros(1)))
    ):
        return None
    return f"{type(self).__name__} keeps more than real numbers, and has no method mixed"


@dispatch_on_type
def mixed(self: Any, state: Any) -> Any:
    """A state of the rule, from one whose every array of floats is a mean of several states'.

    Other arrays are those of before. What follows from other parts of the state is made anew here.
    """
    return state


@dispatch_on_type
def unweightable(self: Any) -> Any:
    """Why a row's weight means nothing to the rule; None if it is the row times the weight."""
    return unweightable(self.inner) if hasattr(self, "inner") else None


@dispatch_on_type
def combination(self: Any, state: Any) -> Any:
    """The vector that is its start plus the sum of amount * label * row, or None.

    Where a rule keeps one, its length divided by the sum of amounts is a ceiling on the margin. Of
    a rule that moves in a way of its own nothing is assumed.
    """
    return None if hasattr(type(self), "move") else state.weights


def arrays_of(state: Any) -> list[npt.NDArray[Any]]:
    """The arrays of a state, in order; one that is in several places, once."""
    found: dict[int, npt.NDArray[Any]] = {}

    def collect(part: Any) -> None:
        if isinstance(part, tuple):
            for each in part:
                collect(each)
        else:
            found.setdefault(id(part), part)

    collect(state)
    return list(found.values())


def with_arrays(state: Any, arrays: Sequence[npt.NDArray[Any]]) -> Any:
    """A copy of a state with other arrays; an array that it holds twice is still one array."""
    others = {id(old): new for old, new in zip(arrays_of(state), arrays, strict=True)}

    def build(part: Any) -> Any:
        return type(part)(*map(build, part)) if isinstance(part, tuple) else others[id(part)]

    return build(state)


def zero_state(rule: Any, width: int, classes: int) -> Any:
    """The state of a start with zero weights."""
    return start(rule, np.zeros((classes, width) if is_joint(rule) else width))


def why_not_a_rule(rule: Any) -> str | None:
    """What keeps `rule` from being a rule, in words; None if nothing does."""
    kind = type(rule)
    if not isinstance(rule, tuple) or not hasattr(kind, "_fields"):
        return "it is not a NamedTuple"
    if not hasattr(kind, "step"):
        return "it has no method step(self, state, row, seen)"
    if "tie" not in kind._fields and not hasattr(kind, "mistaken"):
        return 'it has neither a field tie (such as TIES["mistake"]) nor a method mistaken'
    return None


def validate(rule: Any) -> None:
    """Refuse what is not a rule, and a rule whose parameters are out of range."""
    lack = why_not_a_rule(rule)
    if lack:
        raise ParameterError(f"{type(rule).__name__} does not work as a rule: {lack}")
    check(rule)


def require(holds: bool, message: str) -> None:
    """Raise ParameterError with the message unless the condition holds."""
    if not holds:
        raise ParameterError(message)


def require_positive(**parameters: float) -> None:
    """Refuse parameters that are not finite and above 0."""
    for name, value in parameters.items():
        require(bool(0.0 < value < np.inf), f"{name} must be a number above 0, not {value}")


def tie_named(name: str) -> Tie:
    """The tie called `name`."""
    known = ", ".join(map(repr, TIES))
    require(isinstance(name, str) and name in TIES, f"tie must be one of {known}, not {name!r}")
    return TIES[name]


def answers_otherwise(rule: Any) -> bool:
    """Whether the finished rule answers with other weights than it learned with."""
    core = rule.inner if is_joint(rule) else rule
    return hasattr(type(core), "decide") or hasattr(type(core), "readout")


def depends_on_width(rule: Any) -> bool:
    """Whether a rule is not the same for every number of features."""
    return bool(for_features(rule, 1) != for_features(rule, 2))
