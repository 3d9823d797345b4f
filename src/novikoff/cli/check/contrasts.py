"""Combinations of coefficients, as a command line writes them: x1=1,x2=-1."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from novikoff.data.text.tokens import NotANumberError, exact
from novikoff.errors import ParameterError

SHOWN = 8  # names in a complaint


class ContrastColumns(NamedTuple):
    """The columns that a contrast may weigh, by their names if they have some, and by places."""

    names: Sequence[str] | None
    features: int
    bias: bool

    def weights(self, text: str) -> list[Fraction]:
        """Parse a contrast: one weight for each coefficient, the intercept last.

        >>> columns = ContrastColumns(["a", "b"], 2, True)
        >>> [str(weight) for weight in columns.weights("b=1,intercept=-0.5")]
        ['0', '1', '-1/2']
        """
        weights = [Fraction(0)] * (self.features + self.bias)
        for word in text.split(","):
            name, equals, weight = (part.strip() for part in word.rpartition("="))
            if not equals:
                raise _error(text, "expected NAME=WEIGHT,... such as x1=1,x2=-1")
            try:
                weights[self._place(text, name)] += exact(weight)
            except NotANumberError as problem:
                raise _error(text, str(problem)) from None
        if not any(weights):
            raise _error(text, "no weight is other than 0")
        return weights

    def _place(self, text: str, name: str) -> int:
        names = list(self.names or ())
        if names.count(name) > 1:
            raise _error(text, f"{names.count(name)} columns are called {name}; give its place")
        if name in names:
            return names.index(name)
        if self.bias and name == "intercept":
            return self.features
        place = name.removeprefix("column ")  # what columns without names are called
        if place.isascii() and place.isdigit() and len(place) < 10 and int(place) < self.features:
            return int(place)
        known = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
        known = known or f"places from 0 to {self.features - 1}"
        raise _error(text, f"there is no column {name!r}, only {known}")


def _error(text: str, problem: str) -> ParameterError:
    return ParameterError(f"--contrast {text}: {problem}")
