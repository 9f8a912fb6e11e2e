"""Gymnasium's ids of the games in the registry, for ``gymnasium.make``."""

from __future__ import annotations

from typing import Any

import gymnasium

from kododo_env import registry
from kododo_env.core.rewards import Reward
from kododo_env.wrappers.opponents import Opponents
from kododo_env.wrappers.single import SingleSeatEnv


class RegisteredGame(SingleSeatEnv):
    """A game of the registry for one learner; what ``gymnasium.make`` makes.

    Args:
        game: The game's name in the registry.
        seat: See ``SingleSeatEnv``, as for the following ones.
        opponents: Who plays the other seats; random legal play by default.
        reward: ``"score"``, ``"margin"``, ``"win"`` or a function.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
        illegal_action: ``"random"`` or ``"raise"``.
        **rules: The parameters of the game's ``batch_game``, such as ``num_players``.

    Raises:
        ValueError: The rules cannot be played, or an option is unknown.
    """

    def __init__(
        self,
        game: str,
        seat: int | str = 0,
        opponents: Opponents = None,
        reward: str | Reward = "score",
        render_mode: str | None = None,
        illegal_action: str = "random",
        **rules: Any,
    ) -> None:
        batch = registry.batch_game(game, 1, **rules)
        super().__init__(batch, seat, opponents, reward, render_mode, illegal_action)


def register_all() -> None:
    """Tell Gymnasium the id of each game that it does not know yet."""
    for game in registry.DOORS:
        id = registry.door(game).GYMNASIUM_ID
        if id not in gymnasium.registry:
            entry_point = f"{RegisteredGame.__module__}:{RegisteredGame.__name__}"
            gymnasium.register(id, entry_point, kwargs={"game": game})
