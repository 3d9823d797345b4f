"""Columns of names: two names never share one, however their hashes fall; what share one by a hash
is counted.
"""

import json
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data.text.vw import feature_index
from novikoff.data.text.vw.block import VwOptions, parse_block
from novikoff.data.text.vw.feature_index import (
    Collisions,
    FeatureIndex,
    NewNames,
    hash_of,
    new_names,
)
from novikoff.data.text.vw.feature_index_kernel import look_up
from novikoff.errors import ParameterError

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


def column(table: FeatureIndex, name: str) -> int:
    raw = name.encode()
    return int(look_up(table.known(), np.uint64(hash_of(raw)), np.frombuffer(raw, np.uint8)))


def test_the_hash_is_the_documented_one_for_ever() -> None:
    # FNV-1a is published as 0xAF63DC4C8601EC8C for a and 0x85944171F73967E8 for foobar; mixed here.
    known = {
        b"a": 0x82A2A958A9BECE5B,
        b"foobar": 0x2C22194922D1672B,
        b"ns^\xc3\xbc": 0x2363F19202A661E8,
    }
    assert {name: hash_of(name) for name in known} == known


def test_the_low_bits_of_the_hash_look_random() -> None:
    # As many names as columns leave a fraction 1/e of the columns empty; FNV-1a alone, 0.39.
    used = {hash_of(b"f%d" % k) % 2**14 for k in range(2**14)}
    assert abs(1 - len(used) / 2**14 - np.exp(-1)) < 0.015


@given(names=st.lists(NAMES, max_size=20))
def test_the_compiled_hash_is_the_same(names: list[str]) -> None:
    assert new_names(names).hashes.tolist() == [hash_of(name.encode()) for name in names]


@given(names=st.lists(NAMES, max_size=60))
def test_names_are_numbered_as_they_come(names: list[str]) -> None:
    table, order = FeatureIndex(), {}
    for start in range(0, len(names), 7):
        part = names[start : start + 7]
        columns = table.add(new_names(part))
        for name in part:
            order.setdefault(name, len(order))
        assert columns.tolist() == [order[name] for name in part]
    assert table.names() == list(order)
    assert all(column(table, name) == k for name, k in order.items())
    assert column(table, "never\n") == -1


@pytest.mark.parametrize("shared", [0, 7, 2**64 - 1, 2**63])
def test_names_of_one_hash_have_columns_of_their_own(shared: int) -> None:
    names = [f"{'x' * (k % 11)}{k}" for k in range(1500)]
    same = new_names(names)._replace(hashes=np.full(len(names), shared, np.uint64))
    table = FeatureIndex()
    assert table.add(same).tolist() == list(range(1500))
    assert table.add(same).tolist() == list(range(1500))
    assert table.names() == names


def forged(names: list[bytes], hashed: int = 7) -> NewNames:
    """Names that are all said to have the same hash."""
    offsets = np.cumsum([0, *map(len, names)])
    letters = np.frombuffer(b"".join(names), np.uint8).copy()
    return NewNames(np.full(len(names), hashed, np.uint64), letters, offsets)


def test_every_bit_of_a_name_is_compared() -> None:
    for size in (1, 2, 7, 8, 9, 16, 23):
        name = bytes(range(97, 97 + size))
        others = [
            name[:k] + bytes([name[k] ^ 1 << bit]) + name[k + 1 :]
            for k in range(size)
            for bit in range(8)
        ]
        table = FeatureIndex()
        assert table.add(forged([name, *others])).tolist() == list(range(1 + 8 * size))
        assert table.add(forged([*others, name])).tolist() == [*range(1, 1 + 8 * size), 0]


@pytest.mark.parametrize(
    ("line", "name"),
    [(b"1 |space some:2", b"space^some"), (b"1 | alone:2", b"alone"),
     (b"1 |long_namespace city:saint-petersburg", b"long_namespace^city^saint-petersburg"),
     (b"1 | a:b:c", b"a^b:c")],
)  # fmt: skip
def test_a_name_in_pieces_is_compared_whole(line: bytes, name: bytes) -> None:
    text = np.frombuffer(line, np.uint8)
    near = [name[:k] + bytes([name[k] ^ 64]) + name[k + 1 :] for k in range(len(name))]
    table = FeatureIndex()
    table.add(forged([*near, name[:-1], name + b"x"], hash_of(name)))
    found = parse_block(text, VwOptions(True, table.known()), skip=False)
    assert found.columns.tolist() == [-1]
    table.add(forged([name], hash_of(name)))
    found = parse_block(text, VwOptions(True, table.known()), skip=False)
    assert found.columns.tolist() == [len(near) + 2]


