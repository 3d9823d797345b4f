"""One line of Vowpal Wabbit's text, token by token, so that it can be said what is wrong where.

    [label [importance [base]]] ['tag]|namespace[:scale] name[:value] name ... |namespace ...

Before the first bar: the last word is a tag if it touches the bar or begins with a quote. After a
bar: what touches it is a namespace, with 1 for its scale unless told; the rest are features, with 1
for their value unless told. A value that is no number belongs to the name, as in `city:paris`.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from novikoff.data.errors import BadRowError
from novikoff.data.text.labels import NotALabelError, label_value
from novikoff.data.text.tokens import NotANumberError, number, shown
from novikoff.data.text.vw.feature_index import LONGEST_NAME

SHOWN_LINE = 200  # characters of a bad line that are kept

_BEGINS_NUMBER = b"+-.0123456789"
_NO_WORDS = frozenset({b"nan", b"inf", b"infinity"})
_WORD = re.compile(rb"[^ |]+")
_TOKEN = re.compile(rb"[^ \t|]*")
_BETWEEN = re.compile(rb"[ \t]*")


class Feature(NamedTuple):
    """A name with its namespace, the value times the scale, and its offset in the line."""

    name: bytes
    value: float
    at: int


class VwRow(NamedTuple):
    """The features and the weight of a line. The label is line[start:stop]."""

    start: int
    stop: int
    features: list[Feature]
    weight: float = 1.0


class _Line(NamedTuple):
    number: int
    text: bytes  # without blanks and line ends after it

    def refuse(self, at: int, problem: str) -> NoReturn:
        column = len(self.text[:at].decode("utf-8", "replace")) + 1
        raise BadRowError(self.number, column, problem, _text(self.text)[:SHOWN_LINE])


def parse_line(line: bytes, number: int, *, labelled: bool) -> VwRow | None:
    """Parse a line without its line feed; None if it is blank. number: of the line in its block."""
    text = _Line(number, line.rstrip(b" \t\r"))
    if not text.text:
        return None
    if (at := text.text.find(b"\r")) >= 0:
        text.refuse(
            at,
            "found a carriage return inside of a line, expected one at its end only: give the file"
            " line feeds or both",
        )
    bar = text.text.find(b"|")
    if bar < 0:
        text.refuse(
            len(text.text),
            "found no bar, expected one before the features as in '1 | height:1.5': is this"
            " Vowpal Wabbit's text?",
        )
    (start, stop), weight = _label(text, bar) if labelled else ((0, 0), 1.0)
    return VwRow(start, stop, list(_features(text, bar)), weight)


def _text(raw: bytes) -> str:
    """Bytes as a message quotes them, be they UTF-8 or not."""
    return raw.decode("utf-8", "backslashreplace")


def _label(line: _Line, bar: int) -> tuple[tuple[int, int], float]:
    """Where the label is, and the importance."""
    if (at := line.text.find(b"\t", 0, bar)) >= 0:
        line.refuse(at, "found a tab before the first bar, expected blanks there: replace it")
    words = [match.span() for match in _WORD.finditer(line.text, 0, bar)]
    tag = words and (words[-1][1] == bar or line.text.startswith(b"'", words[-1][0]))
    label, *others = (words[:-1] if tag else words) or [(bar, bar)]
    token = _text(line.text[slice(*label)])
    if not token:
        _refuse_no_label(line, words, bar)
    if token.startswith("'"):
        line.refuse(label[0], f"found the tag {shown(token)}, expected a label before it")
    if ":" in token:
        line.refuse(
            label[0],
            f"found the label {shown(token)}, expected one number or word: labels with costs or"
            " probabilities are for other learners; write one label, of two in all, for each row",
        )
    try:
        label_value(line.text[slice(*label)].decode("utf-8"))
    except UnicodeDecodeError:
        line.refuse(label[0], f"the label '{token[:40]}' is not UTF-8: save the file as UTF-8")
    except NotALabelError as problem:
        line.refuse(label[0], str(problem))
    return label, _importance(line, others)


def _refuse_no_label(line: _Line, words: list[tuple[int, int]], bar: int) -> NoReturn:
    hint = ""
    if words and words[-1][1] == bar and not line.text.startswith(b"'", words[-1][0]):
        tag = shown(_text(line.text[slice(*words[-1])]))
        hint = f" ({tag} touches the bar, so that it is a tag)"
    line.refuse(
        0,
        f"found no label before the bar{hint}, expected one and a blank after it: put it there, or"
        " pass labelled=False",
    )


def _importance(line: _Line, others: list[tuple[int, int]]) -> float:
    """The importance, which is 1 unless told. A base other than 0 is refused."""
    weight = 1.0
    if len(others) > 2:
        at, stop = others[2]
        line.refuse(
            at,
            f"found {shown(_text(line.text[at:stop]))}, expected at most a label, an importance and"
            " a base before the bar: let a tag begin with a quote",
        )
    for (at, stop), what, usual in zip(others, ("importance", "base"), (1.0, 0.0), strict=False):
        token = _text(line.text[at:stop])
        try:
            value = number(token)
        except NotANumberError:
            line.refuse(
                at,
                f"found {shown(token)}, expected the {what} {usual:g}, or a tag that begins with a"
                " quote or touches the bar",
            )
        if what == "importance":
            weight = value
        elif value != usual:
            line.refuse(
                at,
                f"found the base {shown(token)}, expected 0: drop it: a rule that counts mistakes"
                " starts from its own weights",
            )
        if value < 0.0:
            line.refuse(
                at,
                f"found the importance {shown(token)}, expected 0 or more: drop the row, or turn"
                " its label round",
            )
    return weight


def _features(line: _Line, bar: int) -> Iterator[Feature]:
    text, at = line.text, bar
    while at < len(text):
        prefix, scale, at = _namespace(line, at + 1)
        while at < len(text) and text[at : at + 1] != b"|":
            at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
            token = _TOKEN.match(text, at)[0]  # type: ignore[index]
            if token:
                yield _feature(line, at, token, prefix, scale)
            at += len(token)


def _namespace(line: _Line, at: int) -> tuple[bytes, float, int]:
    """The prefix of the names, the scale of the values, and the offset after the namespace."""
    token = _TOKEN.match(line.text, at)[0]  # type: ignore[index]
    name, colon, scale = token.partition(b":")
    if colon and not name:
        line.refuse(
            at,
            f"found {shown(_text(token))}, expected the name of a namespace before its scale",
        )
    _check_name(line, at, name)
    prefix = name + b"^" if name else b""
    return prefix, _number(line, at, token, scale) if colon else 1.0, at + len(token)


def _feature(line: _Line, at: int, token: bytes, prefix: bytes, scale: float) -> Feature:
    name, colon, text = token.partition(b":")
    if not name:
        line.refuse(
            at,
            f"found {shown(_text(token))}, expected a name before the colon: write one, such as"
            " x:1.5 (Vowpal Wabbit would number the feature by its place among those without)",
        )
    if colon and not text:
        line.refuse(
            at,
            f"found {shown(_text(token))}, expected a value after the colon, or no colon",
        )
    if not colon:
        value = scale
    elif text[0] in _BEGINS_NUMBER or text.lower() in _NO_WORDS:
        value = scale * _number(line, at, token, text)
    else:
        name, value = name + b"^" + text, 1.0  # no scale: so does Vowpal Wabbit
        if line.text.startswith(b"|", at + len(token)):
            line.refuse(
                at + len(token),
                f"found a bar that touches the value of {shown(_text(token))}, expected a blank"
                " between them",
            )
    if value in (float("inf"), float("-inf")):
        line.refuse(
            at,
            f"{shown(_text(token))} times the scale {scale:g} of its namespace is not finite:"
            " 64-bit floats end near 1.8e308; scale them otherwise",
        )
    _check_name(line, at, prefix + name)
    return Feature(prefix + name, value, at)


def _number(line: _Line, at: int, token: bytes, text: bytes) -> float:
    try:
        return number(_text(text))
    except NotANumberError as problem:
        line.refuse(at, f"in {shown(_text(token))}: {problem}")


def _check_name(line: _Line, at: int, name: bytes) -> None:
    if len(name) > LONGEST_NAME:
        line.refuse(
            at,
            f"the name {shown(_text(name))} has {len(name)} bytes, expected at most {LONGEST_NAME}:"
            " shorten it",
        )
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        line.refuse(at, f"the name '{_text(name)[:40]}' is not UTF-8: save the file as UTF-8")


def refuse_sum(line: bytes, number: int, feature: Feature) -> NoReturn:
    """Refuse values whose sum is more than a double can be."""
    _Line(number, line.rstrip(b" \t\r")).refuse(
        feature.at,
        f"the values of {shown(_text(feature.name))} in this row add up to more than a 64-bit float"
        " can be, 1.8e308: scale them",
    )
