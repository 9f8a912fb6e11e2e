"""A table at which people and agents play one game; hosts carry its messages to the people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.bots.messages import Message, read_message
from kododo_env.bots.showing import named_action, players, position, result, story
from kododo_env.core.agent import Agent, CheckingAgent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.play.hints import check_adviser, hint
from kododo_env.play.replaying import replayed
from kododo_env.records import Recorder

Said = dict[int, list[Message]]
"""The words of the table: for each seat the messages in their order."""


class Table:
    """One game, its seats, and all that is said at it; ``docs/playing.md`` lists the messages.

    A message of a person comes in by ``hear``, which answers at once; after it ``play_on`` is
    called until it has nothing more to say, which may take as long as the agents think.
    ``talk`` does both. None of them may be called while another one runs.

    Args:
        game: A batch of one, which becomes the table's own and is dealt again.
        agents: For each seat an agent, or None for a person.
        adviser: The agent that gives hints; None for a table without.
        seed: Of the cards and of the agents' randomness; None takes fresh entropy.
        pictures: Whether there are drawings as SVG besides the words.

    Attributes:
        people: The seats that people have.
        step: How many steps have been played and games been dealt at this table. It never goes
            back, so that a message for an earlier position can do nothing in a later one.

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
    ) -> None:
        _check_seats(game, agents, adviser)
        self.people = tuple(seat for seat, agent in enumerate(agents) if agent is None)
        self.step = 0
        self._game, self._agents, self._adviser = game, tuple(agents), adviser
        self._names = [agent.name if agent else self._person(k) for k, agent in enumerate(agents)]
        self._pictures = pictures
        self._rng = np.random.default_rng(seed)
        self._deck = game.sample_decks(1, self._rng)
        self._deal()

    def _person(self, seat: int) -> str:
        number = f" {self.people.index(seat) + 1}" if len(self.people) > 1 else ""
        return f"person{number}"

    def _deal(self) -> None:
        self._game.reset(int(self._rng.integers(1 << 62)), decks=self._deck)
        self._recorder = Recorder(self._game, 0, self._names)
        self._gained: list[list[float]] = []  # the rewards of each step
        self._chosen: dict[int, int] = {}
        self._ask_for_new: set[int] = set()
        self._log: dict[int, list[dict[str, Any]]] = {seat: [] for seat in self.people}
        self._drawn: dict[int, dict[str, Any]] = {}  # of each seat what it sees in this step

    # --- hearing ------------------------------------------------------------------------

    def talk(self, seat: int, message: object) -> Said:
        """Hear a message and play on as far as nobody has to be waited for; see ``hear``."""
        said = self.hear(seat, message)
        while more := self.play_on():
            for person, messages in more.items():
                said.setdefault(person, []).extend(messages)
        return said

    def hear(self, seat: int, message: object) -> Said:
        """The answer of the table to a person's message.

        Args:
            seat: Whose message it is: one of ``people``.
            message: JSON as text or bytes, or the object that it holds. One that cannot be
                read, or cannot be done now, is answered with an error and changes nothing.

        Raises:
            ValueError: No person has this seat.
        """
        if seat not in self.people:
            raise ValueError(f"seat must be one of {self.people}, who are people, not {seat}")
        try:
            read = read_message(message)
            return self._answer(seat, read)
        except ValueError as error:
            return {seat: [{"type": "error", "step": self.step, "error": str(error)}]}

    def _answer(self, seat: int, message: Message) -> Said:
        if "step" in message and message["step"] != self.step:
            raise ValueError(f"this was for step {message['step']}; the table is at {self.step}")
        match message["type"]:
            case "act":
                return self._act(seat, message["action"])
            case "new":
                return self._new(seat, message["deck"])
            case "rules":
                return {seat: [{"type": "rules", "text": self._game.rules_text()}]}
            case "hint":
                return {seat: [self._hint(seat)]}
            case "record":
                return {seat: [{"type": "record", "record": self.record()}]}
            case "replay":
                frames = replayed(message["record"], self._pictures)
                return {seat: [{"type": "replay", **frames}]}
        return {seat: [self._position(seat)]}

    def _act(self, seat: int, given: int | str) -> Said:
        """Note what a person has chosen; it is played when everybody has."""
        self._check_decides(seat)
        self._chosen[seat] = named_action(given, self._game.view(seat))
        return self._positions()

    def _new(self, seat: int, deck: str) -> Said:
        """Deal a new game: when this one is over, or when all people have asked for it."""
        self._ask_for_new.add(seat)
        if self.over or self._ask_for_new == set(self.people):
            if deck == "other":
                self._deck = self._game.sample_decks(1, self._rng)
            self._deal()
            self.step += 1
        return self._positions()

    def _hint(self, seat: int) -> Message:
        self._check_decides(seat)
        if self._adviser is None:
            raise ValueError("nobody gives hints at this table")
        return {"type": "hint", "step": self.step, **hint(self._adviser, self._game, seat)}

    def _check_decides(self, seat: int) -> None:
        """Raise ValueError unless a person has still to choose."""
        if self.over:
            raise ValueError("the game is over; ask for a new one")
        if seat in self._chosen:
            words = self._game.describe_choice(self._chosen[seat], seat)
            raise ValueError(f"player_{seat} has chosen already: {words}")
        if seat not in self.waiting_for:
            raise ValueError(f"player_{seat} has nothing to decide now")

    # --- playing ------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._game.terminated[0])

    @property
    def waiting_for(self) -> list[int]:
        """The people who have something to decide and have not chosen yet."""
        deciding = self._game.deciding()[0]
        return [seat for seat in self.people if deciding[seat] and seat not in self._chosen]

    def play_on(self) -> Said:
        """Play a step, the agents choosing now, unless a person has to be waited for.

        Returns:
            The new position for every person; nothing if no step was played.

        Raises:
            ValueError: An agent cannot play, or plays what is not legal; nothing is changed.
        """
        if self.over or self.waiting_for:
            return {}
        joint = joint_action(self._agents, self._game, self._rng)
        for seat, action in self._chosen.items():
            joint[0, seat] = action
        before = self._game.clone()
        self._game.step(joint)
        self._recorder.step(joint[0])
        self._gained.append(self._game.rewards[0].tolist())
        for seat, log in self._log.items():
            lines = story(self._game, before, joint[0], seat, self._gained)
            log.append({"step": self.step, "lines": lines})
        self._chosen, self._drawn = {}, {}
        self.step += 1
        return self._positions()

    def record(self) -> str:
        """The record of a game that is over, as text; it holds all cards.

        Raises:
            ValueError: The game is not over.
        """
        if not self.over:
            raise ValueError("the record holds all cards: ask for it when the game is over")
        return self._recorder.text()

    # --- showing ------------------------------------------------------------------------

    def _positions(self) -> Said:
        return {seat: [self._position(seat)] for seat in self.people}

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
            **({"result": result(self._game)} if self.over else {}),
            "waiting_for": [] if self.over else self.waiting_for,
            "ask_for_new": sorted(self._ask_for_new),
            "hints": self._adviser is not None,
            **seen,
            "chosen": self._chosen.get(seat),
            "log": list(self._log[seat]),
        }

    def _players(self, seat: int) -> list[dict[str, Any]]:
        """What everybody knows of each player, at the end their share of the victory too."""
        known = players(self._game.view(seat), self._names, self.people)
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