def test_a_table_grows() -> None:
    table = FeatureIndex()
    names = [f"name {k}" * (1 + k % 50) for k in range(20_000)]
    for start in range(0, len(names), 3000):
        table.add(new_names(names[start : start + 3000]))
    assert table.names() == names
    assert len(table) == len(names)
    assert [column(table, names[k]) for k in range(0, 20_000, 777)] == list(range(0, 20_000, 777))
    assert (table.hashes() == new_names(names).hashes).all()


def test_what_is_known_stays_so_while_names_are_added() -> None:
    names = [f"n{k}" for k in range(30_000)]
    table = FeatureIndex()
    table.add(new_names(names[:400]))
    known, wrong, stop = table.known(), [], threading.Event()

    def look() -> None:
        while not stop.is_set():
            for k in range(0, 30_000, 997):
                raw = names[k].encode()
                found = look_up(known, np.uint64(hash_of(raw)), np.frombuffer(raw, np.uint8))
                if found != (k if k < 400 else -1):
                    wrong.append((k, found))

    thread = threading.Thread(target=look)
    thread.start()
    for start in range(400, len(names), 50):
        table.add(new_names(names[start : start + 50]))
    stop.set()
    thread.join()
    assert not wrong
    for name in names[400:520]:  # some of which are in the same arrays by now
        raw = name.encode()
        assert look_up(known, np.uint64(hash_of(raw)), np.frombuffer(raw, np.uint8)) == -1
    assert table.names() == names


def test_a_name_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="'b' comes twice"):
        FeatureIndex.of(["a", "b", "c", "b"])


def hashes(names: list[str]) -> np.ndarray:
    return new_names(names).hashes


@given(names=st.lists(NAMES, max_size=40), bits=st.integers(1, 6))
def test_collisions_are_counted(names: list[str], bits: int) -> None:
    counted = Collisions(bits)
    for start in range(0, len(names), 9):
        counted.add(hashes(names[start : start + 9]))
    columns = [hash_of(name.encode()) % 2**bits for name in set(names)]
    shared = sum(columns.count(each) > 1 for each in set(columns))
    assert counted.counts() == (len(set(names)), shared)
    again = Collisions(bits)
    again.load_state_dict(json.loads(json.dumps(counted.state_dict())))
    assert again.counts() == counted.counts()
    assert again.note() == counted.note()


def test_remarks() -> None:
    counted = Collisions(18)
    counted.add(hashes(["a"]))
    assert counted.note() == (
        "1 name in 262,144 columns: no columns are shared by two or more names"
    )
    counted = Collisions(10)
    counted.add(hashes([f"f{k}" for k in range(2000)]))
    assert counted.note().startswith("2,000 names in 1,024 columns: ")
    counted = Collisions(1)
    counted.add(hashes(["a", "a", "b", "c"]))
    assert counted.note().startswith("3 names in 2 columns: 1 column")


def test_counting_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_index, "MOST_COUNTED", 1000)
    names = [f"f{k}" for k in range(3000)]
    at_once, by_parts = Collisions(10), Collisions(10)
    at_once.add(hashes(names[:900] * 3))
    assert at_once.counting
    at_once.add(hashes(names))
    for start in range(0, 3000, 70):
        by_parts.add(hashes(names[start : start + 70]))
    for counted in (at_once, by_parts):
        assert not counted.counting
        assert counted.counts()[0] == 1000
        assert counted.note().startswith("more than 1,000 names in 1,024 columns: among the ")
        again = Collisions(10)
        again.load_state_dict(counted.state_dict())
        assert not again.counting
        assert again.note() == counted.note() == at_once.note()
    exactly = Collisions(10)
    exactly.add(hashes(names[:1000]))
    exactly.add(hashes(names[:1000]))
    assert exactly.counting
    assert exactly.note().startswith("1,000 names")


def test_an_empty_table() -> None:
    table = FeatureIndex.of([])
    assert table.names() == []
    assert column(table, "a") == -1
    none = NewNames(np.empty(0, np.uint64), np.empty(0, np.uint8), np.zeros(1, np.int64))
    assert table.add(none).tolist() == []
