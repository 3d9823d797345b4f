"""The result of a run of `fit`, as text and as JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from novikoff.cli.fit.proof_inputs import ProofInputs
from novikoff.cli.shared.margin import ratio
from novikoff.cli.shared.text import UNLABELLED, Fact, finite, wrap
from novikoff.data.matrices import Classes
from novikoff.learning.epochs import Outcome, StopReason
from novikoff.learning.files import model_file
from novikoff.learning.learner import Learner
from novikoff.learning.rules.protocol import answers_otherwise, mistake_bound
from novikoff.learning.spec import TrainingSpec
from novikoff.number_text import count, listed, rounded_up

if TYPE_CHECKING:
    from novikoff.cluster.workers.dataset import Dataset
    from novikoff.data import Source


MOST_ROWS = 6  # of a conflict that are named


class ClusterSummary(NamedTuple):
    """Additional figures of a run on a cluster."""

    shards: int
    mixing: str
    mistakes: float  # the sum over epochs and shards of share * mistakes
    bound: float | None  # on these
    workers: int
    dashboard: str | None
    idle: str | None  # a note on workers that had nothing to do


class FitResult(NamedTuple):
    """The result of a run."""

    spec: TrainingSpec
    source: "Source | Dataset"  # here, or on a cluster
    learner: Learner
    classes: Classes
    outcome: Outcome
    rows: int
    margin: float | None  # of the separator found
    seconds: float
    provable: ProofInputs | None = None  # where proofs are asked for
    checkpoint: Path | None = None
    mixed: ClusterSummary | None = None  # of a run on a cluster
    advice: str | None = None  # what would help
    wrong_rows: int | None = None  # rows that the model predicts wrongly, if that is known

    @property
    def interrupted(self) -> bool:
        return self.outcome.because is StopReason.INTERRUPTED

    @property
    def notes(self) -> list[str]:
        """Notes on the data, and on idle workers."""
        notes = self.source.notes() + ([] if self.advice is None else [self.advice])
        return notes if self.mixed is None or self.mixed.idle is None else [*notes, self.mixed.idle]

    @property
    def ceiling(self) -> float | None:
        return finite(float(self.outcome.ceilings.min()))

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
        outcome = self.outcome
        model = model_file.Model.of(
            self.spec,
            self.learner,
            self.classes,
            self.source,
            outcome.mistakes_per_epoch,
            outcome.ceilings,
            converged=outcome.converged,
        )
        model_file.write(model, path)

    def as_json(self, saved: Path | None) -> dict[str, Any]:
        """The keys that scripts rely on, and a few more."""
        answer = {
            "rule": self.spec.rule,
            "rows": self.rows,
            "features": self.learner.features,
            "classes": self.classes.tolist(),
            "epochs": self.outcome.epochs,
            "mistakes": self.learner.total("mistakes"),
            "mistakes_per_epoch": self.outcome.mistakes_per_epoch,
            "updates": self.learner.total("updates"),
            "converged": self.outcome.converged,
            "stopped_because": self.outcome.because.value,
            "conflict": self._conflict_json(),
            "conflict_class": self.conflict_class,
            "radius": self.learner.radius,
            "margin_ceiling": self.ceiling,
            "margin_found": self.margin,
            "mistake_bound": self.bound,
            "training_mistakes": self.wrong_rows,
            "skipped": self.source.skipped,
            "remarks": self.notes,
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

    @property
    def conflict_class(self) -> Any:
        """Of more than two classes, the one that the conflict tells from no rest."""
        conflict = self.outcome.conflict
        if conflict is None or conflict.positive is None:
            return None
        return self.classes.tolist()[conflict.positive]

    def _conflict_json(self) -> list[dict[str, Any]] | None:
        conflict = self.outcome.conflict
        if conflict is None:
            return None
        terms = [{"row": row, "multiplier": ratio(times)} for row, times in conflict.rows]
        for term, rival in zip(terms, conflict.rivals or [], strict=False):
            term["against"] = self.classes.tolist()[rival]
        return terms

    def _conflict_text(self, rows: list[int]) -> str:
        shown = rows if len(rows) <= MOST_ROWS else rows[: MOST_ROWS - 1]
        more = f" and {len(rows) - len(shown):,} more" if len(shown) < len(rows) else ""
        what = "a separator"
        if self.learner.joint:
            what = "scores that set all classes apart"
        elif self.conflict_class is not None:
            what += f" of {self.conflict_class!r} and the rest"
        named = ", ".join(f"{row:,}" for row in shown)
        return f"rows {named}{more}, counted from 0, alone rule out {what}"

    def as_text(self, saved: Path | None) -> str:
        """A summary for a person."""
        rows, features = count(self.rows, "row"), count(self.learner.features, "feature")
        labels = f", classes {listed(self.classes.tolist())}"
        lines = [
            f"{self.source.name}: {rows}, {features}"
            f"{UNLABELLED if self.spec.rule == 'one-sided' else labels}",
            f"{self.spec.rule}: {self.ending()}",
            *(f"  {name:<10}{text}" for name, text in self.facts()),
            *(line for each in self.notes for line in _note(each)),
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
        if self.outcome.converged and self.outcome.because is StopReason.BUDGET:
            why += "; every row is right, but not every one has its margin"
        return f"{word} after {epochs} in {self.seconds:.2g} s: {why}"

    def facts(self) -> list[Fact]:
        """Its figures, by name."""
        outcome = self.outcome
        mistakes, updates = self.learner.total("mistakes"), self.learner.total("updates")
        text = f"{mistakes:,}"
        if outcome.because is StopReason.END and self.rows:
            text += self._progressive(mistakes)
        elif not outcome.converged:
            text += f", {outcome.mistakes_per_epoch[-1]:,} of them in the last epoch"
        facts = [("mistakes", text)]
        if outcome.conflict is not None:
            rows = sorted({row for row, _ in outcome.conflict.rows})
            facts.append(("conflict", self._conflict_text(rows)))
        if self.wrong_rows is not None and answers_otherwise(self.learner.rule):
            facts.append(("model", f"{self.wrong_rows:,} of the rows wrong, when it predicts"))
        if self.mixed is not None:
            facts.append(("shards", self._mixed_text(self.mixed)))
        if self.bound is not None:
            most = f"at most {count(round(self.bound), 'mistake')}"
            how = ", in any order of the rows" if self.mixed is None else " by the shards' shares"
            facts.append(("bound", most + how))
        if updates != mistakes:
            facts.append(("updates", f"{updates:,}"))
        facts.append(("radius", f"{self.learner.radius:.6g}, the longest row"))
        if self.margin is not None or self.ceiling is not None:
            facts.append(("margin", self._margin_text()))
        return facts

    def _mixed_text(self, mixed: ClusterSummary) -> str:
        how = {"uniform": "evenly", "mistakes": "by their mistakes"}[mixed.mixing]
        return f"{mixed.shards:,}, mixed {how}: {mixed.mistakes:,.6g} mistakes by shares"

    def _progressive(self, mistakes: int) -> str:
        if len(self.learner.states) > 1:
            return f" of {self.rows * len(self.learner.states):,} predictions, one for each class"
        return f", {mistakes / self.rows:.2%} of the rows, each predicted before its label was seen"

    def _margin_text(self) -> str:
        known = []
        if self.margin is not None:
            known.append(f"{self.margin:.3g} (this separator)")
        if self.ceiling is not None:
            who = "no separator" if len(self.learner.states) == 1 else "for some class no separator"
            known.append(f"{who} exceeds {rounded_up(self.ceiling)}")
        return "; ".join(known)


def _note(remark: str) -> list[str]:
    return wrap(remark, f"  {'note':<10}", " " * 12, hyphens=True, long_words=True)
