"""Columns of words: each value that occurs is a feature, which is 1 in its rows and 0 in others.

The numbers of a row come first, in the order of the file; then the values, in the order in which
they first come in the data (in a row, by column). So a pass can number them as it goes, and rows
only ever become wider.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.errors import check_features, file_error
from novikoff.data.sparse import Matrix, csr
from novikoff.data.text.csv.header import column_place
from novikoff.data.text.tokens import is_missing, reads_as_float, shown
from novikoff.errors import ParameterError
from novikoff.number_text import plural

Ints = NDArray[np.int64]

#: What a column is read as; compiled code knows these numbers.
NUMBER, WORD, UNUSED = 0, 1, 2
#: A value is part of a feature's name. Longer ones are texts, not categories.
LONGEST_VALUE = 200
OF_WORDS = "Columns of words"  # how what is said of categories begins


class Values(NamedTuple):
    """The different values in the categorical columns of some rows, as they first come."""

    columns: Sequence[int]  # the place among categorical columns that each stands in
    words: Sequence[str]
    codes: NDArray[np.int32]  # for each row and categorical column, which of the values it has


class ColumnChoice(NamedTuple):
    """Which columns are read, by name or by place, as a caller says; None: all that there are."""

    categorical: Sequence[str | int] | None = None
    columns: Sequence[str | int] | None = None  # the features, but for the target
    drop: Sequence[str | int] | None = None


class TableColumns(NamedTuple):
    """What the columns of a table are for."""

    names: list[str]  # as feature names call them
    roles: list[int]
    target: int | None

    @property
    def numbers(self) -> list[int]:
        """The places of the columns of numbers."""
        return [k for k, role in enumerate(self.roles) if role == NUMBER and k != self.target]

    @property
    def categorical(self) -> list[int]:
        """The places of the columns whose values are features."""
        return [k for k, role in enumerate(self.roles) if role == WORD and k != self.target]


def find_columns(
    name: str,
    names: list[str] | None,
    words: Sequence[bool],
    target: int | None,
    choice: ColumnChoice,
    known: Sequence[str] | None,
) -> TableColumns:
    """What each column is for.

    words: which columns hold words, by the look of them. choice.categorical: which ones to take for
    words whatever they look like. known: the features of a model; then they decide, and what it
    does not know is not read.
    """
    called = names or [f"column {place + 1}" for place in range(len(words))]
    roles = [WORD if word else NUMBER for word in words]
    for option, role in (("categorical", WORD), ("drop", UNUSED)):
        for wanted in getattr(choice, option) or ():
            place = column_place(name, names, len(words), wanted)
            if place == target:
                raise file_error(
                    name,
                    f"{option} has the column {shown(called[place])}, which is the target, expected"
                    " a column of features: leave it out, or name another target",
                )
            roles[place] = role
    if choice.columns is not None:
        kept = {column_place(name, names, len(words), each) for each in choice.columns}
        roles = [role if place in kept else UNUSED for place, role in enumerate(roles)]
    if known is not None:
        exact, prefixes = set(known), _prefixes(known)
        for place, each in enumerate(called):
            if each in exact or each in prefixes:
                roles[place] = NUMBER if each in exact else WORD
            elif names is not None:
                roles[place] = UNUSED
    if target is not None:
        roles[target] = WORD  # its words and its numbers are told apart later
    return TableColumns(called, roles, target)


def known_columns(names: Sequence[str], columns: Iterable[str]) -> frozenset[str]:
    """Those of the columns that a model with features of these names was trained on."""
    return frozenset(columns) & (_prefixes(names) | set(names))


def _prefixes(names: Iterable[str]) -> set[str]:
    """Whatever the names have before an equals sign."""
    return {name[:at] for name in names for at in _equals(name)}


def _equals(name: str) -> list[int]:
    return [at for at, character in enumerate(name) if character == "="]


def looks_like_word(token: str) -> bool:
    """Whether a field of the first row makes its column categorical."""
    return not (is_missing(token) or reads_as_float(token))


class TableFeatures:
    """The features of a table: its columns of numbers, then the values of its columns of words.

    known: the features of a model; then values that it has not seen are errors. width: how many
    features there must be, or, where values become features, how many columns rows are to have.
    """

    def __init__(
        self,
        source: str,
        columns: TableColumns,
        known: Sequence[str] | None = None,
        width: int | None = None,
    ) -> None:
        self._source, self._columns, self._known, self._asked = source, columns, known, width
        self.categories = [columns.names[place] for place in columns.categorical]
        if not self.categories:
            check_features(source, len(columns.numbers), width)
        self._begin()

    def _begin(self) -> None:
        columns, called = self._columns, self.categories
        self.names = [columns.names[place] for place in columns.numbers]
        self._features: list[dict[str, int]] = [{} for _ in called]
        own = frozenset(self.names)
        for name in (name for name in self._known or () if name not in own):
            before = {name[:at] for at in _equals(name)}
            fitting = [k for k, each in enumerate(called) if each in before] if before else []
            if len(fitting) > 1:
                raise file_error(
                    self._source,
                    f"the model's feature {shown(name)} fits {len(fitting)} columns, expected one:"
                    " give the columns different names and train it again",
                )
            if fitting:
                self._add(fitting[0], name.removeprefix(f"{called[fitting[0]]}="))

    def error_for(self, column: int, word: str) -> str | None:
        """What is wrong with a value; None if nothing is. Threads may ask at the same time."""
        if word in self._features[column]:
            return None
        if is_missing(word):
            return (
                f"the value is missing ({shown(word)}), expected a word: fill it in or drop the row"
            )
        if len(word) > LONGEST_VALUE:
            return (
                f"the value {shown(word)} has {len(word)} characters, expected at most"
                f" {LONGEST_VALUE}: is this column a category? Leave a text out (--drop), or make"
                " numbers of it first with a vectoriser, such as scikit-learn's TfidfVectorizer"
            )
        if self._known is not None:
            return (
                f"found {shown(word)}, a value that the model has not seen, expected one of the"
                f" {len(self._features[column])} it was trained on: leave the row out"
            )
        return None

    def matrix(self, numbers: NDArray[np.float64], values: Values | None) -> Matrix:
        """The rows; values that are new become features, in their order."""
        if values is None:
            return numbers
        features = np.empty(len(values.words), dtype=np.int64)
        for k, (column, word) in enumerate(zip(values.columns, values.words, strict=True)):
            feature = self._features[column].get(word)
            features[k] = self._add(column, word) if feature is None else feature
        return one_hot(numbers, values.codes, features, self._width())

    def _add(self, column: int, word: str) -> int:
        feature = len(self.names)
        self._features[column][word] = feature
        self.names.append(f"{self.categories[column]}={word}")
        return feature

    def _width(self) -> int:
        """How wide rows are now."""
        if self._asked is None:
            return len(self.names)
        if len(self.names) > self._asked:
            check_features(self._source, len(self.names), self._asked)
        return self._asked

    def state_dict(self) -> list[list[Any]]:
        """All values in order, as JSON."""
        found = [
            (feature, column, word)
            for column, features in enumerate(self._features)
            for word, feature in features.items()
        ]
        return [[column, word] for _, column, word in sorted(found)]

    def load_state_dict(self, values: Iterable[Sequence[Any]]) -> None:
        """Take the values of another pass instead of those of this one."""
        self._begin()
        if not self.categories:
            return
        for column, word in values:
            if word not in self._features[column]:
                self._add(int(column), str(word))
        self._width()

    def notes(self) -> list[str]:
        """Which columns are categories, if any are."""
        if not self.categories:
            return []
        return [categories_note(self.categories, [len(features) for features in self._features])]


def levels_of(categories: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, int]]:
    """For each column of words, its values and the place of each among the features."""
    levels: dict[str, dict[str, int]] = {each: {} for each in categories}
    for place, name in enumerate(names):
        fitting = [name[:at] for at in _equals(name) if name[:at] in levels]
        if fitting and name not in levels:
            levels[fitting[-1]][name.removeprefix(f"{fitting[-1]}=")] = place
    return levels


def reference_levels(
    levels: Mapping[str, Mapping[str, int]], asked: Mapping[str, str] | None = None
) -> list[int]:
    """The feature of each column's reference level: as asked, else the first in sorted order.

    >>> reference_levels({"dose": {"low": 1, "high": 2}, "age": {"30": 3, "9": 4}})
    [2, 4]
    """
    for column, level in (asked or {}).items():
        if column not in levels:
            known = f"only {', '.join(levels)}" if levels else "nor any other"
            raise ParameterError(f"reference {column}={level}: there is no such factor, {known}")
        if level not in levels[column]:
            some = ", ".join(sorted(levels[column])[:8])
            raise ParameterError(f"reference {column}={level}: {column} has no such level; {some}")
    chosen = dict(asked or {})
    return [
        found[chosen.get(column) or sorted_levels(found)[0]]
        for column, found in levels.items()
        if found
    ]


def sorted_levels(words: Iterable[str]) -> list[str]:
    """Values in order: as numbers if all of them are."""
    words = list(words)
    return sorted(words, key=float if all(map(reads_as_float, words)) else None)


def categories_note(columns: Sequence[str], values: Sequence[int]) -> str:
    """That these columns are categories, with so many values each."""
    parts = [
        f"{name} ({count} {plural('value', count)})"
        for name, count in zip(columns, values, strict=True)
    ]
    return f"{OF_WORDS}, with one feature for each value: {', '.join(parts)}."


def one_hot(
    numbers: NDArray[np.float64], codes: NDArray[np.int32], features: Ints, width: int
) -> Matrix:
    """The CSR matrix of rows with numbers and, in ascending order, the features of their values."""
    from novikoff.data.text.csv.kernel import fill_rows

    rows, each = numbers.shape[0], numbers.shape[1] + codes.shape[1]
    columns = np.empty((rows, each), dtype=np.int32)
    entries = np.empty((rows, each))
    fill_rows(numbers, codes, features, columns, entries)
    starts = np.arange(0, rows * each + 1, each, dtype=np.int64)
    return csr(starts, columns.reshape(-1), entries.reshape(-1), width)
