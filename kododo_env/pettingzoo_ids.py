"""Registration of the games with PettingZoo, for ``pettingzoo.make``.

PettingZoo has a registry since version 1.27; with earlier versions nothing is registered.
``kododo_env`` imports this module, so it must not import a library at the top level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.parallel import ParallelGame


def parallel(game: str, **options: Any) -> ParallelGame:
    """Create the environment for ``pettingzoo.make("parallel", id)``: a ``parallel_env``."""
    from kododo_env import registry

    env: ParallelGame = registry.environment_module(game).parallel_env(**options)
    return env


def aec(game: str, **options: Any) -> AECGame:
    """Create the environment for ``pettingzoo.make("aec", id)``: an ``env``."""
    from kododo_env import registry

    env: AECGame = registry.environment_module(game).env(**options)
    return env


def register(game: str, id: str) -> None:
    """Register a game with PettingZoo, unless it is registered already.

    Args:
        game: The game's name in the registry.
        id: Its id, such as ``kododo/Kododo-v0``; it is the same as in Gymnasium.
    """
    import pettingzoo

    if not hasattr(pettingzoo, "register"):
        return
    if id not in pettingzoo.parallel_registry:
        entry_point = f"{__name__}:{parallel.__name__}"
        pettingzoo.register("parallel", id, entry_point, kwargs={"game": game})
    if id not in pettingzoo.aec_registry:
        entry_point = f"{__name__}:{aec.__name__}"
        pettingzoo.register("aec", id, entry_point, kwargs={"game": game})


def register_all() -> None:
    """Register all games of this package with PettingZoo."""
    from kododo_env import registry

    for game in registry.ENVIRONMENT_MODULES:
        register(game, registry.environment_module(game).GYMNASIUM_ID)
