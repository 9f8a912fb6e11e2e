"""Pools of opponents that are drawn at each deal, and the lineups of the games of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from kododo_env.agent_registry import AGENT, agent_for, is_agent
from kododo_env.arrays.dtypes import Bool, Float64, Int64
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import check_choice
from kododo_env.core.agent import Agent, joint_action, joint_action_by_game
from kododo_env.core.batch_game import BatchGame

Candidate = Agent | str
DrawFunction = Callable[[np.random.Generator], Candidate | Sequence[Candidate]]
DrawScope = Literal["game", "episode"]
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
        check_choice(per, "per", get_args(DrawScope))
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
    return numbers / total


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
        places: For each of the P seats, from the first seat on, an agent, a pool, or None for a
            learner; P - 1 places if the first seat is a learner's.
        game: The batch of N games.
        rng: The source of randomness of the pools, which draw at once.
        first: The number of the first seat, in all games or in each game, (N,).
        moves: Whether each deal draws the first seat.

    Attributes:
        places: The agents and pools, as in the constructor.
        first: The first seat of each game, int64, shape (N,).
        moves: Whether each deal draws the first seat.
        at_first: The index of the first seat's part, (N, ...), in an array (N, P, ...).
        agents: The distinct agents; if there are pools, only those that play now.

    Raises:
        ValueError: An agent of a pool is unknown, or cannot play this game; or the function of a
            pool draws something else than agents.
    """

    def __init__(
        self,
        places: Sequence[Agent | OpponentPool | None],
        game: BatchGame,
        rng: np.random.Generator,
        first: int | Int64 = 0,
        moves: bool = False,
    ) -> None:
        self.places = tuple(places)
        self.first: Int64 = np.full(game.num_envs, first, np.int64)
        self.moves = moves
        self.agents: list[Agent] = []
        self._game = game
        # The index in ``agents`` of the agent in each seat of each game, from the first on, (N, P).
        self._numbers: Int64 = np.full((game.num_envs, game.num_players), LEARNER, np.int64)
        self._named: dict[str, Agent] = {}
        self._pools: dict[OpponentPool, list[int]] = {}
        for place, player in enumerate(self.places, game.num_players - len(self.places)):
            if isinstance(player, OpponentPool):
                self._pools.setdefault(player, []).append(place)
            elif player is not None:
                self._numbers[:, place] = self._numbers_of([player])
        for pool in self._pools:
            self._numbers_of(pool.agents)  # checks also agents that are drawn later
        self._draw(rng, np.full(game.num_envs, True))

    def deal(self, rng: np.random.Generator, dealt: Bool | None = None) -> None:
        """Draw the first seats of games that were dealt, if they move, and let pools draw.

        Args:
            rng: The source of randomness.
            dealt: The games that were dealt, bool, shape (N,); None for all games.
        """
        dealt_games = np.full(self._game.num_envs, True) if dealt is None else dealt
        if self.moves:
            first = rng.integers(self._game.num_players, size=self._game.num_envs)
            self.first = np.where(dealt_games, first, self.first)
        if self.moves or self._pools:
            self._draw(rng, dealt_games)

    def move(self, first: int) -> None:
        """Change the first seat of all games; the places follow."""
        self.first = np.full_like(self.first, first)
        self._seat()

    def of_game(self, index: int) -> list[Agent | None]:
        """Return the agent in each seat of a game, None for a learner."""
        numbers = self._by_seat[index].tolist()
        return [None if number == LEARNER else self.agents[number] for number in numbers]

    def actions(self, rng: np.random.Generator) -> Int64:
        """Return the opponents' choices for the next step, int64, shape (N, P).

        The action of a learner is its first legal one.
        """
        if self._common is None:
            return joint_action_by_game(self.agents, self._by_seat, self._game, rng)
        return joint_action(self._common, self._game, rng, int(self.first[0]))

    def _draw(self, rng: np.random.Generator, dealt: Bool) -> None:
        games = np.flatnonzero(dealt)
        numbers = self._numbers.copy()
        for pool, places in self._pools.items():
            candidates, drawn = pool.draw(rng, len(games), len(places))
            numbers[games[:, None], places] = self._numbers_of(candidates)[drawn]
        self._numbers = numbers
        if self._pools:
            self._renumber()
        self._seat()

    def _renumber(self) -> None:
        """Forget agents that do not play, and number the others from 0.

        They are in the order of their first game and seat. It determines the order of their
        random numbers, so it must not depend on earlier draws.
        """
        playing = [
            number for number in dict.fromkeys(self._numbers.ravel().tolist()) if number != LEARNER
        ]
        consecutive = np.full(len(self.agents) + 1, LEARNER)  # LEARNER, -1, stands for the last
        consecutive[playing] = np.arange(len(playing))
        self._numbers = consecutive[self._numbers]
        self.agents = [self.agents[number] for number in playing]

    def _seat(self) -> None:
        """Update who plays in each seat."""
        places = (np.arange(self._game.num_players) - self.first[:, None]) % self._game.num_players
        self.at_first: tuple[Any, Any] = slice(None), int(self.first[0])
        if self.moves and self._game.num_envs > 1:
            self.at_first = np.arange(self._game.num_envs), self.first
        self._by_seat: Int64 = np.take_along_axis(self._numbers, places, axis=1)
        # The agents in the seats of all games, if they are the same in all.
        self._common: list[Agent | None] | None = None
        if self._game.num_envs == 1 or not (self.moves or self._pools):
            self._common = self.of_game(0)

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
