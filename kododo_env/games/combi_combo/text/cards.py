"""The faces of the cards of Combi-Combo, and the points of a hand as a player sees them."""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Uint8
from kododo_env.games.combi_combo.display import CombiComboDisplay
from kododo_env.games.combi_combo.rules import VALUES
from kododo_env.games.combi_combo.scoring import score_lines
from kododo_env.rendering.svg_cards import Card, suits

LINES = tuple(
    f"combi_combo.line.{line}" for line in ("ones", "sequences", "twos", "threes", "fours")
)
"""The keys of the short names of the lines of the score."""


def faces(game: CombiComboDisplay, counts: Uint8, in_hand: bool = False) -> list[Card]:
    """Return the faces of cards counted by type; in a hand, a complete 1-2-3-4 is lit."""
    palette = suits(game.rules.num_colours)
    by_colour = counts.reshape(len(palette), VALUES)
    whole = np.asarray((by_colour > 0).all(axis=1))
    return [
        Card(palette[colour], value + 1, lit=in_hand and bool(whole[colour]))
        for colour, value in np.ndindex(by_colour.shape)
        for _ in range(by_colour[colour, value])
    ]


def is_visible(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> bool:
    """Return whether a hand is visible; at the end all hands are."""
    return player in (None, seat) or bool(game.terminated[index])


def line_points(game: CombiComboDisplay, index: int, seat: int, player: int | None) -> list[str]:
    """Return the current points of a hand for each line; "?" if the viewer cannot know them."""
    hands = game.hands[index].T.reshape(game.rules.num_colours, VALUES, game.num_players)
    points = [str(line[seat]) for line in score_lines(hands, game.rules)]
    if not is_visible(game, index, seat, player):
        return ["?"] * len(points)
    if not is_visible(game, index, seat - 1, player):
        points[0] = "?"  # depends on the other players' hands
    return points
