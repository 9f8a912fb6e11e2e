"""Kododo as a hand-written loop in C, compiled on demand: a reference for the batch core."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.speed.figures import Sample, SkippedBench
from benchmarks.speed.recorded_games import RecordedGames
from kododo_env import kododo_v0

GAME = "kododo"
SOURCE = Path(__file__).with_suffix(".c")
ACTIONS = 15
SEED = ctypes.c_uint64(88172645463325252)
MIN_GAMES = 4096  # minimum in a sample; smaller batches are played several times


class LoopOutput(NamedTuple):
    """The output of the loop after a step; after S steps the arrays have a first axis S.

    Attributes:
        rewards: Shape (N, P).
        mask: Shape (N, P, A).
        rows: Observations, shape (N, P, F).
    """

    rewards: npt.NDArray[np.float32]
    mask: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.uint8]


class ReferenceLoop:
    """The compiled loop for a batch of N games.

    Args:
        num: N.
        players: P, 2 to 5.
        keep: Whether the output of every step is kept.

    Attributes:
        steps: S, the number of steps of a game.
        output: The output, which is written while games are played.

    Raises:
        SkippedBench: There is no C compiler.
    """

    def __init__(self, num: int, players: int, keep: bool = False) -> None:
        self._library = compiled(players)
        self.num = num
        self.players = players
        self.keep = keep
        self.steps: int = self._library.steps_of_a_game()
        size = self._library.observation_size()
        shape = (self.steps, num, players) if keep else (num, players)
        self.output = LoopOutput(
            np.zeros(shape, np.float32),
            np.zeros((*shape, ACTIONS), np.bool_),
            np.zeros((*shape, size), np.uint8),
        )
        self._games = np.zeros(num * self._library.game_bytes(), np.uint8)
        self._into = [*map(pointer, (self._games, *self.output)), int(keep)]

    def play(
        self, actions: npt.NDArray[np.int64], decks: npt.NDArray[np.uint8] | None = None
    ) -> None:
        """Play whole games.

        Args:
            actions: Legal actions, (S, N, P); they are not checked.
            decks: Decks, (N, D); None shuffles.
        """
        actions = np.ascontiguousarray(actions)
        if decks is None:
            self.play_again(pointer(actions))
        else:
            decks = np.ascontiguousarray(decks)
            self.play_again(pointer(actions), pointer(decks))

    def play_again(self, actions: ctypes.c_void_p, decks: ctypes.c_void_p | None = None) -> None:
        """Play whole games; takes addresses of arrays, which numpy is slow to compute."""
        self._library.play(self.num, self._into[0], decks, SEED, actions, *self._into[1:])


def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    """Return the address of an array; the array must outlive its use."""
    return ctypes.c_void_p(array.ctypes.data)


@cache
def compiled(players: int) -> ctypes.CDLL:
    """Compile and load the library for a number of players; its file is deleted at once."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise SkippedBench("the loop in C needs a C compiler (cc)")
    with TemporaryDirectory() as folder:
        library = Path(folder, "reference_loop.so")
        options = ["-O2", "-shared", "-fPIC", f"-DPLAYERS={players}"]
        done = subprocess.run(
            [compiler, *options, "-o", library, SOURCE], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SkippedBench(f"{compiler} cannot compile the loop: {done.stderr}")
        return ctypes.CDLL(str(library))


def sample_of(num: int, players: int) -> Sample:
    """Return a sampler of nanoseconds per agent-step, with deals, masks and observations."""
    loop = ReferenceLoop(num, players)
    game = kododo_v0.batch_game(num, num_players=players, seed=0)
    actions = np.ascontiguousarray(np.stack(RecordedGames(game).actions))
    address = pointer(actions)
    repeats = max(1, MIN_GAMES // num)

    def sample() -> dict[str, float]:
        start = process_time()
        for _ in range(repeats):
            loop.play_again(address)
        return {"whole": (process_time() - start) / (actions.size * repeats) * 1e9}

    return sample
