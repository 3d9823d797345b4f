"""Damage to files: bytes of any kind, and JSON with other values in its places."""

import copy
import json
import random
from typing import Any

Path = tuple[Any, ...]


def damage_bytes(rng: random.Random, content: bytes, donor: bytes) -> bytes:
    """The content with some bytes changed, lost, added, moved, or taken from another file."""
    if not content:
        return rng.randbytes(8)
    place, size = rng.randrange(len(content)), 1 + int(rng.expovariate(1 / 12))
    head, tail = content[:place], content[place + size :]
    match rng.randrange(9):
        case 0:
            return head
        case 1:
            return content + rng.randbytes(size)
        case 2:
            return head + tail
        case 3:
            return head + bytes(len(content) - len(head) - len(tail)) + tail
        case 4:
            return head + content[place : place + size] + content[place:]
        case 5:
            return head + donor[place:]
        case 6:
            return head + rng.choice([b"9", b"[", b"\x00", b"\xff", b" "]) * size + content[place:]
        case _:
            changed = bytearray(content)
            for _ in range(rng.choice([1, 1, 1, 2, 5])):
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
            return bytes(changed)


#: JSON that Python's own writer would not write, by the text that stands for it until it is there.
RAW = {
    "\x00long\x00": "9" * 5000,
    "\x00longer\x00": "-" + "7" * 10**6,
    "\x00deep\x00": "[" * 10**5 + "]" * 10**5,
    "\x00objects\x00": '{"a":' * 3000 + "1" + "}" * 3000,
    "\x00power\x00": "1e999999999",
    "\x00NaN\x00": "NaN",
    "\x00infinity\x00": "-Infinity",
    "\x00twice\x00": '{"rows": 1, "rows": 2}',
}
ODD = [
    None, True, False, 0, 1, 2, -1, 255, 2**31, 2**32, 2**62, 2**63, -(2**63), 2**64, 10**30,
    0.5, -0.0, 1e300, 5e-324, "", "x", "0", "1", "é\ud7ff", "9" * 400, "../../etc", [], {}, [[]],
    [0], [None], {"": {}}, [1.5, "a"], *RAW,
]  # fmt: skip


def damage_json(rng: random.Random, value: Any, donor: Any) -> Any:
    """The value with one to three of its places changed."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        value = _damage_one_place(rng, value, donor)
    return value


def _damage_one_place(rng: random.Random, value: Any, donor: Any) -> Any:
    places = paths(value)
    path = rng.choice(places)
    old = value_at(value, path)
    kind = rng.randrange(6)
    if kind == 0:
        return replaced(value, path, value_at(value, rng.choice(places)))
    if kind == 1:
        return replaced(value, path, value_at(donor, rng.choice(paths(donor))))
    if kind == 2 and path:
        return without(value, path)
    if kind == 3:
        return replaced(value, path, _near(rng, old))
    return replaced(value, path, rng.choice(ODD))


def _near(rng: random.Random, old: Any) -> Any:
    """Something of the same kind, or nearly."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, (int, float)):
        return rng.choice([old + 1, old - 1, -old, old * 2, float(old), str(old), 10 * old + 7])
    if isinstance(old, str):
        return rng.choice([old + "x", old[:-1], old.upper(), old[::-1], [old], old * 50])
    if isinstance(old, list):
        return rng.choice([old[:-1], old[::-1], old + old, [*old, None], old * 40, tuple(old)])
    if isinstance(old, dict):
        return rng.choice([old | {"more": 1}, list(old.items()), {str(k): k for k in old}])
    return [old]


def paths(node: Any, path: Path = ()) -> list[Path]:
    """The places of some JSON."""
    if not isinstance(node, (dict, list, tuple)):
        return [path]
    inner = node.items() if isinstance(node, dict) else enumerate(node)
    return [path, *(each for key, value in inner for each in paths(value, (*path, key)))]


def value_at(node: Any, path: Path) -> Any:
    for key in path:
        node = node[key]
    return node


def replaced(node: Any, path: Path, new: Any) -> Any:
    """The same with another value in one place."""
    if not path:
        return new
    node = copy.copy(node) if isinstance(node, dict) else list(node)
    node[path[0]] = replaced(node[path[0]], path[1:], new)
    return node


def without(node: Any, path: Path) -> Any:
    """The same without one of its places."""
    parent = copy.copy(value_at(node, path[:-1]))
    parent = dict(parent) if isinstance(parent, dict) else list(parent)
    del parent[path[-1]]
    return replaced(node, path[:-1], parent)


def dump(value: Any, **options: Any) -> str:
    """As JSON, with what only stood for it in its place."""
    text = json.dumps(value, **options)
    for mark, raw in RAW.items():
        text = text.replace(json.dumps(mark), raw)
    return text
