"""Protocols of agents, and the joint action of all players of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from inspect import iscoroutinefunction
from itertools import groupby, pairwise
from typing import Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Floating, Int64, Integer
from kododo_env.arrays.rows import any_true
from kododo_env.checks.numbers import whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.legality import first_legal, shared_row
from kododo_env.core.view import JoinedView, View

# Logits, points or win shares that differ by no more than this count as equal. Single-precision
# sums differ by up to 2e-5 between processors and libraries.
TIE = 1e-4
FEW = 4  # up to this many choices are drawn one by one

# --- protocols --------------------------------------------------------------------------------


@runtime_checkable
class Agent(Protocol):
    """A player of all games of a batch at once. It gets a view, never the game.

    The other protocols of this module are optional abilities; check for them with ``isinstance``.
    """

    name: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        """Choose a legal action in each game of the view.

        Args:
            view: What the player knows in each of N games.
            rng: The source of the agent's randomness.

        Returns:
            Action numbers, shape (N,).
        """


@runtime_checkable
class RatingAgent(Agent, Protocol):
    """An agent that can rate all actions; it need not choose by these ratings."""

    def action_values(self, view: View) -> Floating:
        """Return the value of each action in each game, in points; higher is better.

        Args:
            view: What the player knows in each of N games.

        Returns:
            Shape (A, N); values of illegal actions are meaningless.
        """


@runtime_checkable
class ActionValueAgent(RatingAgent, Protocol):
    """An agent that chooses by its action values. Scripted players inherit from it."""

    def choose(self, values: Floating, view: View, rng: np.random.Generator) -> Int64:
        """Choose a legal action in each game, shape (N,), by action values of shape (A, N)."""
        return best_legal(values, view)

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Choose an action in each game; shape (N,)."""
        return self.choose(self.action_values(view), view, rng)


@runtime_checkable
class ProbabilisticAgent(Agent, Protocol):
    """An agent that can return its action probabilities, such as a learned policy."""

    def probabilities(self, view: View) -> Floating:
        """Return the probability of each action, shape (N, A); 0 for illegal actions."""


@runtime_checkable
class ValueAgent(Agent, Protocol):
    """An agent that can evaluate positions, such as a learned policy."""

    def value(self, view: View) -> Floating:
        """Return the expected return of the rest of each game, shape (N,), in any unit."""


@runtime_checkable
class RowAgent(Agent, Protocol):
    """An agent whose choice in a game depends only on that game's observation and mask.

    Its random numbers are drawn row by row. Therefore it can be asked for several seats at once,
    with a ``JoinedView``, which is faster for a network than several small batches.
    """

    by_row: bool


@runtime_checkable
class RememberingAgent(Agent, Protocol):
    """An agent that keeps a memory from one turn to the next, such as a recurrent network.

    Row i of its views is the same game from the deal to the end. One agent may have several seats
    of a batch, so it keeps a memory for each ``view.player``. It is asked for one seat at a time
    and must not be a ``RowAgent``. Searches and hints evaluate positions in any order and
    therefore reject it.
    """

    def begin(self, view: View) -> None:
        """Reset the memory of a seat in the games that have just been dealt.

        Called for each of the agent's seats after the deal, before any player chooses, and again
        if the first step raised an error. In a match all games of the view have just been dealt.
        In an environment that deals only some games again, ``view.just_dealt`` marks them.

        Args:
            view: What the player knows in each of N games.
        """


@runtime_checkable
class CheckingAgent(Agent, Protocol):
    """An agent that is made for one game, such as a learned policy, and can check the game."""

    def check(self, game: BatchGame) -> None:
        """Raise ValueError, with the reason, if the agent cannot play this game."""


def check_agents(game: BatchGame, agents: Iterable[Agent | None]) -> None:
    """Raise ValueError if one of the agents cannot play this game."""
    for agent in agents:
        if agent is not None and iscoroutinefunction(agent.act):
            raise ValueError(f"agent {agent.name!r}: act must not be asynchronous (async def)")
        if isinstance(agent, CheckingAgent):
            agent.check(game)


def remembers(agent: Agent | None) -> bool:
    """Return whether an agent is a ``RememberingAgent``."""
    return hasattr(agent, "begin")  # isinstance is slow


def check_forgets(agent: Agent) -> None:
    """Raise ValueError if an agent has a memory, so that it cannot evaluate arbitrary positions."""
    if remembers(agent):
        raise ValueError(
            f"agent {agent.name!r} keeps a memory of its games (it has a method begin): it can "
            "play, but searches and hints cannot use it, because they evaluate positions in any "
            "order"
        )


# --- playing ----------------------------------------------------------------------------------


