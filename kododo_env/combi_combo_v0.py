"""Combi-Combo, version 0: the door to the game. See ``docs/games/combi_combo.md``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kododo_env.core.options import check_options
from kododo_env.core.rewards import Reward
from kododo_env.games.combi_combo import CombiComboGame, Rules

if TYPE_CHECKING:
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.opponents import Opponent
    from kododo_env.wrappers.parallel import ParallelGame

__all__ = ["GYMNASIUM_ID", "PLAYERS", "batch_game", "env", "parallel_env"]

GYMNASIUM_ID = "kododo/CombiCombo-v0"
PLAYERS = (4, 5)


def batch_game(
    num_envs: int,
    num_players: int = 4,
    seed: int | None = None,
    **rules: Any,
) -> CombiComboGame:
    """Many games at once, as arrays.

    Args:
        num_envs: How many games.
        num_players: 4 or 5.
        seed: Seed of the batch's generator.
        **rules: Further fields of ``Rules``, to change the game.

    Raises:
        TypeError: There is no such option.
        ValueError: The rules cannot be played.
    """
    check_options(rules, batch_game, Rules)
    return CombiComboGame(num_envs, Rules(num_players, **rules), seed)


def parallel_env(
    num_players: int = 4,
    reward: str | Reward = "score",
    render_mode: str | None = None,
    illegal_action: str = "raise",
    observation_dtype: str | None = None,
    normalize: bool = False,
    action_mask: str = "both",
    opponents: Opponent | Sequence[Opponent | None] | None = None,
    record: str | None = None,
    **rules: Any,
) -> ParallelGame:
    """One game as a PettingZoo ParallelEnv, everybody choosing at once.

    Args:
        num_players: 4 or 5.
        reward: ``"score"``, ``"margin"`` or ``"win"``; see ``kododo_env.core.rewards``.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``.
        illegal_action: ``"raise"``, or ``"random"`` to play a legal one instead.
        observation_dtype: None for small integers, or another such as ``"float32"``.
        normalize: Whether each number is divided by its maximum, so that it is 0 to 1.
        action_mask: Where the mask is: ``"observation"``, ``"info"`` or ``"both"``.
        opponents: Agents or their names, such as ``"heuristic"``, that have some of the seats:
            for each seat one or None; one alone has all seats but the first.
        record: A folder into which the record of each episode is written.
        **rules: Further fields of ``Rules``, to change the game.

    Raises:
        TypeError: There is no such option.
        ValueError: The rules cannot be played, or an option is none of its choices.
    """
    from kododo_env.wrappers.parallel import ParallelGame  # the batch does without PettingZoo

    check_options(rules, parallel_env, Rules)
    game = batch_game(1, num_players, **rules)
    seen = (observation_dtype, normalize, action_mask, opponents, record)
    return ParallelGame(game, reward, render_mode, illegal_action, *seen)


def env(
    num_players: int = 4,
    reward: str | Reward = "score",
    render_mode: str | None = None,
    illegal_action: str = "raise",
    observation_dtype: str | None = None,
    normalize: bool = False,
    action_mask: str = "both",
    opponents: Opponent | Sequence[Opponent | None] | None = None,
    record: str | None = None,
    **rules: Any,
) -> AECGame:
    """One game as a PettingZoo AECEnv, one player after the other; see ``parallel_env``."""
    from kododo_env.wrappers.aec import AECGame  # as above

    check_options(rules, env, Rules)
    game = batch_game(1, num_players, **rules)
    seen = (observation_dtype, normalize, action_mask, opponents, record)
    return AECGame(game, reward, render_mode, illegal_action, *seen)
