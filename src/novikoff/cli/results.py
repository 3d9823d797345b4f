"""What a run of `fit` did, as text or JSON."""

import textwrap
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from novikoff import models
from novikoff.cli.plans import Plan
from novikoff.epochs import Because, Outcome
from novikoff.learn import Learner
from novikoff.rounding import rounded_up
from novikoff.rules.protocol import mistake_bound
from novikoff.sources import Source

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
    checkpoint: Path | None = None

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
                self.source.numbering,
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
            "skipped": self.source.skipped,
            "remarks": self.source.remarks(),
            "model": None if saved is None else str(saved),
            "checkpoint": None if self.checkpoint is None else str(self.checkpoint),
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
            *map(noted, self.source.remarks()),
        ]
        if self.interrupted and self.checkpoint is not None:
            lines.append(f"to go on, run the same command with --resume ({self.checkpoint})")
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


def noted(remark: str) -> str:
    """A remark on the data, below the facts."""
    return textwrap.fill(remark, 80, initial_indent=f"  {'note':<10}", subsequent_indent=" " * 12)


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
