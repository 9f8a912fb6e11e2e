"""The first lesson of a game, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class LessonAction(NamedTuple):
    """An action of a lesson.

    Attributes:
        kind: The name of its block in the action layout.
        at: Its index on each axis of the block; empty if its cards tell it.
        cards: The numbers of the cards that it plays, in any order; empty if its index tells it.
    """

    kind: str
    at: tuple[int, ...] = ()
    cards: tuple[int, ...] = ()


class Sign(NamedTuple):
    """An event to which a lesson points.

    Attributes:
        key: The event's key.
        seats: Its seats; None means any.
    """

    key: str
    seats: tuple[int, ...] | None = None


class LessonStep(NamedTuple):
    """One choice of the player in a lesson.

    Attributes:
        text: The key of the explanation shown before the choice.
        expected_actions: The actions with which the lesson continues; empty accepts any.
        other_actions: The actions of the other seats until the player's next choice, in order.
        signs: Events that must happen after the choice, and which are highlighted.
    """

    text: str
    expected_actions: tuple[LessonAction, ...]
    other_actions: Mapping[int, tuple[LessonAction, ...]]
    signs: tuple[Sign, ...] = ()


class Lesson(NamedTuple):
    """A first lesson for the player in seat 0, under the game's own rules.

    A game's lesson is ``LESSON`` in the module ``text.lesson`` beside its class.

    Attributes:
        players: The number of seats.
        deck: The ids of the first cards of the deck; all other cards follow in the game's order.
        opening: The actions before the lesson begins, in the form of ``other_actions``.
        steps: The player's choices.
        end: The key of the text after the last choice.
    """

    players: int
    deck: tuple[int, ...]
    opening: Mapping[int, tuple[LessonAction, ...]]
    steps: tuple[LessonStep, ...]
    end: str
