"""Columns for named features: by a dictionary, or by a hash of the name.

A dictionary numbers the names in the order in which they first appear. Two names never share a
column: they are compared byte for byte. A hash needs no memory of names, and lets some share one.
Either way worker threads look names up in what is known when they begin (`known`), and only the new
ones have to wait for their turn (`add`).
"""

import base64
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.errors import ParameterError
from novikoff.number_text import count

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

#: A namespace of a megabyte before each of a million features would fill any memory.
LONGEST_NAME = 1000
MOST_BITS = 30
#: Names that are told from each other to count collisions: 24 to 48 bytes each, 96 MB at most.
MOST_COUNTED = 2**22

_BASIS, _PRIME, _64_BITS = 0xCBF29CE484222325, 0x100000001B3, 2**64 - 1
_FIRST, _SECOND = 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53
_FEWEST_SLOTS = 1024
SHARED = "shared by two or more names"  # how what is said of hashed names ends


def hash_of(name: bytes) -> int:
    """The 64-bit hash of a name, the same on every machine and in every version.

    FNV-1a over the bytes of the name in UTF-8, namespace^name, then the last steps of MurmurHash3:

        h = 0xcbf29ce484222325;  for each byte: h = (h ^ byte) * 0x100000001b3
        h = (h ^ h >> 33) * 0xff51afd7ed558ccd
        h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53
        h = h ^ h >> 33

    all mod 2^64. With `hash_bits` = B the name's column is h mod 2^B.

    >>> hex(hash_of(b"")), hex(hash_of(b"animal^legs"))
    ('0xefd01f60ba992926', '0xb3fc2f43efab876a')
    """
    state = _BASIS
    for byte in name:
        state = (state ^ byte) * _PRIME & _64_BITS
    state = (state ^ state >> 33) * _FIRST & _64_BITS
    state = (state ^ state >> 33) * _SECOND & _64_BITS
    return state ^ state >> 33


def checked_bits(bits: int) -> int:
    """`bits` if that many can number columns."""
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= MOST_BITS:
        raise ParameterError(
            f"found hash_bits={bits!r}, expected a whole number from 1 to {MOST_BITS}: 18 bits are"
            " 262,144 columns"
        )
    return bits


class IndexSnapshot(NamedTuple):
    """What a table knows at one moment. The arrays may be filled further, never changed."""

    slots: Words  # a power of two of them; 0 is a free one
    hashes: Words  # of each column's name
    offsets: Ints  # the name of column j is letters[offsets[j]:offsets[j + 1]]
    letters: Bytes
    columns: int  # how many there are
    named: bool  # whether names are kept; else those of equal hash are one


class NewNames(NamedTuple):
    """Names in the order of their appearance, some perhaps more than once."""

    hashes: Words
    letters: Bytes
    offsets: Ints  # of the letters; all 0 where only hashes matter

    def name(self, k: int) -> str:
        """The k-th of them."""
        return self.letters[self.offsets[k] : self.offsets[k + 1]].tobytes().decode()


class FeatureIndex:
    """Columns of names, numbered as they come; of hashes alone if not `named`.

    A name takes its letters and 32 bytes, twice that after the table has just grown.
    """

    def __init__(self, *, named: bool = True) -> None:
        few = _FEWEST_SLOTS // 2
        letters = np.empty(16 * few if named else 0, np.uint8)
        offsets = np.zeros(few + 1 if named else 1, np.int64)
        slots, hashes = np.zeros(_FEWEST_SLOTS, np.uint64), np.empty(few, np.uint64)
        self._known = IndexSnapshot(slots, hashes, offsets, letters, 0, named)

    @classmethod
    def of(cls, names: Sequence[str]) -> "FeatureIndex":
        """A table of these names, none of which may come twice."""
        table = cls()
        table.add(new_names(names))
        if len(table) != len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise ParameterError(f"the name {twice!r} comes twice among the names: give each once")
        return table

    def __len__(self) -> int:
        return self._known.columns

    def known(self) -> IndexSnapshot:
        """What is known now; other threads may use it while names are added."""
        return self._known

    def add(self, new: NewNames) -> NDArray[np.int32]:
        """The columns of names: those they have, or the next ones."""
        from novikoff.data.text.vw.feature_index_kernel import add  # Numba is slow to import

        columns = np.empty(len(new.hashes), np.int32)
        first = 0
        while True:
            first, count = add(self._known, *new, first, columns)
            self._known = self._known._replace(columns=int(count))
            if first == len(columns):
                return columns
            self._grow(int(new.offsets[first + 1] - new.offsets[first]))

    def _grow(self, size: int) -> None:
        """Room for twice as many names, and for one of that size. Others may use the old arrays."""
        from novikoff.data.text.vw.feature_index_kernel import fill

        old = self._known
        slots, hashes, offsets, letters = old.slots, old.hashes, old.offsets, old.letters
        if old.columns >= len(hashes):
            hashes = _longer(hashes, 2 * len(hashes))
            offsets = _longer(offsets, len(hashes) + 1) if old.named else offsets
            slots = np.zeros(2 * len(slots), np.uint64)
            fill(slots, hashes, old.columns)
        if old.named and offsets[old.columns] + size > len(letters):
            letters = _longer(letters, 2 * len(letters) + size)
        self._known = IndexSnapshot(slots, hashes, offsets, letters, old.columns, old.named)

    def names(self) -> list[str]:
        """All names, in the order of their columns."""
        known = self._known
        letters = known.letters[: known.offsets[known.columns]].tobytes()
        cuts = known.offsets[: known.columns + 1].tolist()
        return [letters[a:b].decode() for a, b in pairwise(cuts)]

    def hashes(self) -> Words:
        """All hashes, in the order of their columns."""
        return self._known.hashes[: self._known.columns]


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    longer = np.zeros(size, array.dtype)
    longer[: len(array)] = array
    return longer


