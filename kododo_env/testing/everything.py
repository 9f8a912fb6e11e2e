"""Comparing all that objects hold, to the bit, through all that they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from kododo_env.testing.report import Fault

PLAIN = (FunctionType, MethodType, ModuleType, type)


def difference(one: Any, other: Any, path: str) -> str:
    """Where a thing, by its name, differs first from what it should be; empty if nowhere.

    Arrays are compared with dtype and shape, plain values with their type, generators by
    their state, and other objects by all their attributes.
    """
    return next(_differences(one, other, path, set()), "")


def check_same(one: Any, other: Any, path: str, wrong: str) -> None:
    """Raise Fault if two things differ: ``wrong``, and then where they do; see ``difference``."""
    found = difference(one, other, path)
    if found:
        raise Fault(f"{wrong} {found}")


def check_same_told(one: Any, other: Any, names: Sequence[str], wrong: str) -> None:
    """``check_same`` of what two games tell by their attributes and methods of these names."""
    for name in names:
        told, wanted = getattr(one, name), getattr(other, name)
        if callable(told):
            check_same(told(), wanted(), f"{name}()", wrong)
        else:
            check_same(told, wanted, name, wrong)


def _differences(one: Any, other: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    if one is other or (id(one), id(other)) in seen:
        return
    seen.add((id(one), id(other)))
    if type(one) is not type(other):
        yield f"{path} is {_short(one)} ({type(one).__name__}), not {_short(other)} " + (
            f"({type(other).__name__})"
        )
    elif isinstance(one, np.ndarray):
        yield from _arrays(one, other, path)
    elif isinstance(one, Mapping):
        if list(one) != list(other) and set(one) != set(other):
            yield f"{path} has other names: {sorted(map(str, set(one) ^ set(other)))}"
            return
        for key in one:
            yield from _differences(one[key], other[key], f"{path}[{key!r}]", seen)
    elif isinstance(one, list | tuple):
        if len(one) != len(other):
            yield f"{path} has the length {len(one)}, not {len(other)}"
            return
        for place, (here, there) in enumerate(zip(one, other, strict=True)):
            yield from _differences(here, there, f"{path}[{place}]", seen)
    else:
        yield from _objects(one, other, path, seen)


def _arrays(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], path: str) -> Iterator[str]:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        yield f"{path} is {one.dtype} {one.shape}, not {other.dtype} {other.shape}"
    elif one.tobytes() != other.tobytes():
        place = tuple(int(k) for k in np.argwhere(np.asarray(one != other))[:1].ravel())
        shown = f"[{', '.join(map(str, place))}]" if place else ""
        yield f"{path}{shown} is {one[place]}, not {other[place]}"


def _objects(one: Any, other: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    if isinstance(one, np.random.Generator):
        states = one.bit_generator.state, other.bit_generator.state
        yield from _differences(*states, f"the state of {path}", seen)
    elif is_dataclass(one) and not isinstance(one, type):
        for name in (each.name for each in fields(one) if each.compare):
            pair = getattr(one, name), getattr(other, name)
            yield from _differences(*pair, f"{path}.{name}", seen)
    elif not isinstance(one, PLAIN) and hasattr(one, "__dict__"):
        yield from _differences(vars(one), vars(other), path, seen)
    elif one != other and not (one != one and other != other):
        yield f"{path} is {_short(one)}, not {_short(other)}"


def _short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:60]}…"
