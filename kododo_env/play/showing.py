"""How a position looks from a seat: in words, numbers and pictures, and nothing that is hidden."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.actions import ActionLayout, ActionPiece
from kododo_env.core.arrays import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import TellsInWords
from kododo_env.rendering.svg_cards import card_picture
from kododo_env.rendering.words import card_words, listed


def position(game: BatchGame, seat: int, pictures: bool) -> dict[str, Any]:
    """The table of a batch of one as a seat sees it, with or without pictures as SVG."""
    drawn = {"picture": game.svg(0, seat)} if pictures else {}
    pieces = game.view(seat).pieces
    return {
        "text": game.text(0, seat),
        **drawn,
        "hand": _hand(game, seat, pictures),
        "actions": actions(game, seat),
        "knows": {name: piece[0].tolist() for name, piece in pieces.items()},
    }


def _hand(game: BatchGame, seat: int, pictures: bool) -> list[dict[str, str]]:
    """The cards that a player holds and has seen."""
    cards = game.hand_of(seat) if isinstance(game, TellsInWords) else []
    return [
        {"words": card_words(each), **({"picture": card_picture(each)} if pictures else {})}
        for each in cards
    ]


def actions(game: BatchGame, seat: int) -> list[dict[str, Any]]:
    """The legal actions of a player; none if they have nothing to decide.

    Each has its number, its words, the block of the action layout and the place there, and
    which cards of the hand it plays.
    """
    legal = legal_actions(game, seat)
    if len(legal) < 2:
        return []
    return [
        {
            "action": action,
            "words": game.describe_choice(action, seat),
            **_place(game.actions, action),
            "cards": list(game.cards_played(action, seat))
            if isinstance(game, TellsInWords)
            else [],
        }
        for action in legal
    ]


def legal_actions(game: BatchGame, seat: int) -> list[int]:
    """The numbers of a player's legal actions."""
    found: list[int] = np.flatnonzero(game.legal_action_mask()[0, seat]).tolist()
    return found


def _place(layout: ActionLayout, action: int) -> dict[str, Any]:
    """The block of an action, and its place there by the names of the axes."""
    offset = action
    for piece in layout.pieces:
        if offset < piece.size:
            break
        offset -= piece.size
    if not isinstance(piece, ActionPiece):
        return {"kind": piece.name, "at": {}}
    place = map(int, np.unravel_index(offset, piece.shape)) if piece.shape else ()
    return {"kind": piece.name, "at": dict(zip(piece.axes, place, strict=True))}


def story(game: BatchGame, before: BatchGame, chosen: Int64, seat: int | None) -> list[str]:
    """The news of the last step to a seat, and the winner; None is told everything."""
    lines = game.story_of(before, chosen, seat) if isinstance(game, TellsInWords) else []
    return [*lines, result(game)] if game.terminated[0] else lines


def result(game: BatchGame) -> str:
    """The winner of a game that is over, in words."""
    shares, scores = game.outcome()[0], game.scores[0]
    winners = np.flatnonzero(shares).tolist()
    names = listed(f"player_{seat}" for seat in winners)
    verb = "wins" if len(winners) == 1 else "share the victory"
    points = listed(f"{score} (player_{seat})" for seat, score in enumerate(scores.tolist()))
    return f"the game is over: {names} {verb}; points {points}"
