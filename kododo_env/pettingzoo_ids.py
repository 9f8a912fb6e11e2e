"""Registration of the games with PettingZoo, for ``pettingzoo.make``.

PettingZoo has a registry since version 1.27; with earlier versions nothing is registered.
``kododo_env`` imports this module, so it must not import a library at the top level.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS = {"parallel": "parallel_env", "aec": "env"}
"""For each kind of environment in PettingZoo the function of environment modules that makes it."""


def make(game: str, function: str, **options: Any) -> Any:
    """Create the environment for ``pettingzoo.make(kind, id)``; see ``FUNCTIONS``."""
    from kododo_env import registry

    return getattr(registry.environment_module(game), function)(**options)


def register(game: str, id: str) -> None:
    """Register a game with PettingZoo, unless it is registered already.

    Args:
        game: The game's name in the registry.
        id: Its id, such as ``kododo/Kododo-v0``; it is the same as in Gymnasium.
    """
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    for kind, function in FUNCTIONS.items():
        if id not in getattr(pettingzoo, f"{kind}_registry"):
            settings = {"game": game, "function": function}
            pettingzoo.register(kind, id, f"{__name__}:{make.__name__}", kwargs=settings)
