"""A table at which people and agents play one game; hosts carry its messages to the people."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from hashlib import sha256
from secrets import randbits
from typing import Any, NamedTuple

import numpy as np

from kododo_env.bots.messages import Message, read_message
from kododo_env.bots.showing import named_action, players, position, result, rules_of, story
from kododo_env.core.agent import Agent, CheckingAgent
from kododo_env.core.arrays import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import TellsInWords
from kododo_env.play.analysis import FEWEST, WORLDS, Analysing
from kododo_env.play.hints import check_adviser, hint
from kododo_env.play.replaying import replayed
from kododo_env.play.rules_page import sections
from kododo_env.play.sharing import agents_choose, command_of, deal_by, played_by
from kododo_env.records import Recorder
from kododo_env.rendering.languages import say, speaking

MOST_SEED = 2**53 - 1  # exact in JavaScript too, and more than can be tried one after the other
Said = dict[int, list[Message]]
"""The words of the table: for each seat the messages in their order."""


class _Past(NamedTuple):
    """A step that was played."""

    before: BatchGame
    joint: list[int]  # the joint action


class Table:
    """One game, its seats, and all that is said at it; ``docs/playing.md`` lists the messages.

    A message of a person comes in by ``hear``, which answers at once; after it ``play_on`` is
    called until it has nothing more to say, which may take as long as the agents think.
    ``talk`` does both. None of them may be called while another one runs.

    Args:
        game: A batch of one, which becomes the table's own and is dealt again.
        agents: For each seat an agent, or None for a person.
        adviser: The agent that gives hints; None for a table without.
        seed: Of the cards and of the agents' randomness, and of those of all later games; None
            takes fresh entropy for each game.
        pictures: Whether there are drawings as SVG besides the words.
        called: For each seat the name by which people call the player; an empty one, or none at
            all, leaves it at ``player_0``, ``player_1``, ...  Records have the agents' own names.
        rotate: Whether all players move one seat on before other cards are dealt.

    Attributes:
        people: The seats that people have in the first game. By these the table knows them, also
            when they have moved on; ``you`` in a position is the seat where they are then.
        step: How many steps have been played and games been dealt at this table. It never goes
            back, so that a message for an earlier position can do nothing in a later one.
        worlds: How many an analysis of a game plays out for each choice, at most.
        work: What an analysis may cost: worlds times players times steps of the game. It bounds
            the worlds where policies take long.
        seed: Of the game that is played: with it, the same players and the same choices of the
            people, the whole game is the same at any table.
        first: The step at which this game was dealt.
        moved: By how many seats everybody has moved on since the first game.

    Raises:
        ValueError: It is no batch of one, there is not one agent or None for each seat or no
            person among them, or an agent cannot play this game.
    """

    def __init__(
        self,
        game: BatchGame,
        agents: Sequence[Agent | None],
        adviser: Agent | None = None,
        seed: int | None = None,
        pictures: bool = True,
        called: Sequence[str] = (),
        rotate: bool = False,
    ) -> None:
        _check_seats(game, agents, adviser)
        self.people = tuple(seat for seat, agent in enumerate(agents) if agent is None)
        self.step, self.worlds, self.work = 0, WORLDS, math.inf
        self._game, self._agents, self._adviser = game, list(agents), adviser
        self._names = [agent.name if agent else self._person(k) for k, agent in enumerate(agents)]
        self._called = list(called) or [""] * len(agents)
        self._rotate, self.moved = rotate, 0
        self._languages = dict.fromkeys(self.people, "en")
        self._pictures = pictures
        # The game that is played may be told of by its seed, which must not tell the next one.
        self._source = randbits(128) if seed is None else seed
        self.deal(self._other_seed() if seed is None else seed)

    def _person(self, seat: int) -> str:
        number = f" {self.people.index(seat) + 1}" if len(self.people) > 1 else ""
        return f"person{number}"

    def _other_seed(self) -> int:
        """The seed of a game that is dealt now."""
        return int(
            np.random.default_rng([self._source, self.step]).integers(MOST_SEED, endpoint=True)
        )

    def deal(self, seed: int) -> None:
        """Deal the game of a seed, whatever is being played."""
        self._lay_out(seed)
        self.seed, self.first = seed, self.step
        self._recorder = Recorder(self._game, 0, self._names)
        self._gained: list[list[float]] = []  # the rewards of each step
        self._past: list[_Past] = []  # the steps
        self._log: dict[int, list[dict[str, Any]]] = {seat: [] for seat in self._sitting}
        self._counts = True
        self._begin_here()

    def _lay_out(self, seed: int) -> None:
        """Deal the cards of a seed."""
        deal_by(self._game, seed)

    def _begin_here(self) -> None:
        """Forget all that belongs to another position."""
        self._chosen: dict[int, int] = {}
        self._ask_for_new: set[int] = set()
        self._drawn: dict[int, dict[str, Any]] = {}  # of each seat what it sees in this step
        self._analyses: dict[int, Analysing] = {}  # of each seat

    def move_on(self, places: int) -> None:
        """Let everybody move on by some seats; another game has to be dealt then."""
        self.moved = (self.moved + places) % self._game.num_players
        for seats in (self._agents, self._names, self._called):
            seats[:] = np.roll(np.array(seats, object), places).tolist()

    def seat_of(self, person: int) -> int:
        """The seat that one of ``people`` has now."""
        return (person + self.moved) % self._game.num_players

    @property
    def _sitting(self) -> list[int]:
        """The seats that people have now."""
        return [self.seat_of(person) for person in self.people]

    # --- hearing ------------------------------------------------------------------------

    def talk(self, person: int, message: object) -> Said:
        """Hear a message and play on as far as nobody has to be waited for; see ``hear``."""
        said = self.hear(person, message)
        while more := self.play_on():
            for each, messages in more.items():
                said.setdefault(each, []).extend(messages)
        return said

    def hear(self, person: int, message: object) -> Said:
        """The answer of the table to a person's message.

        Args:
            person: Whose message it is: one of ``people``.
            message: JSON as text or bytes, or the object that it holds. One that cannot be
                read, or cannot be done now, is answered with an error and changes nothing.

        Raises:
            ValueError: There is no such person.
        """
        if person not in self.people:
            raise ValueError(f"seat must be one of {self.people}, who are people, not {person}")
        try:
            read = read_message(message)
            with speaking(self._languages[person]):
                self._check_step(read.get("step", self.step))
                return self._answer(person, read)
        except ValueError as error:
            return {person: [{"type": "error", "step": self.step, "error": str(error)}]}

    def _check_step(self, step: int) -> None:
        if step != self.step:
            raise ValueError(
                say("this was for step {step}; the table is at {now}", step=step, now=self.step)
            )

    def _answer(self, person: int, message: Message) -> Said:
        seat = self.seat_of(person)
        match message["type"]:
            case "act":
                return self._act(seat, message["action"])
            case "speak":
                self.speak(person, message["language"])
                with self._speaking_to(seat):
                    return {person: [self._position(seat)]}
            case "take_back":
                return self._take_back(seat)
            case "again":
                return self._again(seat, message["to"])
            case "new":
                return self._new(seat, message["deck"])
        return {person: [self._told(seat, message)]}

    def _told(self, seat: int, message: Message) -> Message:
        """The answer to a question, which changes nothing at the table."""
        match message["type"]:
            case "rules":
                parts = sections(self._game, self._pictures)
                return {"type": "rules", "text": self._game.rules_text(), "sections": parts}
            case "hint":
                return self._hint(seat)
            case "record":
                return {"type": "record", "record": self.record()}
            case "analyse":
                return self._analyse(seat)
            case "par":
                return self._par()
            case "replay":
                return {"type": "replay", **replayed(message["record"], self._pictures)}
            case "lesson" | "leave":
                raise ValueError("no lesson is given at this table")
        return self._position(seat)

    def _act(self, seat: int, given: int | str) -> Said:
        """Note what a person has chosen; it is played when everybody has."""
        self._check_decides(seat)
        self._chosen[seat] = named_action(given, self._game.view(seat))
        return self._positions()

    def _take_back(self, seat: int) -> Said:
        """Forget what a person has chosen, as long as somebody else has still to choose."""
        if seat not in self._chosen:
            raise ValueError(
                say("player_{seat} has chosen nothing that could be taken back", seat=seat)
            )
        del self._chosen[seat]
        return self._positions()

    def _again(self, seat: int, to: int) -> Said:
        """Go back to an earlier step of this game; chance stands as it did, too."""
        if len(self.people) > 1:
            raise ValueError(say("other people play this game: nobody can go back in it alone"))
        steps = [each["step"] for each in self._log[seat]]
        if to not in steps:
            raise ValueError(f"to must be a step of this game that was played, not {to}")
        kept = steps.index(to)
        self._game = self._past[kept].before
        self._recorder.back(self._game, kept)
        del self._gained[kept:], self._past[kept:], self._log[seat][kept:]
        self._counts = False
        self._begin_here()
        self.step += 1
        return self._positions()

    def _new(self, seat: int, deck: str) -> Said:
        """Deal a new game: when this one is over, or when all people have asked for it."""
        self._ask_for_new.add(seat)
        if self.over or self._ask_for_new == set(self._sitting):
            if deck == "other" and self._rotate:
                self.move_on(1)
            self.step += 1
            self.deal(self.seed if deck == "same" else self._other_seed())
        return self._positions()

    def _hint(self, seat: int) -> Message:
        self._check_decides(seat)
        if self._adviser is None:
            raise ValueError(say("nobody gives hints at this table"))
        return {"type": "hint", "step": self.step, **hint(self._adviser, self._game, seat)}

    def _analyse(self, seat: int) -> Message:
        """Begin an analysis, with which ``play_on`` goes on; or what has come of it."""
        if self._adviser is None:
            raise ValueError(say("nobody gives hints at this table"))
        if not self.over:
            raise ValueError(
                say("an analysis tells of hidden cards: ask for it when the game is over")
            )
        if seat not in self._analyses:
            positions = [*(each.before for each in self._past), self._game]
            played = [each.joint for each in self._past]
            fewer = self.work / (len(played) * len(self._names))
            worlds = int(min(self.worlds, max(FEWEST, fewer)))
            self._analyses[seat] = Analysing(
                positions, played, self._names, self._adviser, [seat], worlds
            )
        return self._analysed(seat)

    def _par(self) -> Message:
        if not self.over:
            raise ValueError(say("a bot plays the same deal when the game is over"))
        if self._adviser is None:
            raise ValueError(say("there is no bot at this table to play the same deal"))
        with speaking("en"):  # as bots know it
            game = played_by(self._adviser, self._agents, self._game, self.seed)
        scores, won = game.scores[0].tolist(), game.outcome()[0].tolist()
        return {"type": "par", "by": self._adviser.name, "scores": scores, "won": won}

    def _check_decides(self, seat: int) -> None:
        """Raise ValueError unless a person has still to choose."""
        if self.over:
            raise ValueError(say("the game is over; ask for a new one"))
        if seat in self._chosen:
            words = self._game.describe_choice(self._chosen[seat], seat)
            raise ValueError(
                say("player_{seat} has chosen already: {words}", seat=seat, words=words)
            )
        if seat not in self.waiting_for:
            raise ValueError(say("player_{seat} has nothing to decide now", seat=seat))

    # --- playing ------------------------------------------------------------------------

    @property
    def suits(self) -> tuple[Sequence[Any], ...]:
        """The looks of the cards, as ``TellsInWords.suits`` has them; none if it does not tell."""
        return self._game.suits() if isinstance(self._game, TellsInWords) else ()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._game.terminated[0])

    @property
    def waiting_for(self) -> list[int]:
        """The people who have something to decide and have not chosen yet."""
        deciding = self._game.deciding()[0]
        return [seat for seat in self._sitting if deciding[seat] and seat not in self._chosen]

    def play_on(self, known: Sequence[int] | None = None) -> Said:
        """Play a step, the agents choosing now, unless a person has to be waited for.

        When the game is over, it does a piece of an analysis that somebody has asked for.

        Args:
            known: The joint action, (P,), where a step is played that was played before.

        Returns:
            The new position for every person, or how far the analysis is; nothing if there was
            nothing to do.

        Raises:
            ValueError: An agent cannot play, or plays what is not legal; nothing is changed.
        """
        if self.over:
            return self._analyse_on()
        if self.waiting_for:
            return {}
        joint = self._joint() if known is None else np.array([known])
        before = self._game.clone()
        self._game.step(joint)
        self._past.append(_Past(before, joint[0].tolist()))
        self._recorder.step(joint[0])
        self._gained.append(self._game.rewards[0].tolist())
        for seat, log in self._log.items():
            with speaking("en"):
                rules = rules_of(self._game, self._lines(seat, len(log)))
            again = len(self.people) == 1 and bool(before.deciding()[0, seat])
            with self._speaking_to(seat):
                lines = self._lines(seat, len(log))
            log.append({"step": self.step, "lines": lines, "rules": rules, "again": again})
        self._chosen, self._drawn = {}, {}
        self.step += 1
        return self._positions()

    def _lines(self, seat: int, step: int) -> list[str]:
        """What a step of this game, counted from 0, has brought, as a seat is told."""
        before, joint = self._past[step]
        last = step == len(self._past) - 1
        after = self._game if last else self._past[step + 1].before
        return story(after, before, np.array(joint), seat, self._gained[: step + 1])

    def _joint(self) -> Int64:
        """Everybody's choices, (1, P): those of the agents follow from the seed and the step."""
        joint = agents_choose(self._agents, self._game, self.seed, len(self._gained))
        for seat, action in self._chosen.items():
            joint[0, seat] = action
        return joint

    @property
    def joint(self) -> list[int]:
        """The joint action that was played last, (P,); empty just after the deal."""
        return self._past[-1].joint if self._past else []

    def _analyse_on(self) -> Said:
        """Do a piece of the first analysis that is not done."""
        for seat, analysis in self._analyses.items():
            if analysis.result is None:
                analysis.go_on()
                person = (seat - self.moved) % self._game.num_players
                with self._speaking_to(seat):
                    return {person: [self._analysed(seat)]}
        return {}

    def stands(self) -> str:
        """A digest of this game: of its rules, players, cards and points so far."""
        header = {**vars(self._recorder.header), "date": ""}
        stands = [header, self.joint, self._gained, self.over, self._counts]
        return sha256(json.dumps(stands, sort_keys=True).encode()).hexdigest()

    def called(self, seat: int) -> str:
        """The name by which people call the player in a seat."""
        return self._called[seat] or f"player_{seat}"

    def record(self) -> str:
        """The record of a game that is over, as text; it holds all cards.

        Raises:
            ValueError: The game is not over.
        """
        if not self.over:
            raise ValueError(say("the record holds all cards: ask for it when the game is over"))
        return self._recorder.text()

    # --- showing ------------------------------------------------------------------------

    def speak(self, person: int, language: str) -> None:
        """Speak a language to one of ``people`` from now on, also of what has been already."""
        self._languages[person] = language
        seat = self.seat_of(person)
        self._drawn.pop(seat, None)
        with speaking(language):
            for step, each in enumerate(self._log[seat]):
                each["lines"] = self._lines(seat, step)

    def _speaking_to(self, seat: int) -> AbstractContextManager[None]:
        """The language of the person in a seat is spoken."""
        return speaking(self._languages[(seat - self.moved) % self._game.num_players])

    def _positions(self) -> Said:
        said: Said = {}
        for person in self.people:
            with speaking(self._languages[person]):
                said[person] = [self._position(self.seat_of(person))]
        return said

    def _position(self, seat: int) -> Message:
        """All that a person needs to go on, whatever they have missed."""
        if seat not in self._drawn:
            self._drawn[seat] = position(self._game.view(seat), self._pictures)
        seen = self._drawn[seat] | ({"actions": []} if seat in self._chosen else {})
        return {
            "type": "position",
            "step": self.step,
            "game": self._game.name,
            "you": seat,
            "players": self._players(seat),
            "over": self.over,
            "counts": self._counts,
            **({"result": result(self._game), "deal": self._told_deal()} if self.over else {}),
            "waiting_for": [] if self.over else self.waiting_for,
            "ask_for_new": sorted(self._ask_for_new),
            "hints": self._adviser is not None,
            **seen,
            "chosen": self._chosen.get(seat),
            "log": list(self._log[seat]),
        }

    def _analysed(self, seat: int) -> Message:
        """How far the analysis of a seat's choices is, or what it has found."""
        analysis, result = self._analyses[seat], self._analyses[seat].result
        if result is None:
            return {"type": "analysing", "step": self.step, "share": analysis.share}
        steps = [each["step"] for each in self._log[seat]]
        choices = []
        for choice in result.choices:
            before = self._past[choice.step - 1].before
            told = {
                "words": before.describe_choice(choice.action, seat),
                "advised_words": before.describe_choice(choice.advised, seat),
                "text": before.text(player=seat),
            }
            drawn = {"picture": before.view(seat).svg()} if self._pictures else {}
            choices.append(asdict(choice) | told | {"to": steps[choice.step - 1]} | drawn)
        return {
            "type": "analysis",
            "step": self.step,
            "by": result.adviser,
            "worlds": analysis.worlds,
            "chances": result.chances[:, 0].tolist(),
            "choices": choices,
        }

    def _told_deal(self) -> dict[str, Any]:
        """How another person can play the same deal, which tells all cards."""
        names = {seat: name for seat, name in enumerate(self._names) if self._agents[seat]}
        return {"seed": self.seed, "command": command_of(self._game, names, self.seed)}

    def _players(self, seat: int) -> list[dict[str, Any]]:
        """What everybody knows of each player, at the end their share of the victory too."""
        known = players(self._game.view(seat), self._names, self._sitting)
        for place, each in enumerate(known):
            each["called"] = self.called(place)
        if self.over:
            for each, share in zip(known, self._game.outcome()[0].tolist(), strict=True):
                each["won"] = share
        return known


def _check_seats(game: BatchGame, agents: Sequence[Agent | None], adviser: Agent | None) -> None:
    if game.num_envs != 1:
        raise ValueError(f"a table has one game, a batch of one, not of {game.num_envs}")
    if len(agents) != game.num_players:
        raise ValueError(f"{game.num_players} seats need as many players, not {len(agents)}")
    if None not in agents:
        raise ValueError("a table needs a person: None among the agents")
    for agent in (*agents, adviser):
        if isinstance(agent, CheckingAgent):
            agent.check(game)
    if adviser is not None:
        check_adviser(adviser)
