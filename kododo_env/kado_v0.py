"""The environment module of KADO, version 0. See ``docs/games/kado.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, Unpack

from kododo_env.checks.options import check_options
from kododo_env.environments import TableOptions, aec_game, parallel_game, show_options
from kododo_env.games.kado import KadoGame, Rules

if TYPE_CHECKING:
    from kododo_env.games.kado.rules import Deck
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.parallel import ParallelGame

__all__ = ["GYMNASIUM_ID", "PLAYERS", "batch_game", "env", "parallel_env"]

GYMNASIUM_ID = "kododo/Kado-v0"
PLAYERS = (2, 3, 4)


class RulesOptions(TypedDict, total=False):
    """The optional fields of ``Rules`` that are not arguments of their own."""

    deck: Deck
    num_rows: int
    num_columns: int
    perfect_points: int
    discards: int | None


class Options(RulesOptions, TableOptions, total=False):
    """All keyword options of ``parallel_env`` and ``env``."""


@show_options(RulesOptions, Rules)
def batch_game(
    num_envs: int, num_players: int = 3, seed: int | None = None, **rules: Unpack[RulesOptions]
) -> KadoGame:
    """Return many games at once, as arrays.

    Args:
        num_envs: The number of games.
        num_players: 2 to 4; 2 play the duel.
        seed: Seed of the batch's generator.
        **rules: Other fields of the game's ``Rules``.

    Raises:
        TypeError: An option is unknown.
        ValueError: The rules are invalid.
    """
    check_options(rules, batch_game, Rules)
    return KadoGame(num_envs, Rules(num_players, **rules), seed)


@show_options(Options, Rules)
def parallel_env(num_players: int = 3, **options: Unpack[Options]) -> ParallelGame:
    """Return one game as a PettingZoo ParallelEnv; a player with nothing to decide plays the no-op.

    Args:
        num_players: 2 to 4; 2 play the duel.
        **options: Fields of ``kododo_env.environments.TableOptions`` and other fields of the
            game's ``Rules``.

    Raises:
        TypeError: An option is unknown.
        ValueError: The rules or an option are invalid.
    """
    return parallel_game(batch_game, Rules, {"num_players": num_players, **options})


@show_options(Options, Rules)
def env(num_players: int = 3, **options: Unpack[Options]) -> AECGame:
    """Return one game as a PettingZoo AECEnv, which asks only players with something to decide.

    See ``parallel_env`` for the arguments.
    """
    return aec_game(batch_game, Rules, {"num_players": num_players, **options})
