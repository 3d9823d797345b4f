"""Docstrings as the reference shows them; see docs/reference.

A docstring of ours has a sentence, paragraphs, a line `name: what it is` for each parameter (or
`X, y: as for `check``, which is looked up there), and examples. Griffe knows such lines when they
stand in a section, and Markdown knows examples when they are fenced.
"""

import inspect
import pydoc
import re
import types
from collections.abc import Iterator
from typing import Any

import griffe

import novikoff as nk

LINE = re.compile(r"\*{0,2}(\w+(?:, \w+)*): (.+)")
LIKE = re.compile(r"as for `(?:nk\.)?([\w.]+)`")
EXAMPLE = re.compile(r"(?:^|(?<=\n))(>>> .*?)(?=\n\n(?!>>>)|\Z)", re.DOTALL)
REST = re.compile(r"^(?:Other p|P)arameters as for `([\w.]+)`\.$", re.MULTILINE)

WHOLE = ("nk.Perceptron",)  # shown with what it inherits, which is that of all estimators


def public_names() -> Iterator[tuple[str, Any]]:
    """Every public name below `nk`, modules' own included, with what it names."""
    modules = ["", *(n for n in nk.__all__ if inspect.ismodule(getattr(nk, n))), "errors"]
    for module in modules:
        home = looked_up(module) if module else nk
        names = getattr(home, "__all__", None) or [
            name for name, each in vars(home).items() if isinstance(each, type)
        ]
        for name in [*names, *([] if module else ["open"])]:
            if name not in modules:
                yield f"{module}.{name}".lstrip("."), getattr(home, name)


def looked_up(name: str) -> Any:
    """What a dotted name below `nk` stands for."""
    import novikoff.errors  # noqa: F401

    found: Any = nk
    for part in name.split("."):
        found = getattr(found, part)
    return found


def parameters(thing: Any) -> tuple[str, ...]:
    """The names in a signature, but for the instance of a method."""
    if not callable(thing) or (isinstance(thing, type) and issubclass(thing, BaseException)):
        return ()
    return tuple(inspect.signature(thing).parameters)


def described(thing: Any) -> dict[str, str]:
    """What the docstring says of each parameter, here or where it refers to, in their order."""
    prose, lines = _parts(thing)
    found: dict[str, str] = {}
    for other in REST.findall(prose):
        found |= described(looked_up(other))
    for names, words in lines:
        found |= {name: _followed(name, words) for name in names}
    return {name: found[name] for name in parameters(thing) if name in found}


def _followed(name: str, words: str) -> str:
    """A description, with what is elsewhere in the place of "as for ..."; "" if nothing is."""
    like = LIKE.search(words)
    if like is None:
        return words
    elsewhere = described(looked_up(like[1])).get(name, "")
    return elsewhere and words.replace(like[0], elsewhere.removesuffix("."), 1)


def _parts(thing: Any) -> tuple[str, list[tuple[list[str], str]]]:
    """A docstring without its lines about parameters; and these lines: their names, their words."""
    known, prose, lines, inside = set(parameters(thing)), [], [], False
    for line in (inspect.getdoc(thing) or "").splitlines():
        start = LINE.fullmatch(line)
        inside = inside and line.startswith("    ")
        if start and known.issuperset(start[1].split(", ")):
            lines.append((start[1].split(", "), start[2]))
            inside = True
        elif inside:
            lines[-1] = lines[-1][0], f"{lines[-1][1]} {line.strip()}"
        else:
            prose.append(line)
    sentence = r"\s+((?:Other p|P)arameters)\s+as\s+for\s+(`[\w.]+`\.)"
    return re.sub(sentence, r"\n\n\1 as for \2", "\n".join(prose)), lines


def as_markdown(thing: Any) -> str:
    """The whole docstring, in the sections that Griffe reads, and with its examples fenced."""
    prose = REST.sub("", _parts(thing)[0]).strip()
    fenced = EXAMPLE.sub(r"```pycon\n\1\n```", prose)
    before, *examples = re.split(r"(?=```pycon\n)", fenced, maxsplit=1)
    result = hasattr(thing, "_fields") or hasattr(thing, "__dataclass_fields__")
    lines = [f"    {name}: {words}" for name, words in described(thing).items()]
    section = "\n".join(["Attributes:" if result else "Parameters:", *lines]) if lines else ""
    return "\n\n".join(filter(None, [before.strip(), section, *examples]))


def directives(markdown: str) -> str:
    """Lines such as `::: nk.check` as mkdocstrings reads them: where it is, and what to call it."""

    def directive(match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("nk."):
            thing = looked_up(name.removeprefix("nk."))
            path = f"{thing.__module__}.{thing.__qualname__}" if callable(thing) else ""
        else:  # what a public function returns, and the errors, which stand at their homes
            path = name
            name = name if ".errors." in name else name.rpartition(".")[2]
        path = path or name.replace("nk.", "novikoff.learning.", 1)
        options = [f'heading: "{name}"', f"inherited_members: {str(name in WHOLE).lower()}"]
        listed = "".join(f"      {each}\n" for each in options)
        return f'<a id="{name}"></a>\n\n::: {path}\n    options:\n{listed}'

    return re.sub(r"^::: ([\w.]+)$", directive, markdown, flags=re.MULTILINE)


class OurDocstrings(griffe.Extension):
    """Gives Griffe each docstring in the form that it reads."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for each module, class, function and attribute that is read."""
        if obj.docstring is None or not (obj.is_class or obj.is_function):
            return
        thing = _runtime(obj.path)
        if thing is not None and inspect.getdoc(thing):
            obj.docstring.value = as_markdown(thing)


def _runtime(path: str) -> Any:
    """What a dotted path stands for when the program runs; None if that cannot be found."""
    try:
        found = pydoc.locate(path)
    except pydoc.ErrorDuringImport:
        return None
    return found if isinstance(found, (type, types.FunctionType)) else None
