"""Bots in Python, from a file or a module: a class, or a function of the view."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from importlib import import_module
from inspect import getattr_static, iscoroutinefunction, signature
from pathlib import Path
from types import CoroutineType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from kododo_env.bots.by_name import PYTHON
from kododo_env.bots.python_code import module_from_file
from kododo_env.bots.time_limit import LOADING, TimeUp, call_within, limit_of
from kododo_env.core.agent import Agent, checked_choice
from kododo_env.core.arrays import Integer
from kododo_env.core.numbers import shown
from kododo_env.core.view import View
from kododo_env.system.stopping import is_stop

# The methods besides act that others call (``kododo_env.core.agent``), and what is told of errors.
CALLED = {
    "check": "cannot play this game",
    **dict.fromkeys(("begin", "action_values", "choose", "probabilities", "value"), "fails"),
}
# What of these gives numbers, and the shape that they must have.
SHAPES: dict[str, Callable[[View], tuple[int, ...]]] = {
    "action_values": lambda view: (view.num_actions, view.num_envs),
    "probabilities": lambda view: (view.num_envs, view.num_actions),
    "value": lambda view: (view.num_envs,),
}
ASYNCHRONOUS = "is asynchronous, and must answer at once: write def in place of async def"
HOW = "name a class with act(view, rng), or such a function: bot.py:Class"


def python_bot(name: str) -> Agent:
    """A bot from ``bot.py:Class`` or ``package.module:Class``, whose code runs for it.

    An error of its code is a ValueError of one line that names the bot, and so is an illegal
    action, and a decision that takes more than 10 seconds: of N games in one call, N times that.

    Args:
        name: A class is called without arguments, and has ``act(view, rng)`` as an ``Agent``; it
            need not have a name. A function is taken for ``act`` itself. ``bot.py:Class:2s`` has
            another limit.

    Raises:
        ValueError: There is no such file, module or class, or its code raises.
    """
    found = PYTHON.fullmatch(name)
    name = " ".join(name.split())  # for messages of one line
    if found is None:
        raise ValueError(f"bot {name}: {HOW}")
    where, wanted, seconds = found.groups()
    limit = limit_of(seconds, name)

    def load() -> Agent:
        with _blamed(name, "cannot be made"):
            return _loaded(where, wanted, name, limit)

    return call_within(LOADING, load, f"bot {name}", "is not loaded")


def _loaded(where: str, wanted: str, name: str, seconds: float) -> Agent:
    """The bot of a class or function, in a file or module."""
    with _blamed(name, "cannot be imported", str(Path(where))):
        module = _from_file(Path(where), name) if where.endswith(".py") else import_module(where)
    file = getattr(module, "__file__", None)
    found = getattr(module, wanted, None)
    if not callable(found):
        known = [name for name, each in vars(module).items() if _plays(each, module.__name__)]
        has = f"; it has {', '.join(known)}" if known else ""
        raise ValueError(f"bot {name}: there is no {wanted} in {where}{has}; {HOW}")
    if iscoroutinefunction(found) or iscoroutinefunction(getattr(found, "act", None)):
        raise ValueError(f"bot {name}: {wanted} {ASYNCHRONOUS}")
    kind: Any = found if isinstance(found, type) else _with_act(found)
    if not callable(getattr(kind, "act", None)):
        raise ValueError(f"bot {name}: {wanted} has no act; {HOW}")
    with _blamed(name, "cannot be made", file):
        made = _blaming(kind, name, file, seconds)
        bot: Any = made()
        signature(super(made, bot).act).bind(None, None)
        own_name = bot.name
    if not isinstance(own_name, str):
        raise ValueError(f"bot {name}: its name must be text, not {shown(own_name)}")
    made.name = own_name  # a property might raise an error later
    return cast("Agent", bot)


def _plays(found: Any, module: str) -> bool:
    """Whether something may be a bot: a class with ``act``, or a function of its own module."""
    own = isinstance(found, FunctionType) and found.__module__ == module
    return own or hasattr(found, "act")


def _with_act(function: Callable[[View, np.random.Generator], Integer]) -> Any:
    """A class of agents that play by a function."""

    def act(_: object, *given: Any) -> Integer:
        return function(*given)

    signature(function).bind(None, None)
    return type(getattr(function, "__name__", "Bot"), (), {"act": act})


def _from_file(path: Path, name: str) -> ModuleType:
    if not path.is_file():
        raise ValueError(f"bot {name}: there is no file {path}")
    return module_from_file(path)


def _blaming(kind: Any, name: str, file: str | None, seconds: float) -> Any:
    """The class of a bot whose errors, illegal actions and late answers are told by its name."""

    def blamed(method: Callable[..., Any], told: str = "fails") -> Callable[..., Any]:
        def answer(*given: Any, **named: Any) -> Any:
            with _blamed(name, told, file):
                return _at_once(name, method, *given, **named)

        @wraps(method)
        def call(self: Any, *given: Any, **named: Any) -> Any:
            view = next((each for each in given if isinstance(each, View)), None)
            late = "has not answered"
            if view is not None:
                late = f"as player_{view.player} {late}"
            games = 1 if view is None else view.num_envs
            limited = partial(answer, self, *given, **named)
            return call_within(self.bot_seconds, limited, f"bot {name}", late, games)

        return call

    def act(self: Any, view: View, rng: np.random.Generator) -> Integer:
        answer = _at_once(name, super(made, self).act, view, rng)
        try:
            chosen = checked_choice(answer, view, name)
        except ValueError as error:
            raise ValueError(f"bot {name}: {error}") from None
        _check_legal(chosen, view, name)
        return chosen

    own = getattr(kind, "name", None)
    facts: dict[str, Any] = {
        "act": blamed(act),
        "name": name if own is None else own,
        "bot_file": file,
        "bot_seconds": seconds,
    }
    for each, told in CALLED.items():
        method = getattr_static(kind, each, None)
        if isinstance(method, FunctionType):
            giving = _of_shape(name, method, SHAPES[each]) if each in SHAPES else method
            facts[each] = blamed(giving, told)
    made: Any = type(kind.__name__, (kind,), facts)
    return made


def _at_once(name: str, method: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """The answer of a bot's method, which must not be asynchronous."""
    answer = method(*given, **named)
    if isinstance(answer, CoroutineType):
        answer.close()  # without a warning that nobody has waited for it
        raise ValueError(f"bot {name}: {method.__name__} {ASYNCHRONOUS}")
    return answer


