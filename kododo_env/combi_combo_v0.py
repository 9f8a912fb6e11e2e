"""Combi-Combo, version 0: the door to the game. See ``docs/games/combi_combo.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from kododo_env.core.options import check_options
from kododo_env.doors import TableOptions, aec_game, parallel_game, show_options
from kododo_env.games.combi_combo import CombiComboGame, Rules

if TYPE_CHECKING:
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.parallel import ParallelGame

__all__ = ["GYMNASIUM_ID", "PLAYERS", "batch_game", "env", "parallel_env"]

GYMNASIUM_ID = "kododo/CombiCombo-v0"
PLAYERS = (4, 5)


class RulesOptions(TypedDict, total=False):
    """The further fields of ``Rules``."""

    num_colours: int
    copies: tuple[int, ...]
    opening_hand: int
    num_turns: int
    ones_points: int
    sequence_points: int
    twos_points: int
    twos_in_series: int
    threes_par: int
    fours_points: tuple[int, ...]


class Options(RulesOptions, TableOptions, total=False):
    """All options of ``parallel_env`` and ``env`` that are given by name."""


@show_options(RulesOptions, Rules)
def batch_game(
    num_envs: int, num_players: int = 4, seed: int | None = None, **rules: Unpack[RulesOptions]
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


@show_options(Options, Rules)
def parallel_env(num_players: int = 4, **options: Unpack[Options]) -> ParallelGame:
    """One game as a PettingZoo ParallelEnv, everybody choosing at once.

    Args:
        num_players: 4 or 5.
        **options: ``kododo_env.doors.TableOptions``, which explains them, and further fields of
            ``Rules``, to change the game.

    Raises:
        TypeError: There is no such option.
        ValueError: The rules cannot be played, or an option is none of its choices.
    """
    return parallel_game(batch_game, Rules, {"num_players": num_players, **options})


@show_options(Options, Rules)
def env(num_players: int = 4, **options: Unpack[Options]) -> AECGame:
    """One game as a PettingZoo AECEnv, one player after the other; see ``parallel_env``."""
    return aec_game(batch_game, Rules, {"num_players": num_players, **options})
