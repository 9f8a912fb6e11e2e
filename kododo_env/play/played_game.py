"""A game as people and agents play it: who sits where, what they choose, what has been played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from secrets import randbits
from typing import Any, NamedTuple

import numpy as np

from kododo_env.bots.messages import MOST_EXACT
from kododo_env.bots.showing import named_action
from kododo_env.core.agent import Agent, check_agents, remembers
from kododo_env.core.batch_game import BatchGame
from kododo_env.play.sharing import agents_choose, deal_by
from kododo_env.records import Recorder
from kododo_env.records.header import printable
from kododo_env.rendering.languages import say


class Played(NamedTuple):
    """A step that was played."""

    step: int
    before: BatchGame
    joint: list[int]  # the joint action
    log_entries: dict[tuple[int, str], dict[str, Any]]  # in words: by seat and language


class PlayedGame:
    """One game after another, by the same players.

    Args:
        game: A batch of one, which becomes its own and is dealt again.
        agents: For each seat an agent, or None for a person.
        seed: Of the cards and of the agents' randomness, and of those of all later games; None
            takes fresh entropy for each game.
        display_names: For each seat the name by which people call the player; an empty one,
            or none at all, leaves it at ``player_0``, ``player_1``, ...  Records have the agents'
            own names.
        rotate: Whether all players move one seat on before other cards are dealt.
        agent_names: For each seat the name by which ``make_agent`` makes its agent, as the
            command for the same deal has it; none at all takes the agents' own.

    Attributes:
        people: The seats that people have in the first game. By these they are known, also when
            they have moved on; ``you`` in a position is the seat where they are then.
        step: How many steps have been played and games been dealt. It never goes back, so that a
            message for an earlier position can do nothing in a later one.
        seed: Of the game that is played: with it, the same players and the same choices of the
            people, the whole game is the same anywhere.
        first: The step at which this game was dealt.
        seat_shift: By how many seats everybody has moved on since the first game.

    Raises:
        ValueError: It is no batch of one, there is not one agent or None for each seat or no
            person among them, or an agent cannot play this game.
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
            raise ValueError(f"a table has one game, a batch of one, not of {game.num_envs}")
        if len(agents) != game.num_players:
            raise ValueError(f"{game.num_players} seats need as many players, not {len(agents)}")
        if None not in agents:
            raise ValueError("a table needs a person: None among the agents")
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
        # The game that is played may be told of by its seed, which must not tell the next one.
        self._source = randbits(128) if seed is None else seed
        self.deal(self._other_seed() if seed is None else seed)

    def _person(self, seat: int) -> str:
        number = f" {self.people.index(seat) + 1}" if len(self.people) > 1 else ""
        return f"person{number}"

    def _other_seed(self) -> int:
        """The seed of a game that is dealt now, one of more than can be tried."""
        rng = np.random.default_rng([self._source, self.step])
        return int(rng.integers(MOST_EXACT, endpoint=True))

    def deal(self, seed: int) -> None:
        """Deal the game of a seed, whatever is being played."""
        self._lay_out(seed)
        self.seed = seed
        self.first = self.step
        self._recorder = Recorder(self._game, 0, self._names)
        self._past: list[Played] = []
        self._counts = True
        self._begin_here()

    def _lay_out(self, seed: int) -> None:
        """Deal the cards of a seed."""
        deal_by(self._game, seed)

    def _begin_here(self) -> None:
        """Forget all that belongs to another position."""
        self._chosen: dict[int, int] = {}
        self._ask_for_new: set[int] = set()

    def move_on(self, places: int) -> None:
        """Let everybody move on by some seats; another game has to be dealt then."""
        self.seat_shift = (self.seat_shift + places) % self._game.num_players
        for seats in (self._agents, self._names, self._display_names, self._agent_names):
            seats[:] = np.roll(np.array(seats, object), places).tolist()

    def seat_of(self, person: int) -> int:
        """The seat that one of ``people`` has now."""
        return (person + self.seat_shift) % self._game.num_players

    @property
    def _person_seats(self) -> list[int]:
        """The seats that people have now."""
        return [self.seat_of(person) for person in self.people]

    def display_name(self, seat: int) -> str:
        """The name by which people call the player in a seat."""
        return self._display_names[seat] or f"player_{seat}"

    # --- choosing -----------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._game.terminated[0])

    @property
    def waiting_for(self) -> list[int]:
        """The people who have something to decide and have not chosen yet."""
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
        """Note what a person has chosen; it is played when everybody has."""
        self._check_decides(seat)
        self._chosen[seat] = named_action(choice, self._game.view(seat))

    def _take_back(self, seat: int) -> None:
        """Forget what a person has chosen, as long as somebody else has still to choose."""
        if seat not in self._chosen:
            raise ValueError(
                say("player_{seat} has chosen nothing that could be taken back", seat=seat)
            )
        del self._chosen[seat]

    def _go_back(self, to: int) -> None:
        """Go back to an earlier step of this game; chance stands as it did, too."""
        if len(self.people) > 1:
            raise ValueError(say("other people play this game: nobody can go back in it alone"))
        steps = [played.step for played in self._past]
        if to not in steps:
            raise ValueError(f"to must be a step of this game that was played, not {to}")
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

    def _remind(self, past: Sequence[Played]) -> None:
        """Let agents that keep a memory see this game again, from the deal through these steps."""
        agents = [agent if remembers(agent) else None for agent in self._agents]
        if any(map(remembers, agents)):
            for number, played in enumerate(past):
                agents_choose(agents, played.before, self.seed, number)

    def remind(self) -> None:
        """Let agents that keep a memory see this game again, after it was played as known."""
        self._remind(self._past)

    def _play(self, actions: Sequence[int] | None) -> None:
        """Play everybody's choice, the agents choosing now, or a joint action that is known."""
        if actions is None:
            joint = agents_choose(self._agents, self._game, self.seed, len(self._past))
            for seat, action in self._chosen.items():
                joint[0, seat] = action
        else:
            joint = np.array([actions])
        before = self._game.clone()
        self._game.step(joint)
        self._past.append(Played(self.step, before, joint[0].tolist(), {}))
        self._recorder.step(joint[0])
        self._chosen = {}
        self.step += 1

    @property
    def joint(self) -> list[int]:
        """The joint action that was played last, (P,); empty just after the deal."""
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
        """A digest of this game: of its rules, players, cards and points so far."""
        header = {**vars(self._recorder.header), "date": ""}
        stands = [header, self.joint, self._rewards, self.over, self._counts]
        return sha256(json.dumps(stands, sort_keys=True).encode()).hexdigest()

    def record(self) -> str:
        """The record of a game that is over, as text; it holds all cards.

        Raises:
            ValueError: The game is not over.
        """
        if not self.over:
            raise ValueError(say("the record holds all cards: ask for it when the game is over"))
        return self._recorder.text()
