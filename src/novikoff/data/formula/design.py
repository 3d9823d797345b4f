"""Designs of formulas: `low ~ age + C(race)*smoke` on a data frame, through formulaic.

formulaic evaluates the terms of a formula as Python, so `syntax` looks at each of them first.
"""

import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from novikoff.data.formula.syntax import column_names, require_column, require_small_powers
from novikoff.data.loaded_source import LoadedSource
from novikoff.data.matrices import as_labels
from novikoff.data.source import InMemorySource, SourceInfo
from novikoff.errors import DataError, ParameterError
from novikoff.files import atomic_open
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

    def __init__(self, info: SourceInfo, X: Any, y: Any, notes: list[str]) -> None:
        super().__init__(info, X, y)
        self._notes = notes

    def notes(self) -> list[str]:
        return self._notes


def make_design(formula: str, data: Any, roles: Mapping[str, Any], name: str = "") -> Design:
    """The design of a formula on a frame of pandas or polars.

    roles: names of columns. Rows in which a column that the model uses has no value are left out.
    """
    columns = [str(each) for each in data.columns]
    parsed = _parse(formula, columns)
    for role, each in roles.items():
        if each is not None and not isinstance(each, str):
            raise ParameterError(f"with a formula, {role} must be the name of a column of data")
        if each is not None:
            require_column(each, columns, f"{role}: ")
    named = {role: each for role, each in roles.items() if each is not None}
    left, right = _sides(parsed)
    used = dict.fromkeys(column for term in (left, right) for column in _checked(term, columns))
    target = _target(left, named)
    used |= dict.fromkeys([*named.values(), *([target] if target in columns else [])])
    frame, whole = _frame(data, [*used]), len(data)
    frame = _without_gaps(frame)
    if not len(frame):
        raise DataError(f"every one of the {whole:,} rows has a value missing in {', '.join(used)}")
    X, names = _evaluate(right, frame)
    y, levels = _outcome(left, target, frame)
    kept = [j for j, each in enumerate(names) if each != INTERCEPT]
    if not kept:
        raise DataError("the formula has no term but the intercept: there is nothing to decide")
    features = [names[j] for j in kept]
    X = X[:, kept].toarray() if len(kept) <= DENSE else X[:, kept].tocsr()
    lost = whole - len(frame)
    notes = [] if not lost else [
        f"{count(lost, 'row')} of {whole:,} left out, because a value is missing in a column that"
        " the model uses; rows are numbered without them."
    ]  # fmt: skip
    info = SourceInfo(name, "formula", feature_names=features, target_name=target)
    rows = LoadedSource(DesignSource(info, X, y, notes))
    named.pop("event", None)
    rows.aside = {each: as_labels(frame[each].to_numpy()) for each in named.values()}
    whole_formula = formula if left else f"`{target}` ~ {formula.strip().removeprefix('~')}"
    reading = {"header": True, "target": target, "formula": whole_formula, **named}
    return Design(rows, INTERCEPT in names, levels, reading)


def has_formula_columns(formula: str, columns: Sequence[str]) -> bool:
    """Whether a table with these columns is one that the formula is about, not its design."""
    try:
        for terms in _sides(_parse(formula, columns)):
            _checked(terms, columns)
    except ParameterError:
        return False
    return True


def formulaic() -> Any:
    """The library of formulas, if it is installed."""
    try:
        import formulaic as library
    except ImportError:
        raise ParameterError('formulas need more: pip install "novikoff[stats]"') from None
    return library


def _parse(formula: str, columns: Sequence[str]) -> Any:
    library = formulaic()
    if re.search(r"\bQ\s*\(", unicodedata.normalize("NFKC", formula)):
        # formulaic evaluates what is in Q(...) while it parses, before anything can be looked at
        raise ParameterError("the formula has Q(...): quote such a name with backticks instead")
    try:
        require_small_powers(formula)
        return library.Formula(
            formula, _context={"__formulaic_variables_available__": [*columns]}
        )  # what a dot stands for
    except ParameterError:
        raise
    except Exception as error:  # of many kinds: tokens, syntax, terms that make no sense
        text = _one_line(error)
        raise ParameterError(f"the formula {formula!r:.200} cannot be read: {text[:300]}") from None


def _one_line(error: BaseException) -> str:
    """What an error says, without colours."""
    text = re.sub(r"\x1b\[[0-9;]*m|[\u29da\u29db]", "", str(error))
    return " ".join(text.split()) or type(error).__name__


def _sides(parsed: Any) -> tuple[list[Any], list[Any]]:
    """The terms on the left, of which there may be none, and on the right."""
    if not hasattr(parsed, "rhs"):
        return [], list(parsed)
    if isinstance(parsed.rhs, tuple) or isinstance(parsed.lhs, tuple):
        raise ParameterError("the formula has several parts; a model has one outcome and one side")
    left = list(parsed.lhs)
    if len(left) != 1:
        raise ParameterError(f"the formula has {len(left)} outcomes; a model has one")
    return left, list(parsed.rhs)


