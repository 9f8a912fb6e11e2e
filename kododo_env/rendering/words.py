"""What is told to those who play: the cards they hold, what an action plays, what has happened.

A game that can tell it has the base ``TellsInWords``; the others are played by ``text`` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.rendering.svg_cards import Card


class TellsInWords:
    """A game that tells its players in words, by a module of its folder with these functions.

    Nothing that a player cannot know is told to them.
    """

    _words: Any  # the module

    def hand_of(self, player: int, index: int = 0) -> list[Card]:
        """The cards that a player holds and has seen, face up, in the order of their places."""
        cards: list[Card] = self._words.hand(self, player, index)
        return cards

    def cards_played(self, action: int, player: int, index: int = 0) -> tuple[int, ...]:
        """Which cards of the hand a legal action plays, by their places there."""
        places: tuple[int, ...] = self._words.played(self, action, player, index)
        return places

    def story_of(
        self, before: Any, actions: npt.ArrayLike, player: int | None = None, index: int = 0
    ) -> list[str]:
        """What the last step has shown, in sentences: nothing of a game that was over before.

        Args:
            before: A copy of the batch before the step.
            actions: What everybody did, shape (P,).
            player: Who is told; None is told everything.
            index: Which game.
        """
        if before.terminated[index]:
            return []
        lines: list[str] = self._words.story(self, before, np.asarray(actions), player, index)
        return lines


def card_words(face: Card) -> str:
    """A card in words, such as "blue 3" or "socks 5 (violet ribbon)"."""
    ribbon = f" ({face.second.name} ribbon)" if face.second else ""
    return f"{face.suit.name} {face.value}{ribbon}"


def listed(words: Iterable[Any]) -> str:
    """Words as people list them: "one", "one and two", "one, two and three"."""
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def cards_in_words(faces: Sequence[Card]) -> str:
    """Several cards in words, at least one."""
    return listed(map(card_words, faces))


def counted(number: Any, word: str) -> str:
    """A number of things, such as "1 point" or "2 points"."""
    return f"{number} {word}{'' if number == 1 else 's'}"
