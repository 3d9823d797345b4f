"""The hypotheses of a bound, and the bound, which may be refused."""

from typing import TYPE_CHECKING, Any, NamedTuple

from novikoff import notebook

if TYPE_CHECKING:  # the formulas and their refusals need no Numba
    from novikoff.verdict.signed import SignedRows


class Hypothesis(NamedTuple):
    """One thing that a theorem asks for, and whether these data give it.

    sentence: the hypothesis.
    holds: True or False; None where that is not known.
    why: what shows it, one way or the other.

    >>> import novikoff as nk
    >>> bound = nk.bounds.on([[1.0], [-1.0]], [1, -1], only=["novikoff"])[0]
    >>> all(each.holds for each in bound.hypotheses)
    True
    """

    sentence: str
    holds: bool | None
    why: str


class Bound(NamedTuple):
    """One theorem's bound on one data set.

    name: of the theorem, as `novikoff bound --only` takes it.
    value: the most mistakes, a whole number; None where the bound is refused.
    formula: in letters.
    hypotheses: what the theorem asks for, each with what the data say.
    refused: why there is no value; None where there is one.
    real: the value before it is rounded down to a whole number, itself not rounded down.
    figures: the quantities of the formula, by name.
    learner: whose mistakes they are.

    >>> import novikoff as nk
    >>> bound = nk.bounds.on([[1.0], [-1.0]], [1, -1], only=["novikoff"])[0]
    >>> bound.name, bound.value, bound.refused
    ('novikoff', 2, None)
    """

    name: str
    value: int | None
    formula: str
    hypotheses: list[Hypothesis]
    refused: str | None
    real: float | None
    figures: dict[str, Any]
    learner: str

    @property
    def undecided(self) -> bool:
        """Whether it is refused only because a hypothesis is neither shown nor refuted."""
        known = [each.holds for each in self.hypotheses]
        return self.refused is not None and None in known and False not in known

    def _repr_html_(self) -> str:
        facts: list[notebook.Fact] = [("formula", self.formula), ("of", self.learner)]
        for each in self.hypotheses:
            holds = {True: "holds", False: "does not hold", None: "not known"}[each.holds]
            facts.append((each.sentence, f"{holds}: {each.why}" if each.why else holds))
        most = f"at most {self.value:,} mistakes" if self.refused is None else self.refused
        return notebook.facts_html(f"{self.name}: {most}", facts)

    def plot(self, *, backend: str | None = None) -> object:
        """The bound as a point on the axis of mistakes; needs novikoff[report].

        A chart that a notebook shows (Bokeh), elsewhere a Matplotlib figure; `backend` chooses.
        """
        return notebook.plot(self, backend)


def row_name(signed: "SignedRows", i: int) -> str:
    """The name of row i in messages: its line, where it came from a file."""
    return f"row {i}" if signed.lines is None else f"line {int(signed.lines[i])}"


def column_name(signed: "SignedRows", j: int) -> str:
    """The name of column j in messages."""
    return f"column {j}" if signed.feature_names is None else str(signed.feature_names[j])
