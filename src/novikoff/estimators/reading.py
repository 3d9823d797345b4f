"""What estimators do with a source: learn from it at rest, or as it comes if one pass is all."""

from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.learn import Learner
from novikoff.rows import Rows, make_rows
from novikoff.sources import Source, settling
from novikoff.sources.settling import bytes_of
from novikoff.streams import Stream, depends_on_width, learned, widened

if TYPE_CHECKING:
    from novikoff.estimators.base import BaseLearner


class Planned:
    """An estimator as the plan of a stream."""

    def __init__(self, estimator: "BaseLearner", labels: bool) -> None:
        self._estimator, self.labels = estimator, labels

    @property
    def needs_width(self) -> bool:
        """Whether the start depends on the number of features."""
        start = self._estimator.init
        return not isinstance(start, str) or start != "zeros" or depends_on_width(self.made())

    def made(self) -> Any:
        """The rule itself."""
        return self._estimator._rule()

    def learner(self, features: int, outputs: int) -> Learner:
        """A learner at its start."""
        return self._estimator._new_learner(features, outputs)

    def rows(self, matrix: Any) -> Rows:
        """Rows as it sees them."""
        return make_rows(
            matrix, bool(self._estimator.fit_intercept), bool(self._estimator.unit_length)
        )


def is_streamed(estimator: "BaseLearner", source: Source) -> bool:
    """Whether the rows are learned from as they are read, and not kept: for a single epoch only."""
    known = source.format, source.cache, bytes_of(source)
    return estimator.max_epochs == 1 and settling.is_streamed(estimator, *known)


def stream(estimator: "BaseLearner", source: Source, labels: bool = True) -> Stream:
    """One pass over the source, and its end."""

    def go(stream: Stream) -> None:
        stream.epoch().end_epoch()

    return learned(Planned(estimator, labels), source, go)


def known_by(estimator: "BaseLearner", names: list[str] | None, features: int) -> None:
    """What scikit-learn wants to be known of the columns; what an earlier fit left goes."""
    estimator._leave_online()
    for name in ("_names", "_codes", "feature_names_in_"):
        estimator.__dict__.pop(name, None)
    estimator.n_features_in_ = features
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def in_parts(source: Source, features: int) -> Any:
    """The rows chunk by chunk, as wide as the model is."""
    for chunk in source.chunks():
        yield widened(chunk.X, features) if chunk.X.shape[1] < features else chunk.X
