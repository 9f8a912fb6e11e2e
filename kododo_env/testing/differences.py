"""Exact comparison of objects, including all objects that they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from kododo_env.testing.report import Fault

PLAIN = (FunctionType, MethodType, ModuleType, type)


def difference(actual: Any, expected: Any, path: str) -> str:
    """Return a description of the first difference between two objects; empty if there is none.

    Arrays are compared by dtype, shape and bytes, plain values by type and value, generators by
    state, and other objects by all their attributes.

    Args:
        actual: The object to check.
        expected: The object that it should equal.
        path: The name of the object, for the description.
    """
    return next(_differences(actual, expected, path, set()), "")


def check_same(actual: Any, expected: Any, path: str, prefix: str) -> None:
    """Raise Fault if two objects differ; the message is the prefix and the ``difference``."""
    text = difference(actual, expected, path)
    if text:
        raise Fault(f"{prefix} {text}")


def check_same_members(actual: Any, expected: Any, names: Sequence[str], prefix: str) -> None:
    """Raise Fault if one of the named attributes, or the result of a named method, differs."""
    for name in names:
        member = getattr(actual, name)
        expected_member = getattr(expected, name)
        if callable(member):
            check_same(member(), expected_member(), f"{name}()", prefix)
        else:
            check_same(member, expected_member, name, prefix)


def _differences(
    actual: Any, expected: Any, path: str, visited: set[tuple[int, int]]
) -> Iterator[str]:
    if actual is expected or (id(actual), id(expected)) in visited:
        return
    visited.add((id(actual), id(expected)))
    if type(actual) is not type(expected):
        yield f"{path} is {_short(actual)} ({type(actual).__name__}), not {_short(expected)} " + (
            f"({type(expected).__name__})"
        )
    elif isinstance(actual, np.ndarray):
        yield from _arrays(actual, expected, path)
    elif isinstance(actual, Mapping):
        if list(actual) != list(expected) and set(actual) != set(expected):
            yield f"{path} has different keys: {sorted(map(str, set(actual) ^ set(expected)))}"
            return
        for key in actual:
            yield from _differences(actual[key], expected[key], f"{path}[{key!r}]", visited)
    elif isinstance(actual, list | tuple):
        if len(actual) != len(expected):
            yield f"{path} has the length {len(actual)}, not {len(expected)}"
            return
        for index, (element, expected_element) in enumerate(zip(actual, expected, strict=True)):
            yield from _differences(element, expected_element, f"{path}[{index}]", visited)
    else:
        yield from _objects(actual, expected, path, visited)


def _arrays(
    actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], path: str
) -> Iterator[str]:
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        yield f"{path} is {actual.dtype} {actual.shape}, not {expected.dtype} {expected.shape}"
    elif actual.tobytes() != expected.tobytes():
        index = tuple(
            int(coordinate)
            for coordinate in np.argwhere(np.asarray(actual != expected))[:1].ravel()
        )
        where = f"[{', '.join(map(str, index))}]" if index else ""
        yield f"{path}{where} is {actual[index]}, not {expected[index]}"


def _objects(actual: Any, expected: Any, path: str, visited: set[tuple[int, int]]) -> Iterator[str]:
    if isinstance(actual, np.random.Generator):
        states = actual.bit_generator.state, expected.bit_generator.state
        yield from _differences(*states, f"the state of {path}", visited)
    elif is_dataclass(actual) and not isinstance(actual, type):
        for name in (field.name for field in fields(actual) if field.compare):
            pair = getattr(actual, name), getattr(expected, name)
            yield from _differences(*pair, f"{path}.{name}", visited)
    elif not isinstance(actual, PLAIN) and hasattr(actual, "__dict__"):
        yield from _differences(vars(actual), vars(expected), path, visited)
    elif actual != expected and not (actual != actual and expected != expected):
        yield f"{path} is {_short(actual)}, not {_short(expected)}"


def _short(subject: object) -> str:
    text = " ".join(repr(subject).split())
    return text if len(text) <= 60 else f"{text[:60]}…"
