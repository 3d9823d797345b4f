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
from novikoff.signed import Signed

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

    def signed(self, bias: bool, unit_length: bool) -> Signed:
        """The rows with their signs."""
        return Signed.of(self.X, self.y, fit_intercept=bias, unit_length=unit_length)

    def moved_by(self) -> Any:
        """What each row moved the weights by in all."""
        return self.moved.amounts

    def verdict(self, bias: bool, unit_length: bool) -> Any:
        """Whether they are separable."""
        from novikoff.verdict import check  # most runs ask for none

        return check(self.X, self.y, fit_intercept=bias, unit_length=unit_length)


class OfShards(NamedTuple):
    """What there is to say besides of a run on a cluster."""

    shards: int
    mixing: str
    mistakes: float  # the sum over epochs and shards of share * mistakes
    bound: float | None  # on these
    workers: int
    dashboard: str | None


class Result(NamedTuple):
    """What a run did."""

    plan: Plan
    source: Any  # a Source, or rows on a cluster
    learner: Learner
    classes: Any
    outcome: Outcome
    rows: int
    margin: float | None  # of the separator found
    seconds: float
    kept: Any = None  # where proofs are asked for: `Kept`, or what answers as it does
    checkpoint: Path | None = None
    mixed: OfShards | None = None  # of a run on a cluster

    @property
    def interrupted(self) -> bool:
        return self.outcome.because is Because.INTERRUPTED

    @property
    def ceiling(self) -> float | None:
        lowest = float(self.outcome.ceilings.min())
        return lowest if np.isfinite(lowest) else None

    @property
    def bound(self) -> float | None:
        """The theorem's limit on mistakes, from the margin found; it holds from zero weights.

        Of mixed shards it limits the mistakes by the shards' shares.
        """
        if self.mixed is not None:
            return self.mixed.bound
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
        answer = {
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
        if self.mixed is not None:
            mixed = self.mixed._asdict()
            mixed["mixed_mistakes"] = mixed.pop("mistakes")
            names = "shards", "mixing", "mixed_mistakes", "workers", "dashboard"
            answer |= {name: mixed[name] for name in names}
        return answer

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
        if self.mixed is not None:
            facts.append(("shards", self._mixed_text(self.mixed)))
        if self.bound is not None:
            most = f"{count(round(self.bound), 'mistake')} at the most"
            how = ", in any order of the rows" if self.mixed is None else " by the shards' shares"
            facts.append(("bound", most + how))
        if updates != mistakes:
            facts.append(("updates", f"{updates:,}"))
        facts.append(("radius", f"{self.learner.radius:.6g}, the longest row"))
        if self.margin is not None or self.ceiling is not None:
            facts.append(("margin", self._margin_text()))
        return facts

    def _mixed_text(self, mixed: OfShards) -> str:
        how = {"uniform": "evenly", "mistakes": "by their mistakes"}[mixed.mixing]
        return f"{mixed.shards:,}, mixed {how}: {mixed.mistakes:,.6g} mistakes by shares"

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
