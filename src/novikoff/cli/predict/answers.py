"""What a model answers for the rows of a source."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from novikoff.data import Chunk, Source
from novikoff.data.chunk import LabelArray
from novikoff.data.matrices import as_matrix
from novikoff.data.sparse import Matrix, csr
from novikoff.errors import DataError
from novikoff.learning.files.model_file import Model
from novikoff.learning.rows import make_rows
from novikoff.number_text import count


class Answers(NamedTuple):
    """The answers for a chunk of rows."""

    labels: LabelArray  # predicted
    scores: npt.NDArray[np.float64]  # of each learner: (rows, learners)
    truth: LabelArray | None  # the labels that came with the rows

    @property
    def mistakes(self) -> int:
        return 0 if self.truth is None else int((self.labels != self.truth).sum())

    def lines(self, scores: bool) -> Iterator[str]:
        """Each row as text: its label, and its scores after tabs."""
        for label, row in zip(self.labels.tolist(), self.scores.tolist(), strict=True):
            yield "\t".join(map(str, [label, *row])) if scores else str(label)


class Predictor:
    """A model, and how it treats rows that do not fit it.

    threshold: the score above which a row is of the second class. drop: leave out features that
    the model has not. may_lack_labels: nobody said whether the rows have labels.
    """

    def __init__(
        self, model: Model, threshold: float | None, *, drop: bool, may_lack_labels: bool
    ) -> None:
        self.model, self.threshold = model, threshold
        self.drop, self.may_lack_labels = drop, may_lack_labels
        self.dropped = 0  # entries

    def answers(self, source: Source, chunks: Iterator[Chunk]) -> Iterator[Answers]:
        """The answers for each chunk; true labels, if there are any, get the type of the others."""
        learner = self.model.learner
        for chunk in chunks:
            matrix = self._aligned(source, as_matrix(chunk.X))
            scores = learner.answers(make_rows(matrix, learner.bias, learner.unit_length))
            if self.threshold is None:
                codes = learner.predicted_codes(scores)
            else:
                codes = (scores[:, 0] > self.threshold).astype(np.intp)
            found, truth = self.model.classes[codes], chunk.y
            if truth is not None and (truth.dtype.kind == "U") != (found.dtype.kind == "U"):
                truth, found = truth.astype(str), found.astype(str)
            yield Answers(found, scores, truth)

    def notes(self, source: Source) -> list[str]:
        """Remarks on the data, and on what was left out of them."""
        remarks: list[str] = source.notes()
        if self.dropped:
            entries = count(self.dropped, "value")
            remarks = [*remarks, f"{entries} left out, of features that the model has not"]
        return remarks

    def _aligned(self, source: Source, matrix: Matrix) -> Matrix:
        """The matrix with the model's features, in the model's order."""
        names, features = self.model.feature_names, self.model.learner.features
        if names and source.feature_names and names != source.feature_names:
            absent = [name for name in names if name not in source.feature_names]
            if absent:
                raise DataError(
                    f"{source.name}: the model needs a feature {absent[0]!r}, not found here"
                )
            return matrix[:, [source.feature_names.index(name) for name in names]].copy()
        sparse = hasattr(matrix, "tocsr")
        if matrix.shape[1] > features and sparse and self.drop:
            return self._without_extra(matrix, features)
        if matrix.shape[1] < features and sparse:
            matrix.resize(matrix.shape[0], features)  # trailing features that no row here has
        if matrix.shape[1] != features:
            raise DataError(
                f"{source.name}: the rows have {count(matrix.shape[1], 'feature')}; the model was"
                f" fitted on {features:,}{self._remedy(matrix.shape[1], sparse)}"
            )
        return matrix

    def _without_extra(self, matrix: Any, features: int) -> Matrix:
        kept = matrix.indices < features
        self.dropped += int(np.count_nonzero(~kept))
        before = np.concatenate(([0], np.cumsum(kept)))
        return csr(before[matrix.indptr], matrix.indices[kept], matrix.data[kept], features)

    def _remedy(self, found: int, sparse: bool) -> str:
        if sparse:
            return "; --extra-features drop leaves the others out"
        if self.may_lack_labels and found == self.model.learner.features - 1:
            return "; if the data have no labels, add --no-labels"
        return ""
