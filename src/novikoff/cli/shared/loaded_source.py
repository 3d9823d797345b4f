"""A source in memory, and labels from the command line."""

from novikoff.data.chunk import LabelArray
from novikoff.data.loaded_source import LoadedSource
from novikoff.data.text.tokens import NotANumberError, number
from novikoff.errors import ParameterError

__all__ = ["LoadedSource", "as_label"]


def as_label(
    text: str | None, labels: LabelArray, option: str = "--positive"
) -> str | float | None:
    """Convert a label from the command line to the type of the data's labels."""
    if text is None or labels.dtype.kind == "U":
        return text
    try:
        return number(text)
    except NotANumberError:
        raise ParameterError(f"{option} {text}: the labels of these rows are numbers") from None
