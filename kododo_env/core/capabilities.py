"""Optional abilities of games, declared as base classes and checked with ``isinstance``.

For example ``class KododoGame(BatchGame, RoundPlay, UndoSupport)`` and
``isinstance(game, RoundPlay)``. Play, search and training also work without any of them.
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

WAITS = "wait"  # the short form of the no-op of a finished game


@runtime_checkable
class RoundPlay(Protocol):
    """A game scored in rounds, so that a search can stop at the end of a round."""

    @property
    def round_steps(self) -> int:
        """The number of steps until the current round is scored, at least 1."""
        ...


@runtime_checkable
class StepSkipping(Protocol):
    """A game that skips steps in which no player of the batch has a choice.

    Larger batches skip fewer steps, because a step is skipped only for all games together.
    """

    @property
    def steps_passed(self) -> int:
        """The number of steps skipped since the deal, which ``steps_played`` does not count."""
        ...


@runtime_checkable
class JointDeals(Protocol):
    """A game that deals several cards at once, so that their order makes no difference.

    Used to enumerate the decks that lead to different deals.
    """

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """A group number for each place of the deck; cards of the same group can be swapped."""
        ...


class PreviousPosition(NamedTuple):
    """The position before a step.

    Attributes:
        game: N games.
        consistent: Which actions of each player are consistent with what that step made
            public, shape (N, P, A).
    """

    game: BatchGame
    consistent: Bool


@runtime_checkable
class UndoSupport(Protocol):
    """A game that can undo its last steps, using only what the step made public.

    Used to weight sampled worlds by the probability of the other players' last actions.
    """

    @property
    def undoable_steps(self) -> int:
        """The number of steps that ``before_last_step`` can undo."""
        ...

    def before_last_step(self, rng: np.random.Generator) -> PreviousPosition:
        """Return a position before the last step, and the actions that may have been played.

        If several positions lead to the current one, one of them is drawn uniformly.

        Args:
            rng: The source of randomness; the batch's own generator is not used.

        Raises:
            ValueError: ``undoable_steps`` is 0.
        """
        ...


class WordDescriptions:
    """A game that is described in words by the module ``words`` of its folder.

    Descriptions for a player contain only what that player knows. All methods raise ValueError
    if a player, game or action does not exist.
    """

    num_envs: int
    num_players: int
    num_actions: int
    rules: Any
    _words: Any  # the module
    terminated: Any
    _standing: Any  # see ``BatchGame``

    def hand_of(self, player: int, index: int = 0) -> list[Any]:
        """Return the cards that a player holds and has seen, in hand order.

        Each is a ``Card`` of ``kododo_env.rendering``.
        """
        cards: list[Any] = self._words.hand(self, *self._at(player, index))
        return cards

    def cards_played(self, action: int, player: int, index: int = 0) -> tuple[int, ...]:
        """Return the indices in ``hand_of`` of the cards that a legal action plays."""
        choice = self._choice(action, player, index)
        if self.terminated[choice[2]]:
            return ()
        places: tuple[int, ...] = self._words.played(self, *choice)
        return places

    def short_form(self, action: int, player: int, index: int = 0) -> str:
        """Return a legal action in a few letters, such as "B3 Y2"; the parts may be in any order.

        Actions with the same short form are equivalent. The form is empty if the game defines none.
        """
        short = getattr(self._words, "short", None)
        choice = self._choice(action, player, index)
        if short is None:
            return ""
        return WAITS if self.terminated[choice[2]] else str(short(self, *choice))

    def suits(self) -> tuple[Sequence[Any], ...]:
        """Return the suits of the cards: one sequence, or two if each card has two suits."""
        suits_of = getattr(self._words, "suits", None)
        return tuple(suits_of(self)) if suits_of else ()

    def rule_of(self, line: str) -> str | None:
        """Return the anchor of the section of ``rules.md`` that explains a sentence, or None."""
        rules = getattr(self._words, "RULES", ())
        anchors = (anchor for words, anchor in rules if re.search(words, line))
        return next(anchors, None)

    def story_of(
        self, before: Any, actions: npt.ArrayLike, player: int | None = None, index: int = 0
    ) -> list[str]:
        """Return the events of the last step as sentences; empty if the game was over before.

        Args:
            before: A copy of the batch before the step.
            actions: The actions of all players, shape (P,).
            player: The player who reads the sentences; None includes all hidden information.
            index: The index of the game.
        """
        seat, index = self._at(0 if player is None else player, index)
        played = whole_numbers(actions, "actions")
        shape = (self.num_players,)
        if played.shape != shape:
            raise ValueError(f"actions must have shape {shape}, not {played.shape}")
        batch_key = type(self), self.rules, self.num_envs
        if (type(before), before.rules, before.num_envs) != batch_key:
            raise ValueError(f"before must be a copy of {self!r}, not {before!r}")
        if before.terminated[index]:
            return []
        reader = None if player is None else seat
        lines: list[str] = self._words.story(self, before, played, reader, index)
        return lines

    def breakdown_of(self, gained: npt.ArrayLike, index: int = 0) -> dict[str, list[int]]:
        """Return the points of a finished game: for each category a list of the players' points.

        Args:
            gained: The rewards of the game's S steps, shape (S, P).
            index: The index of the game.
        """
        points = np.asarray(gained, int)
        _, index = self._at(0, index)
        if points.ndim != 2 or points.shape[1] != self.num_players:
            raise ValueError(
                f"gained must have shape (steps, {self.num_players}), not {points.shape}"
            )
        parts: dict[str, list[int]] = self._words.breakdown(self, points, index)
        return parts

    def memory_of(self, pieces: dict[str, Any]) -> dict[str, Any]:
        """Return a memory aid: counts of cards that an attentive player would know.

        Args:
            pieces: The pieces of the player's observation, each of ``piece.shape``.

        Returns:
            A dict with the keys "tables", tables as returned by ``rendering.words.cards_left``, and
            "ruled_out", combinations of indices on action axes, such as ``{"colour": 2}``, with
            which no action can succeed.
        """
        memory: dict[str, Any] = self._words.memory(self.rules, pieces)
        return memory

    def tie_breaks_of(self, index: int = 0) -> dict[str, list[int]]:
        """Return the tie-breaking keys of all players by name, most important first."""
        keys = self._standing()[1:]
        _, index = self._at(0, index)
        named = zip(self._words.TIE_BREAKS, keys, strict=True)
        return {name: key[:, index].tolist() for name, key in named}

    def _at(self, player: Any, index: Any) -> tuple[int, int]:
        """Return a player and the index of a game, checked."""
        seat = whole_number(player, "player", 0, self.num_players - 1)
        return seat, whole_number(index, "index", 0, self.num_envs - 1)

    def _choice(self, action: Any, player: Any, index: Any) -> tuple[int, int, int]:
        """Return an action, its player and the index of a game, checked."""
        return whole_number(action, "action", 0, self.num_actions - 1), *self._at(player, index)


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


class LessonProvider:
    """A game with a first lesson, defined as ``LESSON`` in a module of its folder."""

    _lesson: Any  # the module

    def first_lesson(self) -> Lesson:
        """Return the lesson."""
        lesson: Lesson = self._lesson.LESSON
        return lesson
