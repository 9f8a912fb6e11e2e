"""Opponents that are drawn again at each deal, and who plays in which game of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from kododo_env.agent_registry import AGENT, agent_for, is_agent
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Bool, Float64, Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of

Candidate = Agent | str
DrawFunction = Callable[[np.random.Generator], Candidate | Sequence[Candidate]]
DrawScope = Literal["game", "episode"]
SCOPES = get_args(DrawScope)
LEARNER = -1  # in place of an agent's number


class OpponentPool:
    """Opponents of whom some are drawn at each deal: a league.

    A pool takes the place of an agent in ``opponents=``. By a list of agents each of the pool's
    seats draws for itself. A function is called once for each game (or episode), and draws for all
    the pool's seats. All randomness is that of the environment's generator.

    Args:
        agents: Agents or their names, as ``make_agent`` takes them. Or a function of a generator
            that returns one for all seats of the pool, or a list with one for each of them.
        weights: How often each of the listed agents is drawn, in any unit; None: all alike.
        per: ``"game"``: each game of a batch has opponents of its own at the same time;
            ``"episode"``: games that are dealt together have the same ones.

    Raises:
        ValueError: There are no agents, the weights do not fit them, or ``per`` is neither.
    """

    def __init__(
        self,
        agents: Sequence[Candidate] | DrawFunction,
        weights: npt.ArrayLike | None = None,
        per: DrawScope = "game",
    ) -> None:
        if not is_one_of(per, SCOPES):
            raise ValueError(f"per must be {' or '.join(map(repr, SCOPES))}, not {shown(per)}")
        self.per = per
        self._function: DrawFunction | None = None
        self.agents: tuple[Candidate, ...] = ()
        if isinstance(agents, list | tuple) and agents and all(map(is_agent, agents)):
            self.agents = tuple(agents)
        elif callable(agents) and not is_agent(agents) and not isinstance(agents, type):
            self._function = agents
        else:
            raise ValueError(
                f"a pool has a list of agents or their names, or a function that draws one, not "
                f"{shown(agents)}"
            )
        if weights is not None and self._function is not None:
            raise ValueError("weights are for a list of agents; a function draws as it likes")
        self._chances = _chances(weights, self.agents)

    def __repr__(self) -> str:
        content = "a function" if self._function else f"{len(self.agents)} agents"
        return f"<{type(self).__name__} of {content}, per {self.per}>"

    def draw(
        self, rng: np.random.Generator, games: int, seats: int
    ) -> tuple[Sequence[Candidate], Int64]:
        """Draw opponents for some games.

        Args:
            rng: The source of randomness.
            games: For how many games.
            seats: How many seats the pool has in each.

        Returns:
            Agents or their names; and the place in these of the one in each seat, (games, seats).

        Raises:
            ValueError: The function gives no agents, or not as many as there are seats.
        """
        draws = games if self.per == "game" else 1
        shape = games, seats
        if self._function is None:
            numbers = rng.choice(len(self.agents), (draws, seats), p=self._chances)
            return self.agents, np.broadcast_to(numbers, shape)
        candidates: list[Candidate] = []
        for _ in range(draws):
            candidates += _for_seats(self._function(rng), seats)
        return candidates, np.broadcast_to(np.arange(draws * seats).reshape(draws, seats), shape)


def _chances(weights: npt.ArrayLike | None, agents: Sequence[Candidate]) -> Float64 | None:
    """The chance of each agent to be drawn, (K,); None: all have the same."""
    if weights is None:
        return None
    try:
        numbers = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    total = numbers.sum()
    if numbers.shape != (len(agents),) or not (numbers >= 0).all() or not 0 < total < np.inf:
        raise ValueError(
            f"weights must be {len(agents)} numbers, one for each agent in the list, none negative "
            f"and not all 0; not {shown(weights)}"
        )
    chances: Float64 = numbers / total
    return chances


def _for_seats(drawn: object, seats: int) -> Sequence[Candidate]:
    """What the function of a pool has drawn, one for each seat."""
    if is_agent(drawn):
        return [drawn] * seats  # type: ignore[list-item]
    if not isinstance(drawn, list | tuple) or not all(map(is_agent, drawn)):
        raise ValueError(
            f"the function of a pool must draw {AGENT}, the name of one, or a list of these, not "
            f"{shown(drawn)}"
        )
    if len(drawn) != seats:
        raise ValueError(
            f"the function of a pool must draw one agent, or {seats}, one for each seat of the "
            f"pool; not {len(drawn)}"
        )
    return drawn


class Lineup:
    """Which agents play in the games of a batch, those that pools draw included.

    Args:
        places: For each of L places an agent, a pool, or None for a learner.
        game: The batch of N games that is played.

    Attributes:
        places: The same.
        draws: Whether a pool has a place.
        agents: All that play now, if pools draw: each once.
        numbers: Which of these has each place of each game, (N, L); ``LEARNER`` is a learner.

    Raises:
        ValueError: An agent of a pool is unknown, or cannot play this game.
    """

    def __init__(self, places: Sequence[Agent | OpponentPool | None], game: BatchGame) -> None:
        self.places = tuple(places)
        self.agents: list[Agent] = []
        self.numbers: Int64 = np.full((game.num_envs, len(self.places)), LEARNER, np.int64)
        self._game = game
        self._named: dict[str, Agent] = {}
        self._pools: list[tuple[OpponentPool, list[int]]] = []
        for place, player in enumerate(self.places):
            if isinstance(player, OpponentPool):
                self._add_place(player, place)
            elif player is not None:
                self.numbers[:, place] = self._numbers_of([player])
        for pool, _ in self._pools:
            self._numbers_of(pool.agents)  # an error now, rather than when one is drawn
        self.draws = bool(self._pools)
        # The same in all games, if no pool draws: a step of one game asks for it.
        self._fixed = None if self.draws else self._agents_of(0)
        # The games for which pools have yet to draw.
        self._undrawn = np.full(game.num_envs, True) if self.draws else None

    def _add_place(self, pool: OpponentPool, place: int) -> None:
        for listed, places in self._pools:
            if listed is pool:
                places.append(place)
                return
        self._pools.append((pool, [place]))

    def deal(self, rng: np.random.Generator, dealt: Bool | None = None) -> None:
        """Have pools draw again for games that were dealt, (N,); None is all of them.

        If one fails, the next ``draw`` tries again and raises the error: the step that has dealt
        the games has results to give.
        """
        if not self.draws:
            return
        waiting_games = np.full(self._game.num_envs, True) if dealt is None else dealt
        self._undrawn = waiting_games if self._undrawn is None else self._undrawn | waiting_games
        with suppress(Exception):
            self.draw(rng)

    def draw(self, rng: np.random.Generator) -> None:
        """Draw for games for which pools have yet to draw; a step begins with it.

        If a pool fails, nothing is drawn.
        """
        if self._undrawn is None:
            return
        games = np.flatnonzero(self._undrawn)
        state = rng.bit_generator.state
        numbers = self.numbers.copy()
        try:
            for pool, places in self._pools:
                candidates, drawn = pool.draw(rng, len(games), len(places))
                numbers[games[:, None], places] = self._numbers_of(candidates)[drawn]
        except BaseException:
            rng.bit_generator.state = state
            raise
        playing, self.numbers = _renumbered(numbers)
        self.agents = [self.agents[number] for number in playing]
        self._undrawn = None

    def of_game(self, index: int) -> Sequence[Agent | None]:
        """The agent in each place of a game, None for a learner, once pools have drawn."""
        return self._agents_of(index) if self._fixed is None else self._fixed

    def _agents_of(self, index: int) -> list[Agent | None]:
        numbers = self.numbers[index].tolist()
        return [None if number == LEARNER else self.agents[number] for number in numbers]

    def _numbers_of(self, candidates: Sequence[Candidate]) -> Int64:
        """Their places in ``self.agents``, where new ones are added; a name is made once."""
        numbers = {id(agent): number for number, agent in enumerate(self.agents)}
        agent_numbers = []
        for candidate in candidates:
            agent = self._agent_of_name(candidate) if isinstance(candidate, str) else candidate
            if id(agent) not in numbers:
                self.agents.append(agent_for(agent, self._game))
                numbers[id(agent)] = len(numbers)
            agent_numbers.append(numbers[id(agent)])
        return np.array(agent_numbers, np.int64)

    def _agent_of_name(self, name: str) -> Agent:
        if name not in self._named:
            self._named[name] = agent_for(name, self._game)
        return self._named[name]


def _renumbered(numbers: Int64) -> tuple[list[int], Int64]:
    """Which agents have a place, and their numbers without gaps, as in ``Lineup.numbers``."""
    playing = np.unique(numbers[numbers != LEARNER])
    renumbered = np.where(numbers == LEARNER, LEARNER, np.searchsorted(playing, numbers))
    return playing.tolist(), renumbered
