"""The type of a command line's argument that is a path."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tyro.constructors import PrimitiveConstructorSpec


def _path(words: list[str]) -> Path:
    """A path as it is given; none that is empty, which would be the folder one is in."""
    if not words[0] or "\0" in words[0]:
        raise ValueError(f"not the name of a file or folder: {words[0]!r}")
    return Path(words[0])


# An argument that is a path.
FilePath = Annotated[
    Path,
    PrimitiveConstructorSpec(
        nargs=1,
        metavar="PATH",
        instance_from_str=_path,
        is_instance=lambda value: isinstance(value, Path),
        str_from_instance=lambda path: [str(path)],
    ),
]
