"""Designs of formulas: `low ~ age + C(race)*smoke` on a data frame, through formulaic."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.data.chunk import Chunk, Lines
from novikoff.data.formula.factors import factors_of
from novikoff.data.formula.parse import formulaic, one_line, parse_formula, used_columns
from novikoff.data.formula.syntax import require_column
from novikoff.data.loaded_source import LoadedSource
from novikoff.data.matrices import as_labels
from novikoff.data.source import InMemorySource, SourceInfo
from novikoff.errors import DataError, ParameterError
from novikoff.number_text import count

DENSE = 64  # columns up to which a design is kept as a dense matrix
INTERCEPT = "Intercept"  # as formulaic calls it


class Design(NamedTuple):
    """The rows of a formula with their outcome, and what else the formula says.

    intercept: whether it has one. levels: the order of the outcome's classes, where it has one.
    reading: how `verify` makes the design anew of the table, or reads it from a file.
    """

    rows: LoadedSource
    intercept: bool
    levels: list[Any] | None
    reading: dict[str, Any]


class DesignSource(InMemorySource):
    """The design of a formula in memory."""

    def __init__(
        self, info: SourceInfo, X: Any, y: Any, lines: Lines | None, notes: list[str]
    ) -> None:
        super().__init__(info, X, y)
        self._lines, self._notes = lines, notes

    def _block(self, start: int, stop: int) -> Chunk:
        X, y, _ = super()._block(start, stop)
        return Chunk(X, y, None if self._lines is None else self._lines[start:stop])

    def notes(self) -> list[str]:
        return self._notes


def make_design(
    formula: str,
    data: Any,
    roles: Mapping[str, Any],
    name: str = "",
    *,
    lines: Lines | None = None,
    set_aside: Sequence[str] = (),
) -> Design:
    """The design of a formula on a frame of pandas or polars.

    roles: names of columns. Rows in which a column that the model uses has no value are left out.
    lines: the line of each row. set_aside: columns that a dot does not stand for, like roles.
    """
    columns = [str(each) for each in data.columns]
    for role, each in roles.items():
        if each is not None and not isinstance(each, str):
            raise ParameterError(f"with a formula, {role} must be the name of a column of data")
        if each is not None:
            require_column(each, columns, f"{role}: ")
    named = {role: each for role, each in roles.items() if each is not None}
    sides = parse_formula(formula, columns, [*named.values(), *set_aside])
    used = dict.fromkeys(each for terms in sides[:2] for each in used_columns(terms, columns))
    target = _target(sides.left, named)
    used |= dict.fromkeys([*named.values(), *([target] if target in columns else [])])
    frame, whole = _frame(data, [*used]), len(data)
    frame, complete = _without_gaps(frame)
    if not len(frame):
        raise DataError(f"every one of the {whole:,} rows has a value missing in {', '.join(used)}")
    X, spec = _evaluate(sides.right, frame)
    y, levels = _outcome(sides.left, target, frame)
    names = [str(each) for each in spec.column_names]
    kept = [j for j, each in enumerate(names) if each != INTERCEPT]
    if not kept:
        raise DataError("the formula has no term but the intercept: there is nothing to decide")
    features = [names[j] for j in kept]
    X = X[:, kept].toarray() if len(kept) <= DENSE else X[:, kept].tocsr()
    info = SourceInfo(name, "formula", feature_names=features, target_name=target)
    places = None if lines is None else lines[complete]
    rows = LoadedSource(DesignSource(info, X, y, places, _gap_notes(whole - len(frame), whole)))
    named.pop("event", None)
    rows.aside = {each: as_labels(frame[each].to_numpy()) for each in named.values()}
    rows.factors = factors_of(spec)
    text = sides.text if sides.left else f"`{target}` ~ {sides.text.strip().removeprefix('~')}"
    reading = {"header": True, "target": target, "formula": text, **named}
    return Design(rows, INTERCEPT in names, levels, reading)


def _gap_notes(lost: int, rows: int) -> list[str]:
    """How many rows were left out, where some were."""
    if not lost:
        return []
    return [
        f"{count(lost, 'row')} of {rows:,} left out, because a value is missing in a column that"
        " the model uses; rows are numbered without them."
    ]


def _target(left: list[Any], named: Mapping[str, str]) -> str:
    """What the outcome is called: the formula's left side, or the column of events."""
    event, outcome = named.get("event"), str(left[0]) if left else None
    if outcome is None and event is None:
        raise ParameterError("the formula has no outcome: write it on the left, such as y ~ x")
    if None not in (outcome, event) and outcome != event:
        raise ParameterError(
            f"the formula's outcome is {outcome}, and event is {event}: leave one out"
        )
    return str(outcome or event).strip("`")


def _frame(data: Any, used: Sequence[str]) -> Any:
    """The columns that are used, as a frame of pandas."""
    if hasattr(data, "to_pandas"):  # polars
        return data.select(used).to_pandas()
    frame = data.copy(deep=False)
    frame.columns = [str(each) for each in frame.columns]
    if len(repeated := {each for each in used if list(frame.columns).count(each) > 1}):
        raise DataError(f"several columns are called {min(repeated)!r}")
    return frame[list(used)].reset_index(drop=True)


def _without_gaps(frame: Any) -> tuple[Any, NDArray[np.bool_]]:
    """The rows without a missing value, with those levels of factors that they have; and which
    rows these are.
    """
    complete = frame.notna().all(axis=1).to_numpy()
    frame = frame[complete].reset_index(drop=True)
    for name in frame.columns:
        if hasattr(frame[name], "cat"):
            frame[name] = frame[name].cat.remove_unused_categories()
    return frame, complete


def _evaluate(terms: list[Any], frame: Any) -> tuple[Any, Any]:
    """The columns of the terms, sparse, and formulaic's specification of them."""
    library = formulaic()
    context = {"sqrt": np.sqrt}
    try:
        with np.errstate(all="ignore"):  # the entries are looked at later
            found = library.Formula(terms, _ordering="none").get_model_matrix(
                frame, context=context, output="sparse", na_action="raise"
            )
    except Exception as error:  # formulaic's own, and those of the functions of a formula
        text = one_line(error.__cause__ or error)
        raise DataError(f"the formula cannot be evaluated on these rows: {text[:300]}") from None
    return found.tocsr(), found.model_spec


def _outcome(left: list[Any], target: str, frame: Any) -> tuple[Any, list[Any] | None]:
    """The outcome of each row, and the order of its classes if it is an ordered factor."""
    if target not in frame.columns:
        X, _ = _evaluate(left, frame)
        if X.shape[1] != 1:
            raise DataError(f"the outcome {target} has {X.shape[1]} columns: name one of labels")
        return X.toarray()[:, 0], None
    column = frame[target]
    levels = None
    if hasattr(column, "cat") and column.cat.ordered:
        levels = column.cat.categories.tolist()
    values = column.to_numpy()
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    if values.dtype.kind == "O" and all(isinstance(each, str) for each in values):
        values = values.astype(str)
    return as_labels(values), levels
