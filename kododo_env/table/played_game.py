"""A game that people and agents play: the seats, the choices and the steps so far."""

from __future__ import annotations

import json
from collections.abc import Sequence
from secrets import randbits
from typing import Any, NamedTuple

import numpy as np

from kododo_env.bots.messages import MOST_EXACT
from kododo_env.bots.protocol import named_action
from kododo_env.core.agent import Agent, check_agents, remembers
from kododo_env.core.batch_game import BatchGame
from kododo_env.records import Recorder
from kododo_env.records.header import printable
from kododo_env.rendering.languages import say
from kododo_env.system.digests import digest
from kododo_env.table.shared_deal import agents_choose, deal_by


class PlayedStep(NamedTuple):
    """A step that was played."""

    step: int
    before: BatchGame
    joint: list[int]  # the joint action
    log_entries: dict[tuple[int, str], dict[str, Any]]  # the news by seat and language


class PlayedGame:
    """A series of games with the same players.

    Args:
        game: A batch of one, which this object deals again and changes.
        agents: For each seat an agent, or None for a person.
        seed: The seed of the cards and of the agents' randomness, in this and all later games. None
            takes fresh entropy.
        display_names: For each seat the name shown to people. Empty names, or an empty sequence,
            become ``player_0``, ``player_1``, ... Records have the agents' own names.
        rotate: Whether all players move to the next seat before other cards are dealt.
        agent_names: For each seat the name from which ``make_agent`` creates the same agent, for
            the command line of the deal. Empty means the agents' own names.

    Attributes:
        people: The seats of people in the first game, which identify people even after they have
            moved to other seats; see ``seat_of``.
        step: The number of steps played and of games dealt after the first. It never decreases, so
            a message for an earlier position cannot affect a later one.
        seed: The seed of the current game. With the same seed, players and choices of people, the
            whole game is the same.
        first: The value of ``step`` when the current game was dealt.
        seat_shift: The number of seats by which everybody has moved since the first game.

    Raises:
        ValueError: ``game`` is not a batch of one, ``agents`` does not have one entry per seat,
            there is no person, or an agent cannot play this game.
    """

    def __init__(
        self,
        game: BatchGame,
        agents: Sequence[Agent | None],
        seed: int | None,
        display_names: Sequence[str],
        rotate: bool,
        agent_names: Sequence[str] = (),
    ) -> None:
        if game.num_envs != 1:
            raise ValueError(f"a table needs a batch of one game, not of {game.num_envs}")
        if len(agents) != game.num_players:
            raise ValueError(f"expected {game.num_players} agents, one per seat, got {len(agents)}")
        if None not in agents:
            raise ValueError("a table needs at least one person: an entry None in agents")
        check_agents(game, agents)
        self.people = tuple(seat for seat, agent in enumerate(agents) if agent is None)
        self.step = 0
        self.seat_shift = 0
        self._game = game
        self._agents = list(agents)
        self._rotate = rotate
        names = [self._person(k) if agent is None else agent.name for k, agent in enumerate(agents)]
        self._names = [*map(printable, names)]
        self._display_names = list(display_names) or [""] * len(agents)
        self._agent_names = list(agent_names) or names
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
        self._lay_out(seed)
        self.seed = seed
        self.first = self.step
        self._recorder = Recorder(self._game, 0, self._names)
        self._past: list[PlayedStep] = []
        self._counts = True
        self._begin_here()

    def _lay_out(self, seed: int) -> None:
        """Deal the cards of a seed."""
        deal_by(self._game, seed)

    def _begin_here(self) -> None:
        """Clear all that belongs to another position."""
        self._chosen: dict[int, int] = {}
        self._ask_for_new: set[int] = set()

    def move_on(self, places: int) -> None:
        """Move everybody by a number of seats; the caller must then deal another game."""
        self.seat_shift = (self.seat_shift + places) % self._game.num_players
        for seats in (self._agents, self._names, self._display_names, self._agent_names):
            seats[:] = np.roll(np.array(seats, object), places).tolist()

    def seat_of(self, person: int) -> int:
        """Return the current seat of a person, one of ``people``."""
        return (person + self.seat_shift) % self._game.num_players

    @property
    def _person_seats(self) -> list[int]:
        """The current seats of people."""
        return [self.seat_of(person) for person in self.people]

    def display_name(self, seat: int) -> str:
        """Return the name shown to people for the player in a seat."""
        return self._display_names[seat] or f"player_{seat}"

    # --- choosing -----------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._game.terminated[0])

    @property
    def waiting_for(self) -> list[int]:
        """The seats of people who have something to decide and have not chosen yet."""
        deciding = self._game.deciding()[0]
        return [seat for seat in self._person_seats if deciding[seat] and seat not in self._chosen]

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

    def _choose(self, seat: int, choice: int | str) -> None:
        """Store a person's choice; it is played when everybody has chosen."""
        self._check_decides(seat)
        self._chosen[seat] = named_action(choice, self._game.view(seat))

    def _take_back(self, seat: int) -> None:
        """Remove a person's choice, as long as somebody else has still to choose."""
        if seat not in self._chosen:
            raise ValueError(say("player_{seat} has no choice to take back", seat=seat))
        del self._chosen[seat]

    def _go_back(self, to: int) -> None:
        """Go back to an earlier step of this game, with the same randomness after it."""
        if len(self.people) > 1:
            raise ValueError(say("cannot go back: other people are playing this game"))
        steps = [played.step for played in self._past]
        if to not in steps:
            raise ValueError(f"to must be a step played in this game, not {to}")
        index = steps.index(to)
        self._remind(self._past[:index])
        self._game = self._past[index].before
        self._recorder.back(self._game, index)
        del self._past[index:]
        self._counts = False
        self._begin_here()
        self.step += 1

    def _new(self, seat: int, deck: str) -> None:
        """Deal a new game: when this one is over, or when all people have asked for it."""
        self._ask_for_new.add(seat)
        if self.over or self._ask_for_new == set(self._person_seats):
            if deck == "other" and self._rotate:
                self.move_on(1)
            self.step += 1
            self.deal(self.seed if deck == "same" else self._other_seed())

    # --- playing ------------------------------------------------------------------------

    def _remind(self, past: Sequence[PlayedStep]) -> None:
        """Replay this game from the deal through these steps for agents that keep a memory."""
        agents = [agent if remembers(agent) else None for agent in self._agents]
        if any(map(remembers, agents)):
            for number, played in enumerate(past):
                agents_choose(agents, played.before, self.seed, number)

    def remind(self) -> None:
        """Replay this game for agents that keep a memory, after it was restored from actions."""
        self._remind(self._past)

    def _play(self, actions: Sequence[int] | None) -> None:
        """Play everybody's choice, with the agents choosing now, or a joint action from before."""
        if actions is None:
            joint = agents_choose(self._agents, self._game, self.seed, len(self._past))
            for seat, action in self._chosen.items():
                joint[0, seat] = action
        else:
            joint = np.array([actions])
        before = self._game.clone()
        self._game.step(joint)
        self._past.append(PlayedStep(self.step, before, joint[0].tolist(), {}))
        self._recorder.step(joint[0])
        self._chosen = {}
        self.step += 1

    @property
    def joint(self) -> list[int]:
        """The last joint action, P integers; empty just after the deal."""
        return self._past[-1].joint if self._past else []

    @property
    def _games(self) -> list[BatchGame]:
        """This game after the deal and after each step."""
        return [*(played.before for played in self._past), self._game]

    @property
    def _rewards(self) -> list[list[float]]:
        """The rewards of each step of this game."""
        return [game.rewards[0].tolist() for game in self._games[1:]]

    def stands(self) -> str:
        """Return a SHA-256 digest of this game: its rules, players, cards and points so far."""
        header = {**vars(self._recorder.header), "date": ""}
        stands = [header, self.joint, self._rewards, self.over, self._counts]
        return digest(json.dumps(stands, sort_keys=True))

    def record(self) -> str:
        """Return the record of a finished game as text; it reveals all cards.

        Raises:
            ValueError: The game is not over.
        """
        if not self.over:
            raise ValueError(say("the record reveals all cards: wait until the game is over"))
        return self._recorder.text()
