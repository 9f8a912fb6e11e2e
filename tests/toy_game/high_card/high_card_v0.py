"""High card, version 0: an environment module like those of ``kododo_env``, in another package."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from kododo_env.checks.options import check_options
from kododo_env.environments import TableOptions, aec_game, parallel_game, show_options
from kododo_env.gymnasium_ids import register

from .game import HighCard, Rules

if TYPE_CHECKING:
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.parallel import ParallelGame

__all__ = ["GYMNASIUM_ID", "PLAYERS", "batch_game", "env", "parallel_env"]

GYMNASIUM_ID = "high_card/HighCard-v0"
PLAYERS = (2, 3)


class RulesOptions(TypedDict, total=False):
    """The other fields of ``Rules``."""

    num_cards: int
    turns: int
    prize: int


class Options(RulesOptions, TableOptions, total=False):
    """All keyword options of ``parallel_env`` and ``env``."""


@show_options(RulesOptions, Rules)
def batch_game(
    num_envs: int, num_players: int = 3, seed: int | None = None, **rules: Unpack[RulesOptions]
) -> HighCard:
    """Player i is dealt ``deck[2 * i : 2 * i + 2]``; then all draw in seat order from the front."""
    check_options(rules, batch_game, Rules)
    return HighCard(num_envs, Rules(num_players, **rules), seed)


@show_options(Options, Rules)
def parallel_env(num_players: int = 3, **options: Unpack[Options]) -> ParallelGame:
    """One game as a PettingZoo ParallelEnv."""
    return parallel_game(batch_game, Rules, {"num_players": num_players, **options})


@show_options(Options, Rules)
def env(num_players: int = 3, **options: Unpack[Options]) -> AECGame:
    """One game as a PettingZoo AECEnv."""
    return aec_game(batch_game, Rules, {"num_players": num_players, **options})


register("high_card", GYMNASIUM_ID)
