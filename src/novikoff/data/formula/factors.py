"""Factors in treatment coding: a column for each level but the reference."""

from typing import Any, NamedTuple

from novikoff.data.formula.syntax import plain_column


class Factor(NamedTuple):
    """A factor of a formula. columns: the column of each level that has one. reference: the level
    that has none; None if each has one.
    """

    name: str
    columns: dict[str, str]
    reference: str | None

    @property
    def levels(self) -> list[str]:
        """All levels, the reference first."""
        return [*([] if self.reference is None else [self.reference]), *self.columns]


def factors_of(spec: Any) -> list[Factor]:
    """The factors that are terms by themselves, of formulaic's specification of a design."""
    found = []
    for term, places in spec.term_indices.items():
        state = spec.factor_contrasts.get(term.factors[0]) if len(term.factors) == 1 else None
        if state is None or type(state.contrasts).__name__ != "TreatmentContrasts":
            continue
        levels, base = [*state.levels], state.contrasts.base
        if len(places) == len(levels):
            coded, reference = levels, None
        else:
            reference = base if base in levels else levels[0]
            coded = [level for level in levels if level != reference]
        names = [str(spec.column_names[place]) for place in places]
        if len(coded) == len(names):
            columns = dict(zip(map(str, coded), names, strict=True))
            name = plain_column(str(term.factors[0].expr))
            found.append(Factor(name, columns, None if reference is None else str(reference)))
    return found
