"""Long play with an eye on memory: python -m tests.soak --minutes 60 --episodes 100000.

First a training of so many minutes by ``train.py``, then as many episodes of each game's
``parallel_env`` as make up the number. Prints a line of JSON for each, with the resident memory
in MiB after the first quarter and at the end; exit status 1 if it has grown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil

from kododo_env import registry

TRAIN = Path(__file__).parents[1] / "train.py"
MIB = 1 << 20
GROWTH = 16  # MiB that the last quarter may be above the second one


def training(game: str, minutes: float) -> dict[str, Any]:
    """Train a bot of a game for some minutes, in a process of its own."""
    with TemporaryDirectory() as folder:
        command = [
            sys.executable, str(TRAIN), "--game", game, "--minutes", str(minutes), "--threads", "1",
            "--run-dir", folder, "--games", "100", "--evaluations", "60",
        ]  # fmt: skip
        process = psutil.Popen(command, stdout=subprocess.DEVNULL)
        sizes = list(_sizes(process, minutes))
        if process.wait() != 0:
            raise RuntimeError(f"training ended with status {process.returncode}")
    return {"what": "training", "game": game, "minutes": minutes, **growth(sizes)}


def _sizes(process: psutil.Popen, minutes: float) -> Iterator[int]:
    """The memory of a process while it trains; what it does at the end is something else."""
    until = time.monotonic() + 60 * minutes
    while time.monotonic() < until and process.poll() is None:
        time.sleep(min(5.0, minutes))
        yield process.memory_info().rss


def episodes(game: str, number: int) -> dict[str, Any]:
    """Play so many episodes of a game at random, in one environment."""
    env = registry.door(game).parallel_env()
    rng, own, sizes, steps = np.random.default_rng(0), psutil.Process(), [], 0
    for episode in range(number):
        observations, _ = env.reset(seed=episode)
        for _ in count():
            if not env.agents:
                break
            masks = {name: observations[name]["action_mask"] for name in env.agents}
            chosen = {name: int(rng.choice(np.flatnonzero(mask))) for name, mask in masks.items()}
            observations, *_ = env.step(chosen)
            steps += 1
        if episode % max(1, number // 100) == 0:
            sizes.append(own.memory_info().rss)
    return {"what": "episodes", "game": game, "episodes": number, "steps": steps, **growth(sizes)}


def growth(sizes: list[int]) -> dict[str, Any]:
    """Memory in the second quarter of the samples and in the last one, in MiB."""
    quarter = max(1, len(sizes) // 4)
    early, late = (
        median(part) / MIB for part in (sizes[quarter : 2 * quarter] or sizes, sizes[-quarter:])
    )
    return {
        "early": round(early, 1),
        "late": round(late, 1),
        "largest": round(max(sizes) / MIB, 1),
        "flat": late - early <= GROWTH,
    }


def main() -> int:
    """Play all of it and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--episodes", type=int, default=100_000)
    given = parser.parse_args()
    flat = True
    games = list(registry.DOORS)
    shares = [
        given.episodes * (k + 1) // len(games) - given.episodes * k // len(games)
        for k in range(len(games))
    ]
    for play in (
        lambda: [training(games[0], given.minutes)],
        lambda: (episodes(game, share) for game, share in zip(games, shares, strict=True)),
    ):
        for found in play():
            print(json.dumps(found), flush=True)
            flat &= found["flat"]
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