def begin(agent: Agent, view: View) -> None:
    """Call ``begin`` of a ``RememberingAgent``; do nothing for other agents."""
    if remembers(agent):
        cast("RememberingAgent", agent).begin(view)


def joint_action(
    agents: Sequence[Agent | None], game: BatchGame, rng: np.random.Generator, first: int = 0
) -> Int64:
    """Return the actions of all players for the next step.

    Agents are asked only for seats with a choice in at least one game. If games have just been
    dealt, ``begin`` of agents that keep a memory is called first.

    Args:
        agents: An agent for each of the P seats, or None for a seat that is not asked. An
            agent with several seats is asked once for each of them, with that seat's view.
        game: N games; they are not stepped.
        rng: The source of the agents' randomness.
        first: The seat that is asked first; the others follow in turn order.

    Returns:
        Action numbers for ``game.step``, a new array of shape (N, P). A seat that is not asked,
        or has nothing to decide in any game, gets its first legal action.

    Raises:
        ValueError: The number of agents is not P, or an agent does not return one integer for
            each game.
    """
    players = game.num_players
    if len(agents) != players:
        raise ValueError(f"expected {players} agents, one for each seat, got {len(agents)}")
    for player, agent in enumerate(agents):
        if agent is not None and remembers(agent) and any_true(game.just_dealt):
            begin(agent, game.view(player))
    mask = game.legal_action_mask()
    deciding = np.logical_or.reduce(game.deciding(), axis=0)
    chosen = np.empty((players, game.num_envs), np.int64)  # in memory games come last
    players_to_ask = []
    for player in (*range(first, players), *range(first)):
        if agents[player] is not None and deciding[player]:
            players_to_ask.append(player)
        else:
            chosen[player] = first_legal(mask[:, player])
    # In turn order, because agents draw random numbers; adjacent seats of the same agent together.
    for _, together in groupby(players_to_ask, lambda player: id(agents[player])):
        seats = list(together)
        agent = agents[seats[0]]
        assert agent is not None
        chosen[seats] = over_seats(partial(choice_of, agent, rng=rng), agent, game, seats)
    return chosen.T


def joint_action_by_game(
    agents: Sequence[Agent], numbers: Integer, game: BatchGame, rng: np.random.Generator
) -> Int64:
    """Return the actions of all players for the next step; each game may have its own agents.

    A ``RowAgent`` is asked only for the games in which it plays. Any other agent is asked for all
    games of a seat, so that a row of its views is always the same game; its choices are used only
    in the games in which it has the seat. If games have just been dealt, ``begin`` of agents that
    keep a memory is called first.

    Args:
        agents: K agents.
        numbers: The index of the agent at each seat of each game, (N, P). Seats with a number
            outside 0 to K - 1, such as -1, are not asked.
        game: N games; they are not stepped.
        rng: The source of the agents' randomness.

    Returns:
        Action numbers, shape (N, P), like those of ``joint_action``.

    Raises:
        ValueError: An agent does not return one integer for each game.
    """
    actions = joint_action([None] * game.num_players, game, rng)
    deciding = np.logical_or.reduce(game.deciding(), axis=0)
    for number, agent in enumerate(agents):
        plays = numbers == number
        if remembers(agent) and any_true(game.just_dealt):
            for seat in np.flatnonzero(plays.any(axis=0)).tolist():
                begin(agent, game.view(seat))
        plays &= deciding
        seats = np.flatnonzero(plays.any(axis=0)).tolist()
        if not seats:
            continue
        if getattr(agent, "by_row", False):
            games = [np.flatnonzero(plays[:, seat]) for seat in seats]
            rows = np.repeat(seats, [len(game_numbers) for game_numbers in games])
            chosen = choice_of(agent, JoinedView(game, seats, games), rng)
            actions[np.concatenate(games), rows] = chosen
            continue
        for seat in seats:
            chosen = choice_of(agent, game.view(seat), rng)
            np.copyto(actions[:, seat], chosen, where=plays[:, seat])
    return actions


def over_seats(
    answer: Callable[[View], Array],
    agent: Agent,
    game: BatchGame,
    players: Sequence[int],
) -> Array:
    """Return an agent's answers to the views of several players.

    A ``RowAgent`` answers all of them in one call.

    Args:
        answer: A function, such as ``agent.probabilities``, from a view of N games to an array
            (N, ...).
        agent: The agent that answers.
        game: N games.
        players: V seats.

    Returns:
        Shape (V, N, ...).
    """
    if len(players) > 1 and getattr(agent, "by_row", False):  # isinstance is slow
        joined = answer(JoinedView(game, players))
        return joined.reshape(len(players), game.num_envs, *joined.shape[1:])
    return np.stack([answer(game.view(player)) for player in players])


