"""The one rule for options that somebody gives: each there is, and names one of its choices."""

from __future__ import annotations

from collections.abc import Callable, Collection
from inspect import Parameter, signature
from typing import Any, is_typeddict

from kododo_env.core.numbers import shown

_NOT_BY_NAME = ("game", "num_envs")  # of what there is a batch or a door, and how large


def is_one_of(value: object, names: Collection[str]) -> bool:
    """Whether a value is one of some names; what is no text, and may be no key, never is."""
    return isinstance(value, str) and value in names


def check_options(given: Collection[str], *takers: Callable[..., Any]) -> None:
    """Check the names of keyword arguments.

    Args:
        given: Those that somebody gives.
        *takers: The functions and classes that take them, or the ``TypedDict`` that names them.

    Raises:
        TypeError: None of them takes one; as from Python itself, with those that they take.
    """
    if not given:
        return
    known = [name for taker in takers for name in _names(taker) if name not in _NOT_BY_NAME]
    for name in given:
        if name not in known:
            told = ", ".join(dict.fromkeys(known))
            raise TypeError(f"there is no option {shown(name)}; there are {told}")


def _names(taker: Callable[..., Any]) -> list[str]:
    """The keyword arguments that a function, a class or a ``TypedDict`` names."""
    if is_typeddict(taker):
        return [*taker.__annotations__]
    parameters = signature(taker).parameters
    return [name for name, each in parameters.items() if each.kind != Parameter.VAR_KEYWORD]
