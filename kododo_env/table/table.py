"""A table at which people and agents play; hosts carry messages between it and people."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict
from secrets import randbits
from typing import Any

import numpy as np

from kododo_env.bots.messages import MOST_EXACT, Message, read_message, to_json
from kododo_env.bots.protocol import interpret, players, position, result, table_fields
from kododo_env.core.agent import Agent, check_agents
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.header import printable
from kododo_env.registry import lesson_of, picture_of, rules_text, words_of
from kododo_env.rendering.languages import say, speaking
from kododo_env.review.analysis import FEWEST, WORLDS, Analysis, analysis_in_pieces
from kododo_env.review.hints import check_adviser, hint
from kododo_env.review.replay import parse_short_record, replayed_steps
from kododo_env.table.lesson import LessonStage
from kododo_env.table.names import check_distinct, names_of_record, tidy_name
from kododo_env.table.rules_page import sections
from kododo_env.table.stage import Player, Stage

Replies = dict[int, list[Message]]
"""The table's messages for each person, in order."""
Task = Generator[Message, None, Message]
"""Work that takes long: it yields its progress, or ``{}``, and returns the response."""
# The types of requests that change the game, and of those that take long; others are questions.
ORDERS = ("act", "take_back", "again", "lesson", "leave", "new", "rename")
TASKS = ("analyse", "par", "replay")