def choice_of(agent: Agent, view: View, rng: np.random.Generator) -> Integer:
    """Return an agent's action in each game of its view, shape (N,).

    Raises:
        ValueError: The agent does not return one integer for each game.
    """
    return checked_choice(agent.act(view, rng), view, agent.name)


def checked_choice(played: npt.ArrayLike, view: View, name: str) -> Integer:
    """Return an agent's actions as an array of integers, one for each game of its view.

    Raises:
        ValueError: ``played`` does not have one integer for each game.
    """
    chosen = whole_numbers(played, f"the actions of agent {name!r}")
    if chosen.shape != (view.num_envs,):
        raise ValueError(
            f"agent {name!r} must return {view.num_envs} actions, one for each game, not "
            f"an array of shape {chosen.shape}"
        )
    return chosen


def first_of_best(values: Floating) -> Int64:
    """Return the lowest index whose value is within ``TIE`` of the largest value.

    This makes the choice between equivalent actions reproducible: the last bits of a sum depend
    on the processor and the library.

    Args:
        values: Logits or action values, shape (..., A).

    Returns:
        Indices, shape (...).
    """
    return (values >= values.max(axis=-1, keepdims=True) - TIE).argmax(-1)


def choice_by_logits(logits: Floating, temperature: float, rng: np.random.Generator) -> Int64:
    """Choose actions by the softmax of logits divided by a temperature.

    Args:
        logits: Shape (N, A).
        temperature: 0 chooses the largest logit; ties by ``first_of_best``.
        rng: The source of randomness.

    Returns:
        Actions, (N,).
    """
    if temperature == 0:
        return first_of_best(logits)
    # Gumbel-max trick: the argmax of logits plus Gumbel noise samples from their softmax.
    noise = rng.gumbel(size=logits.shape) * temperature
    return np.asarray((logits + noise).argmax(axis=1))


def ranks(values: Floating) -> Int64:
    """Return the rank of each choice, found by repeated use of ``first_of_best``.

    Args:
        values: Finite values of the choices, shape (..., A).

    Returns:
        Ranks from 0 (best), shape (..., A).
    """
    remaining = values.copy()
    places = np.empty(values.shape, np.int64)
    for place in range(values.shape[-1]):
        chosen = first_of_best(remaining)[..., None]
        np.put_along_axis(places, chosen, place, -1)
        np.put_along_axis(remaining, chosen, -np.inf, -1)
    return places


def best_legal(values: Floating, view: View) -> Int64:
    """Return the legal action with the highest value in each game, (N,), from values (A, N).

    Ties go to the lowest action number; scripted players break ties by adding a little noise.
    """
    legal = np.where(view.legal_action_mask.T, values, -np.inf)
    return legal.argmax(axis=0)


def random_legal_actions(mask: Bool, rng: np.random.Generator) -> Int64:
    """Choose uniformly among the legal actions.

    Args:
        mask: True where legal, shape (..., A), at least one in each row.
        rng: The source of randomness.

    Returns:
        Action numbers, shape (...).
    """
    if (row := shared_row(mask)) is not None:
        legal = row.nonzero()[0]
        return legal[rng.integers(len(legal), size=mask.shape[:-1])]
    if mask.size <= FEW * mask.shape[-1]:  # the same choices, faster for a few rows
        rows = [row.nonzero()[0] for row in mask.reshape(-1, mask.shape[-1])]
        drawn = [row[rng.integers(len(row))] for row in rows]
        return np.array(drawn, np.int64).reshape(mask.shape[:-1])
    # k is uniform. The index of the k-th legal action is the number of actions at which the
    # running count of legal actions is at most k. Games come last in memory.
    number = np.min_scalar_type(mask.shape[-1])
    count = np.moveaxis(mask, -1, 0).astype(number, order="C")
    for before, running in pairwise(count):  # faster than cumsum
        running += before
    passed = count <= rng.integers(count[-1]).astype(number)
    return np.asarray(np.add.reduce(passed.view(np.uint8), axis=0, dtype=number), np.int64)


class RandomAgent(Agent):
    """An agent that plays a uniformly random legal action."""

    name = "random"
    by_row = True

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Choose uniformly among the legal actions; shape (N,)."""
        return random_legal_actions(view.legal_action_mask, rng)


class FirstAgent:
    """An agent that plays the first legal action."""

    name = "first"

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Return the legal action with the lowest number, shape (N,)."""
        return first_legal(view.legal_action_mask)


class LastAgent:
    """An agent that plays the last legal action."""

    name = "last"

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Return the legal action with the highest number, shape (N,)."""
        return view.num_actions - 1 - view.legal_action_mask[:, ::-1].argmax(axis=1)
