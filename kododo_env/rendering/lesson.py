"""The first lesson of a game, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class LessonStep(NamedTuple):
    """One choice of the player in a lesson; actions are identified by their descriptions.

    Attributes:
        text: The explanation shown before the choice.
        expected_actions: The actions with which the lesson continues; empty accepts any.
        other_actions: The actions of the other seats until the player's next choice, in order.
        shows: Parts of sentences of the game's report that must appear after the choice.
    """

    text: str
    expected_actions: tuple[str, ...]
    other_actions: Mapping[int, tuple[str, ...]]
    shows: tuple[str, ...] = ()


class Lesson(NamedTuple):
    """A first lesson for the player in seat 0, under the game's own rules.

    A game's lesson is ``LESSON`` in the module ``text.lesson`` beside its class.

    Attributes:
        players: The number of seats.
        deck: The ids of the first cards of the deck; all other cards follow in the game's order.
        opening: The actions before the lesson begins, in the form of ``other_actions``.
        steps: The player's choices.
        end: The text after the last choice.
    """

    players: int
    deck: tuple[int, ...]
    opening: Mapping[int, tuple[str, ...]]
    steps: tuple[LessonStep, ...]
    end: str