class Table:
    """A series of games with the same players, who exchange messages with the table.

    For the messages see ``docs/reference/messages.md``. ``hear`` handles a person's message and
    responds at once. After it, the caller must call ``play_on`` until it returns an empty
    dictionary; agents choose in these calls. ``talk`` does both. No method may be called while
    another call is running.

    Args:
        game: A batch of one, which this object deals again and changes.
        agents: For each seat an agent, or None for a person.
        adviser: The agent that gives hints and analyses; None gives neither.
        seed: The seed of the cards and of the agents' randomness, in this and all later games. None
            takes fresh entropy.
        pictures: Whether to draw SVG pictures in addition to texts.
        display_names: For each seat the name shown to people. Empty names, or an empty sequence,
            become ``player_0``, ``player_1``, ... Records have the agents' own names.
        rotate: Whether all players move to the next seat before other cards are dealt.
        agent_names: For each seat the name from which ``make_agent`` creates the same agent, for
            the command line of the deal. Empty means the agents' own names.
        names_in_texts: Whether texts have the players' display names rather than ``player_0`` and
            so on, which programs read. With pictures they always have.

    Attributes:
        people: The seats of people in the first game, which identify people even after they have
            moved to other seats; see ``Stage.seat_of``.
        game: The current game.
        lesson: The lesson, during which the game is paused; None if there is none.
        step: The number of steps played and of games dealt after the first. It never decreases, so
            a message for an earlier position cannot affect a later one.
        seat_shift: The number of seats by which everybody has moved since the first game.
        history: All that has happened in the game: messages that changed it, each as a list of the
            person and the message, and joint actions.
        on_change: A function that is called after ``history`` has changed, before anybody receives
            a message.
        worlds: The maximum number of worlds per choice in an analysis.
        work: The maximum of worlds times players times steps in an analysis, to lower where
            policies are slow. At least ``FEWEST`` worlds are played.

    Raises:
        ValueError: ``game`` is not a batch of one, ``agents`` does not have one entry per seat,
            there is no person, an agent cannot play this game, or the adviser cannot give hints.
    """

    def __init__(
        self,
        game: BatchGame,
        agents: Sequence[Agent | None],
        adviser: Agent | None = None,
        seed: int | None = None,
        pictures: bool = True,
        display_names: Sequence[str] = (),
        rotate: bool = False,
        agent_names: Sequence[str] = (),
        names_in_texts: bool = False,
    ) -> None:
        if game.num_envs != 1:
            raise ValueError(f"a table needs a batch of one game, not of {game.num_envs}")
        if len(agents) != game.num_players:
            raise ValueError(f"expected {game.num_players} agents, one per seat, got {len(agents)}")
        if None not in agents:
            raise ValueError("a table needs at least one person: an entry None in agents")
        check_agents(game, [*agents, adviser])
        if adviser is not None:
            check_adviser(adviser)
        self.people = tuple(seat for seat, agent in enumerate(agents) if agent is None)
        self.step = 0
        self.seat_shift = 0
        self.lesson: LessonStage | None = None
        self.history: list[Any] = []
        self.on_change: Callable[[], None] = lambda: None
        self.worlds = WORLDS
        self.work = math.inf
        self._batch = game
        self._adviser = adviser
        self._pictures = pictures
        self._names_in_texts = pictures or names_in_texts
        self._rotate = rotate
        self._tasks: dict[tuple[int, str], Task] = {}  # by person and request
        self._renamings: list[Any] = []  # the messages, in order
        self._languages = dict.fromkeys(self.people, "en")
        names = [self._person(k) if agent is None else agent.name for k, agent in enumerate(agents)]
        shown_names = display_names or [""] * len(agents)
        parts = map(printable, names), agents, shown_names, agent_names or names, range(len(agents))
        self._players = [Player(*fields) for fields in zip(*parts, strict=True)]
        # People may learn the current game's seed, from which the next seed must not follow.
        self._source = randbits(128) if seed is None else seed
        self.deal(self._other_seed() if seed is None else seed)

    def _person(self, seat: int) -> str:
        number = f" {self.people.index(seat) + 1}" if len(self.people) > 1 else ""
        return f"person{number}"

    def _other_seed(self) -> int:
        """Return a new seed, from a range too large to search."""
        rng = np.random.default_rng([self._source, self.step])
        return int(rng.integers(MOST_EXACT, endpoint=True))

    def deal(self, seed: int) -> None:
        """End the current game, and deal the game of a seed."""
        first = len(self._players) - self.seat_shift  # the index that moves to seat 0
        seated = self._players[first:] + self._players[:first]
        self.game = Stage(self._batch, seated, seed, self.step, self._adviser, self._names_in_texts)
        self.history = [*self._renamings]

    def teach(self) -> None:
        """Begin the lesson of the game, or begin it again.

        Raises:
            ValueError: The game has no lesson, or there are several people.
        """
        pupil = self._players[self.people[0]]
        lesson = LessonStage(self._batch, pupil, self.step + 1, self._names_in_texts)
        if len(self.people) > 1:
            raise ValueError(say("lesson.several_people"))
        self.lesson = lesson
        self.step += 1

    @property
    def stage(self) -> Stage:
        """The lesson, or the game if there is no lesson."""
        return self.game if self.lesson is None else self.lesson

    def name_of(self, person: int, reader: int | None = None) -> str:
        """Return a person's display name in the language of a reader, another person."""
        with speaking(self._languages[person if reader is None else reader]):
            return self.stage.display_names[self.stage.seat_of(person)]

    # --- hearing ------------------------------------------------------------------------

    def talk(self, person: int, message: object) -> Replies:
        """Respond to a person's message, and play on until a person has to choose; see ``hear``."""
        replies = self.hear(person, message)
        while next_replies := self.play_on():
            for recipient, messages in next_replies.items():
                replies.setdefault(recipient, []).extend(messages)
        return replies

    def hear(self, person: int, message: object) -> Replies:
        """Respond to a person's message.

        Args:
            person: The sender, one of ``people``.
            message: JSON as text or bytes, or the parsed object. The response to a message that is
                malformed or impossible now is an error, and nothing changes.

        Returns:
            The response. If it takes long, it comes from a later ``play_on``.

        Raises:
            ValueError: ``person`` is not one of ``people``.
        """
        if person not in self.people:
            raise ValueError(f"person must be one of {self.people}, not {person}")
        try:
            request = read_message(message)
            with speaking(self._languages[person]):
                self._check_step(request)
                if request["type"] in ORDERS:
                    self._obey(person, request)
                elif request["type"] in TASKS:
                    return self._begin(person, request)
                else:
                    return {person: [self._answer(person, request)]}
        except ValueError as error:
            return {person: [self._error(error)]}
        return self._positions()

    def _error(self, error: ValueError) -> Message:
        return {"type": "error", "step": self.step, "error": str(error)}

    def _check_step(self, message: Message) -> None:
        """Raise ValueError if a message is for another step.

        Agents may have played since the message was sent, so messages that end the current game may
        be for any of its steps.
        """
        step = message.get("step", self.step)
        ends_game = message["type"] in ("new", "again", "lesson")
        earliest = self.game.first if ends_game else self.step
        if not earliest <= step <= self.step:
            raise ValueError(say("table.wrong_step", step=step, now=self.step))

    def _obey(self, person: int, message: Message) -> None:
        """Do what a person's message asks for, and save it if the game goes on."""
        game = self.game
        seat = self.stage.seat_of(person)
        match message["type"]:
            case "act":
                self.stage.choose(seat, message["action"])
            case "take_back":
                self.stage.take_back(seat)
            case "again":
                self.stage.go_back(message["to"])
                self.step += 1
            case "lesson":
                self.teach()
            case "leave":
                self._leave()
            case "rename":
                self._rename(person, message["name"])
            case "new":
                self._new(person, message["deck"])
        if self.game is game and message["type"] != "rename":
            self.history.append([person, message])
        self.on_change()

    def _leave(self) -> None:
        if self.lesson is None:
            raise ValueError(say("lesson.none"))
        self.lesson = None
        self.step += 1

    def _rename(self, person: int, name: str) -> None:
        """Give a person a display name, in this and all later games; "" makes them a guest."""
        name = tidy_name(name)
        taken_names = {
            player.display_name
            for player in (*self.game.players, *self.stage.players)
            if player.agent is not None or player.person != person
        }
        check_distinct([name, *taken_names])
        self._players[person] = self._players[person]._replace(display_name=name)
        for stage in {self.game, self.stage}:
            stage.rename(person, name)
        message = [person, {"type": "rename", "name": name}]
        self._renamings.append(message)
        self.history.append(message)

    def _new(self, person: int, deck: str) -> None:
        """Deal a new game: when this one is over, or when all people have asked for it."""
        if self.lesson is not None:
            self._leave()
        game = self.game
        game.ask_for_new.add(game.seat_of(person))
        if game.over or game.ask_for_new == game.person_seats:
            if deck == "other" and self._rotate:
                self.seat_shift = (self.seat_shift + 1) % len(self._players)
            self.step += 1
            self.deal(game.seed if deck == "same" else self._other_seed())

    def _answer(self, person: int, message: Message) -> Message:
        """Return the response to a message that does not change the game."""
        match message["type"]:
            case "rules":
                parts = sections(self._batch, self._pictures)
                return {"type": "rules", "text": rules_text(self._batch), "sections": parts}
            case "hint":
                return self._hint(self.stage.seat_of(person))
            case "interpret":
                return self._interpret(self.stage.seat_of(person), message["text"])
            case "recall":
                return self._recall(person, message["to"])
            case "record":
                return {"type": "record", "record": self.stage.record()}
            case "speak":
                self._languages[person] = message["language"]
                return self._positions()[person][0]
        return self._position(person)

    def _interpret(self, seat: int, text: str) -> Message:
        stage = self.stage
        stage.check_decides(seat)
        meaning = interpret(text, stage.batch.view(seat), names=stage.text_names)
        return {"type": "interpretation", "step": self.step, **meaning}

    def _recall(self, person: int, to: int) -> Message:
        """Return the table as a person saw it at an earlier step of this game."""
        stage = self.stage
        seat = stage.seat_of(person)
        index = stage.index_of(to)
        game = stage.past[index].before
        log = stage.log(seat, self._languages[person])
        return {
            "type": "recall",
            "to": to,
            **table_fields(game.view(seat), self._pictures, names=stage.text_names),
            "scores": game.scores[0].tolist(),
            "events": log[index - 1]["events"] if index else [],
            "lines": log[index - 1]["lines"] if index else [],
        }

    def _hint(self, seat: int) -> Message:
        stage = self.stage
        stage.check_decides(seat)
        ratings = hint(self._adviser_of(stage), stage.batch, seat, self.stage.text_names)
        return {"type": "hint", "step": self.step, **ratings}

    @staticmethod
    def _adviser_of(stage: Stage) -> Agent:
        if stage.adviser is None:
            raise ValueError(say("table.no_hints"))
        return stage.adviser

    # --- tasks that take long -----------------------------------------------------------

    def _begin(self, person: int, message: Message) -> Replies:
        """Begin a task, which ``play_on`` continues, unless it has begun already."""
        key = (person, to_json(message))
        if key in self._tasks:
            return {person: []}
        match message["type"]:
            case "analyse":
                self._tasks[key] = self._analyse(person)
            case "par":
                self._tasks[key] = self._par()
            case _:
                self._tasks[key] = self._replay(message["record"])
        return self._continue(key)

    def _continue(self, key: tuple[int, str]) -> Replies:
        """Do a piece of a task, and return its progress or its response."""
        person, _ = key
        try:
            with speaking(self._languages[person]):
                message = next(self._tasks[key])
        except StopIteration as stop:
            del self._tasks[key]
            message = stop.value
        except ValueError as error:
            del self._tasks[key]
            message = self._error(error)
        return {person: [message] if message else []}

    def _analyse(self, person: int) -> Task:
        """Analyse a person's choices in the finished game, unless it has been done."""
        stage = self.stage
        adviser = self._adviser_of(stage)
        if not stage.over:
            raise ValueError(say("table.analysis_after_game"))
        step = self.step
        if person not in stage.analyses:
            played = [past.joint for past in stage.past]
            fewer = self.work / (len(played) * len(stage.players))
            worlds = int(min(self.worlds, max(FEWEST, fewer)))
            seats = [stage.seat_of(person)]
            for analysis in analysis_in_pieces(
                stage.games, played, stage.names, adviser, seats, worlds
            ):
                if isinstance(analysis, Analysis):
                    stage.analyses[person] = analysis
                elif self.step == step:
                    yield {"type": "analysing", "step": step, "share": analysis}
                else:
                    return {}  # nobody looks at that game any more
        return self._analysis_message(stage.analyses[person])

    def _par(self) -> Task:
        """Let a bot play the deal of the finished game."""
        stage = self.stage
        adviser = self._adviser_of(stage)
        step = self.step
        game = Stage(stage.batch.clone(), stage.players, stage.seed, first=0)
        while not game.over:
            if not stage.over or self.step != step:
                raise ValueError(say("table.bot_after_game"))
            with speaking("en"):  # bots know the English words
                game.choose_by(adviser)
                game.play(step, None)
            yield {}
        scores = game.batch.scores[0].tolist()
        won = game.batch.outcome()[0].tolist()
        return {"type": "par", "by": adviser.name, "scores": scores, "won": won}

    def _replay(self, text: str) -> Task:
        """Show a record; the players of this table's game keep their display names."""
        record = parse_short_record(text)
        names = names_of_record(record.players)
        if self.stage.over and text == self.stage.recorder.text():
            names = self.stage.display_names
        steps = []
        for step in replayed_steps(record, self._pictures, names):
            steps.append(step)
            yield {}
        return {
            "type": "replay",
            "game": record.header.game,
            "players": record.players,
            "names": names,
            "steps": steps,
        }

    # --- playing ------------------------------------------------------------------------

    def play_on(self, actions: Sequence[int] | None = None) -> Replies:
        """Play one step unless a person has to choose; agents choose their actions now.

        Otherwise do a piece of a long task that a person has asked for.

        Args:
            actions: The joint action, (P,), to repeat a step of a saved game. None lets the agents
                choose.

        Returns:
            The new position for every person; or, for the person who asked for a task, a list of
            its progress, its response, or nothing yet; an empty dictionary if there is nothing to
            do.

        Raises:
            ValueError: An agent fails or chooses an illegal action; nothing changes.
        """
        stage = self.stage
        if not stage.ready:
            return self._continue(next(iter(self._tasks))) if self._tasks else {}
        stage.play(self.step, actions)
        self.step += 1
        self.history.append(stage.joint)
        self.on_change()
        return self._positions()

    # --- showing ------------------------------------------------------------------------

    def _positions(self) -> Replies:
        replies: Replies = {}
        for person in self.people:
            with speaking(self._languages[person]):
                replies[person] = [self._position(person)]
        return replies

    def _position(self, person: int) -> Message:
        """Return all that a person needs to play on, whatever they have missed."""
        stage = self.stage
        seat = stage.seat_of(person)
        language = self._languages[person]
        names = self.stage.text_names
        if (seat, language) not in stage.descriptions:
            view = stage.batch.view(seat)
            stage.descriptions[seat, language] = position(view, self._pictures, names=names)
        waiting_for = stage.waiting_for
        ending: Message = {}
        if stage.over:
            sheet = words_of(stage.batch).score_sheet(stage.rewards)
            ending = {
                "result": result(stage.batch, names),
                "sheet": sheet,
                "deal": stage.shared_deal(),
            }
        message = {
            "type": "position",
            "step": self.step,
            "game": stage.batch.name,
            "you": seat,
            "players": self._facts(seat),
            "over": stage.over,
            "counts": stage.counts,
            **ending,
            "waiting_for": waiting_for,
            "ask_for_new": sorted(stage.ask_for_new),
            "hints": stage.adviser is not None,
            **stage.descriptions[seat, language],
            "chosen": stage.chosen.get(seat),
            "log": stage.log(seat, language),
            "teaches": lesson_of(self._batch) is not None and len(self.people) == 1,
            "lesson": None,
        }
        if seat not in waiting_for:
            message["actions"] = []
        return message | stage.lesson_fields(message)

    def _facts(self, seat: int) -> list[dict[str, Any]]:
        """Return the public facts about each player, at the end with their share of the victory."""
        stage = self.stage
        facts = players(stage.batch.view(seat), stage.names, stage.person_seats)
        for place, player in enumerate(facts):
            player["called"] = stage.display_names[place]
        if stage.over:
            for player, share in zip(facts, stage.batch.outcome()[0].tolist(), strict=True):
                player["won"] = share
        return facts

    def _analysis_message(self, analysis: Analysis) -> Message:
        names = self.stage.text_names
        choices = []
        for choice in analysis.choices:
            step, before, *_ = self.stage.past[choice.step - 1]
            words = words_of(before)
            picture = picture_of(before)
            texts: dict[str, Any] = {
                "words": words.describe_choice(choice.action, choice.seat, names=names),
                "advised_words": words.describe_choice(choice.advised, choice.seat, names=names),
                "text": picture.text(player=choice.seat, names=names),
            }
            if self._pictures:
                texts["scene"] = picture.scene(player=choice.seat, names=names).to_json()
            choices.append(asdict(choice) | texts | {"to": step})
        return {
            "type": "analysis",
            "step": self.step,
            "by": analysis.adviser,
            "worlds": analysis.worlds,
            "chances": analysis.probabilities[:, 0].tolist(),
            "choices": choices,
        }
