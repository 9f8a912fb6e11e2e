"""What teaches a game: its first lesson, as data, and worked examples, as small pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kododo_env.rendering.svg import FELT, GOLD, Box, document, label, rectangle
from kododo_env.rendering.svg_cards import Blank, Card, card

WIDTH = 440
"""The width of an example's picture, which must be readable on a phone."""


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


# --- worked examples ---------------------------------------------------------------------


EXAMPLE_PLAYERS = ("Ada", "Bruno", "Carla", "Dario", "Emma")
"""The players of worked examples by seat, in the rules as well."""


class WorkedExample(NamedTuple):
    """A worked example: the cards as an SVG document, and the sentences that explain them."""

    picture: str
    lines: list[str]


def on_felt(pieces: Iterable[str], title: str, height: float) -> str:
    """Return an SVG document of this height in pixels, with SVG elements on a felt background."""
    background = rectangle(Box(0, 0, WIDTH, height), 12, FELT)
    return document([background, *pieces], title, WIDTH, int(height))


def named_row(
    name: str, note: str, cards: Sequence[Card | Blank], box: Box, width: float
) -> list[str]:
    """Draw cards of this width in a row, below a name at the left and a gold note at the right."""
    pitch = min(width + 5, (box.width - width) / max(len(cards) - 1, 1))
    return [
        label(name, box.x, box.y + 13, 13, bold=True),
        label(note, box.x + box.width, box.y + 13, 13, GOLD, anchor="end", bold=True),
        *(card(face, box.x + k * pitch, box.y + 20, width) for k, face in enumerate(cards)),
    ]
