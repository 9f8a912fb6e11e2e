"""Find all objects reachable from an object, to check that nothing hidden is among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

PLAIN = (str, bytes, int, float, type(None), Enum, type, ModuleType, BuiltinFunctionType)
INSIDE: tuple[tuple[type, tuple[str, ...]], ...] = (
    (np.ndarray, ("base",)),
    (np.random.Generator, ("bit_generator",)),
    (np.random.BitGenerator, ("state", "seed_seq")),
    (np.random.SeedSequence, ("entropy", "spawn_key")),
    (FunctionType, ("__closure__", "__defaults__")),
    (MethodType, ("__self__",)),
    (CellType, ("cell_contents",)),
)
"""The attributes to follow in types that are not written in Python."""


def reached(obj: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield all objects reachable from an object, itself included, each once with its path."""
    visited: dict[int, Any] = {}  # kept alive, so that no id is reused
    waiting = [(path, obj)]
    while waiting:
        path, obj = waiting.pop()
        if id(obj) not in visited:
            visited[id(obj)] = obj
            yield path, obj
            waiting += reversed(list(_next(path, obj)))


def _next(path: str, obj: Any) -> Iterator[tuple[str, Any]]:
    """Yield the objects that an object refers to directly."""
    if isinstance(obj, PLAIN):
        return
    if isinstance(obj, Mapping):
        for key, entry in obj.items():
            yield f"{path} key {key!r}", key
            yield f"{path}[{key!r}]", entry
    elif isinstance(obj, list | tuple | set | frozenset):
        for place, entry in enumerate(obj):
            yield f"{path}[{place}]", entry
    else:
        for name in _names(obj):
            yield f"{path}.{name}", getattr(obj, name)


def _names(obj: Any) -> list[str]:
    """The names of an object's attributes, including slots."""
    for kind, names in INSIDE:
        if isinstance(obj, kind):
            return list(names)
    slots = [name for kind in type(obj).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*filter(lambda name: hasattr(obj, name), slots), *getattr(obj, "__dict__", {})]


def arrays(obj: Any, path: str) -> list[tuple[str, np.ndarray]]:
    """All arrays reachable from an object."""
    return [(name, part) for name, part in reached(obj, path) if isinstance(part, np.ndarray)]


def public_attributes(view: Any) -> dict[str, Any]:
    """The public attributes of a view, by name."""
    names = [name for name in dir(view) if not name.startswith("_")]
    return {name: getattr(view, name) for name in names if not callable(getattr(view, name))}
