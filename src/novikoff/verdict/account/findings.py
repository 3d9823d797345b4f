"""A verdict, the rows it is about, and what else was asked of them."""

from typing import NamedTuple, Protocol

from novikoff.data.text.csv.identifiers import identifiers
from novikoff.learning.rows import matrix_of
from novikoff.verdict.coefficients import Coefficient
from novikoff.verdict.result import UNDECIDED, RowOrigin, Verdict
from novikoff.verdict.signed import Signed, SignedRows

MOST_COLUMNS = 100  # whose coefficients are looked at without being asked for


class SignedOrigin:
    """What is known of rows without their source: signs, and perhaps lines."""

    name = ""

    def __init__(self, signed: SignedRows) -> None:
        self._signed = signed
        self.by_number = signed.lines is None

    def where(self, row: int) -> str:
        """The line of a row, or its number."""
        lines = self._signed.lines
        return f"row {row}" if lines is None else f"line {int(lines[row])}"

    def label(self, row: int) -> object:
        """The label of a row, as far as its sign tells."""
        labels, positive = self._signed.labels, self._signed.signs[row] > 0
        if labels is None:
            return "above 0" if positive else "0"
        if positive or labels.negative is not None:
            return labels.positive if positive else labels.negative
        return f"not {labels.positive}"

    @property
    def identifiers(self) -> list[str]:
        """Those of a frame, or of other columns with names."""
        signed = self._signed
        if not isinstance(signed, Signed) or signed.feature_names is None:
            return []
        if signed.cone is None:
            return identifiers(matrix_of(signed.rows), signed.feature_names, {})
        return identifiers(signed.cone.table.given.matrix, signed.cone.table.names, {})

    def notes(self) -> list[str]:
        """None."""
        return []


class Findings(Protocol):
    """A verdict, the rows it is about, and what else was asked for; None where it was not."""

    @property
    def source(self) -> RowOrigin: ...

    @property
    def data(self) -> str:
        """How a command names the rows."""

    @property
    def verdict(self) -> Verdict: ...

    @property
    def rank(self) -> int | None:
        """Worked out together with the coefficients."""

    @property
    def coefficients(self) -> list[Coefficient] | None: ...

    @property
    def contrasts(self) -> list[Coefficient] | None: ...

    @property
    def one_against_rest(self) -> dict[object, Verdict] | None: ...


class OwnFindings(NamedTuple):
    """What there is to say of a verdict by itself."""

    source: RowOrigin
    verdict: Verdict
    rank: int | None = None
    coefficients: list[Coefficient] | None = None
    contrasts: list[Coefficient] | None = None
    one_against_rest: dict[object, Verdict] | None = None
    data: str = "DATA"


def findings_of(verdict: Verdict) -> Findings:
    """The findings of a verdict by itself."""
    origin, each = verdict.origin or SignedOrigin(verdict.signed), vars(verdict)
    known = each.get("one_against_rest")  # if somebody has asked for it
    found = OwnFindings(origin, verdict, one_against_rest=known)
    if verdict.outcome == UNDECIDED or verdict.features > MOST_COLUMNS:
        return found
    return found._replace(rank=verdict.rank, coefficients=verdict.coefficients)
