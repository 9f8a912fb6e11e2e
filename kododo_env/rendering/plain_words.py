"""The words of a game that has none of its own.

The module ``text.words`` beside a game's class replaces any of these functions. They get checked
arguments, and reveal only what ``player`` knows, or everything if ``player`` is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.core.arrays import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.rendering.svg_cards import Card, Suit

WAITS = "wait"
"""The short form of an action of a player who has nothing to decide."""

RULES: tuple[tuple[str, str], ...] = ()
"""Patterns of sentences, each with the section of ``rules.md`` that explains them."""


def title(game: BatchGame) -> str:
    """Return the name of the game."""
    return game.name


def moment(game: BatchGame, index: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return where a game stands, in one or more parts."""
    return (f"step {game.steps_played}",)


def action(game: BatchGame, number: int) -> str:
    """Return the meaning of an action, whatever the position."""
    return game.actions.describe(number)


def choice(game: BatchGame, number: int, player: int, index: int) -> str | None:
    """Return the meaning of a legal action here, or None if ``action`` says enough."""
    return None


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


def story(
    game: BatchGame, before: BatchGame, actions: Int64, player: int | None, index: int
) -> list[str]:
    """Return what happened in the last step of a running game, as sentences."""
    return []


def breakdown(game: BatchGame, gained: Int64, index: int) -> dict[str, list[int]]:
    """Return the points of a finished game: for each source a list of the players' points."""
    return {}


def tie_breaks(game: BatchGame, index: int) -> dict[str, list[int]]:
    """Return the keys of all players that break ties on points, most important first, by name."""
    return {}


def memory(rules: Any, pieces: dict[str, Any]) -> dict[str, Any]:
    """Return a memory aid from the pieces of an observation."""
    return {"tables": [], "ruled_out": []}
