"""Things that only some games can do: a game declares them by its bases, and users ask for them.

``class KododoGame(BatchGame, PlaysRounds, TakesBack)``, and ``isinstance(game, PlaysRounds)``.
A game without any is played, searched and learned all the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kododo_env.core.arrays import Bool
from kododo_env.core.numbers import whole_number, whole_numbers

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame

WAITS = "wait"  # the short form of the no-op, where it says no more


@runtime_checkable
class PlaysRounds(Protocol):
    """A game scored in rounds, so that it need not be played to its end to be judged."""

    @property
    def round_steps(self) -> int:
        """Steps until the round that is being played is scored, at least 1."""
        ...


@runtime_checkable
class PassesSteps(Protocol):
    """A game that passes over steps in which nobody has a choice.

    In a larger batch somebody has one more often, so that fewer steps are passed over.
    """

    @property
    def steps_passed(self) -> int:
        """How many have been passed over since the deal; ``steps_played`` does not count them."""
        ...


@runtime_checkable
class DealsTogether(Protocol):
    """A game that deals several cards at once, in an order that makes no difference.

    So decks can be counted that are dealt differently.
    """

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """A number for each place of the deck: cards of places with the same one are alike."""
        ...


class Past(NamedTuple):
    """The position before a step.

    Attributes:
        game: N games.
        shown: Which actions of each player would have shown the same of that step,
            shape (N, P, A).
    """

    game: BatchGame
    shown: Bool


@runtime_checkable
class TakesBack(Protocol):
    """A game of which the last steps can be taken back, as far as all have seen them.

    So dealt worlds can be judged by the others' actions in them.
    """

    @property
    def known_past(self) -> int:
        """How many of the last steps ``before_last_step`` can take back."""
        ...

    def before_last_step(self, rng: np.random.Generator) -> Past:
        """The position before the last step, and the actions that can have been played there.

        Where this position does not tell how that one was, it is dealt evenly among all that
        lead here.

        Args:
            rng: The source of that randomness; the batch's own is not touched.

        Raises:
            ValueError: ``known_past`` is 0.
        """
        ...


class TellsInWords:
    """A game that tells its players in words, by a module of its folder with these functions.

    Nothing that a player cannot know is told to them. A player, game or action that there is not
    is a ValueError.
    """

    num_envs: int
    num_players: int
    num_actions: int
    rules: Any
    _words: Any  # the module
    terminated: Any
    _standing: Any  # see ``BatchGame``

    def hand_of(self, player: int, index: int = 0) -> list[Any]:
        """The cards that a player holds and has seen, face up, in the order of their places.

        Each is a ``Card`` of ``kododo_env.rendering``.
        """
        cards: list[Any] = self._words.hand(self, *self._at(player, index))
        return cards

    def cards_played(self, action: int, player: int, index: int = 0) -> tuple[int, ...]:
        """Which cards of the hand a legal action plays, by their places there."""
        choice = self._choice(action, player, index)
        if self.terminated[choice[2]]:
            return ()
        places: tuple[int, ...] = self._words.played(self, *choice)
        return places

    def short_form(self, action: int, player: int, index: int = 0) -> str:
        """A legal action in a few letters, such as "B3 Y2", whose parts may come in any order.

        Actions with the same one are alike. Empty if the module has no ``short``.
        """
        short = getattr(self._words, "short", None)
        choice = self._choice(action, player, index)
        if short is None:
            return ""
        return WAITS if self.terminated[choice[2]] else str(short(self, *choice))

    def suits(self) -> tuple[Sequence[Any], ...]:
        """The ``Suit`` of each colour of the cards, then those of their second suits, if any."""
        suits_of = getattr(self._words, "suits", None)
        return tuple(suits_of(self)) if suits_of else ()

    def rule_of(self, line: str) -> str | None:
        """The section of ``rules.md`` that a sentence follows from, by its anchor; None if none."""
        rules = getattr(self._words, "RULES", ())
        anchors = (anchor for words, anchor in rules if re.search(words, line))
        return next(anchors, None)

    def story_of(
        self, before: Any, actions: npt.ArrayLike, player: int | None = None, index: int = 0
    ) -> list[str]:
        """The news of the last step, in sentences: nothing of a game that was over before.

        Args:
            before: A copy of the batch before the step.
            actions: Everybody's actions, shape (P,).
            player: The player who is told; None is told everything.
            index: Which game.
        """
        seat, index = self._at(0 if player is None else player, index)
        played = whole_numbers(actions, "actions")
        shape = (self.num_players,)
        if played.shape != shape:
            raise ValueError(f"actions must have the shape {shape}, not {played.shape}")
        batch_key = type(self), self.rules, self.num_envs
        if (type(before), before.rules, before.num_envs) != batch_key:
            raise ValueError(f"before must be a copy of {self!r}, not {before!r}")
        if before.terminated[index]:
            return []
        reader = None if player is None else seat
        lines: list[str] = self._words.story(self, before, played, reader, index)
        return lines

    def breakdown_of(self, gained: npt.ArrayLike, index: int = 0) -> dict[str, list[int]]:
        """The points of a game that is over, in its own terms: of each name those of all players.

        Args:
            gained: The rewards of all its steps, shape (S, P).
            index: Which game.
        """
        points = np.asarray(gained, int)
        _, index = self._at(0, index)
        if points.ndim != 2 or points.shape[1] != self.num_players:
            raise ValueError(
                f"gained must have the shape (steps, {self.num_players}), not {points.shape}"
            )
        parts: dict[str, list[int]] = self._words.breakdown(self, points, index)
        return parts

    def memory_of(self, pieces: dict[str, Any]) -> dict[str, Any]:
        """The things to remember of a game, counted for a player who need not do it themselves.

        Args:
            pieces: The player's observation, piece by piece, each of ``piece.shape``: what is told
                follows from what the player knows and from nothing else.

        Returns:
            "tables": each as ``rendering.words.cards_left`` gives it; "ruled_out": places by the
            names of the action axes, such as ``{"colour": 2}``: there the actions are in vain.
        """
        memory: dict[str, Any] = self._words.memory(self.rules, pieces)
        return memory

    def tie_breaks_of(self, index: int = 0) -> dict[str, list[int]]:
        """What decides between players with as many points, most important first, by name."""
        keys = self._standing()[1:]
        _, index = self._at(0, index)
        named = zip(self._words.TIE_BREAKS, keys, strict=True)
        return {name: key[:, index].tolist() for name, key in named}

    def _at(self, player: Any, index: Any) -> tuple[int, int]:
        """A player and which game, checked."""
        seat = whole_number(player, "player", 0, self.num_players - 1)
        return seat, whole_number(index, "index", 0, self.num_envs - 1)

    def _choice(self, action: Any, player: Any, index: Any) -> tuple[int, int, int]:
        """An action, its player and which game, checked."""
        return whole_number(action, "action", 0, self.num_actions - 1), *self._at(player, index)


class LessonStep(NamedTuple):
    """One choice of the player in a lesson; actions are named by their words.

    Attributes:
        text: What the player is told before they choose.
        wanted: The actions with which the lesson goes on; none takes any.
        others: What the players of other seats do until the player's next choice, in order.
        shows: Parts of the sentences by which the game then tells what the step is to show.
    """

    text: str
    wanted: tuple[str, ...]
    others: Mapping[int, tuple[str, ...]]
    shows: tuple[str, ...] = ()


class Lesson(NamedTuple):
    """A first lesson for the player in seat 0, under the game's own rules.

    Attributes:
        players: How many seats there are.
        deck: The ids of the first cards of the deck; the others follow in the game's order.
        opening: What each player has done before the lesson begins, as ``others`` of a step.
        steps: The player's choices.
        end: What they are told after the last one.
    """

    players: int
    deck: tuple[int, ...]
    opening: Mapping[int, tuple[str, ...]]
    steps: tuple[LessonStep, ...]
    end: str


class GivesLesson:
    """A game with a first lesson, by a module of its folder that has ``LESSON``."""

    _lesson: Any  # the module

    def first_lesson(self) -> Lesson:
        """The lesson. What comes of its actions is told by the game itself."""
        lesson: Lesson = self._lesson.LESSON
        return lesson