def _target(left: list[Any], named: Mapping[str, str]) -> str:
    """What the outcome is called: the formula's left side, or the column of events."""
    event, told = named.get("event"), str(left[0]) if left else None
    if told is None and event is None:
        raise ParameterError("the formula has no outcome: write it on the left, such as y ~ x")
    if None not in (told, event) and told != event:
        raise ParameterError(
            f"the formula's outcome is {told}, and event is {event}: leave one out"
        )
    return str(told or event).strip("`")


def _checked(terms: list[Any], columns: Sequence[str]) -> list[str]:
    """The columns that terms use; whatever is no arithmetic of columns is refused."""
    found = []
    for factor in (factor for term in terms for factor in term.factors):
        method = str(factor.eval_method.value)
        if method == "lookup":
            require_column(str(factor.expr), columns, "the formula: ")
            found.append(str(factor.expr))
        elif method == "python":
            found += column_names(str(factor.expr), columns)
        else:
            column_names(str(factor.expr), ())
    return found


def _frame(data: Any, used: Sequence[str]) -> Any:
    """The columns that are used, as a frame of pandas."""
    if hasattr(data, "to_pandas"):  # polars
        return data.select(used).to_pandas()
    frame = data.copy(deep=False)
    frame.columns = [str(each) for each in frame.columns]
    if len(repeated := {each for each in used if list(frame.columns).count(each) > 1}):
        raise DataError(f"several columns are called {min(repeated)!r}")
    return frame[list(used)].reset_index(drop=True)


def _without_gaps(frame: Any) -> Any:
    """The rows without a missing value, and of factors the levels that they have."""
    frame = frame.dropna().reset_index(drop=True)
    for name in frame.columns:
        if hasattr(frame[name], "cat"):
            frame[name] = frame[name].cat.remove_unused_categories()
    return frame


def _evaluate(terms: list[Any], frame: Any) -> tuple[Any, list[str]]:
    """The columns of the terms, sparse, and their names."""
    library = formulaic()
    context = {"sqrt": np.sqrt}
    try:
        with np.errstate(all="ignore"):  # the entries are looked at later
            found = library.Formula(terms, _ordering="none").get_model_matrix(
                frame, context=context, output="sparse", na_action="raise"
            )
    except Exception as error:  # formulaic's own, and those of the functions of a formula
        text = _one_line(error.__cause__ or error)
        raise DataError(f"the formula cannot be evaluated on these rows: {text[:300]}") from None
    return found.tocsr(), [str(each) for each in found.model_spec.column_names]


def _outcome(left: list[Any], target: str, frame: Any) -> tuple[Any, list[Any] | None]:
    """The outcome of each row, and the order of its classes if it is an ordered factor."""
    if target not in frame.columns:
        X, names = _evaluate(left, frame)
        if len(names) != 1:
            raise DataError(f"the outcome {target} has {len(names)} columns: name one of labels")
        return X.toarray()[:, 0], None
    column = frame[target]
    levels = None
    if hasattr(column, "cat") and column.cat.ordered:
        levels = column.cat.categories.tolist()
    values = column.to_numpy()
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    return as_labels(values), levels


def read_frame(path: str, delimiter: str | None = None) -> Any:
    """A table in a file as a frame of pandas: CSV, TSV or Parquet."""
    formulaic()  # which brings pandas
    import pandas as pd

    suffixes = [each.lower() for each in Path(path).suffixes]
    try:
        if suffixes[-1:] == [".parquet"]:
            return pd.read_parquet(path)
        if not {".csv", ".tsv"} & {*suffixes[-2:]}:
            raise DataError(f"{path}: a formula needs a table with names: .csv, .tsv or .parquet")
        mark = delimiter or ("\t" if ".tsv" in suffixes else ",")
        with warnings.catch_warnings():  # newer ones call this option the default
            warnings.simplefilter("ignore")
            frame = pd.read_csv(path, sep=mark, float_precision="round_trip", skipinitialspace=True)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as a table: {error!s:.200}") from None
    frame.columns = [str(each).strip() for each in frame.columns]
    return frame


def write_design(design: Design, path: Path) -> None:
    """Write a design as CSV: the columns of its terms, the outcome, and the roles."""
    import pandas as pd

    rows, chunk = design.rows, design.rows.chunk
    X = chunk.X if isinstance(chunk.X, np.ndarray) else chunk.X.toarray()
    frame = pd.DataFrame(X, columns=rows.feature_names)
    for name, values in ((str(rows.target_name), rows.labels), *rows.aside.items()):
        if name in frame.columns:
            raise DataError(f"{name} is both a term and the outcome or a role: rename one")
        frame[name] = values
    with atomic_open(path, text=True) as file:
        frame.to_csv(file, index=False)
