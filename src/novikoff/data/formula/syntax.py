"""The terms of a formula that are harmless to evaluate.

formulaic evaluates terms as Python. So every term is read as a syntax tree first, and what is not
plain arithmetic on columns, or one of a few named functions, is refused.
"""

import ast
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from novikoff.errors import ParameterError

FUNCTIONS = frozenset(
    {
        *("C", "I", "log", "log10", "log2", "exp", "sqrt", "center", "scale", "standardize"),
        *("poly", "bs", "cr", "cs", "cc", "Treatment", "Sum", "Helmert", "Diff", "Poly"),
    }
)
CODINGS = frozenset(["treatment", "sas", "sum", "helmert", "diff", "poly"])  # of `contr`
PLAIN = (
    *(ast.Expression, ast.Name, ast.Constant, ast.Call, ast.keyword, ast.List, ast.Tuple),
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.Load),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)
LARGEST_POWER = 10
MOST_PRODUCTS = 1_000_000  # that a power of terms is multiplied out to


def require_small_powers(formula: str) -> None:
    """Refuse a power of terms that formulaic would multiply out for hours."""
    from formulaic.parser.algos.tokenize import tokenize

    tokens = [*tokenize(formula)]
    for place, token in enumerate(tokens):
        if token.token not in ("**", "^") or token.kind is not token.Kind.OPERATOR:
            continue
        power = next((each.token for each in tokens[place + 1 :] if each.token != "("), "")
        exponent = int(power) if power.isdecimal() and len(power) < 10 else LARGEST_POWER + 1
        if exponent > LARGEST_POWER or _terms(tokens[:place]) ** exponent > MOST_PRODUCTS:
            raise ParameterError(
                f"the formula has a power of terms, {power:.20}, that stands for too many products:"
                f" it can be at most {LARGEST_POWER}, and less of many terms"
            )


def _terms(tokens: Sequence[Any]) -> int:
    """The most terms that the name or the group at the end of some tokens can stand for."""
    depth = names = 0
    sums = True
    for token in reversed(tokens):
        depth += (token.token == ")") - (token.token == "(")
        operator = token.kind is token.Kind.OPERATOR
        sums &= not operator or token.token in "+-"
        names += not operator and token.token not in "()"
        if depth <= 0:
            break
    return names if sums else 2 ** min(names, 60)


def column_names(expression: str, columns: Sequence[str]) -> list[str]:
    """The columns in an expression, which must be harmless."""
    try:
        tree = ast.parse(re.sub("`[^`]*`", "0", expression), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refusal(expression, "it is no expression") from None
    nodes = [*ast.walk(tree)]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    functions = {id(part) for call in calls for part in ast.walk(call.func)}
    for call in calls:
        _require_function(call, expression)
    found: list[str] = re.findall("`([^`]*)`", expression)
    for node in nodes:
        if id(node) not in functions:
            _require_plain(node, expression)
            found += [node.id] if isinstance(node, ast.Name) else []
    for each in found:
        require_column(each, columns, "the formula: ")
    return found


def _require_plain(node: ast.AST, expression: str) -> None:
    """Only columns, numbers, text, and arithmetic with them."""
    if isinstance(node, ast.Attribute):
        raise _refusal(expression, "attributes are not for formulas")
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float | str | None):
        raise _refusal(expression, f"{node.value!r} is neither a number nor text")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        _require_power(node, expression)
    if not isinstance(node, PLAIN):
        raise _refusal(expression, f"{type(node).__name__} is not for formulas")


def _require_function(call: ast.Call, expression: str) -> None:
    """Only named functions, with plain arguments."""
    function = call.func
    if isinstance(function, ast.Attribute):
        owner = function.value
        if isinstance(owner, ast.Name) and owner.id == "contr" and function.attr in CODINGS:
            return
        raise _refusal(expression, "attributes are not for formulas")
    name = function.id if isinstance(function, ast.Name) else None
    if name not in FUNCTIONS:
        known = ", ".join(sorted(FUNCTIONS))
        raise _refusal(expression, f"{name or 'that'} is none of the functions {known}")
    if any(each.arg is None for each in call.keywords):
        raise _refusal(expression, "** among arguments is not for formulas")


def _require_power(power: ast.BinOp, expression: str) -> None:
    """A column to a small power: 9**9**9 would fill the memory."""
    exponent, of_column = power.right, any(isinstance(n, ast.Name) for n in ast.walk(power.left))
    value = exponent.value if isinstance(exponent, ast.Constant) else None
    if not of_column or not isinstance(value, int | float) or abs(value) > LARGEST_POWER:
        raise _refusal(expression, f"a power is of a column, with at most {LARGEST_POWER}")


def _refusal(expression: str, why: str) -> ParameterError:
    return ParameterError(
        f"the formula has {expression!r:.80}, which is not evaluated: {why}. Make a column of it"
        " first, where you trust it"
    )


def require_column(name: str, columns: Sequence[str], where: str) -> None:
    """Refuse a name that no column has."""
    if name in columns:
        return
    close = get_close_matches(name, columns, 1, cutoff=0.5)
    known = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(columns[:8])}"
    raise ParameterError(f"{where}there is no column {name!r}; {known}")


def plain_column(expression: str) -> str:
    """The column that a term of one factor codes, such as race of C(race); or the term itself.

    >>> plain_column("C(race, contr.treatment('white'))"), plain_column("race")
    ('race', 'race')
    """
    found = re.fullmatch(r"C\(\s*`?([^,()`]+?)`?\s*(,.*)?\)", expression)
    return expression if found is None else found[1]
