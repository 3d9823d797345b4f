"""What `fit` does with data in memory: a plan, a run, and its result as text or JSON."""

import time
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from novikoff import models
from novikoff.cli.options import as_parameters
from novikoff.cli.progress import Progress
from novikoff.errors import DataError, ParameterError
from novikoff.learn import Because, Learner, Outcome, Watch, found_margin, learn, outputs_for
from novikoff.loop import Silent
from novikoff.rounding import rounded_up
from novikoff.rows import make_rows
from novikoff.rules import catalogue
from novikoff.rules.protocol import mistake_bound
from novikoff.sources import Source
from novikoff.sources.arrays import as_matrix, encode, refuse_mismatch


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
    ) -> "Plan":
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

    def learner(self, features: int, outputs: int) -> Learner:
        """A learner as planned, at its start."""
        initial = None
        if self.init == "random":
            shape = outputs, features + self.bias
            initial = np.random.default_rng([self.seed, 0]).standard_normal(shape)
        rule = catalogue.build(self.rule, self.parameters)
        return Learner(
            rule, features, outputs, bias=self.bias, unit_length=self.unit_length, initial=initial
        )

    def rows(self, matrix: Any) -> Any:
        """The rows as this plan's learner sees them."""
        return make_rows(matrix, self.bias, self.unit_length)


UNLABELLED = ", each taken as positive: this rule looks at no label"


class Moved(NamedTuple):
    """A log of how far each row has moved the weights in all."""

    amounts: Any

    def record(self, i: int, amount: float, seen: Any) -> None:
        self.amounts[i] += amount


class Kept(NamedTuple):
    """What a proof needs that a model does not."""

    X: Any
    y: Any
    rows: Any
    codes: Any
    moved: Moved


class Result(NamedTuple):
    """What a run did."""

    plan: Plan
    source: Source
    learner: Learner
    classes: Any
    outcome: Outcome
    rows: int
    margin: float | None  # of the separator found
    seconds: float
    kept: Kept | None = None  # where proofs are asked for

    @property
    def interrupted(self) -> bool:
        return self.outcome.because is Because.INTERRUPTED

    @property
    def ceiling(self) -> float | None:
        lowest = float(self.outcome.ceilings.min())
        return lowest if np.isfinite(lowest) else None

    @property
    def bound(self) -> float | None:
        """The theorem's limit on mistakes, from the margin found; it holds from zero weights."""
        if self.margin is None or self.learner.initial is not None:
            return None
        rule = self.learner.rule
        return cast("float | None", mistake_bound(rule, self.learner.radius, self.margin))

    def save(self, path: Path) -> None:
        """Write the model."""
        converged = self.outcome.converged
        models.write(
            models.Model(
                self.plan.rule,
                self.plan.parameters,
                self.learner,
                self.classes,
                self.source.feature_names,
                {"max_epochs": self.plan.max_epochs, "order": self.plan.order},
                self.outcome.epochs,
                self.outcome.mistakes_per_epoch,
                self.learner.total("updates") if converged else -1,
                self.outcome.ceilings,
            ),
            path,
        )

    def as_json(self, saved: Path | None) -> dict[str, Any]:
        """The keys that scripts rely on, and a few more."""
        return {
            "rule": self.plan.rule,
            "rows": self.rows,
            "features": self.learner.features,
            "classes": self.classes.tolist(),
            "epochs": self.outcome.epochs,
            "mistakes": self.learner.total("mistakes"),
            "mistakes_per_epoch": self.outcome.mistakes_per_epoch,
            "updates": self.learner.total("updates"),
            "converged": self.outcome.converged,
            "stopped_because": self.outcome.because.value,
            "radius": self.learner.radius,
            "margin_ceiling": self.ceiling,
            "margin_found": self.margin,
            "mistake_bound": self.bound,
            "model": None if saved is None else str(saved),
            "certificate": None,
            "run_certificate": None,
        }

    def as_text(self, saved: Path | None) -> str:
        """A summary for a person."""
        rows, features = count(self.rows, "row"), count(self.learner.features, "feature")
        labels = f", classes {', '.join(map(str, self.classes.tolist()))}"
        lines = [
            f"{self.source.name}: {rows}, {features}"
            f"{UNLABELLED if self.plan.rule == 'one-sided' else labels}",
            f"{self.plan.rule}: {self.ending()}",
            *(f"  {name:<10}{text}" for name, text in self.facts()),
        ]
        if saved is not None:
            lines.append(f"saved to {saved}; use it with: novikoff predict {saved} DATA")
        return "\n".join(lines)

    def ending(self) -> str:
        """How the run ended, in a sentence."""
        epochs = count(self.outcome.epochs, "epoch")
        word = "converged" if self.outcome.converged else "stopped"
        why = self.outcome.because.value
        if self.outcome.converged and self.outcome.because is Because.BUDGET:
            why += "; every row is right, but not every one has its margin"
        return f"{word} after {epochs} in {self.seconds:.2g} s: {why}"

    def facts(self) -> list[tuple[str, str]]:
        """Its figures, by name."""
        outcome = self.outcome
        mistakes, updates = self.learner.total("mistakes"), self.learner.total("updates")
        text = f"{mistakes:,}"
        if outcome.because is Because.END and self.rows:
            text += self._progressive(mistakes)
        elif not outcome.converged:
            text += f", {outcome.mistakes_per_epoch[-1]:,} of them in the last epoch"
        facts = [("mistakes", text)]
        if self.bound is not None:
            facts.append(
                (
                    "bound",
                    f"{count(round(self.bound), 'mistake')} at the most, in any order of the rows",
                )
            )
        if updates != mistakes:
            facts.append(("updates", f"{updates:,}"))
        facts.append(("radius", f"{self.learner.radius:.6g}, the longest row"))
        if self.margin is not None or self.ceiling is not None:
            facts.append(("margin", self._margin_text()))
        return facts

    def _progressive(self, mistakes: int) -> str:
        if len(self.learner.states) > 1:
            return f" of {self.rows * len(self.learner.states):,} predictions, one for each class"
        return f", {mistakes / self.rows:.2%} of the rows, each predicted before its label was seen"

    def _margin_text(self) -> str:
        known = []
        if self.margin is not None:
            known.append(f"{self.margin:.3g} found")
        if self.ceiling is not None:
            who = "no separator" if len(self.learner.states) == 1 else "for some class no separator"
            known.append(f"{who} has one above {rounded_up(self.ceiling)}")
        return "; ".join(known)


