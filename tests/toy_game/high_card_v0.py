"""High card, version 0: a door like those of ``kododo_env``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kododo_env.core.rewards import Reward
from tests.testing.high_card import HighCard, Rules

if TYPE_CHECKING:
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.parallel import ParallelGame

__all__ = ["GYMNASIUM_ID", "PLAYERS", "batch_game", "env", "parallel_env"]

GYMNASIUM_ID = "tests/HighCard-v0"
PLAYERS = (2, 3)


def batch_game(
    num_envs: int, num_players: int = 3, seed: int | None = None, **rules: Any
) -> HighCard:
    """Player i is dealt ``deck[2 * i : 2 * i + 2]``; then all draw in seat order from the front."""
    return HighCard(num_envs, Rules(num_players, **rules), seed)


def parallel_env(
    num_players: int = 3,
    reward: str | Reward = "score",
    render_mode: str | None = None,
    illegal_action: str = "raise",
    **rules: Any,
) -> ParallelGame:
    """One game as a PettingZoo ParallelEnv."""
    from kododo_env.wrappers.parallel import ParallelGame

    return ParallelGame(batch_game(1, num_players, **rules), reward, render_mode, illegal_action)


def env(
    num_players: int = 3,
    reward: str | Reward = "score",
    render_mode: str | None = None,
    illegal_action: str = "raise",
    **rules: Any,
) -> AECGame:
    """One game as a PettingZoo AECEnv."""
    from kododo_env.wrappers.aec import AECGame

    return AECGame(batch_game(1, num_players, **rules), reward, render_mode, illegal_action)
