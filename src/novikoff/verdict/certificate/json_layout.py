"""Readable JSON: a line for each field, and long lists filled into lines."""

import json
from typing import Any

WIDTH = 100  # columns


def format_json(fields: dict[str, Any]) -> str:
    """The fields as JSON, a line for each, and long lists filled into lines."""
    lines = [f"  {json.dumps(name)}: {_block(value, 1)}" for name, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _block(value: object, depth: int) -> str:
    text, inner, outer = json.dumps(value), "  " * (depth + 1), "  " * depth
    if depth > 2 or len(text) <= WIDTH - 30 or not isinstance(value, dict | list):
        return text
    if isinstance(value, list):
        return "[\n" + _fill_lines([json.dumps(each) for each in value], inner) + f"\n{outer}]"
    lines = [
        f"{inner}{json.dumps(name)}: {_block(each, depth + 1)}" for name, each in value.items()
    ]
    return "{\n" + ",\n".join(lines) + f"\n{outer}}}"


def _fill_lines(items: list[str], indent: str) -> str:
    lines, line = [], indent + items[0]
    for item in items[1:]:
        if len(line) + len(item) + 3 > WIDTH:
            lines.append(line + ",")
            line = indent + item
        else:
            line += f", {item}"
    return "\n".join([*lines, line])
