"""Kododo as a hand-written loop in C, compiled when needed: a yardstick for the batch core."""

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

from benchmarks.speed.figures import LeftOut, Sample
from benchmarks.speed.recorded import Recorded
from kododo_env import kododo_v0

GAME = "kododo"
SOURCE = Path(__file__).with_suffix(".c")
ACTIONS = 15
SEED = ctypes.c_uint64(88172645463325252)
LEAST_GAMES = 4096  # games in a sample: fewer are played several times


class Seen(NamedTuple):
    """What the loop wrote after a step, or after each of S steps: then the first axis is S.

    Attributes:
        rewards: Shape (N, P).
        mask: Shape (N, P, A).
        rows: Shape (N, P, F).
    """

    rewards: npt.NDArray[np.float32]
    mask: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.uint8]


class ReferenceLoop:
    """The compiled loop for a batch of this many games.

    Args:
        num: N.
        players: P, 2 to 5.
        keep: Whether what is to be seen is kept for every step.

    Attributes:
        steps: S, the steps of a game.
        seen: Is written as games are played.

    Raises:
        LeftOut: There is no C compiler.
    """

    def __init__(self, num: int, players: int, keep: bool = False) -> None:
        self._library = compiled(players)
        self.num, self.players, self.keep = num, players, keep
        self.steps: int = self._library.steps_of_a_game()
        size, shape = self._library.observation_size(), (num, players)
        if keep:
            shape = (self.steps, *shape)  # type: ignore[assignment]
        self.seen = Seen(
            np.zeros(shape, np.float32),
            np.zeros((*shape, ACTIONS), np.bool_),
            np.zeros((*shape, size), np.uint8),
        )
        self._games = np.zeros(num * self._library.game_bytes(), np.uint8)
        self._into = [*map(pointer, (self._games, *self.seen)), int(keep)]

    def play(
        self, actions: npt.NDArray[np.int64], decks: npt.NDArray[np.uint8] | None = None
    ) -> None:
        """Play whole games.

        Args:
            actions: Legal ones, (S, N, P); they are not checked.
            decks: Shape (N, D); None shuffles.
        """
        given = np.ascontiguousarray(actions)
        cards = None if decks is None else np.ascontiguousarray(decks)
        self.play_again(pointer(given), None if cards is None else pointer(cards))

    def play_again(self, actions: ctypes.c_void_p, decks: ctypes.c_void_p | None = None) -> None:
        """The same, given addresses: numpy takes some time to tell them."""
        self._library.play(self.num, self._into[0], decks, SEED, actions, *self._into[1:])


def pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    """Where an array lies; it must be kept as long as that is used."""
    return ctypes.c_void_p(array.ctypes.data)


@cache
def compiled(players: int) -> ctypes.CDLL:
    """The library for this many players; its file is gone as soon as it is loaded."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise LeftOut("there is no C compiler (cc) to make the loop by hand")
    with TemporaryDirectory() as folder:
        made = Path(folder, "reference_loop.so")
        options = ["-O2", "-shared", "-fPIC", f"-DPLAYERS={players}"]
        done = subprocess.run(
            [compiler, *options, "-o", made, SOURCE], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise LeftOut(f"{compiler} does not compile the loop: {done.stderr}")
        return ctypes.CDLL(str(made))


def sample_of(num: int, players: int) -> Sample:
    """Nanoseconds an agent-step of whole games, dealing, masks and observations included."""
    loop = ReferenceLoop(num, players)
    game = kododo_v0.batch_game(num, num_players=players, seed=0)
    actions = np.ascontiguousarray(np.stack(Recorded(game).actions))
    given, times = pointer(actions), max(1, LEAST_GAMES // num)

    def sample() -> dict[str, float]:
        begun = process_time()
        for _ in range(times):
            loop.play_again(given)
        return {"whole": (process_time() - begun) / (actions.size * times) * 1e9}

    return sample
