"""Checks of option names and choices that callers pass."""

from __future__ import annotations

from collections.abc import Callable, Collection
from inspect import Parameter, signature
from typing import Any, is_typeddict

from kododo_env.checks.numbers import quote

_NOT_BY_NAME = ("game", "num_envs")  # the batch or the environment module, and its size


def is_one_of(value: object, names: Collection[str]) -> bool:
    """Return whether a value is a string in ``names``; values of any other type are not."""
    return isinstance(value, str) and value in names


def check_choice(value: object, name: str, choices: Collection[str]) -> None:
    """Raise ValueError unless a value, an argument of this name, is one of some strings."""
    if not is_one_of(value, choices):
        names = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {names}, not {quote(value)}")


def check_switch(value: object, name: str) -> None:
    """Raise ValueError unless a value, an argument of this name, is a bool."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {quote(value)}")


def check_options(
    options: Collection[str], *takers: Callable[..., Any], but: Collection[str] = ()
) -> None:
    """Check the names of keyword arguments against those that callables accept.

    Args:
        options: The names to check.
        *takers: Functions, classes or ``TypedDict`` types that accept keyword arguments.
        but: Names that are rejected even if a callable accepts them.

    Raises:
        TypeError: A name is rejected or accepted by none of the callables; the message lists the
            accepted names.
    """
    if not options:
        return
    left_out = {*_NOT_BY_NAME, *but}
    option_names = [name for taker in takers for name in _names(taker) if name not in left_out]
    for name in options:
        if name not in option_names:
            choices = ", ".join(dict.fromkeys(option_names))
            raise TypeError(f"unknown option {quote(name)}; choose from {choices}")


def _names(taker: Callable[..., Any]) -> list[str]:
    """The keyword arguments of a function, a class or a ``TypedDict``."""
    if is_typeddict(taker):
        return [*taker.__annotations__]
    parameters = signature(taker).parameters
    return [
        name for name, parameter in parameters.items() if parameter.kind != Parameter.VAR_KEYWORD
    ]
