"""The words of a game that has none of its own.

The module ``text.words`` beside a game's class replaces any of these functions. They get checked
arguments, and reveal only what ``player`` knows, or everything if ``player`` is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.arrays.dtypes import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.actions import ActionPiece
from kododo_env.rendering.svg_cards import Card, Suit

WAITS = "wait"
"""The short form of an action of a player who has nothing to decide."""

END: str | None = None
"""The anchor of the section of ``rules.md`` about the end of a game."""

Event = dict[str, Any]
"""What happened, as a JSON dictionary; see ``event``."""


def event(key: str, rule: str | None = None, **facts: Any) -> Event:
    """Return an event.

    Args:
        key: The key of its sentence, such as ``kododo.player_takes``.
        rule: The anchor of the section of ``rules.md`` that explains it, or None.
        **facts: What the sentence says: "seats" (of the players, in the order of the placeholders
            ``{player}`` and ``{other}``), "cards" (the numbers of the cards, None for one that the
            reader does not know), "points", and others of the game.
    """
    return {"key": key, **facts, "rule": rule}


def title(game: BatchGame) -> str:
    """Return the name of the game."""
    return game.name


def moment(game: BatchGame, index: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return where a game stands, in one or more parts."""
    return (f"step {game.steps_played}",)


def action(game: BatchGame, number: int) -> str:
    """Return the meaning of an action, whatever the position."""
    return game.actions.describe(number)


def choice(game: BatchGame, number: int, player: int, index: int) -> Event | None:
    """Return a legal action here as an event, or None if ``action`` says enough.

    Its "cards" are those that the action plays.
    """
    return None


def reasons(game: BatchGame, number: int, player: int, index: int) -> list[Event]:
    """Return what a legal action would bring about on the table as the player sees it.

    The first reason is the most important one. Each has a fact "theme", the key of a name for what
    it is about.
    """
    return []


def labels(game: BatchGame, number: int, names: Sequence[str]) -> dict[str, str]:
    """Return the words of an action's index on each axis of its block."""
    piece, place = game.actions.locate(number)
    axes = piece.axes if isinstance(piece, ActionPiece) else ()
    return {axis: str(index) for axis, index in zip(axes, place, strict=False)}


def card(game: BatchGame, number: int | None) -> str:
    """Return a card in words by its number; None is a card that the reader does not know."""
    return f"card {number}"


def hand(game: BatchGame, player: int, index: int) -> list[Card]:
    """Return the cards that a player holds and has seen."""
    return []


def played(game: BatchGame, number: int, player: int, index: int) -> tuple[int, ...]:
    """Return the indices in ``hand`` of the cards that a legal action plays."""
    return ()


def short(game: BatchGame, number: int, player: int, index: int) -> str:
    """Return a legal action in a few letters, or an empty string."""
    return ""


def suits(game: BatchGame) -> tuple[Sequence[Suit], ...]:
    """Return the suits of the cards: one sequence, or two if each card has two suits."""
    return ()


def events(
    game: BatchGame, before: BatchGame, actions: Int64, player: int | None, index: int
) -> list[Event]:
    """Return what happened in the last step of a running game."""
    return []


def details(game: BatchGame, happening: Event) -> dict[str, Any]:
    """Return what the placeholders in the sentence of one of the game's events stand for.

    Facts of the event stand for themselves, and need not be returned.
    """
    return {}


def sources(game: BatchGame, gained: Int64, index: int) -> list[tuple[Event, list[int]]]:
    """Return the sources of the points of a finished game, each with the points of all players.

    A source is an event whose sentence is the name of the source; its rule explains it.
    """
    return []


def tie_breaks(game: BatchGame, index: int) -> dict[str, list[int]]:
    """Return the numbers of all players that break ties on points, most important first.

    The keys of the dictionary are those of the names of the tie-breaks.
    """
    return {}


def memory(rules: Any, pieces: dict[str, Any]) -> dict[str, Any]:
    """Return a memory aid from the pieces of an observation."""
    return {"tables": [], "ruled_out": []}
