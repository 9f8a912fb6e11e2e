"""The environment module of Kododo, version 0. See ``docs/games/kododo.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from kododo_env.checks.options import check_options
from kododo_env.environments import TableOptions, aec_game, parallel_game, show_options
from kododo_env.games.kododo import KododoGame, Rules

if TYPE_CHECKING:
    from kododo_env.wrappers.aec import AECGame
    from kododo_env.wrappers.parallel import ParallelGame

__all__ = ["GYMNASIUM_ID", "PLAYERS", "batch_game", "env", "parallel_env"]

Variant = Literal["standard", "long"]
GYMNASIUM_ID = "kododo/Kododo-v0"
PLAYERS = (2, 3, 4, 5)


class RulesOptions(TypedDict, total=False):
    """The optional fields of ``Rules`` that are not arguments of their own."""

    num_colours: int
    copies: tuple[int, ...]
    hand_size: int
    plays: tuple[int, ...]
    kododo_offset: int
    limit_offset: int
    removed_cards: int | None
    target_score: int


class Options(RulesOptions, TableOptions, total=False):
    """All keyword options of ``parallel_env`` and ``env``."""


@show_options(RulesOptions, Rules)
def batch_game(
    num_envs: int,
    num_players: int = 4,
    variant: Variant = "standard",
    seed: int | None = None,
    **rules: Unpack[RulesOptions],
) -> KododoGame:
    """Return many games at once, as arrays.

    Args:
        num_envs: The number of games.
        num_players: 2 to 5.
        variant: ``"standard"`` or ``"long"``.
        seed: Seed of the batch's generator.
        **rules: Other fields of the game's ``Rules``.

    Raises:
        TypeError: An option is unknown.
        ValueError: The rules are invalid.
    """
    check_options(rules, batch_game, Rules)
    return KododoGame(num_envs, Rules(num_players, variant, **rules), seed)


@show_options(Options, Rules)
def parallel_env(
    num_players: int = 4, variant: Variant = "standard", **options: Unpack[Options]
) -> ParallelGame:
    """Return one game as a PettingZoo ParallelEnv, in which all players choose at once.

    Args:
        num_players: 2 to 5.
        variant: ``"standard"`` or ``"long"``.
        **options: Fields of ``kododo_env.environments.TableOptions`` and other fields of the
            game's ``Rules``.

    Raises:
        TypeError: An option is unknown.
        ValueError: The rules or an option are invalid.
    """
    return parallel_game(
        batch_game, Rules, {"num_players": num_players, "variant": variant, **options}
    )


@show_options(Options, Rules)
def env(num_players: int = 4, variant: Variant = "standard", **options: Unpack[Options]) -> AECGame:
    """Return one game as a PettingZoo AECEnv, one player after another; see ``parallel_env``."""
    return aec_game(batch_game, Rules, {"num_players": num_players, "variant": variant, **options})
