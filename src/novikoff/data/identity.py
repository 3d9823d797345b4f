"""What tells data from other data, or from themselves after a change."""

from pathlib import Path
from typing import Any

from novikoff.data.files.inputs import Input
from novikoff.data.source import Source


def identity_of(source: Source) -> dict[str, Any]:
    """The files of a source as they are now, and how they are read, as JSON."""
    files = [Input(path).identity() for path in source.paths if not Path(path).is_dir()]
    options = source.opening.options.items()
    asked = {name: value for name, value in options if name != "skipped_to"}
    return {"name": None if files else source.name, "files": files, "asked": asked}
