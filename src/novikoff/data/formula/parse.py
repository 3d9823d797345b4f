"""The two sides of a formula, and the columns that their terms use.

formulaic evaluates the terms of a formula as Python, so `syntax` looks at each of them first.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from novikoff.data.formula.syntax import column_names, require_column, require_small_powers
from novikoff.errors import ParameterError


class Sides(NamedTuple):
    """The terms on the left, of which there may be none, and on the right; and the formula as
    text, with the columns that a dot stands for in its place.
    """

    left: list[Any]
    right: list[Any]
    text: str


def formulaic() -> Any:
    """The library of formulas, if it is installed."""
    try:
        import formulaic as library
    except ImportError:
        raise ParameterError('formulas need more: pip install "novikoff[stats]"') from None
    return library


def parse_formula(formula: str, columns: Sequence[str], set_aside: Sequence[str] = ()) -> Sides:
    """The sides of a formula. A dot stands for the columns, but for those of the outcome and those
    that are set aside.
    """
    left, right = _sides(_parse(formula, columns))
    dots = _dots(formula)
    if not dots:
        return Sides(left, right, formula)
    gone = {*used_columns(left, columns), *set_aside}
    known = [each for each in columns if each not in gone]
    names = " + ".join(f"`{each}`" for each in known)
    if not known or any("`" in each for each in known):
        raise ParameterError("the formula has a dot, which stands for no column here")
    for place in reversed(dots):
        formula = f"{formula[:place]}({names}){formula[place + 1 :]}"
    return Sides(*_sides(_parse(formula, columns)), formula)


def used_columns(terms: list[Any], columns: Sequence[str]) -> list[str]:
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


def has_formula_columns(formula: str, columns: Sequence[str]) -> bool:
    """Whether a table with these columns is one that the formula is about, not its design."""
    try:
        for terms in _sides(_parse(formula, columns)):
            used_columns(terms, columns)
    except ParameterError:
        return False
    return True


def one_line(error: BaseException) -> str:
    """What an error says, without colours."""
    text = re.sub(r"\x1b\[[0-9;]*m|[\u29da\u29db]", "", str(error))
    return " ".join(text.split()) or type(error).__name__


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
        text = one_line(error)
        raise ParameterError(f"the formula {formula!r:.200} cannot be read: {text[:300]}") from None


def _dots(formula: str) -> list[int]:
    """The places of the dots that stand for columns."""
    from formulaic.parser.algos.tokenize import tokenize

    tokens = tokenize(formula)
    return [
        each.source_start for each in tokens if each.token == "." and each.kind.value == "value"
    ]


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
