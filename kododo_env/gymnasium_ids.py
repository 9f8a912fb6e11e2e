"""Gymnasium's ids of the games in the registry, for ``gymnasium.make`` and ``make_vec``.

``kododo_env`` imports this, so that no library is imported at the top.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kododo_env import pettingzoo_ids
from kododo_env.system.on_import import when_imported

if TYPE_CHECKING:
    from gymnasium import Env

    from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv


COLLECTED = ("ansi_list", "rgb_array_list")
ID = re.compile(r"([\w-]+/)?[\w.-]+-v\d+")


def single(game: str, **options: Any) -> Env[Any, Any]:
    """A game of the registry for one learner; what ``gymnasium.make`` makes.

    With a mode of ``COLLECTED`` Gymnasium's own RenderCollection is around it.

    Args:
        game: The game's name in the registry.
        **options: Those of ``SingleSeatEnv``, and the parameters of the game's ``batch_game``,
            such as ``num_players``; but a seed is for ``reset``.

    Raises:
        TypeError: There is no such option.
        ValueError: The rules cannot be played, or an option is none of its choices.
    """
    from gymnasium.wrappers import RenderCollection

    from kododo_env import registry
    from kododo_env.wrappers.single import SingleSeatEnv

    own, rules = _split(options, SingleSeatEnv, game)
    mode = own.get("render_mode")
    if collects := isinstance(mode, str) and mode in COLLECTED:
        own["render_mode"] = mode.removesuffix("_list")
    env = SingleSeatEnv(registry.batch_game(game, 1, **rules), **own)
    return RenderCollection(env) if collects else env


def vector(game: str, num_envs: int = 1, **options: Any) -> BatchVectorEnv:
    """Many games at once for one learner in each; what ``gymnasium.make_vec`` makes.

    Args:
        game: The game's name in the registry.
        num_envs: How many games.
        **options: Those of ``BatchVectorEnv``, and else as for ``single``.
    """
    from kododo_env import registry
    from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv

    own, rules = _split(options, BatchVectorEnv, game)
    return BatchVectorEnv(registry.batch_game(game, num_envs, **rules), **own)


def _split(
    options: dict[str, Any], wrapper: type[Any], game: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a wrapper, and the parameters of the game's ``batch_game``."""
    from inspect import signature

    from kododo_env import registry
    from kododo_env.core.options import check_options

    door = registry.door(game)
    if "seed" in options:  # of the cards alone, and opponents and seats would go without
        raise TypeError("seed is no option of an environment: give it to reset")
    takers = wrapper, door.batch_game, type(door.batch_game(1).rules)
    check_options(options, *takers, but=["seed"])
    names = signature(wrapper).parameters
    own = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}


def register(game: str, id: str) -> None:
    """Tell Gymnasium and PettingZoo the id of a game, now or when they are imported.

    A door in another package ends with this call. ``gymnasium.make("package.NAME_v0:ID")`` then
    imports the door, and finds the id; ``pettingzoo.make`` needs the door to be imported before.

    Args:
        game: The game's name in the registry.
        id: The door's ``GYMNASIUM_ID``, such as ``high_card/HighCard-v0``.

    Raises:
        ValueError: A game cannot have that name, or the id is none or that of a game of ours.
    """
    from kododo_env import registry

    registry.check_name(game)
    ours = [registry.door(each).GYMNASIUM_ID for each in registry.DOORS if each != game]
    if not ID.fullmatch(str(id)) or id in ours:
        raise ValueError(
            f"Gymnasium's id of {game} must be like {game}/Name-v0 and no other game's, not {id!r}"
        )
    when_imported("gymnasium", lambda: _register(game, id))
    when_imported("pettingzoo", lambda: pettingzoo_ids.register(game, id))


def register_all() -> None:
    """Tell Gymnasium the id of each game of ours."""
    from kododo_env import registry

    for game in registry.DOORS:
        _register(game, registry.door(game).GYMNASIUM_ID)


def _register(game: str, id: str) -> None:
    import gymnasium

    if id not in gymnasium.registry:
        gymnasium.register(
            id,
            f"{__name__}:{single.__name__}",
            vector_entry_point=f"{__name__}:{vector.__name__}",
            kwargs={"game": game},
        )
