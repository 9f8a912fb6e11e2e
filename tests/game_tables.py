"""Every game of the registry at each number of players, for tests that run over all of them."""

from __future__ import annotations

from kododo_env import registry

GAMES = tuple(registry.ENVIRONMENT_MODULES)
TABLES = tuple(
    (game, players) for game in GAMES for players in registry.environment_module(game).PLAYERS
)
EXTREMES = tuple(
    (game, players)
    for game in GAMES
    for players in sorted(
        {
            min(registry.environment_module(game).PLAYERS),
            max(registry.environment_module(game).PLAYERS),
        }
    )
)
"""The smallest and the largest table of each game."""

ALL_ALIKE = {"num_colours": 1, "copies": (12, 12, 12, 12), "fours_points": (0, 0)}
"""Rules of Combi-Combo by which a pile can be one card twelve times."""


def forced_deck(first: int) -> list[int]:
    """Four such piles: what is passed in the first turn is forced, and not always action 0."""
    return [(first + player) % 4 for player in range(4) for _ in range(12)]
