"""The tables of a game with each possible number of players, and the layouts common to them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.padding import Layouts, Padding, common_layouts
from kododo_env.rules_arguments import PLAYERS


def padding_of(game: BatchGame) -> Padding:
    """Return how a batch's observations and actions are padded to the game's largest table.

    The largest table is the largest that the batch's rules allow.

    Raises:
        ValueError: The game is not in the registry.
    """
    tables = [Layouts(table.layout, table.actions) for table in all_tables(game).values()]
    return Padding(Layouts(game.layout, game.actions), common_layouts(tables))


def all_tables(game: BatchGame, num_envs: int = 1) -> dict[int, BatchGame]:
    """Return a batch for each number of players, with the same game and the same other rules.

    Args:
        game: A batch. Numbers of players that its other rules do not allow are left out.
        num_envs: The number of games in each batch.

    Returns:
        The batches by their number of players.
    """
    further = further_rules(game)
    tables = {}
    for players in registry.environment_module(game.name).PLAYERS:
        try:
            tables[players] = registry.batch_game(
                game.name, num_envs, 0, **{PLAYERS: players}, **further
            )
        except ValueError:  # these rules do not allow this number of players
            continue
    return tables


def further_rules(game: BatchGame) -> dict[str, Any]:
    """Return the rules that differ from the defaults for the batch's number of players, by name."""
    usual = registry.batch_game(game.name, 1, 0, **{PLAYERS: game.num_players}).rules
    rules = {field.name: getattr(game.rules, field.name) for field in fields(game.rules)}
    return {name: value for name, value in rules.items() if value != getattr(usual, name)}
