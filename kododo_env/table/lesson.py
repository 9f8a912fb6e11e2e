"""The first lesson of a game: a table that guides one person while opponents follow a script."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kododo_env.bots.messages import Message
from kododo_env.bots.protocol import legal_actions, named_action
from kododo_env.core.agent import joint_action
from kododo_env.core.arrays import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import Lesson, LessonProvider
from kododo_env.core.view import View
from kododo_env.rendering.languages import say, speaking
from kododo_env.rules_arguments import make_game
from kododo_env.table.table import Replies, Table

PUPIL = 0  # the seat of the person


class Script:
    """An agent that plays the actions of a script.

    Attributes:
        lines: The English words of the actions still to be played, in order.
    """

    name = "the lesson"

    def __init__(self) -> None:
        self.lines: deque[str] = deque()

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Play the next action of the script; returns int64 of shape (1,)."""
        return np.array([named_action(self.lines.popleft(), view)])


class LessonTable(Table):
    """A table where one person takes the lesson of a game.

    A ``position`` has a field ``lesson``; see ``docs/reference/messages.md``. A choice that the
    lesson does not ask for gets an error that says what to choose.

    Args:
        game: A batch of one with the players and rules of the lesson; the table changes it.
        lesson: The lesson.
        step: The number of the table's first step.
        pictures: Whether to draw SVG pictures; see ``Table``.
    """

    def __init__(self, game: BatchGame, lesson: Lesson, step: int, pictures: bool) -> None:
        self._lesson = lesson
        self._scripts = [Script() for _ in range(game.num_players)]
        self._num_choices = 0  # by the person
        self._news_start = 0  # the number of log entries before the last choice
        super().__init__(game, [None, *self._scripts[1:]], seed=0, pictures=pictures)
        self.step = step

    def _lay_out(self, seed: int) -> None:
        """Deal the cards of the lesson, and let everybody play its opening."""
        rng = np.random.default_rng(seed)
        self._game.reset(seed, decks=np.array([_whole_deck(self._lesson.deck, self._game)]))
        for seat, words in self._lesson.opening.items():
            self._scripts[seat].lines.extend(words)
        while any(script.lines for script in self._scripts):
            self._game.step(joint_action(self._scripts, self._game, rng))

    def _choose(self, seat: int, choice: int | str) -> None:
        """Accept a choice that the lesson asks for, and let the opponents play their part."""
        if self._at() == len(self._lesson.steps):
            raise ValueError(say("the lesson is over: leave it, or begin it again"))
        self._check_decides(seat)
        view = self._game.view(seat)
        step = self._lesson.steps[self._num_choices]
        chosen = named_action(choice, view)
        expected = self._expected_actions(self._num_choices)
        if expected and chosen not in expected:
            words, *expected_words = (
                view.describe_choice(action) for action in (chosen, *expected)
            )
            raise ValueError(
                say(
                    "in a game you may {words}; in this lesson, please {wanted}",
                    words=words,
                    wanted=say(", or ").join(expected_words),
                )
            )
        for other_seat, actions in step.other_actions.items():
            self._scripts[other_seat].lines.extend(actions)
        self._num_choices += 1
        self._news_start = len(self._past)
        super()._choose(seat, choice)

    def _expected_actions(self, at: int) -> list[int]:
        """Return the actions that a step of the lesson asks for; empty if any will do."""
        steps = self._lesson.steps
        words = steps[at].expected_actions if at < len(steps) else ()
        with speaking("en"):
            legal = legal_actions(self._game.view(PUPIL))
        return [action for action, description in legal.items() if description in words]

    def _at(self) -> int:
        """Return the current step of the lesson; the number of steps when it is over."""
        return self._num_choices - (PUPIL in self._chosen)

    def _take_back(self, seat: int) -> None:
        raise ValueError(say("a choice in a lesson cannot be taken back"))

    def _go_back(self, to: int) -> None:
        raise ValueError(say("cannot go back in a lesson; leave it to try things out in a game"))

    def play_on(self, actions: Sequence[int] | None = None) -> Replies:
        """Play a step with the scripted opponents, unless the lesson is over; see ``Table``."""
        return {} if self._at() == len(self._lesson.steps) else super().play_on()

    def record(self) -> str:
        """Raise ValueError, since a lesson has no record.

        Raises:
            ValueError: Always.
        """
        raise ValueError(say("a lesson has no record"))

    def _position(self, person: int) -> Message:
        position = super()._position(person)
        at = self._at()
        if at == len(self._lesson.steps):
            position |= {"actions": [], "waiting_for": []}
        for entry in position["log"]:
            entry["again"] = False
        position.pop("deal", None)  # other people cannot play a lesson's deal
        return position | {"teaches": True, "lesson": self._words(at, position)}

    def _words(self, at: int, position: Message) -> dict[str, Any]:
        """Return the words of the lesson for a position."""
        steps = self._lesson.steps
        over = at == len(steps)
        asks = bool(position["actions"]) or position["chosen"] is not None
        text = self._lesson.end if over else steps[at].text if asks else ""
        legal = {action["action"] for action in position["actions"]}
        return {
            "step": at,
            "of": len(steps),
            "over": over,
            "shown": list(self._find_highlights(at, position["log"])),
            "text": say(text),
            "wanted": [action for action in self._expected_actions(at) if action in legal],
        }

    def _find_highlights(self, at: int, log: list[dict[str, Any]]) -> Iterator[str]:
        """Yield the news to which the lesson points, found by their English words."""
        shows = self._lesson.steps[at - 1].shows if at else ()
        for english, entry in [*zip(self._log(PUPIL, "en"), log, strict=True)][self._news_start :]:
            for line, translation in zip(english["lines"], entry["lines"], strict=True):
                if any(phrase in line for phrase in shows):
                    yield translation


