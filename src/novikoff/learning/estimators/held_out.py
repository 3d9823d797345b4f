"""Early stopping: rows that are held out of learning, on which the mistakes are counted."""

import numpy as np
import numpy.typing as npt

from novikoff.errors import DataError, ParameterError
from novikoff.learning.epochs import Stop, StopReason
from novikoff.learning.inseparability import has_stalled
from novikoff.learning.learner import Learner, Watch
from novikoff.learning.rows import WeightedRows, length
from novikoff.learning.spec import TrainingSpec
from novikoff.learning.training import TrainingData

STREAM = 2**40  # of random numbers; shuffles take the epoch's number


def hold_out(
    spec: TrainingSpec, data: TrainingData, fraction: float
) -> tuple[TrainingData, TrainingData]:
    """The rows to learn from, and those held out: this share of each class, chosen by the seed."""
    known = isinstance(fraction, (int, float)) and 0.0 < fraction < 1.0
    if not known:
        raise ParameterError(f"validation_fraction must be between 0 and 1, not {fraction!r}")
    random = np.random.default_rng([spec.seed, STREAM])
    held = np.zeros(len(data.codes), np.bool_)
    for code in range(len(data.classes)):
        own = random.permutation(np.flatnonzero(data.codes == code))
        held[own[: round(fraction * len(own))]] = True
    if not held.any() or len(np.unique(data.codes[~held])) < len(np.unique(data.codes)):
        raise DataError(
            f"validation_fraction={fraction} of {len(held):,} rows leaves no rows to hold out, or"
            " none of some class to learn from"
        )
    return _part(spec, data, ~held), _part(spec, data, held)


def _part(spec: TrainingSpec, data: TrainingData, which: npt.NDArray[np.bool_]) -> TrainingData:
    numbers = np.flatnonzero(which)
    weights = data.rows.weights[numbers] if isinstance(data.rows, WeightedRows) else None
    matrix = data.matrix[numbers]
    return data._replace(
        matrix=matrix,
        rows=spec.rows(matrix, weights),
        codes=data.codes[numbers],
        kept=numbers if data.kept is None else data.kept[numbers],
    )


class HeldOutMistakes:
    """Counts the mistakes on held-out rows after each epoch, and ends learning once they have not
    fallen for `patience` epochs.
    """

    def __init__(self, data: TrainingData, rows: int, patience: int) -> None:
        self.data, self.rows, self.patience = data, rows, patience
        self.mistakes: list[int] = []

    def watch(self, learner: Learner, stop: int) -> None:
        """Be told that an epoch has come so far."""
        if stop < self.rows:
            return
        self.mistakes.append(learner.wrong_rows(self.data.rows, self.data.codes))
        if has_stalled(self.mistakes, self.patience):
            raise Stop(StopReason.HELD_OUT)


def early_stopping(
    spec: TrainingSpec, data: TrainingData, fraction: float
) -> tuple[TrainingData, Watch]:
    """The rows to learn from, and who ends it."""
    learned, held = hold_out(spec, data, fraction)
    return learned, HeldOutMistakes(held, int(length(learned.rows)), spec.patience).watch
