"""Games between agents: at one table, in duplicate deals, and in chunks with their own decks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from kododo_env.arena.lineups import Chunk
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.arrays import Float64
from kododo_env.core.batch_game import BatchGame


class Watcher(Protocol):
    """Records a batch of games as it is played, from just after the deal.

    Attributes:
        noted: The record after the end, which is sent from one process to another.
    """

    noted: Any

    def step(self, actions: npt.ArrayLike) -> None:
        """Record the joint actions (N, P) that have just been played."""
        ...

    def end(self) -> None:
        """Finish the record: the games are over, and the batch is about to be dealt again."""
        ...


class Recording(Protocol):
    """What is recorded of games; it is sent to the processes that play them."""

    def begin(self, chunk: Chunk, rotation: int, game: BatchGame) -> Watcher:
        """Return a watcher of a chunk just dealt, with its lineup rotated by this many seats."""
        ...


class GameResults(NamedTuple):
    """The results of games.

    Attributes:
        shares: Shares of the victory, shape (N, P).
        points: Shape (N, P).
    """

    shares: Float64
    points: Float64


@dataclass(frozen=True)
class ChunkResult:
    """The results of a chunk: for each deal the means over its rotations.

    Attributes:
        chunk: The chunk that was played.
        shares: Victory shares by place in the lineup, shape (deals, P).
        points: Points by place in the lineup, shape (deals, P).
        recorded: The record of each rotation, if there was a recording.
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
    """Play a batch of games to the end, an agent at each seat.

    Args:
        agents: P agents; an agent may have several seats.
        game: N games; they are dealt again.
        decks: The cards, shape (N, D).
        rng: The source of all randomness.
        watch: Returns a watcher of the games.
    """
    game.reset(int(rng.integers(1 << 63)), decks)
    watcher = None if watch is None else watch(game)
    while not game.terminated.all():
        actions = joint_action(agents, game, rng)
        game.step(actions)
        if watcher is not None:
            watcher.step(actions)
    if watcher is not None:
        watcher.end()
    return GameResults(game.outcome(), game.scores.astype(np.float64))


def play_duplicates(
    lineup: Sequence[Agent],
    game: BatchGame,
    decks: npt.ArrayLike,
    rng: np.random.Generator,
    watch: Callable[[BatchGame], Watcher] | None = None,
) -> GameResults:
    """Play each deck once for each rotation of the seats.

    Args:
        lineup: P agents, clockwise.
        game: N games.
        decks: Shape (N, D).
        rng: The source of all randomness.
        watch: Returns a watcher of the games of a rotation.

    Returns:
        The means over the rotations, by place in the lineup.
    """
    places = np.arange(len(lineup))
    total = np.zeros((2, game.num_envs, len(lineup)))
    for turn in places:
        seated = (places + turn) % len(lineup)  # the place in the lineup of each seat
        agents = [lineup[place] for place in seated]
        total[:, :, seated] += play(agents, game, decks, rng, watch)
    return GameResults(*total / len(lineup))


def play_chunk(
    chunk: Chunk,
    agents: Sequence[Agent],
    game: BatchGame,
    seed: int,
    recording: Recording | None = None,
) -> ChunkResult:
    """Play the deals of a chunk; they depend only on the seed and the chunk's index.

    Args:
        chunk: The chunk to play.
        agents: All agents, in the numbering of the chunk's lineup.
        game: As many games as the chunk has deals.
        seed: The seed of the decks and of the agents' randomness.
        recording: What to record of the games.
    """
    deck_seed, play_seed = np.random.SeedSequence(seed, spawn_key=(chunk.index,)).spawn(2)
    decks = game.sample_decks(chunk.deals, np.random.default_rng(deck_seed))
    lineup = [agents[index] for index in chunk.lineup]
    watchers: list[Watcher] = []

    def watch(dealt: BatchGame) -> Watcher:
        assert recording is not None
        watchers.append(recording.begin(chunk, len(watchers), dealt))
        return watchers[-1]

    watched = None if recording is None else watch
    played = play_duplicates(lineup, game, decks, np.random.default_rng(play_seed), watched)
    return ChunkResult(chunk, *played, tuple(watcher.noted for watcher in watchers))
