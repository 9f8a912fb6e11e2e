"""All that can be reached from an object: for seeing that nothing hidden is among it."""

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
"""Where to look in what is not written in Python."""


def reached(thing: Any, path: str) -> Iterator[tuple[str, Any]]:
    """All that a thing leads to, itself included: each object once, with how one gets there."""
    visited: dict[int, Any] = {}  # kept, so that no number is given twice
    waiting = [(path, thing)]
    while waiting:
        path, thing = waiting.pop()
        if id(thing) not in visited:
            visited[id(thing)] = thing
            yield path, thing
            waiting += reversed(list(_next(path, thing)))


def _next(path: str, thing: Any) -> Iterator[tuple[str, Any]]:
    """All that a thing leads to directly."""
    if isinstance(thing, PLAIN):
        return
    if isinstance(thing, Mapping):
        for key, value in thing.items():
            yield f"{path} key {key!r}", key
            yield f"{path}[{key!r}]", value
    elif isinstance(thing, list | tuple | set | frozenset):
        for place, value in enumerate(thing):
            yield f"{path}[{place}]", value
    else:
        for name in _names(thing):
            yield f"{path}.{name}", getattr(thing, name)


def _names(thing: Any) -> list[str]:
    """The names of an object's attributes, those in slots included."""
    for kind, names in INSIDE:
        if isinstance(thing, kind):
            return list(names)
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*filter(lambda name: hasattr(thing, name), slots), *getattr(thing, "__dict__", {})]


def arrays(thing: Any, path: str) -> list[tuple[str, np.ndarray]]:
    """All arrays that a thing leads to."""
    return [(name, part) for name, part in reached(thing, path) if isinstance(part, np.ndarray)]


def contents(thing: Any) -> dict[str, Any]:
    """All that a thing leads to, as values that can be compared: by path."""
    return {path: _value(part) for path, part in reached(thing, "it")}


def _value(thing: Any) -> Any:
    if isinstance(thing, np.ndarray):
        return thing.dtype.str, thing.shape, thing.tobytes()
    return thing if isinstance(thing, PLAIN) else type(thing).__name__


def public_attributes(view: Any) -> dict[str, Any]:
    """All that a view tells without being asked for anything: its public attributes, by name."""
    names = [name for name in dir(view) if not name.startswith("_")]
    return {name: getattr(view, name) for name in names if not callable(getattr(view, name))}
