"""What it takes to play: the protocol of an agent, and the one that plays at random."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import whole_numbers
from kododo_env.core.view import View


@runtime_checkable
class Agent(Protocol):
    """A player of whole batches. It sees a view, never the game."""

    name: str

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.integer[Any]]:
        """Choose a legal action in each game of the view.

        Args:
            view: What the player knows in each of N games.
            rng: The source of the agent's randomness.

        Returns:
            Action numbers, shape (N,).
        """
        ...


def random_legal_actions(
    mask: npt.NDArray[np.bool_], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Choose uniformly among the legal actions.

    Args:
        mask: True where legal, shape (..., A), at least one in each row.
        rng: The source of randomness.

    Returns:
        Action numbers, shape (...).
    """
    # The k-th legal action, k uniform: the running count of legal actions exceeds k there first.
    count = np.cumsum(mask, axis=-1, dtype=np.int16)
    pick = rng.integers(count[..., -1])
    action: npt.NDArray[np.int64] = np.argmax(count > pick[..., None], axis=-1)
    return action


class RandomAgent:
    """Plays a legal action, all with the same chance."""

    name = "random"

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose uniformly among the legal actions; shape (N,)."""
        return random_legal_actions(view.legal_action_mask, rng)


def choice_of(agent: Agent, view: View, rng: np.random.Generator) -> npt.NDArray[np.integer[Any]]:
    """What an agent plays in each game of its view, shape (N,).

    Raises:
        ValueError: It gives anything but an integer for each game.
    """
    chosen = whole_numbers(agent.act(view, rng), f"what agent {agent.name!r} plays")
    if chosen.shape != (view.num_envs,):
        raise ValueError(
            f"agent {agent.name!r} must play {view.num_envs} actions, one for each game, not "
            f"an array of the shape {chosen.shape}"
        )
    return chosen


def everybodys_choice(
    agent: Agent, game: BatchGame, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """What one agent does in every seat of a batch.

    Args:
        agent: Plays in every seat, each time with that seat's view.
        game: N games; they are not stepped.
        rng: The source of the agent's randomness.

    Returns:
        Action numbers, shape (N, P), as ``game.step`` takes them.
    """
    chosen: npt.NDArray[np.int64] = game.legal_action_mask().argmax(axis=2)
    deciding = game.deciding()
    for player in range(game.num_players):
        if deciding[:, player].any():
            chosen[:, player] = choice_of(agent, game.view(player), rng)
    return chosen
