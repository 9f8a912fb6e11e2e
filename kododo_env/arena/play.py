"""Games between agents: at one table, in duplicate deals, in chunks with their own decks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.arena.pairing import Chunk
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame

Array = npt.NDArray[np.float64]


class Played(NamedTuple):
    """How games ended.

    Attributes:
        shares: Shares of the victory, shape (N, P).
        points: Shape (N, P).
    """

    shares: Array
    points: Array


@dataclass(frozen=True)
class ChunkResult:
    """How the deals of a chunk ended: the means over the rotations of each deal.

    Attributes:
        chunk: What was played.
        shares: Victory shares of each place in the lineup, shape (deals, P).
        points: Points of each place in the lineup, shape (deals, P).
    """

    chunk: Chunk
    shares: Array
    points: Array


def play(
    agents: Sequence[Agent], game: BatchGame, decks: npt.ArrayLike, rng: np.random.Generator
) -> Played:
    """Play a batch of games to the end, an agent at each seat.

    Args:
        agents: P of them; an agent may have several seats.
        game: N games; they are dealt anew.
        decks: The cards, shape (N, D).
        rng: The source of all randomness.
    """
    game.reset(int(rng.integers(1 << 63)), decks)
    while not game.terminated.all():
        game.step(joint_action(agents, game, rng))
    return Played(game.outcome(), game.scores.astype(np.float64))


def play_duplicates(
    lineup: Sequence[Agent], game: BatchGame, decks: npt.ArrayLike, rng: np.random.Generator
) -> Played:
    """Play each deck once for each rotation of the seats.

    Args:
        lineup: P agents, clockwise.
        game: N games.
        decks: Shape (N, D).
        rng: The source of all randomness.

    Returns:
        The means over the rotations, by place in the lineup.
    """
    places = np.arange(len(lineup))
    total = np.zeros((2, game.num_envs, len(lineup)))
    for turn in places:
        seated = (places + turn) % len(lineup)  # who of the lineup has each seat
        total[:, :, seated] += play([lineup[place] for place in seated], game, decks, rng)
    return Played(*total / len(lineup))


def play_chunk(chunk: Chunk, agents: Sequence[Agent], game: BatchGame, seed: int) -> ChunkResult:
    """Play the deals of a chunk; they depend on the seed and the chunk's number only.

    Args:
        chunk: What to play.
        agents: All agents, as the chunk's lineup numbers them.
        game: As many games as the chunk has deals.
        seed: Of everything that is played.
    """
    of_decks, of_play = np.random.SeedSequence(seed, spawn_key=(chunk.index,)).spawn(2)
    decks = game.sample_decks(chunk.deals, np.random.default_rng(of_decks))
    lineup = [agents[index] for index in chunk.lineup]
    played = play_duplicates(lineup, game, decks, np.random.default_rng(of_play))
    return ChunkResult(chunk, *played)
