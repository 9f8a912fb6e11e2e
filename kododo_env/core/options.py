"""The one rule for options that somebody gives: there is such an option, and such a choice."""

from __future__ import annotations

from collections.abc import Callable, Collection
from inspect import Parameter, signature
from typing import Any, is_typeddict

from kododo_env.core.numbers import shown

_NOT_BY_NAME = ("game", "num_envs")  # the batch or the door, and its size


def is_one_of(value: object, names: Collection[str]) -> bool:
    """Whether a value is one of some names; other than text, which may be no key, it never is."""
    return isinstance(value, str) and value in names


def check_options(
    options: Collection[str], *takers: Callable[..., Any], but: Collection[str] = ()
) -> None:
    """Check the names of keyword arguments that functions, classes or a ``TypedDict`` name.

    Those of ``but`` are not offered.

    Raises:
        TypeError: None of them takes one; as from Python itself, with those that they take.
    """
    if not options:
        return
    left_out = {*_NOT_BY_NAME, *but}
    option_names = [name for taker in takers for name in _names(taker) if name not in left_out]
    for name in options:
        if name not in option_names:
            choices = ", ".join(dict.fromkeys(option_names))
            raise TypeError(f"there is no option {shown(name)}; there are {choices}")


def _names(taker: Callable[..., Any]) -> list[str]:
    """The keyword arguments that a function, a class or a ``TypedDict`` names."""
    if is_typeddict(taker):
        return [*taker.__annotations__]
    parameters = signature(taker).parameters
    return [
        name for name, parameter in parameters.items() if parameter.kind != Parameter.VAR_KEYWORD
    ]
