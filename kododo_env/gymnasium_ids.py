"""Gymnasium ids of the games in the registry, for ``gymnasium.make`` and ``make_vec``.

``kododo_env`` imports this module, so it must not import a library at the top level.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kododo_env import pettingzoo_ids
from kododo_env.system.import_hooks import when_imported

if TYPE_CHECKING:
    from gymnasium import Env

    from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv


COLLECTED = ("ansi_list", "rgb_array_list")
ID = re.compile(r"([\w-]+/)?[\w.-]+-v\d+")


def single(game: str, **options: Any) -> Env[Any, Any]:
    """Create the environment for ``gymnasium.make``: one game with one learner.

    The render modes in ``COLLECTED`` wrap it in Gymnasium's ``RenderCollection``.

    Args:
        game: The game's name in the registry.
        **options: The options of ``SingleSeatEnv``, and the parameters of the game's
            ``batch_game``, such as ``num_players``; a seed is passed to ``reset`` instead.

    Raises:
        TypeError: An option is unknown.
        ValueError: The rules or an option are invalid.
    """
    from gymnasium.wrappers import RenderCollection

    from kododo_env import registry
    from kododo_env.wrappers.single import SingleSeatEnv

    env_options, rules = _split(options, SingleSeatEnv, game)
    mode = env_options.get("render_mode")
    is_collected = isinstance(mode, str) and mode in COLLECTED
    if is_collected:
        env_options["render_mode"] = str(mode).removesuffix("_list")
    env = SingleSeatEnv(registry.batch_game(game, 1, **rules), **env_options)
    return RenderCollection(env) if is_collected else env


def vector(game: str, num_envs: int = 1, **options: Any) -> BatchVectorEnv:
    """Create the environment for ``gymnasium.make_vec``: many games, with one learner in each.

    Args:
        game: The game's name in the registry.
        num_envs: The number of games.
        **options: The options of ``BatchVectorEnv``, and the parameters of the game's
            ``batch_game``, such as ``num_players``; a seed is passed to ``reset`` instead.

    Raises:
        TypeError: An option is unknown.
        ValueError: The rules or an option are invalid.
    """
    from kododo_env import registry
    from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv

    env_options, rules = _split(options, BatchVectorEnv, game)
    return BatchVectorEnv(registry.batch_game(game, num_envs, **rules), **env_options)


def _split(
    options: dict[str, Any], wrapper: type[Any], game: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of a wrapper and the parameters of the game's ``batch_game``."""
    from inspect import signature

    from kododo_env import registry
    from kododo_env.checks.options import check_options

    module = registry.environment_module(game)
    if "seed" in options:  # it would seed only the cards, not opponents and seats
        raise TypeError("seed is not an option of the environment: pass it to reset()")
    rules_class = type(module.batch_game(1).rules)
    check_options(options, wrapper, module.batch_game, rules_class, but=["seed"])
    names = signature(wrapper).parameters
    env_options = {name: options[name] for name in options if name in names}
    return env_options, {name: options[name] for name in options if name not in names}


def register(game: str, id: str) -> None:
    """Register a game with Gymnasium and PettingZoo as soon as they are imported.

    Call this at the end of an environment module in another package.
    ``gymnasium.make("package.NAME_v0:ID")`` then imports the module and finds the id. Before
    ``pettingzoo.make``, the module must be imported.

    Args:
        game: The game's name in the registry.
        id: The module's ``GYMNASIUM_ID``, such as ``high_card/HighCard-v0``.

    Raises:
        ValueError: The name or the id is invalid, or the id belongs to a game of this package.
    """
    from kododo_env import registry

    registry.check_name(game)
    reserved_ids = [
        registry.environment_module(name).GYMNASIUM_ID
        for name in registry.ENVIRONMENT_MODULES
        if name != game
    ]
    if not ID.fullmatch(str(id)) or id in reserved_ids:
        raise ValueError(
            f"Gymnasium id of {game} must be like {game}/Name-v0 and not belong to another "
            f"game, got {id!r}"
        )
    when_imported("gymnasium", lambda: register_in_gymnasium(game, id))
    when_imported("pettingzoo", lambda: pettingzoo_ids.register(game, id))


def register_all(register_one: Callable[[str, str], None]) -> None:
    """Register all games of this package with a library, by a function of a game and its id."""
    from kododo_env import registry

    for game in registry.ENVIRONMENT_MODULES:
        register_one(game, registry.environment_module(game).GYMNASIUM_ID)


def register_in_gymnasium(game: str, id: str) -> None:
    """Register a game with Gymnasium, unless it is registered already."""
    import gymnasium

    if id not in gymnasium.registry:
        gymnasium.register(
            id,
            f"{__name__}:{single.__name__}",
            vector_entry_point=f"{__name__}:{vector.__name__}",
            kwargs={"game": game},
        )
