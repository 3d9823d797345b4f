"""Where labelled rows come from: text files, tables, arrays on disk, pipes and built-in examples.

Every format becomes a `Source`, which gives its rows whole (`read`) or in bounded memory
(`chunks`). Bad input is refused with the place, the offending token, what was expected and what
to do; a bad row is never dropped or repaired silently.
"""

from novikoff.data.chunk import Chunk, ReadPosition
from novikoff.data.examples import EXAMPLES, Example
from novikoff.data.formats import FORMATS
from novikoff.data.source import Source
from novikoff.data.source_factory import open

__all__ = ["EXAMPLES", "FORMATS", "Chunk", "Example", "ReadPosition", "Source", "open"]
