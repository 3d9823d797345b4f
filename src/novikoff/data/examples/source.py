"""Built-in data by name: `example:xor`, `example:separable?rows=1000&margin=0.1`."""

from collections.abc import Mapping
from difflib import get_close_matches

from novikoff.data.errors import check_features
from novikoff.data.examples.registry import EXAMPLES, Example
from novikoff.data.source import UNOPENED, InMemorySource, Opening, SourceInfo
from novikoff.data.text.tokens import NotANumberError, number, shown
from novikoff.errors import DataError

PREFIX = "example:"


class ExampleSource(InMemorySource):
    """The rows of a built-in example; `example` is its entry in the list."""

    def __init__(
        self,
        text: str,
        *,
        features: int | None = None,
        labelled: bool = True,
        opening: Opening = UNOPENED,
    ) -> None:
        name, _, query = text.removeprefix(PREFIX).partition("?")
        if name not in EXAMPLES:
            hint = _hint(name, EXAMPLES)
            raise DataError(f"{PREFIX}{name}: no example is called {shown(name)}, {hint}")
        self.example = EXAMPLES[name]
        parameters = _parameters(self.example, query)
        try:
            data = self.example.build(**parameters)
        except DataError as problem:
            raise DataError(f"{text}: {problem}") from None
        target_name = data.target_name if labelled else None
        info = SourceInfo(
            text, "example", feature_names=data.feature_names, target_name=target_name
        )
        super().__init__(info, data.X, data.y if labelled else None, opening)
        check_features(text, data.X.shape[1], features)


def _parameters(example: Example, query: str) -> dict[str, int | float]:
    """The values in `rows=10&seed=1`, as the types of their defaults."""
    values: dict[str, int | float] = {}
    for item in query.split("&") if query else ():
        key, equals, text = item.partition("=")
        where = f"{PREFIX}{example.name}"
        if key not in example.parameters:
            hint = _hint(key, example.parameters) if example.parameters else "it has none"
            raise DataError(f"{where}: no parameter is called {shown(key)}, {hint}")
        if not equals or key in values:
            raise DataError(
                f"{where}: found {shown(item)}, expected each parameter once, as in "
                f"'{key}={example.parameters[key]}'"
            )
        values[key] = _value(where, key, text, example.parameters[key])
    return values


def _value(where: str, key: str, text: str, default: int | float) -> int | float:
    if isinstance(default, int):
        if text.isascii() and text.isdigit() and len(text) <= 18:
            return int(text)
        raise DataError(
            f"{where}: {key}: found {shown(text)}, expected a whole number from 0 on, "
            f"as in '{key}={default}'"
        )
    try:
        return number(text)
    except NotANumberError as problem:
        raise DataError(f"{where}: {key}: {problem}") from None


def _hint(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name.lower(), known, 1, cutoff=0.5)
    nearest = f"; did you mean {shown(close[0])}?" if close else ""
    return f"expected one of: {', '.join(known)}{nearest}"
