"""The first lesson of a game, which guides one person while opponents follow a script."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.bots.messages import Message
from kododo_env.bots.protocol import named_action
from kododo_env.core.agent import joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.registry import lesson_of, words_of
from kododo_env.rendering.game_words import names_of
from kododo_env.rendering.languages import say
from kododo_env.rendering.lesson import LessonAction
from kododo_env.rules_arguments import make_game
from kododo_env.table.names import bots_named
from kododo_env.table.stage import Player, Stage

PUPIL = 0  # the seat of the person


class Script:
    """An agent that plays the actions of a script.

    Attributes:
        lines: The actions still to be played, in order.
    """

    name = "the lesson"

    def __init__(self) -> None:
        self.lines: deque[LessonAction] = deque()

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Play the next action of the script; returns int64 of shape (1,)."""
        return np.array([_actions_like([self.lines.popleft()], view)[0]])


def _actions_like(expected: Iterable[LessonAction], view: View) -> list[int]:
    """Return the numbers of a player's legal actions that are actions of a lesson."""
    words = words_of(view)
    keys = [(action.kind, action.at, sorted(action.cards)) for action in expected]
    numbers = []
    for number in np.flatnonzero(view.legal_action_mask[0]).tolist():
        piece, place = view.actions.locate(number)
        cards = sorted(words.card_numbers(number, view.player))
        if (piece.name, place, []) in keys or (piece.name, (), cards) in keys:
            numbers.append(number)
    return numbers


class LessonStage(Stage):
    """The lesson of a game for one person.

    A ``position`` has a field ``lesson``; see ``docs/reference/messages.md``. A choice that the
    lesson does not ask for gets an error that says what to choose.

    Args:
        game: A batch of the game.
        player: The person.
        first: The number of the table's step at the beginning.
        names_in_texts: Whether texts have the players' display names rather than seat numbers.

    Raises:
        ValueError: The game has no lesson.
    """

    can_go_back = False

    def __init__(
        self, game: BatchGame, player: Player, first: int, names_in_texts: bool = False
    ) -> None:
        lesson = lesson_of(game)
        if lesson is None:
            raise ValueError(f"{game.name} has no lesson")
        self._lesson = lesson
        self._num_choices = 0  # by the person
        self._news_start = 0  # the number of log entries before the last choice
        self._scripts = [Script() for _ in range(self._lesson.players)]
        names = bots_named([script.name for script in self._scripts], [player.display_name])
        players = [
            Player(script.name, script, name)
            for script, name in zip(self._scripts, names, strict=True)
        ]
        players[PUPIL] = player
        batch = make_game(game.name, 1, self._lesson.players, {})
        super().__init__(batch, players, seed=0, first=first, names_in_texts=names_in_texts)

    def _deal(self) -> None:
        """Deal the cards of the lesson, and let everybody play its opening."""
        rng = np.random.default_rng(self.seed)
        later_cards = self.batch.cards.tolist()
        for card in self._lesson.deck:
            later_cards.remove(card)
        self.batch.reset(self.seed, decks=np.array([[*self._lesson.deck, *later_cards]]))
        for seat, words in self._lesson.opening.items():
            self._scripts[seat].lines.extend(words)
        while any(script.lines for script in self._scripts):
            self.batch.step(joint_action(self._scripts, self.batch, rng))

    @property
    def _at(self) -> int:
        """The current step of the lesson; the number of steps when it is over."""
        return self._num_choices - (PUPIL in self.chosen)

    @property
    def _done(self) -> bool:
        return self._at == len(self._lesson.steps)

    @property
    def waiting_for(self) -> list[int]:
        """The seat of the person if they have something to decide and have not chosen yet."""
        return [] if self._done else super().waiting_for

    @property
    def ready(self) -> bool:
        """Whether the next step can be played."""
        return super().ready and not self._done

    def choose(self, seat: int, choice: int | str) -> None:
        """Accept a choice that the lesson asks for, and let the opponents play their part."""
        if self._done:
            raise ValueError(say("lesson.game_over"))
        self.check_decides(seat)
        view = self.batch.view(seat)
        chosen = named_action(choice, view, names=self.text_names)
        expected = self._expected_actions()
        if expected and chosen not in expected:
            lesson_words = words_of(view)
            words, *expected_words = (
                lesson_words.describe_choice(action, PUPIL, names=self.text_names)
                for action in (chosen, *expected)
            )
            raise ValueError(
                say(
                    "lesson.wrong_choice",
                    words=words,
                    wanted=say("lesson.or").join(expected_words),
                )
            )
        for other_seat, actions in self._lesson.steps[self._at].other_actions.items():
            self._scripts[other_seat].lines.extend(actions)
        self._num_choices += 1
        self._news_start = len(self.past)
        self.chosen[seat] = chosen

    def play(self, step: int, actions: Sequence[int] | None) -> None:
        """Play the person's choice and what the script says, also in a saved lesson."""
        super().play(step, None)

    def _expected_actions(self) -> list[int]:
        """Return the actions that the lesson asks for; empty if any will do."""
        expected = () if self._done else self._lesson.steps[self._at].expected_actions
        return _actions_like(expected, self.batch.view(PUPIL))

    def take_back(self, seat: int) -> None:
        """Raise ValueError, since the opponents follow a script."""
        raise ValueError(say("lesson.no_take_back"))

    def go_back(self, to: int) -> None:
        """Raise ValueError, since the opponents follow a script."""
        raise ValueError(say("lesson.no_way_back"))

    def record(self) -> str:
        """Raise ValueError, since a lesson has no record."""
        raise ValueError(say("lesson.no_record"))

    def lesson_fields(self, position: Message) -> Message:
        """Return the words of the lesson for a position, and remove what is only in games."""
        position.pop("deal", None)  # other people cannot play a lesson's deal
        steps = self._lesson.steps
        asks = bool(position["actions"]) or position["chosen"] is not None
        text = self._lesson.end if self._done else steps[self._at].text if asks else ""
        legal = {action["action"] for action in position["actions"]}
        lesson = {
            "step": self._at,
            "of": len(steps),
            "over": self._done,
            "shown": list(self._find_highlights(position["log"])),
            "text": say(text, **self._names_by_seat()),
            "wanted": [action for action in self._expected_actions() if action in legal],
        }
        return {"lesson": lesson}

    def _names_by_seat(self) -> dict[str, str]:
        """Return the players' names by the placeholders in the texts of a lesson."""
        names = names_of(self.batch, self.text_names)
        return {f"player_{seat}": name for seat, name in enumerate(names)}

    def _find_highlights(self, log: list[dict[str, Any]]) -> Iterator[Message]:
        """Yield the news to which the lesson points."""
        signs = self._lesson.steps[self._at - 1].signs if self._at else ()
        for event in chain(*(entry["events"] for entry in log[self._news_start :])):
            places = (None, tuple(event.get("seats", ())))
            if any(sign.key == event["key"] and sign.seats in places for sign in signs):
                yield event
