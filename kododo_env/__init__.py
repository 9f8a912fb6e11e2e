"""Card games in which all players reveal at once, for reinforcement learning.

Importing this package registers the games with PettingZoo and Gymnasium; if one of them has not
been imported yet, its games are registered when it is. Then these calls work:
``pettingzoo.make("parallel", "kododo/Kododo-v0", num_players=4)``,
``gymnasium.make("kododo_env:kododo/Kododo-v0", num_players=4)``.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from kododo_env import pettingzoo_ids
from kododo_env.gymnasium_ids import register_all, register_in_gymnasium
from kododo_env.system.import_hooks import when_imported

if TYPE_CHECKING:
    from kododo_env.agent_registry import load, make_agent

__version__ = "0.1.0"
__all__ = ["__version__", "load", "make_agent"]

when_imported("gymnasium", partial(register_all, register_in_gymnasium))
when_imported("pettingzoo", partial(register_all, pettingzoo_ids.register))


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> Any:
        # Lazily: a command must handle Ctrl-C before numpy is imported.
        if name in __all__:
            return getattr(import_module("kododo_env.agent_registry"), name)
        module = f"{__name__}.{name}"
        try:
            return import_module(module)  # such as kododo_env.kododo_v0
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from pkgutil import iter_modules

    return sorted({*globals(), *__all__, *(module.name for module in iter_modules(__path__))})