def new_names(names: Sequence[str]) -> NewNames:
    """Names that are text already."""
    from novikoff.data.text.vw.feature_index_kernel import hash_names

    raw = [name.encode() for name in names]
    offsets = np.zeros(len(raw) + 1, np.int64)
    np.cumsum([len(each) for each in raw], out=offsets[1:])
    letters = np.frombuffer(b"".join(raw), np.uint8).copy()
    hashes = np.empty(len(raw), np.uint64)
    hash_names(letters, offsets, hashes)
    return NewNames(hashes, letters, offsets)


class Collisions:
    """Counts the names that hashing puts into 2^bits columns, and the columns that they share.

    Names of equal 64-bit hash count as one; among a million names there is such a pair once in 37
    million cases. At most MOST_COUNTED names are told apart, so that memory is bounded: what comes
    after them is not counted, and the remark says so.
    """

    def __init__(self, bits: int) -> None:
        self.columns: int = 2**bits
        self._table = FeatureIndex(named=False)
        self._more = False

    def known(self) -> IndexSnapshot:
        """What is known now; other threads may use it while names are added."""
        return self._table.known()

    @property
    def counting(self) -> bool:
        """Whether new names still count."""
        return not self._more

    def add(self, hashes: Words) -> None:
        """Count the names of these hashes that are new."""
        for start in range(0, len(hashes), MOST_COUNTED):
            if self._more:
                return
            room = MOST_COUNTED - len(self._table)
            part = hashes[start : start + MOST_COUNTED]
            if len(part) > room:
                part = self._new(part)
                self._more = len(part) > room
            none = np.zeros(len(part[:room]) + 1, np.int64)
            self._table.add(NewNames(part[:room], np.empty(0, np.uint8), none))

    def _new(self, hashes: Words) -> Words:
        """Those that are not in the table, each once, in their order."""
        _, places = np.unique(hashes, return_index=True)
        once = hashes[np.sort(places)]
        return once[~np.isin(once, self._table.hashes())]

    def counts(self) -> tuple[int, int]:
        """How many names there were, and how many columns have two or more of them."""
        used, names = np.unique(
            self._table.hashes() & np.uint64(self.columns - 1), return_counts=True
        )
        return len(self._table), int((names > 1).sum()) if len(used) else 0

    def note(self) -> str:
        """The counts as a sentence."""
        names, shared = self.counts()
        found = f"{count(names, 'name')} in {self.columns:,} columns"
        columns = (
            "1 column is" if shared == 1 else f"{f'{shared:,}' if shared else 'no'} columns are"
        )
        if not self._more:
            return f"{found}: {columns} {SHARED}"
        return (
            f"more than {found}: among the first {names:,}, which were counted, {columns} {SHARED}"
        )

    def state_dict(self) -> dict[str, Any]:
        """What has been counted, as JSON."""
        hashes = self._table.hashes().astype("<u8").tobytes()
        return {"hashes": base64.b64encode(hashes).decode(), "more": self._more}

    def load_state_dict(self, memory: Any) -> None:
        """Go on counting from there."""
        self._table, self._more = FeatureIndex(named=False), False
        self.add(np.frombuffer(base64.b64decode(memory["hashes"]), "<u8").astype(np.uint64))
        self._more = bool(memory["more"])
