"""The batch core of every game: speed by number of games, and memory of many.

Random legal play, recorded first and then played again: timed are ``step`` and what is named
beside it, over whole games; choosing and dealing are not. Time is that of the process (with
OMP_NUM_THREADS=1: of one core). An agent-step is one player's step, so a step of N games of P
players counts N * P of them, whether or not all had a choice.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from time import process_time

import numpy as np
import numpy.typing as npt

from kododo_env import registry
from kododo_env.core import BatchGame

SIZES = (1, 64, 1024, 4096, 65536)
SECONDS = 0.6
"""Timed for each number, at least: the best of as many passes as that takes."""
Work = Callable[[BatchGame], object]


def nothing(game: BatchGame) -> None:
    """Only the step."""


def mask_and_observation(game: BatchGame) -> Work:
    """The mask, and the observation in an array that lies as the core's own do."""
    shape = (game.num_players, game.layout.size, game.num_envs)
    out = np.empty(shape, game.layout.dtype).transpose(2, 0, 1)
    return lambda game: (game.legal_action_mask(), game.observe(out=out))


def mask_and_rows(dtype: npt.DTypeLike) -> Callable[[BatchGame], Work]:
    """The mask, and the observation in contiguous rows (N, P, F), as stable-baselines3 takes it."""

    def work_for(game: BatchGame) -> Work:
        out = np.empty((game.num_envs, game.num_players, game.layout.size), dtype)
        return lambda game: (game.legal_action_mask(), game.observe(out=out))

    return work_for


KINDS: dict[str, Callable[[BatchGame], Work]] = {
    "step": lambda game: nothing,
    "+ mask + obs": mask_and_observation,
    "+ rows, uint8": mask_and_rows(np.uint8),
    "+ rows, float32": mask_and_rows(np.float32),
}


def random_actions(game: BatchGame, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A legal action for everybody, as in RandomAgent but with the game axis last, hence faster."""
    mask = game.legal_action_mask().transpose(1, 2, 0)
    count = np.cumsum(mask, axis=1, dtype=np.uint8)
    return (count > rng.integers(0, count[:, -1])[:, None]).argmax(axis=1).T


class Recording:
    """Whole games of random legal play: their cards and everybody's actions.

    Args:
        game: The batch; it is played to its end.
    """

    def __init__(self, game: BatchGame) -> None:
        rng = np.random.default_rng(0)
        self.game = game
        self.decks = game.sample_decks(game.num_envs, rng)
        self.actions: list[npt.NDArray[np.int64]] = []
        game.reset(decks=self.decks)
        while not game.terminated.all():
            self.actions.append(random_actions(game, rng))
            game.step(self.actions[-1])
        self.agent_steps = len(self.actions) * game.num_envs * game.num_players

    def seconds(self, work: Work) -> float:
        """How long it takes to play the same games again, with some work after each step."""
        game = self.game
        game.reset(decks=self.decks)
        begun = process_time()
        for actions in self.actions:
            game.step(actions)
            work(game)
        return process_time() - begun

    def speed(self, work: Work) -> float:
        """Agent-steps in a second, in the fastest pass."""
        work(self.game)  # so that the caller's array is there
        took: list[float] = []
        while sum(took) < SECONDS:
            took.append(self.seconds(work))
        return self.agent_steps / min(took)


def kilobytes_per_game(game: str, num_envs: int) -> tuple[float, float]:
    """What a batch takes, its observation and mask included: kept, and at the most.

    Kept are state, decks, the room in which observations are put together, and the
    caller's observation and mask; the most is reached within a step.
    """
    tracemalloc.start()
    batch = registry.batch_game(game, num_envs, seed=0)
    observation, rng = batch.observe(), np.random.default_rng(0)
    kept, most = 0, 0
    while not batch.terminated.all():
        actions = random_actions(batch, rng)
        tracemalloc.reset_peak()
        batch.step(actions)
        batch.observe(out=observation)
        mask = batch.legal_action_mask()
        now, peak = tracemalloc.get_traced_memory()
        kept, most = max(kept, now - actions.nbytes), max(most, peak - actions.nbytes)
        del mask
    tracemalloc.stop()
    return kept / num_envs / 1024, most / num_envs / 1024


def report(game: str) -> None:
    """Print a game's table."""
    example = registry.batch_game(game, 1, seed=0)
    print(
        f"\n{game}, {example.num_players} players, observation of {example.layout.size}, "
        f"{example.num_actions} actions: million agent-steps/s"
    )
    print(f"{'games':>8} " + "".join(f"{kind:>17}" for kind in KINDS))
    for num_envs in SIZES:
        recording = Recording(registry.batch_game(game, num_envs, seed=0))
        speeds = [recording.speed(make(recording.game)) for make in KINDS.values()]
        print(f"{num_envs:>8,} " + "".join(f"{each / 1e6:>17.3f}" for each in speeds), flush=True)
    kept, most = kilobytes_per_game(game, max(SIZES))
    print(f"memory at {max(SIZES):,} games: {kept:.2f} KB a game, {most:.2f} KB at the most")


def main() -> None:
    for game in registry.DOORS:
        report(game)


if __name__ == "__main__":
    main()
