"""What a text format is: how a block of text becomes a chunk of rows."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from novikoff.data.chunk import Chunk
from novikoff.data.errors import BadRowError
from novikoff.data.files.blocks import Block
from novikoff.data.text.labels import Labels


class ParsedBlock(Protocol):
    """What a format makes of a block: its own arrays, and these."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    @property
    def line_ends(self) -> int:
        """The number of line ends in the block, those of blank lines and comments too."""

    @property
    def skipped(self) -> Sequence[BadRowError]:
        """The rows that were left out; never any unless bad rows are to be skipped."""


Parsed = TypeVar("Parsed", bound=ParsedBlock)


class TextFormat(ABC, Generic[Parsed]):
    """How text becomes rows: two functions, and what a pass has found so far.

    `parse` sees one block, and runs on several threads at the same time: it must not change
    anything. `chunk` runs in the order of the blocks, and sees what came before.
    """

    name: str
    _labels: Labels
    #: The delimiter of fields that may be in double quotes, with line ends inside; "": none may be.
    quoted = ""
    target_name: str | None = None
    categories: tuple[str, ...] = ()

    @abstractmethod
    def parse(self, block: Block) -> Parsed:
        """The rows of a block.

        Raises a BadRowError at the first bad row, or lists them all if they are to be skipped.
        """

    def count(self, parsed: Parsed) -> None:
        """Count what a block holds besides rows; it may have none."""

    @abstractmethod
    def chunk(self, parsed: Parsed, name: str, line: int) -> Chunk:
        """The rows as a chunk. name: of their file; line: the number of lines before the block."""

    def start_over(self) -> None:
        """Forget what an earlier pass found, but for what is the same in every pass.

        That is the kind of labels. Names and values of categories stay known: it is the same data,
        and a learner is as wide as all of them.
        """
        self._labels.start_over()

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """What the chunks after a position depend on, as JSON."""

    @abstractmethod
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what another pass had found."""

    @abstractmethod
    def no_rows(self, skipped: int) -> str:
        """What is wrong with data without any rows. skipped: how many were left out."""

    def no_features(self) -> str | None:
        """What is wrong if a whole pass has found no feature; None if it has."""
        return None

    def header_lines(self, file: int) -> int:
        """The number of lines before the rows of a file."""
        return 0

    @property
    def feature_names(self) -> list[str] | None:
        """The names of the columns, as far as they are known."""
        return None

    @property
    def index_options(self) -> dict[str, Any]:
        """Options for `open` that give another file the same feature indices."""
        return {}

    @property
    def lowest_index(self) -> int | None:
        """Where indices start as far as the rows tell, if nobody said so: 0 or 1.

        None for formats without indices.
        """
        return None

    def notes(self) -> list[str]:
        """What a person should be told about the data, in sentences."""
        return []