def _whole_deck(front: tuple[int, ...], game: BatchGame) -> list[int]:
    """Return the cards of a game with some of them moved to the front."""
    cards = game.cards.tolist()
    for card in front:
        cards.remove(card)
    return [*front, *cards]


class TeachingTable(Table):
    """A ``Table`` that also gives the first lesson of its game when its only person asks for it.

    The table's own game is paused during the lesson.
    """

    _teaching: LessonTable | None = None

    def teach(self) -> None:
        """Begin the lesson.

        Raises:
            ValueError: The game has no lesson, or there are several people.
        """
        if not isinstance(self._game, LessonProvider):
            raise ValueError(f"{self._game.name} has no lesson")
        if len(self.people) > 1:
            raise ValueError(say("a lesson is only for one person"))
        lesson = self._game.first_lesson()
        game = make_game(self._game.name, 1, lesson.players, {})
        self.step += 1
        self._teaching = LessonTable(game, lesson, self.step, self._pictures)
        self._teaching.speak(PUPIL, self._languages[self.people[0]])

    def speak(self, person: int, language: str) -> None:
        """Set a person's language, also in the lesson; see ``Table``."""
        super().speak(person, language)
        if self._teaching is not None:
            self._teaching.speak(PUPIL, language)

    def _answer(self, person: int, message: Message) -> Replies:
        kind = message["type"]
        if kind == "lesson":
            self.teach()
            return self._positions()
        if self._teaching is None and kind == "leave":
            raise ValueError(say("there is no lesson to leave"))
        if self._teaching is None or kind == "speak":
            return super()._answer(person, message)
        if kind in ("leave", "new"):
            self._teaching = None
            self.step += 1
            return self._positions() if kind == "leave" else super()._answer(person, message)
        replies = self._teaching.hear(PUPIL, message)
        self.step = self._teaching.step
        return {person: replies[PUPIL]}

    def _par(self, person: int) -> Iterator[Replies]:
        return super()._par(person) if self._teaching is None else self._teaching._par(PUPIL)

    def play_on(self, actions: Sequence[int] | None = None) -> Replies:
        """Play a step of the lesson or of the game; see ``Table``."""
        if self._teaching is None:
            return super().play_on(actions)
        replies = self._teaching.play_on()
        self.step = self._teaching.step
        return {self.people[0]: replies[PUPIL]} if replies else {}

    @property
    def joint(self) -> list[int]:
        """The last joint action, in the lesson if there is one; see ``Table``."""
        return super().joint if self._teaching is None else self._teaching.joint

    def record(self) -> str:
        """Return the record of the game; see ``Table``.

        Raises:
            ValueError: The game is not over, or a lesson is being given.
        """
        return super().record() if self._teaching is None else self._teaching.record()

    def _position(self, person: int) -> Message:
        if self._teaching is not None:
            return self._teaching._position(PUPIL)
        teaches = isinstance(self._game, LessonProvider) and len(self.people) == 1
        return super()._position(person) | {"teaches": teaches, "lesson": None}
