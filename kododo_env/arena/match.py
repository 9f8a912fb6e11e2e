"""Playing agents against each other: at one table, in duplicate deals, in duels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.pairing import Chunk, chunk_sizes
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.bounds import BOUNDS
from kododo_env.core.numbers import whole_number
from kododo_env.rules_arguments import make_game

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
        agents: P of them; an agent may have several seats. Each is asked once for each
            of its seats and turns, for all games together.
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
    total = Played(np.zeros((game.num_envs, len(lineup))), np.zeros((game.num_envs, len(lineup))))
    for turn in places:
        seated = (places + turn) % len(lineup)  # who of the lineup has each seat
        played = play([lineup[place] for place in seated], game, decks, rng)
        total.shares[:, seated] += played.shares
        total.points[:, seated] += played.points
    return Played(total.shares / len(lineup), total.points / len(lineup))


def play_chunk(chunk: Chunk, agents: Sequence[Agent], game: BatchGame, seed: int) -> ChunkResult:
    """Play the deals of a chunk; they depend on the seed and the chunk's number only.

    Args:
        chunk: What to play.
        agents: All agents of the tournament.
        game: As many games as the chunk has deals.
        seed: The tournament's.
    """
    of_decks, of_play = np.random.SeedSequence(seed, spawn_key=(chunk.index,)).spawn(2)
    decks = game.sample_decks(chunk.deals, np.random.default_rng(of_decks))
    lineup = [agents[index] for index in chunk.lineup]
    played = play_duplicates(lineup, game, decks, np.random.default_rng(of_play))
    return ChunkResult(chunk, played.shares, played.points)


@dataclass(frozen=True)
class Duel:
    """How one agent did against copies of another.

    Attributes:
        share: Its share of the victory; 1 / P is parity.
        margin: Its points minus the mean of the others.
        points: Its points.
    """

    share: Estimate
    margin: Estimate
    points: Estimate


def duel(
    one: Agent,
    copies: Agent,
    game: str,
    players: int,
    games: int = 8_000,
    seed: int = 0,
    **rules: Any,
) -> Duel:
    """Play one agent against P - 1 copies of another, in this process.

    Args:
        one: The agent that is measured.
        copies: Who has all the other seats.
        game: Name of the game in the registry.
        players: P.
        games: How many, rounded up to whole deals of P games.
        seed: The same seed deals the same decks to whoever plays.
        **rules: Further fields of the game's rules.

    Raises:
        ValueError: The game cannot be played so.
    """
    check_numbers(players, games, seed)
    results = []
    lineup = (0, *[1] * (players - 1))
    for index, size in enumerate(chunk_sizes(-(-games // players))):
        batch = make_game(game, size, players, rules)
        results.append(play_chunk(Chunk(index, lineup, size), (one, copies), batch, seed))
    won = np.concatenate([each.shares[:, 0] for each in results])
    points = np.concatenate([each.points for each in results])
    margin = points[:, 0] - points[:, 1:].mean(axis=1)
    return Duel(share(won), mean(margin), mean(points[:, 0]))


def check_numbers(players: int, games: int, seed: int) -> None:
    """Raise ValueError unless so many games can be played."""
    whole_number(players, "players", 1)
    whole_number(seed, "seed", 0)
    if whole_number(games, "games", highest=BOUNDS["games"].highest) < players:
        raise ValueError(
            f"{players} players need {players} games at least, since each deck is played once "
            f"for each rotation of the seats; not {games}"
        )
