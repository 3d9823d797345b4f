"""The options of a rule as a description of training."""

from typing import Any

from novikoff.cli.shared.options import as_parameters
from novikoff.data.weights import ClassWeight
from novikoff.errors import ParameterError
from novikoff.learning.rules import registry
from novikoff.learning.spec import TrainingSpec


def spec_from_options(
    rule: str,
    common: dict[str, Any],
    words: list[str],
    init: str,
    bias: bool | None,
    unit_length: bool,
    seed: int,
    *,
    max_epochs: int = 1000,
    order: str = "given",
    class_weight: ClassWeight = None,
) -> TrainingSpec:
    """Describe training by a command line; contradictions are refused before data are read.

    common: parameters that have options of their own, None where they were not given. words: the
    others, as NAME=VALUE.
    """
    entry = registry.lookup(rule)
    parameters = entry.parameters() | {k: v for k, v in common.items() if v is not None}
    parameters |= as_parameters(words, entry.parameters())
    registry.build(rule, parameters)
    if bias and not entry.bias:
        raise ParameterError(f"--bias: the rule {rule!r} has no intercept")
    if unit_length and rule == "winnow":
        raise ParameterError("--unit-length: Winnow sees variables that are 0 or 1")
    if init not in ("zeros", "random"):
        raise ParameterError(f"--init {init}: expected zeros or random")
    if init == "random" and not entry.starts_anywhere:
        raise ParameterError(f"--init random: the rule {rule!r} has a start of its own")
    lift = entry.bias if bias is None else bias
    scaled = unit_length or entry.unit_length
    spec = TrainingSpec(rule, parameters, init, lift, scaled, seed, max_epochs, order)
    if class_weight is not None and not spec.labels:
        raise ParameterError("--class-weight: the one-sided rule looks at no labels")
    return spec._replace(class_weight=class_weight)