def _of_shape(
    name: str, method: Callable[..., Any], shape: Callable[[View], tuple[int, ...]]
) -> Callable[..., Any]:
    """A method of a view that raises unless it gives numbers of a shape."""

    @wraps(method)
    def call(self: Any, view: View) -> Any:
        given, wanted = np.asarray(_at_once(name, method, self, view)), shape(view)
        if given.dtype.kind not in "fiu" or given.shape != wanted:
            told = f"{given.dtype} {given.shape}"
            raise ValueError(f"{method.__name__} must give numbers {wanted}, not {told}")
        return given

    return call


def _passes(error: BaseException) -> bool:
    """Whether an error is none of the bot's: its time is up, or the process is to stop."""
    return isinstance(error, TimeUp) or is_stop(error)


def _words(error: BaseException) -> str:
    """What an error of a bot says; nothing if its own ``__str__`` fails."""
    try:
        return str(error)
    except BaseException as failure:
        if _passes(failure):
            raise
        return ""


@contextmanager
def _blamed(name: str, told: str, file: str | None = None) -> Iterator[None]:
    """Inside, an error is the bot's: a ValueError that names it, and the line that raised it.

    Args:
        name: The bot's.
        told: What it does in place of what it should.
        file: Its code, of which the last line is told; else that line which raised the error.
    """
    try:
        yield
    except BaseException as error:
        if _passes(error):
            raise
        words = _words(error)
        if isinstance(error, ValueError) and words.startswith(f"bot {name}"):
            raise
        lines = traceback.extract_tb(sys.exc_info()[2])
        last = next((each for each in reversed(lines) if each.filename == file), lines[-1])
        where = f" ({Path(last.filename).name}, line {last.lineno})"
        said = f"{type(error).__name__}: {words}" if words else type(error).__name__
        if isinstance(error, SyntaxError):  # it says so itself
            where = ""
        said = " ".join(said.split())
        raise ValueError(f"bot {name} {told}: {said}{where}") from error


def _check_legal(given: Integer, view: View, name: str) -> None:
    """Raise ValueError if an action is not legal."""
    mask = view.legal_action_mask
    there = (given >= 0) & (given < mask.shape[1])
    legal = there & mask[np.arange(len(mask)), np.where(there, given, 0)]
    if not legal.all():
        first = int(legal.argmin())
        raise ValueError(
            f"bot {name} plays {given[first]}, which is not legal for player_{view.player}; legal "
            f"are {', '.join(map(str, np.flatnonzero(mask[first])))}"
        )
