"""Games between agents: at one table, in duplicate deals, and in chunks with their own decks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Float64
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame

CHUNK_DEALS = 512  # the maximum in a chunk; larger batches are hardly faster


@dataclass(frozen=True)
class Chunk:
    """A number of deals that the same agents play.

    Attributes:
        index: The index of the chunk, from 0, which determines its decks.
        lineup: The index of the agent at each of the P places of the table, clockwise.
        deals: The number of decks; each is played P times, once for each rotation of the seats.
    """

    index: int
    lineup: tuple[int, ...]
    deals: int


def chunk_sizes(deals: int, least_chunks: int = 1) -> list[int]:
    """Divide deals evenly into chunks of at most ``CHUNK_DEALS``, and return their sizes."""
    number = min(deals, max(least_chunks, -(-deals // CHUNK_DEALS)))
    return [deals // number + (index < deals % number) for index in range(number)]


class Watcher(Protocol):
    """Records a batch of games while it is played, beginning after the deal."""

    def step(self, actions: npt.ArrayLike) -> None:
        """Record the joint actions (N, P) that have just been played."""
        ...

    def end(self) -> Any:
        """Return the record, which must be picklable; called when all games are over."""
        ...


Recording = Callable[[Chunk, int, BatchGame], Watcher]
"""A function that returns a watcher of a batch that was just dealt; it must be picklable.

Its arguments are the chunk that is played, the number of seats by which the chunk's lineup is
rotated, and the batch of the chunk's deals.
"""


class GameResults(NamedTuple):
    """The results of N games.

    Attributes:
        shares: Win shares, float64, shape (N, P).
        points: Points, float64, shape (N, P).
        record: What the watcher recorded; None without a watcher.
    """

    shares: Float64
    points: Float64
    record: Any = None


@dataclass(frozen=True)
class ChunkResult:
    """The results of a chunk: for each deal the means over its rotations.

    Attributes:
        chunk: The chunk that was played.
        shares: Win shares by place in the lineup, shape (deals, P).
        points: Points by place in the lineup, shape (deals, P).
        recorded: The record of each rotation; None for each without a recording.
    """

    chunk: Chunk
    shares: Float64
    points: Float64
    recorded: tuple[Any, ...] = ()


def play(
    agents: Sequence[Agent],
    game: BatchGame,
    decks: npt.ArrayLike,
    rng: np.random.Generator,
    watch: Callable[[BatchGame], Watcher] | None = None,
) -> GameResults:
    """Play a batch of games to the end, with an agent in each seat.

    Args:
        agents: P agents, in seat order; the same agent may have several seats.
        game: A batch of N games, which is dealt again.
        decks: The cards, shape (N, D).
        rng: The source of all randomness.
        watch: A function that returns a watcher of the games; None to record nothing.
    """
    game.reset(int(rng.integers(1 << 63)), decks)
    watcher = None if watch is None else watch(game)
    while not game.terminated.all():
        actions = joint_action(agents, game, rng)
        game.step(actions)
        if watcher is not None:
            watcher.step(actions)
    record = None if watcher is None else watcher.end()
    return GameResults(game.outcome(), game.scores.astype(np.float64), record)


def play_chunk(
    chunk: Chunk,
    agents: Sequence[Agent],
    game: BatchGame,
    seed: int,
    recording: Recording | None = None,
) -> ChunkResult:
    """Play each deal of a chunk once for each rotation of the seats.

    The decks depend only on ``seed``, the chunk's index and its size.

    Args:
        chunk: The chunk to play.
        agents: All agents, to whose indices the chunk's lineup refers.
        game: A batch with ``chunk.deals`` games.
        seed: The seed of the decks and of the agents' randomness.
        recording: Records the games; None to record nothing.
    """
    deck_seed, play_seed = np.random.SeedSequence(seed, spawn_key=(chunk.index,)).spawn(2)
    decks = game.sample_decks(chunk.deals, np.random.default_rng(deck_seed))
    rng = np.random.default_rng(play_seed)
    places = np.arange(len(chunk.lineup))
    total = np.zeros((2, game.num_envs, len(places)))
    records = []
    for rotation in places.tolist():
        seated = (places + rotation) % len(places)  # the place in the lineup of each seat
        lineup = [agents[chunk.lineup[place]] for place in seated]
        watch = None if recording is None else partial(recording, chunk, rotation)
        results = play(lineup, game, decks, rng, watch)
        total[:, :, seated] += results.shares, results.points
        records.append(results.record)
    shares, points = total / len(places)
    return ChunkResult(chunk, shares, points, tuple(records))
