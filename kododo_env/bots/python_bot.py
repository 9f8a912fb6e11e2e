"""Python bots: a class, or a function of the view, from a file or a module."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import getattr_static, iscoroutinefunction, signature
from types import CoroutineType, FunctionType
from typing import Any, cast

import numpy as np

from kododo_env.arrays.dtypes import Integer
from kododo_env.bots.names import PYTHON
from kododo_env.bots.python_code import blamed, import_code
from kododo_env.bots.time_limit import LOADING, call_within, limit_of
from kododo_env.checks.numbers import quote
from kododo_env.core.agent import Agent, checked_choice
from kododo_env.core.view import View

# Optional methods of agents (``kododo_env.core.agent``), and what the error says if they fail.
FAILURES = {
    "check": "cannot play this game",
    **dict.fromkeys(("begin", "action_values", "choose", "probabilities", "value"), "fails"),
}
# The methods that return numbers, and the shape of their results.
SHAPES: dict[str, Callable[[View], tuple[int, ...]]] = {
    "action_values": lambda view: (view.num_actions, view.num_envs),
    "probabilities": lambda view: (view.num_envs, view.num_actions),
    "value": lambda view: (view.num_envs,),
}
ASYNCHRONOUS = "is asynchronous; use def instead of async def"
HOW = "expected bot.py:Name, where Name is a class with act(view, rng) or a function act(view, rng)"


def python_bot(name: str) -> Agent:
    """Create a bot from ``bot.py:Name`` or ``package.module:Name``; this runs its code.

    The bot's methods raise a one-line ValueError that names the bot if its code fails, its action
    is illegal, or a call exceeds the time limit: N times 10 seconds for a view of N games.

    Args:
        name: The name of a class or function. A class is instantiated without arguments and needs a
            method ``act(view, rng)`` like an ``Agent``, but no attribute ``name``. A function is
            used as ``act``. ``bot.py:Name:2s`` sets a limit of 2 seconds per game.

    Raises:
        ValueError: The file, module, class or function does not exist, or its code fails.
    """
    match = PYTHON.fullmatch(name)
    name = " ".join(name.split())  # error messages are one line
    if match is None:
        raise ValueError(f"bot {name}: {HOW}")
    where, attribute, seconds = match.groups()
    limit = limit_of(seconds, name)

    def load() -> Agent:
        with blamed(f"bot {name}", "cannot be created"):
            return _load(where, attribute, name, limit)

    return call_within(LOADING, load, f"bot {name}", "did not load")


def _load(where: str, attribute: str, name: str, seconds: float) -> Agent:
    """Return the bot of a class or function in a file or module."""
    module = import_code(where, f"bot {name}")
    file = getattr(module, "__file__", None)
    code = getattr(module, attribute, None)
    if not callable(code):
        candidates = [
            name for name, member in vars(module).items() if _plays(member, module.__name__)
        ]
        advice = f"; candidates: {', '.join(candidates)}" if candidates else ""
        raise ValueError(f"bot {name}: no {attribute} in {where}{advice}; {HOW}")
    if iscoroutinefunction(code) or iscoroutinefunction(getattr(code, "act", None)):
        raise ValueError(f"bot {name}: {attribute} {ASYNCHRONOUS}")
    kind: Any = code if isinstance(code, type) else _with_act(code)
    if not callable(getattr(kind, "act", None)):
        raise ValueError(f"bot {name}: {attribute} has no method act; {HOW}")
    with blamed(f"bot {name}", "cannot be created", file):
        bot_class = _guarded_class(kind, name, file, seconds)
        bot: Any = bot_class()
        signature(super(bot_class, bot).act).bind(None, None)
        own_name = bot.name
    if not isinstance(own_name, str):
        raise ValueError(f"bot {name}: attribute name must be a string, not {quote(own_name)}")
    bot_class.name = own_name  # a property might fail later
    return cast("Agent", bot)


def _plays(member: Any, module: str) -> bool:
    """Return whether a module's member may be a bot: a class with ``act``, or a local function."""
    is_local = isinstance(member, FunctionType) and member.__module__ == module
    return is_local or hasattr(member, "act")


