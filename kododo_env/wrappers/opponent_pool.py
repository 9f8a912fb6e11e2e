"""Pools of opponents that are drawn at each deal, and the lineups of the games of a batch."""

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
from kododo_env.core.numbers import quote
from kododo_env.core.options import is_one_of

Candidate = Agent | str
DrawFunction = Callable[[np.random.Generator], Candidate | Sequence[Candidate]]
DrawScope = Literal["game", "episode"]
SCOPES = get_args(DrawScope)
LEARNER = -1  # in a learner's place, instead of an agent's number


class OpponentPool:
    """A pool of agents, such as a league, from which opponents are drawn at each deal.

    A pool takes the place of an agent in ``opponents=``, in one seat or several. With a list, an
    agent is drawn for each of these seats independently. A function is called once for each game
    (or episode), and draws for all these seats. All randomness comes from the environment's
    generator.

    Args:
        agents: A list of agents or names for ``make_agent``; or a function that takes a
            ``np.random.Generator`` and returns one agent for all seats of the pool, or a list with
            one agent for each of these seats.
        weights: The relative frequencies of the listed agents; None for equal frequencies.
        per: ``"game"``: opponents are drawn for each game of a batch; ``"episode"``: they are drawn
            once for all games that are dealt together.

    Raises:
        ValueError: There are no agents, ``weights`` is not one non-negative number for each agent,
            or ``per`` is unknown.
    """

    def __init__(
        self,
        agents: Sequence[Candidate] | DrawFunction,
        weights: npt.ArrayLike | None = None,
        per: DrawScope = "game",
    ) -> None:
        if not is_one_of(per, SCOPES):
            raise ValueError(f"per must be {' or '.join(map(repr, SCOPES))}, not {quote(per)}")
        self.per = per
        self._function: DrawFunction | None = None
        self.agents: tuple[Candidate, ...] = ()
        if isinstance(agents, list | tuple) and agents and all(map(is_agent, agents)):
            self.agents = tuple(agents)
        elif callable(agents) and not is_agent(agents) and not isinstance(agents, type):
            self._function = agents
        else:
            raise ValueError(
                f"agents must be a list of agents or their names, or a function that draws them, "
                f"not {quote(agents)}"
            )
        if weights is not None and self._function is not None:
            raise ValueError("weights need a list of agents, not a function")
        self._probabilities = _probabilities(weights, self.agents)

    def __repr__(self) -> str:
        content = "a function" if self._function else f"{len(self.agents)} agents"
        return f"<{type(self).__name__} of {content}, per {self.per}>"

    def draw(
        self, rng: np.random.Generator, games: int, seats: int
    ) -> tuple[Sequence[Candidate], Int64]:
        """Draw opponents for some games.

        Args:
            rng: The source of randomness.
            games: The number of games.
            seats: The number of seats that the pool has in each game.

        Returns:
            A list of agents or names; and for each seat an index into this list, int64, shape
            (games, seats).

        Raises:
            ValueError: The pool's function does not return one agent or ``seats`` agents.
        """
        draws = games if self.per == "game" else 1
        shape = games, seats
        if self._function is None:
            numbers = rng.choice(len(self.agents), (draws, seats), p=self._probabilities)
            return self.agents, np.broadcast_to(numbers, shape)
        candidates: list[Candidate] = []
        for _ in range(draws):
            candidates += _for_seats(self._function(rng), seats)
        return candidates, np.broadcast_to(np.arange(draws * seats).reshape(draws, seats), shape)


def _probabilities(weights: npt.ArrayLike | None, agents: Sequence[Candidate]) -> Float64 | None:
    """Return the probability of each agent to be drawn, (K,); None for equal probabilities."""
    if weights is None:
        return None
    try:
        numbers = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    total = numbers.sum()
    if numbers.shape != (len(agents),) or not (numbers >= 0).all() or not 0 < total < np.inf:
        raise ValueError(
            f"weights must be {len(agents)} non-negative numbers, one for each agent, not all 0, "
            f"not {quote(weights)}"
        )
    probabilities: Float64 = numbers / total
    return probabilities


def _for_seats(drawn: object, seats: int) -> Sequence[Candidate]:
    """Return what the function of a pool has drawn as one agent per seat."""
    if is_agent(drawn):
        return [drawn] * seats  # type: ignore[list-item]
    if not isinstance(drawn, list | tuple) or not all(map(is_agent, drawn)):
        raise ValueError(
            f"the function of a pool must return {AGENT}, an agent's name, or a list of these, "
            f"not {quote(drawn)}"
        )
    if len(drawn) != seats:
        raise ValueError(
            f"the function of a pool must return one agent, or {seats}, one for each seat of the "
            f"pool, not {len(drawn)}"
        )
    return drawn


class Lineup:
    """The agents in the games of a batch, including those that pools draw.

    Args:
        places: For each of L places an agent, a pool, or None for a learner.
        game: The batch of N games.

    Attributes:
        places: The agents and pools, as in the constructor.
        draws: Whether there is a pool.
        agents: The distinct agents; once pools have drawn, only those that play now.
        numbers: The index in ``agents`` of the agent in each place of each game, int64, shape
            (N, L); ``LEARNER`` for a learner.

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
            self._numbers_of(pool.agents)  # raises errors now rather than when drawn
        self.draws = bool(self._pools)
        # The line-up of all games if there are no pools, cached for single games.
        self._fixed = None if self.draws else self._agents_of(0)
        # The games for which pools have still to draw.
        self._undrawn = np.full(game.num_envs, True) if self.draws else None  # (N,) bool

    def _add_place(self, pool: OpponentPool, place: int) -> None:
        for listed, places in self._pools:
            if listed is pool:
                places.append(place)
                return
        self._pools.append((pool, [place]))

    def deal(self, rng: np.random.Generator, dealt: Bool | None = None) -> None:
        """Let pools draw again for games that were dealt.

        If a pool's function fails, the error is suppressed, since the step that dealt the games
        must return its results; the next ``draw`` tries again and raises the error.

        Args:
            rng: The source of randomness.
            dealt: The games that were dealt, bool, shape (N,); None for all games.
        """
        if not self.draws:
            return
        waiting_games = np.full(self._game.num_envs, True) if dealt is None else dealt
        self._undrawn = waiting_games if self._undrawn is None else self._undrawn | waiting_games
        with suppress(Exception):
            self.draw(rng)

    def draw(self, rng: np.random.Generator) -> None:
        """Draw for the games whose pools have not drawn since the deal; call it before each step.

        If a pool's function fails, the lineup and the generator stay as they were.
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
        """Return the agent in each place of a game, None for a learner; call ``draw`` first."""
        return self._agents_of(index) if self._fixed is None else self._fixed

    def _agents_of(self, index: int) -> list[Agent | None]:
        numbers = self.numbers[index].tolist()
        return [None if number == LEARNER else self.agents[number] for number in numbers]

    def _numbers_of(self, candidates: Sequence[Candidate]) -> Int64:
        """Return the candidates' indices in ``self.agents``; new agents are added to it."""
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
    """Return which agents are used, and consecutive indices, as in ``Lineup.numbers``.

    Agents are in the order of their first game and place. It determines the order of their random
    numbers, so it must not depend on earlier draws.
    """
    playing = [number for number in dict.fromkeys(numbers.ravel().tolist()) if number != LEARNER]
    consecutive = np.full(max(playing) + 2, LEARNER)  # LEARNER, -1, stands for the last entry
    consecutive[playing] = np.arange(len(playing))
    return playing, consecutive[numbers]
