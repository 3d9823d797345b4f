"""How to learn, as a command line describes it."""

from typing import Any, NamedTuple, Self

import numpy as np

from novikoff.cli.options import as_parameters
from novikoff.errors import ParameterError
from novikoff.learn import Learner
from novikoff.rows import make_rows
from novikoff.rules import catalogue
from novikoff.streams import depends_on_width


class Plan(NamedTuple):
    """How to learn."""

    rule: str
    parameters: dict[str, Any]
    init: str = "zeros"
    bias: bool = True
    unit_length: bool = False
    seed: int = 0
    max_epochs: int = 1000
    order: str = "given"
    quiet: bool = False

    @classmethod
    def of(
        cls,
        rule: str,
        common: dict[str, Any],
        words: list[str],
        init: str,
        bias: bool | None,
        unit_length: bool,
        seed: int,
    ) -> Self:
        """The plan a command line describes; contradictions are refused before data are read."""
        entry = catalogue.entry(rule)
        parameters = entry.parameters() | {k: v for k, v in common.items() if v is not None}
        parameters |= as_parameters(words, entry.parameters())
        catalogue.build(rule, parameters)
        if bias and not entry.bias:
            raise ParameterError(f"--bias: the rule {rule!r} has no intercept")
        if unit_length and rule == "winnow":
            raise ParameterError("--unit-length: Winnow sees variables that are 0 or 1")
        if init not in ("zeros", "random"):
            raise ParameterError(f"--init {init}: expected zeros or random")
        if init == "random" and not entry.starts_anywhere:
            raise ParameterError(f"--init random: the rule {rule!r} has a start of its own")
        lift = entry.bias if bias is None else bias
        return cls(rule, parameters, init, lift, unit_length or entry.unit_length, seed)

    @property
    def labels(self) -> bool:
        """Whether the rule looks at them."""
        return self.rule != "one-sided"

    @property
    def needs_width(self) -> bool:
        """Whether the start depends on the number of features."""
        return self.init == "random" or depends_on_width(self.made())

    def made(self) -> Any:
        """The rule itself."""
        return catalogue.build(self.rule, self.parameters)

    def learner(self, features: int, outputs: int) -> Learner:
        """A learner as planned, at its start."""
        initial = None
        if self.init == "random":
            shape = outputs, features + self.bias
            initial = np.random.default_rng([self.seed, 0]).standard_normal(shape)
        lift = {"bias": self.bias, "unit_length": self.unit_length}
        return Learner(self.made(), features, outputs, **lift, initial=initial)

    def estimator(self) -> Any:
        """The estimator that learns as planned, not fitted."""
        from novikoff import estimators  # most commands need none

        maker = getattr(estimators, catalogue.entry(self.rule).estimator)
        asked = self.parameters | {
            "fit_intercept": self.bias,
            "unit_length": self.unit_length,
            "init": self.init,
            "max_epochs": self.max_epochs,
            "order": self.order,
            "random_state": self.seed,
        }
        known = maker().get_params()
        return maker(**{name: value for name, value in asked.items() if name in known})

    def rows(self, matrix: Any) -> Any:
        """The rows as this plan's learner sees them."""
        return make_rows(matrix, self.bias, self.unit_length)
