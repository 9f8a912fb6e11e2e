"""Every game of the registry at each number of players, for tests that run over all of them."""

from __future__ import annotations

from kododo_env import registry

GAMES = tuple(registry.DOORS)
TABLES = tuple((game, players) for game in GAMES for players in registry.door(game).PLAYERS)
EXTREMES = tuple(
    (game, players)
    for game in GAMES
    for players in sorted({min(registry.door(game).PLAYERS), max(registry.door(game).PLAYERS)})
)
"""The smallest and the largest table of each game."""