def _with_act(function: Callable[[View, np.random.Generator], Integer]) -> Any:
    """Return a class of agents that play by a function."""

    def act(_: object, *arguments: Any) -> Integer:
        return function(*arguments)

    signature(function).bind(None, None)
    return type(getattr(function, "__name__", "Bot"), (), {"act": act})


def _guarded_class(kind: Any, name: str, file: str | None, seconds: float) -> Any:
    """Return a subclass whose errors name the bot, also for illegal and late actions."""

    def guarded(method: Callable[..., Any], failure: str = "fails") -> Callable[..., Any]:
        def answer(*arguments: Any, **keywords: Any) -> Any:
            with blamed(f"bot {name}", failure, file):
                return _at_once(name, method, *arguments, **keywords)

        @wraps(method)
        def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
            view = next((argument for argument in arguments if isinstance(argument, View)), None)
            complaint = "did not respond"
            if view is not None:
                complaint = f"as player_{view.player} {complaint}"
            games = 1 if view is None else view.num_envs
            answer_call = partial(answer, self, *arguments, **keywords)
            return call_within(self.bot_seconds, answer_call, f"bot {name}", complaint, games)

        return call

    def act(self: Any, view: View, rng: np.random.Generator) -> Integer:
        answer = _at_once(name, super(bot_class, self).act, view, rng)
        try:
            chosen = checked_choice(answer, view, name)
        except ValueError as error:
            raise ValueError(f"bot {name}: {error}") from None
        _check_legal(chosen, view, name)
        return chosen

    own_name = getattr(kind, "name", None)
    facts: dict[str, Any] = {
        "act": guarded(act),
        "name": name if own_name is None else own_name,
        "bot_file": file,
        "bot_seconds": seconds,
    }
    for method_name, failure in FAILURES.items():
        method = getattr_static(kind, method_name, None)
        if isinstance(method, FunctionType):
            checked_method = (
                _of_shape(name, method, SHAPES[method_name]) if method_name in SHAPES else method
            )
            facts[method_name] = guarded(checked_method, failure)
    bot_class: Any = type(kind.__name__, (kind,), facts)
    return bot_class


def _at_once(name: str, method: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Return the result of a bot's method, which must not be asynchronous."""
    answer = method(*arguments, **keywords)
    if isinstance(answer, CoroutineType):
        answer.close()  # avoids the warning that it was never awaited
        raise ValueError(f"bot {name}: {method.__name__} {ASYNCHRONOUS}")
    return answer


def _of_shape(
    name: str, method: Callable[..., Any], shape: Callable[[View], tuple[int, ...]]
) -> Callable[..., Any]:
    """Wrap a method of a view so that it raises unless it returns numbers of a shape."""

    @wraps(method)
    def call(self: Any, view: View) -> Any:
        answer = np.asarray(_at_once(name, method, self, view))
        expected_shape = shape(view)
        if answer.dtype.kind not in "fiu" or answer.shape != expected_shape:
            description = f"{answer.dtype} {answer.shape}"
            raise ValueError(
                f"{method.__name__} must return numbers of shape {expected_shape}, "
                f"not {description}"
            )
        return answer

    return call


def _check_legal(actions: Integer, view: View, name: str) -> None:
    """Raise ValueError if an action is not legal."""
    mask = view.legal_action_mask
    in_range = (actions >= 0) & (actions < mask.shape[1])
    legal = in_range & mask[np.arange(len(mask)), np.where(in_range, actions, 0)]
    if not legal.all():
        first = int(legal.argmin())
        raise ValueError(
            f"bot {name} chose illegal action {actions[first]} as player_{view.player}; legal "
            f"actions: {', '.join(map(str, np.flatnonzero(mask[first])))}"
        )
