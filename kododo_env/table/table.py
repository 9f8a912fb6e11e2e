"""A table at which people and agents play; hosts carry messages between it and people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from kododo_env.bots.messages import Message, read_message
from kododo_env.bots.protocol import news, players, position, result
from kododo_env.core.agent import Agent, check_agents
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import WordDescriptions
from kododo_env.rendering.languages import say, speaking
from kododo_env.review.analysis import FEWEST, WORLDS, AnalysisRun
from kododo_env.review.hints import check_adviser, hint
from kododo_env.review.replay import parse_short_record, replayed_steps
from kododo_env.table.played_game import PlayedGame
from kododo_env.table.rules_page import sections
from kododo_env.table.shared_deal import command_of, playing_by

Replies = dict[int, list[Message]]
"""The table's messages for each seat, in order."""


class Table(PlayedGame):
    """A ``PlayedGame`` that exchanges messages; see ``docs/reference/messages.md``.

    ``hear`` handles a person's message and responds at once. After it, the caller must call
    ``play_on`` until it returns an empty dictionary; agents choose in these calls. ``talk`` does
    both. No method may be called while another call is running.

    Args:
        game: A batch of one; for this and the arguments not listed here see ``PlayedGame``.
        agents: For each seat an agent, or None for a person.
        adviser: The agent that gives hints and analyses; None gives neither.
        pictures: Whether to draw SVG pictures in addition to texts.

    Attributes:
        worlds: The maximum number of worlds per choice in an analysis.
        work: The maximum of worlds times players times steps in an analysis, to lower where
            policies are slow. At least ``FEWEST`` worlds are played.

    Raises:
        ValueError: An argument is invalid (see ``PlayedGame``), or the adviser cannot play this
            game or cannot give hints.
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
    ) -> None:
        self.worlds = WORLDS
        self.work = math.inf
        self._adviser = adviser
        self._pictures = pictures
        super().__init__(game, agents, seed, display_names, rotate, agent_names)
        self._languages = dict.fromkeys(self.people, "en")
        check_agents(game, [adviser])
        if adviser is not None:
            check_adviser(adviser)

    def _begin_here(self) -> None:
        super()._begin_here()
        # For the current step, with the same keys as ``PlayedStep.log_entries``.
        self._position_cache: dict[tuple[int, str], dict[str, Any]] = {}
        self._analyses: dict[int, AnalysisRun] = {}  # by person

    # --- hearing ------------------------------------------------------------------------

    def talk(self, person: int, message: object) -> Replies:
        """Respond to a person's message, and play on until a person has to choose; see ``hear``."""
        replies = self.hear(person, message)
        while next_replies := self.play_on():
            for recipient, messages in next_replies.items():
                replies.setdefault(recipient, []).extend(messages)
        return replies

    def hear(self, person: int, message: object) -> Replies:
        """Return the complete response to a person's message; see ``hear_in_pieces``."""
        *_, replies = self.hear_in_pieces(person, message)
        return replies

    def hear_in_pieces(self, person: int, message: object) -> Iterator[Replies]:
        """Respond to a person's message in pieces, between which other messages may be handled.

        Args:
            person: The sender, one of ``people``.
            message: JSON as text or bytes, or the parsed object. The response to a message that is
                malformed or impossible now is an error, and nothing changes.

        Yields:
            ``{}`` after each piece of work, then the response.

        Raises:
            ValueError: ``person`` is not one of ``people``.
        """
        if person not in self.people:
            raise ValueError(f"person must be one of {self.people}, not {person}")
        try:
            request = read_message(message)
            with speaking(self._languages[person]):
                self._check_step(request)
            pieces = self._pieces(person, request)
            while True:
                with speaking(self._languages[person]):
                    replies = next(pieces, None)
                if replies is None:
                    return
                yield replies
        except ValueError as error:
            yield {person: [self._error(error)]}

    def _pieces(self, person: int, message: Message) -> Iterator[Replies]:
        """Yield the response to a message, in pieces if it takes long; see ``hear_in_pieces``."""
        match message["type"]:
            case "par":
                yield from self._par(person)
            case "replay":
                yield from self._replay(person, message["record"])
            case _:
                yield self._answer(person, message)

    def _error(self, error: ValueError) -> Message:
        return {"type": "error", "step": self.step, "error": str(error)}

    def _check_step(self, message: Message) -> None:
        """Raise ValueError if a message is for another step.

        Agents may have played since the message was sent, so messages that end the current game may
        be for any of its steps.
        """
        step = message.get("step", self.step)
        earliest = self.first if message["type"] in ("new", "again", "lesson") else self.step
        if not earliest <= step <= self.step:
            raise ValueError(say("expected step {now}, got step {step}", step=step, now=self.step))

    def _answer(self, person: int, message: Message) -> Replies:
        seat = self.seat_of(person)
        match message["type"]:
            case "act":
                self._choose(seat, message["action"])
            case "take_back":
                self._take_back(seat)
            case "again":
                self._go_back(message["to"])
            case "new":
                self._new(seat, message["deck"])
            case "speak":
                self.speak(person, message["language"])
                return {person: self._positions()[person]}
            case _:
                return {person: [self._answer_question(person, message)]}
        return self._positions()

    def _answer_question(self, person: int, message: Message) -> Message:
        """Return the response to a message that changes nothing at the table."""
        match message["type"]:
            case "rules":
                parts = sections(self._game, self._pictures)
                return {"type": "rules", "text": self._game.rules_text(), "sections": parts}
            case "hint":
                return self._hint(self.seat_of(person))
            case "record":
                return {"type": "record", "record": self.record()}
            case "analyse":
                return self._analyse(person)
            case "lesson" | "leave":
                raise ValueError("this table gives no lessons")
        return self._position(person)

    def _hint(self, seat: int) -> Message:
        self._check_decides(seat)
        if self._adviser is None:
            raise ValueError(say("this table gives no hints"))
        return {"type": "hint", "step": self.step, **hint(self._adviser, self._game, seat)}

    def _analyse(self, person: int) -> Message:
        """Begin an analysis, which ``play_on`` continues, or return its progress or result."""
        if self._adviser is None:
            raise ValueError(say("this table gives no hints"))
        if not self.over:
            raise ValueError(say("an analysis reveals hidden cards: wait until the game is over"))
        if person not in self._analyses:
            played = [step.joint for step in self._past]
            fewer = self.work / (len(played) * len(self._names))
            worlds = int(min(self.worlds, max(FEWEST, fewer)))
            self._analyses[person] = AnalysisRun(
                self._games, played, self._names, self._adviser, [self.seat_of(person)], worlds
            )
        return self._analysis_message(person)

    def _replay(self, person: int, text: str) -> Iterator[Replies]:
        """Show a record; each step is a piece of work."""
        record = parse_short_record(text)
        steps = []
        for step in replayed_steps(record, self._pictures):
            steps.append(step)
            yield {}
        game = {"game": record.header.game, "players": record.players}
        yield {person: [{"type": "replay", **game, "steps": steps}]}

    def _par(self, person: int) -> Iterator[Replies]:
        """Let a bot play the deal of the finished game; each step is a piece of work."""
        if not self.over:
            raise ValueError(say("a bot plays the same deal when the game is over"))
        if self._adviser is None:
            raise ValueError(say("there is no bot at this table to play the same deal"))
        step = self.step
        game = self._game.clone()
        for _ in playing_by(self._adviser, self._agents, game, self.seed):
            yield {}
            if self.step != step:
                raise ValueError(say("a bot plays the same deal when the game is over"))
        scores = game.scores[0].tolist()
        won = game.outcome()[0].tolist()
        yield {person: [{"type": "par", "by": self._adviser.name, "scores": scores, "won": won}]}

    # --- playing ------------------------------------------------------------------------

    @property
    def suits(self) -> tuple[Sequence[Any], ...]:
        """The suits of the cards, as in ``WordDescriptions.suits``; empty if there are no words."""
        return self._game.suits() if isinstance(self._game, WordDescriptions) else ()

    def play_on(self, actions: Sequence[int] | None = None) -> Replies:
        """Play one step unless a person has to choose; agents choose their actions now.

        When the game is over, do a piece of an analysis that a person has asked for.

        Args:
            actions: The joint action, (P,), to repeat a step of a saved game. None lets the agents
                choose.

        Returns:
            The new position for every person, or the progress of the analysis for the person who
            asked; empty if there was nothing to do.

        Raises:
            ValueError: An agent fails or chooses an illegal action; nothing changes.
        """
        if self.over:
            return self._analyse_on()
        if self.waiting_for:
            return {}
        self._play(actions)
        self._position_cache = {}
        return self._positions()

    def _analyse_on(self) -> Replies:
        """Do a piece of the first unfinished analysis; one that fails is dropped."""
        for person, analysis in self._analyses.items():
            if analysis.result is None:
                try:
                    analysis.go_on()
                except ValueError as error:
                    del self._analyses[person]
                    return {person: [self._error(error)]}
                with speaking(self._languages[person]):
                    return {person: [self._analysis_message(person)]}
        return {}

    # --- showing ------------------------------------------------------------------------

    def speak(self, person: int, language: str) -> None:
        """Set the language of a person's messages, also for the news of past steps."""
        self._languages[person] = language

    def _positions(self) -> Replies:
        replies: Replies = {}
        for person in self.people:
            with speaking(self._languages[person]):
                replies[person] = [self._position(person)]
        return replies

    def _position(self, person: int) -> Message:
        """Return all that a person needs to play on, whatever they have missed."""
        seat = self.seat_of(person)
        language = self._languages[person]
        if (seat, language) not in self._position_cache:
            self._position_cache[seat, language] = position(self._game.view(seat), self._pictures)
        details = self._position_cache[seat, language] | (
            {"actions": []} if seat in self._chosen else {}
        )
        ending: dict[str, Any] = {}
        if self.over:
            opponents = {
                seat: self._agent_names[seat] for seat, agent in enumerate(self._agents) if agent
            }
            command = command_of(self._game, opponents, self.seed)
            ending = {"result": result(self._game), "deal": {"seed": self.seed, "command": command}}
        return {
            "type": "position",
            "step": self.step,
            "game": self._game.name,
            "you": seat,
            "players": self._players(seat),
            "over": self.over,
            "counts": self._counts,
            **ending,
            "waiting_for": self.waiting_for,
            "ask_for_new": sorted(self._ask_for_new),
            "hints": self._adviser is not None,
            **details,
            "chosen": self._chosen.get(seat),
            "log": self._log(seat, language),
        }

    def _analysis_message(self, person: int) -> Message:
        """Return the progress of the analysis of a person's choices, or its result."""
        analysis = self._analyses[person]
        result = analysis.result
        if result is None:
            return {"type": "analysing", "step": self.step, "share": analysis.share}
        choices = []
        for choice in result.choices:
            step, before, *_ = self._past[choice.step - 1]
            texts = {
                "words": before.describe_choice(choice.action, choice.seat),
                "advised_words": before.describe_choice(choice.advised, choice.seat),
                "text": before.text(player=choice.seat),
            }
            drawing = {"picture": before.view(choice.seat).svg()} if self._pictures else {}
            choices.append(asdict(choice) | texts | {"to": step} | drawing)
        return {
            "type": "analysis",
            "step": self.step,
            "by": result.adviser,
            "worlds": analysis.worlds,
            "chances": result.probabilities[:, 0].tolist(),
            "choices": choices,
        }

    def _log(self, seat: int, language: str) -> list[dict[str, Any]]:
        """Return the news of each step and the rules behind it, for a seat in a language."""
        for number, (step, before, joint, entries) in enumerate(self._past, 1):
            if (seat, language) not in entries:
                with speaking(language):
                    words = news(self._games[number], before, joint, seat, self._rewards)
                can_go_back = len(self.people) == 1 and bool(before.deciding()[0, seat])
                entries[seat, language] = {"step": step, **words, "again": can_go_back}
        return [played.log_entries[seat, language] for played in self._past]

    def _players(self, seat: int) -> list[dict[str, Any]]:
        """Return the public facts about each player, at the end with their share of the victory."""
        facts = players(self._game.view(seat), self._names, self._person_seats)
        for place, player in enumerate(facts):
            player["called"] = self.display_name(place)
        if self.over:
            for player, share in zip(facts, self._game.outcome()[0].tolist(), strict=True):
                player["won"] = share
        return facts
