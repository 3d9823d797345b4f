"""Combinations of coefficients by their names."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from novikoff.data.text.tokens import NotANumberError, exact
from novikoff.errors import ParameterError
from novikoff.verdict.signed import INTERCEPT, as_fraction

SHOWN = 8  # names in a complaint


class ContrastColumns(NamedTuple):
    """The coefficients that a contrast may weigh, by their names or places."""

    names: Sequence[str]

    def parse(self, text: str) -> list[Fraction]:
        """Parse a contrast as a command line writes it: a weight for each coefficient.

        >>> columns = ContrastColumns(["a", "b", "intercept"])
        >>> [str(weight) for weight in columns.parse("b=1,intercept=-0.5")]
        ['0', '1', '-1/2']
        """
        where = f"--contrast {text}"
        pairs = []
        for word in text.split(","):
            name, equals, weight = (part.strip() for part in word.rpartition("="))
            if not equals:
                raise ParameterError(f"{where}: expected NAME=WEIGHT,... such as x1=1,x2=-1")
            try:
                pairs.append((name, exact(weight)))
            except NotANumberError as problem:
                raise ParameterError(f"{where}: {problem}") from None
        return self._weights(pairs, where)

    def weights(self, by_name: Mapping[str, Any], where: str) -> list[Fraction]:
        """A weight for each coefficient; where: what messages call the contrast."""
        return self._weights(
            [(name, as_fraction(weight, (0, 0))) for name, weight in by_name.items()], where
        )

    def _weights(self, pairs: Sequence[tuple[str, Fraction]], where: str) -> list[Fraction]:
        weights = [Fraction(0)] * len(self.names)
        for name, weight in pairs:
            weights[self._place(name, where)] += weight
        if not any(weights):
            raise ParameterError(f"{where}: no weight is other than 0")
        return weights

    def _place(self, name: str, where: str) -> int:
        names = list(self.names)
        if names.count(name) > 1:
            problem = f"{names.count(name)} columns are called {name}; give its place"
            raise ParameterError(f"{where}: {problem}")
        if name in names:
            return names.index(name)
        features = len(names) - (names[-1:] == [INTERCEPT])
        place = name.removeprefix("column ")  # what columns without names are called
        if place.isascii() and place.isdigit() and len(place) < 10 and int(place) < features:
            return int(place)
        if names[:features] == [f"column {j}" for j in range(features)]:
            known = f"places from 0 to {features - 1}"
        else:
            known = ", ".join(names[: min(SHOWN, features)]) + ", ..." * (features > SHOWN)
        raise ParameterError(f"{where}: there is no column {name!r}, only {known}")
