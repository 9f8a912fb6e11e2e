"""One game at a table: its players, the choices of people, and the steps so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kododo_env.bots.messages import Message
from kododo_env.bots.protocol import named_action, news
from kododo_env.core.agent import Agent, joint_action, remembers
from kododo_env.core.batch_game import BatchGame
from kododo_env.records import Recorder
from kododo_env.registry import words_of
from kododo_env.rendering.languages import say, speaking
from kododo_env.review.analysis import Analysis
from kododo_env.table.shared_deal import command_of


class Player(NamedTuple):
    """A player at a table.

    Attributes:
        name: The name in records.
        agent: The agent; None for a person.
        display_name: The name shown to people; see ``Stage.display_names`` for an empty one.
        agent_name: The name from which ``make_agent`` creates the same agent.
        person: Their seat in the table's first game, which identifies a person.
    """

    name: str
    agent: Agent | None
    display_name: str = ""
    agent_name: str = ""
    person: int = 0


class PlayedStep(NamedTuple):
    """A step that was played."""

    step: int
    before: BatchGame
    joint: list[int]  # the joint action
    log_entries: dict[tuple[int, str], dict[str, Any]]  # the news by seat and language


class Stage:
    """A game from its deal to its end; a table has one after the other.

    Args:
        batch: A batch of one, which this object deals and changes.
        players: The players by seat.
        seed: The seed of the cards and of the agents' randomness. With the same seed, players and
            choices of people, the whole game is the same.
        first: The number of the table's step at the deal.
        adviser: The agent that gives hints and analyses; None gives neither.
        names_in_texts: Whether texts have the players' display names rather than seat numbers.

    Attributes:
        past: The steps so far.
        chosen: The actions that people have chosen for the next step, by seat.
        ask_for_new: The seats of people who want another game.
        counts: Whether nobody has gone back to an earlier step.
        analyses: Analyses of the finished game, by person.
        recorder: The record of the game so far.
        descriptions: The fields of ``position`` for the current step, by seat and language.
    """

    def __init__(
        self,
        batch: BatchGame,
        players: Sequence[Player],
        seed: int,
        first: int,
        adviser: Agent | None = None,
        names_in_texts: bool = False,
    ) -> None:
        self.batch = batch
        self.players = list(players)
        self.seed = seed
        self.first = first
        self.adviser = adviser
        self.agents = [player.agent for player in players]
        self.names = [player.name for player in players]
        self._names_in_texts = names_in_texts
        self.person_seats = {seat for seat, agent in enumerate(self.agents) if agent is None}
        self.past: list[PlayedStep] = []
        self.chosen: dict[int, int] = {}
        self.ask_for_new: set[int] = set()
        self.counts = True
        self.analyses: dict[int, Analysis] = {}
        self.descriptions: dict[tuple[int, str], dict[str, Any]] = {}
        self._deal()
        self.recorder = Recorder(batch, 0, self.names)

    def _deal(self) -> None:
        rng = np.random.default_rng(self.seed)
        decks = self.batch.sample_decks(1, rng)
        self.batch.reset(int(rng.integers(1 << 62)), decks=decks)

    def seat_of(self, person: int) -> int:
        """Return the seat of a person."""
        return next(seat for seat in self.person_seats if self.players[seat].person == person)

    @property
    def display_names(self) -> list[str]:
        """The names shown to people, by seat; a nameless person is a guest in their language."""
        people = sorted(player.person for player in self.players if player.agent is None)
        names = []
        for seat, player in enumerate(self.players):
            name = player.display_name or f"player_{seat}"
            if player.agent is None and not player.display_name:
                number = f" {people.index(player.person) + 1}" if len(people) > 1 else ""
                name = say("table.guest") + number
            names.append(name)
        return names

    @property
    def text_names(self) -> list[str] | None:
        """The players' names in texts; None names them ``player_0``, ``player_1``, ..."""
        return self.display_names if self._names_in_texts else None

    def rename(self, person: int, name: str) -> None:
        """Give a person a display name, also in the news of earlier steps."""
        seat = self.seat_of(person)
        self.players[seat] = self.players[seat]._replace(display_name=name)
        self.descriptions = {}
        for played in self.past:
            played.log_entries.clear()

    # --- choosing -----------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.batch.terminated[0])

    @property
    def waiting_for(self) -> list[int]:
        """The seats of people who have something to decide and have not chosen yet."""
        deciding = self.batch.deciding()[0]
        return [seat for seat in self.person_seats if deciding[seat] and seat not in self.chosen]

    @property
    def ready(self) -> bool:
        """Whether the next step can be played."""
        return not (self.over or self.waiting_for)

    def check_decides(self, seat: int) -> None:
        """Raise ValueError unless a person has still to choose."""
        if self.over:
            raise ValueError(say("table.game_over"))
        if seat in self.chosen:
            words = words_of(self.batch).describe_choice(
                self.chosen[seat], seat, names=self.text_names
            )
            raise ValueError(say("table.double_choice", words=words))
        if seat not in self.waiting_for:
            raise ValueError(say("table.no_decision"))

    def choose(self, seat: int, choice: int | str) -> None:
        """Store a person's choice; it is played when everybody has chosen."""
        self.check_decides(seat)
        self.chosen[seat] = named_action(choice, self.batch.view(seat), names=self.text_names)

    def take_back(self, seat: int) -> None:
        """Remove a person's choice, as long as somebody else has still to choose."""
        if seat not in self.chosen:
            raise ValueError(say("table.no_choice"))
        del self.chosen[seat]

    def choose_by(self, bot: Agent) -> None:
        """Let a bot choose for all people."""
        bots = [bot if agent is None else None for agent in self.agents]
        # With a separate generator, so that the others' randomness is unchanged.
        rng = np.random.default_rng([self.seed, len(self.past), 1])
        actions = joint_action(bots, self.batch, rng)
        self.chosen = {seat: int(actions[0, seat]) for seat in self.person_seats}

    @property
    def can_go_back(self) -> bool:
        """Whether ``go_back`` is possible."""
        return len(self.person_seats) == 1

    def go_back(self, to: int) -> None:
        """Go back to an earlier step of this game, with the same randomness after it."""
        if not self.can_go_back:
            raise ValueError(say("table.no_way_back"))
        index = self.index_of(to)
        self.batch = self.past[index].before
        self.recorder.back(self.batch, index)
        del self.past[index:]
        self.remind()
        self.counts = False
        self.chosen = {}
        self.analyses = {}
        self.descriptions = {}

    def index_of(self, step: int) -> int:
        """Return the index in ``past`` of a step of the table.

        Raises:
            ValueError: This step was not played in this game.
        """
        steps = [played.step for played in self.past]
        if step not in steps:
            raise ValueError(f"to must be a step played in this game, not {step}")
        return steps.index(step)

    # --- playing ------------------------------------------------------------------------

    def remind(self) -> None:
        """Replay the steps so far for agents that keep a memory, after the game was restored."""
        agents = [agent if remembers(agent) else None for agent in self.agents]
        if any(map(remembers, agents)):
            for number, played in enumerate(self.past):
                joint_action(agents, played.before, self._rng(number))

    def _rng(self, step: int) -> np.random.Generator:
        """Return the generator of the agents' choices, which depends only on seed and step."""
        return np.random.default_rng([self.seed, step])

    def play(self, step: int, actions: Sequence[int] | None) -> None:
        """Play everybody's choice, with the agents choosing now, or a joint action from before."""
        if actions is None:
            joint = joint_action(self.agents, self.batch, self._rng(len(self.past)))
            for seat, action in self.chosen.items():
                joint[0, seat] = action
        else:
            joint = np.array([actions])
        before = self.batch.clone()
        self.batch.step(joint)
        self.past.append(PlayedStep(step, before, joint[0].tolist(), {}))
        self.recorder.step(joint[0])
        self.chosen = {}
        self.descriptions = {}

    @property
    def joint(self) -> list[int]:
        """The last joint action, P integers; empty just after the deal."""
        return self.past[-1].joint if self.past else []

    @property
    def games(self) -> list[BatchGame]:
        """This game after the deal and after each step."""
        return [*(played.before for played in self.past), self.batch]

    @property
    def rewards(self) -> list[list[float]]:
        """The rewards of each step of this game."""
        return [game.rewards[0].tolist() for game in self.games[1:]]

    # --- showing ------------------------------------------------------------------------

    def log(self, seat: int, language: str) -> list[dict[str, Any]]:
        """Return the news of each step, for a seat in a language."""
        for (step, before, joint, entries), game in zip(self.past, self.games[1:], strict=True):
            if (seat, language) not in entries:
                events = words_of(game).events(before, joint, seat, gained=self.rewards)
                with speaking(language):
                    words = news(game, events, self.text_names)
                returnable = self.can_go_back and bool(before.deciding()[0, seat])
                entries[seat, language] = {"step": step, **words, "again": returnable}
        return [played.log_entries[seat, language] for played in self.past]

    def shared_deal(self) -> Message:
        """Return the seed of the deal, and the command with which other people play it."""
        opponents = {
            seat: player.agent_name for seat, player in enumerate(self.players) if player.agent
        }
        return {"seed": self.seed, "command": command_of(self.batch, opponents, self.seed)}

    def record(self) -> str:
        """Return the record of a finished game as text; it reveals all cards.

        Raises:
            ValueError: The game is not over.
        """
        if not self.over:
            raise ValueError(say("table.record_after_game"))
        return self.recorder.text()

    def lesson_fields(self, position: Message) -> Message:
        """Return what a lesson adds to a position or changes in it; nothing in a game."""
        return {}
