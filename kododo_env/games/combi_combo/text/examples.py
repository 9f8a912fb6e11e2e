"""Worked examples of Combi-Combo: hands at the end of a game, and their points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kododo_env.games.combi_combo.game import CombiComboGame
from kododo_env.games.combi_combo.rules import Rules
from kododo_env.games.combi_combo.scoring import by_colour, score_lines
from kododo_env.games.combi_combo.text import words
from kododo_env.games.combi_combo.text.cards import LINES, faces
from kododo_env.rendering.game_words import Words
from kododo_env.rendering.languages import say
from kododo_env.rendering.lesson import (
    EXAMPLE_PLAYERS,
    WIDTH,
    WorkedExample,
    named_row,
    on_felt,
)
from kododo_env.rendering.plain_words import event
from kododo_env.rendering.svg import Box
from kododo_env.rendering.words import counted


def worked(lines: Sequence[str]) -> WorkedExample:
    """Return the worked example of hands at the end of a game.

    Args:
        lines: A line for each player: the name, and the cards in hand.
    """
    game = CombiComboGame(1, Rules(num_players=len(lines)), seed=0)
    one_each = faces(game, np.ones(game.rules.num_card_types, np.uint8))
    names = [face.short for face in one_each]
    held = [[names.index(name) for name in line.split()[1:]] for line in lines]
    hands = np.array([np.bincount(cards, minlength=len(names)) for cards in held], np.uint8)
    points = score_lines(by_colour(hands[..., None], game.rules), game.rules)[..., 0].T
    pieces: list[str] = []
    for seat, (hand, line) in enumerate(zip(hands, points.tolist(), strict=True)):
        box = Box(14, 6 + 82 * seat, WIDTH - 28, 0)
        note = counted(sum(line), "game.points")
        pieces += named_row(EXAMPLE_PLAYERS[seat], note, faces(game, hand, in_hand=True), box, 40)
    picture = on_felt(pieces, say("combi_combo.hands_picture"), 6 + 82 * len(hands))
    sentences = [_in_words(game, seat, line) for seat, line in enumerate(points.tolist())]
    return WorkedExample(picture, sentences)


def _in_words(game: CombiComboGame, seat: int, line: list[int]) -> str:
    """A player's points for each line of the score."""
    sources = [event(key, points=points) for key, points in zip(LINES, line, strict=True) if points]
    sheet = event("game.points_by_source", seats=[seat], sources=sources, points=sum(line))
    return Words(game, words).sentence(sheet, EXAMPLE_PLAYERS[: game.num_players])