def run(
    plan: Plan,
    source: Source,
    keep: bool = False,
    keep_run: bool = False,
    watch: Watch | None = None,
) -> Result:
    """Learn from a source that is read into memory, epoch by epoch.

    keep, keep_run: keep what a proof of the outcome, or of the run, is made from. watch: called
    after each block of rows that was read.
    """
    if keep or keep_run:
        _refuse_unprovable(plan, keep_run)
    X, y = source.read()[:2]
    matrix = as_matrix(X)
    classes, codes = _labels(plan, source, y, matrix.shape[0])
    rows = plan.rows(matrix)
    kept = None
    if keep or keep_run:
        _refuse_many(classes)
        kept = Kept(matrix, y, rows, codes, Moved(np.zeros(matrix.shape[0])))
    learner = plan.learner(matrix.shape[1], outputs_for(classes))
    began = time.perf_counter()
    with Progress(plan.max_epochs, matrix.shape[0], plan.quiet) as progress:
        progress.busy = True

        def both(learner: Learner, stop: int) -> None:
            if watch is not None:
                watch(learner, stop)
            progress.watch(learner, stop)

        outcome = learn(
            learner,
            rows,
            codes,
            max_epochs=plan.max_epochs,
            order=plan.order,
            seed=plan.seed,
            watch=both,
            interruptible=True,
            log=kept.moved if kept else Silent(),
        )
    seconds = time.perf_counter() - began
    margin = found_margin(learner, rows, codes) if outcome.converged else None
    return Result(plan, source, learner, classes, outcome, matrix.shape[0], margin, seconds, kept)


def _labels(plan: Plan, source: Source, y: Any, rows: int) -> Any:
    if plan.rule == "one-sided":
        return np.array([-1, 1]), np.ones(rows, np.uint16)
    if y is None:
        raise DataError(f"{source.name}: the rows have no labels to learn from")
    refuse_mismatch(rows, len(y))
    classes, codes = encode(y)
    if len(classes) < 2:
        raise DataError(
            f"{source.name}: all {rows:,} rows have the label {classes[0]}; a separator needs two"
        )
    return classes, codes


def _refuse_unprovable(plan: Plan, run: bool) -> None:
    """Say so before anything is learned."""
    if plan.rule == "one-sided":
        raise ParameterError(
            "--certificate: the one-sided rule looks at no labels: there is no claim"
        )
    if run and plan.rule != "perceptron":
        raise ParameterError(f"--run-certificate is for the rule perceptron, not {plan.rule}")
    if run and plan.unit_length:
        raise ParameterError(
            "--run-certificate: rows of unit length are not rational, so that no run on them can be"
            " replayed exactly; leave --unit-length out"
        )


def _refuse_many(classes: Any) -> None:
    if len(classes) > 2:
        raise ParameterError(
            f"--certificate: a certificate is about two classes, and there are {len(classes)};"
            " novikoff check --positive proves one against the others"
        )


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
