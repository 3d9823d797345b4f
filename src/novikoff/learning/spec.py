"""How to learn: one frozen description, which estimators, commands, traces and clusters make.

The random start of a spec follows from its seed, and its shuffles from the seed and the number of
the epoch (see `epochs`), so that a spec and rows decide a run to the last bit.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data.matrices import Classes, Codes
from novikoff.data.weights import ClassWeight, Weights, class_weights, drop_weightless
from novikoff.errors import DataError, ParameterError
from novikoff.learning.inseparability import PATIENCE, refuse_stop
from novikoff.learning.learner import Learner, lines_needed, tie_of
from novikoff.learning.loop import first_refused_for
from novikoff.learning.row_errors import row_error_message
from novikoff.learning.rows import LearnerRows, make_rows, weighted
from novikoff.learning.rules import protocol, registry
from novikoff.learning.rules.protocol import TIES, Rule

#: Numbers from which a start is drawn, after the seed itself: shuffles take the epoch's number.
START_STREAM = 0
#: The name of a user's own rule.
OWN = "own"


class WeightedPart(NamedTuple):
    """Rows that have a weight above 0; weights: None if it is 1 for all. kept: which of the rows,
    None for all.
    """

    matrix: Any
    codes: Codes
    weights: Weights | None
    kept: npt.NDArray[np.int64] | None = None


class TrainingSpec(NamedTuple):
    """The rule and its start, what it sees of a row, for how long it learns and in which order.

    init: "zeros", "random", or an array with one line for each learner, the intercept last (it may
    be left out). own_rule: the rule itself, where the registry does not have it; `rule` is then
    the name that it goes by. class_weight: weights by label, or "balanced"; see `data.weights`.
    threads: how many may work on a block of rows, which changes nothing but the time. stop:
    "proven" or "budget", see `inseparability`. patience: epochs without fewer mistakes after which
    learning may end early.
    """

    rule: str
    parameters: Mapping[str, Any]
    init: str | npt.ArrayLike = "zeros"
    bias: bool = True
    unit_length: bool = False
    seed: int = 0
    max_epochs: int = 1000
    order: str = "given"
    own_rule: Rule | None = None
    class_weight: ClassWeight = None
    threads: int = 1
    stop: str = "proven"
    patience: int = PATIENCE

    @property
    def labels(self) -> bool:
        """Whether the rule looks at labels."""
        return self.rule != "one-sided"

    @property
    def needs_width(self) -> bool:
        """Whether the start depends on the number of features."""
        zeros = isinstance(self.init, str) and self.init == "zeros"
        return not zeros or protocol.depends_on_width(self.build_rule())

    @property
    def is_random(self) -> bool:
        """Whether the seed matters."""
        start = isinstance(self.init, str) and self.init == "random"
        return start or self.order == "shuffle"

    @property
    def budget(self) -> int:
        """The number of epochs allowed, if it is one."""
        if not isinstance(self.max_epochs, (int, np.integer)) or self.max_epochs < 1:
            raise ParameterError(
                f"max_epochs must be a whole number above 0, not {self.max_epochs!r}"
            )
        return int(self.max_epochs)

    @property
    def seeks_proof(self) -> bool:
        """Whether a run may end before its budget, because of a proof. Only rules that predict by
        the side of a hyperplane, or the highest of several scores, can have one, and only with ties
        that count; Winnow has a threshold and sees Boolean variables.
        """
        refuse_stop(self.stop)
        if self.stop == "budget" or self.own_rule is not None or self.rule == "winnow":
            return False
        return tie_of(self.build_rule()) not in (None, TIES["keep"])

    def build_rule(self) -> Rule:
        """The rule itself."""
        if self.own_rule is not None:
            return self.own_rule
        return registry.build(self.rule, dict(self.parameters))

    def learner(self, features: int, outputs: int) -> Learner:
        """A learner at its start."""
        learner = Learner(
            self.build_rule(),
            features,
            outputs,
            bias=self.bias,
            unit_length=self.unit_length,
            initial=self.initial(features, outputs),
        )
        learner.threads = self.threads
        return learner

    def learner_for(self, features: int, classes: Classes) -> Learner:
        """A learner of these classes at its start."""
        return self.learner(features, lines_needed(self.build_rule(), classes))

    def initial(self, features: int, outputs: int) -> npt.NDArray[np.float64] | None:
        """The weights to start from, one line for each learner; None for zeros."""
        if isinstance(self.init, str):
            if self.init == "zeros":
                return None
            if self.init == "random":
                random = np.random.default_rng([self.seed, START_STREAM])
                return random.standard_normal((outputs, features + self.bias))
            raise ParameterError(f'init must be "zeros", "random" or an array, not {self.init!r}')
        try:
            start = np.atleast_2d(np.asarray(self.init, np.float64))
        except (TypeError, ValueError, OverflowError) as error:
            raise ParameterError(f"init is not an array of numbers: {error}") from None
        if not np.isfinite(start).all():
            raise ParameterError("init holds NaN or infinity; a start must be numbers")
        if self.bias and start.shape[1] == features:
            start = np.hstack([start, np.zeros((len(start), 1))])
        return start

    def rows(self, matrix: Any, weights: Weights | None = None) -> LearnerRows:
        """A matrix as rows that the learner sees, with weights above 0 if they have any."""
        return weighted(make_rows(matrix, self.bias, self.unit_length), weights)

    def row_weights(
        self, classes: Classes, codes: Codes, weights: Weights | None
    ) -> Weights | None:
        """The weight of each row, its own times that of its class; None if none has any."""
        by_class = class_weights(self.class_weight, classes, codes)
        if by_class is None:
            return weights
        return by_class[codes] * (1.0 if weights is None else weights)

    def weighs_only(self, classes: Classes) -> bool:
        """Whether every label that class_weight names is one of these."""
        return not isinstance(self.class_weight, Mapping) or set(self.class_weight) <= set(
            classes.tolist()
        )

    @property
    def weighs_all_at_once(self) -> bool:
        """Whether class_weight takes all labels to be counted, or rows to be left out."""
        if isinstance(self.class_weight, Mapping):
            return 0 in self.class_weight.values()
        return self.class_weight is not None

    def require_known_class_weights(self, where: str) -> None:
        """Refuse weights of classes that take all labels to be counted, or rows left out; where:
        who sees only a part of the rows at a time.
        """
        if isinstance(self.class_weight, str):
            class_weights(self.class_weight, np.empty(0), np.empty(0, np.uint16))  # a wrong word
            raise ParameterError(
                f'class_weight="balanced" counts all labels before learning begins, which {where}'
                " does not allow: give the weight of each class"
            )
        left_out = [k for k, weight in (self.class_weight or {}).items() if weight == 0]
        if left_out:
            raise ParameterError(
                f"class_weight is 0 for the label {left_out[0]!r}, and {where} leaves no class out:"
                " leave its rows out of the data"
            )

    def weighted_rows(
        self, matrix: Any, classes: Classes, codes: Codes, weights: Weights | None
    ) -> WeightedPart:
        """All rows whose weight is not 0, of which two classes at least must have some."""
        part = self.weighted_part(matrix, classes, codes, weights)
        if len(part.codes) < len(codes) and self.labels and np.ptp(part.codes) == 0:
            only = classes.tolist()[part.codes[0]]
            raise DataError(
                f"only rows of one class, {only!r}, have a weight above 0; a separator needs two"
            )
        return part

    def weighted_part(
        self, matrix: Any, classes: Classes, codes: Codes, weights: Weights | None
    ) -> WeightedPart:
        """The rows whose weight is not 0, with their class numbers and weights."""
        weights = self.row_weights(classes, codes, weights)
        kept, weights = drop_weightless(weights)
        if kept is None:
            return WeightedPart(matrix, codes, weights)
        part = WeightedPart(matrix[kept], codes[kept], weights, kept)
        rule = protocol.for_features(self.build_rule(), matrix.shape[1])
        bad = int(first_refused_for(rule)(rule, self.rows(part.matrix)))
        if bad >= 0:  # its number among all rows is known here only
            raise DataError(row_error_message(rule, self.rows(matrix), int(kept[bad])))
        return part

    def run_options(self) -> dict[str, Any]:
        """What a model file says about how it was trained, besides the rule."""
        options = {"max_epochs": self.max_epochs, "order": self.order}
        if self.class_weight is not None:
            options["class_weight"] = class_weight_as_json(self.class_weight)
        if self.stop != "proven":
            options["stop"] = self.stop
        return options

    def identity(self) -> dict[str, Any]:
        """What must be the same for a run to be resumed, as JSON; its budget may be raised."""
        fields: dict[str, Any] = as_plain(self._asdict())
        fields["parameters"] = registry.written(fields["parameters"])
        for name in ("max_epochs", "own_rule", "threads", "patience"):
            del fields[name]
        if not self.seeks_proof:
            del fields["stop"]  # as it was before there was a choice
        fields["class_weight"] = class_weight_as_json(self.class_weight)
        return fields


def class_weight_as_json(class_weight: ClassWeight) -> Any:
    """Weights of classes as files have them: pairs, since labels need not be text."""
    if isinstance(class_weight, Mapping):
        return [[as_plain(label), as_plain(weight)] for label, weight in class_weight.items()]
    return class_weight


def as_plain(value: Any) -> Any:
    """A value with NumPy's arrays and numbers as JSON has them."""
    if isinstance(value, Mapping):
        return {name: as_plain(each) for name, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic, list)):
        return np.asarray(value).tolist()
    return value
