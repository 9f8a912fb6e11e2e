"""Long runs whose memory must not grow, as JSON lines: ``python -m tests.faults.soak --help``."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import psutil

from agents.training.checkpoint import Checkpoint
from agents.training.trainer import Trainer
from agents.training.training_config import default_config, task_of
from kododo_env import registry

MB = 1 << 20
MOST_GROWTH = 8.0  # MB in the second half
EVERY = 0.5  # seconds between samples of the memory


class Memory:
    """A sampler of the resident memory of this process during a ``with`` block."""

    def __init__(self) -> None:
        self.samples = [_resident()]
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(EVERY):
            self.samples.append(_resident())


def _resident() -> float:
    return float(psutil.Process().memory_info().rss / MB)


def judged(samples: Sequence[float]) -> dict[str, Any]:
    """Return the initial memory, the medians of the quarters, and the growth in the second half."""
    parts = np.array_split(samples, 4)
    quarters = [float(median(part)) for part in parts if len(part)]
    growth = quarters[-1] - quarters[len(quarters) // 2]
    return {
        "first_mb": round(samples[0], 1),
        "quarters_mb": [round(quarter, 1) for quarter in quarters],
        "growth_mb": round(growth, 1),
        "flat": growth <= MOST_GROWTH,
    }


def self_play(game: str, folder: Path, **length: float) -> dict[str, Any]:
    """Train a game by its recipe; ``length`` is ``minutes`` or ``steps``."""
    config = default_config(game, run_dir=folder, **length)
    trainer = Trainer(config, Checkpoint(task_of(config)), folder)
    with Memory() as memory, redirect_stdout(sys.stderr):
        trainer.run()
    done = {**length, "updates": trainer.progress.updates}
    return {"part": "self-play", "game": game, **done, **judged(memory.samples)}


def episodes(game: str, number: int, seed: int = 0) -> dict[str, Any]:
    """Play ``number`` episodes of a game's ``parallel_env`` at random."""
    env = registry.environment_module(game).parallel_env()
    rng = np.random.default_rng(seed)
    since = time.monotonic()
    with Memory() as memory:
        for episode in range(number):
            _, infos = env.reset(seed=seed + episode)
            while env.agents:
                masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
                chosen = {agent: rng.choice(np.flatnonzero(mask)) for agent, mask in masks.items()}
                *_, infos = env.step(chosen)
    done = {"episodes": number, "seconds": round(time.monotonic() - since, 1)}
    return {"part": "parallel_env", "game": game, **done, **judged(memory.samples)}


def main(args: Sequence[str] | None = None) -> int:
    """Run both parts for each game in separate processes; return 1 if memory grew."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    parser.add_argument(
        "--minutes", type=float, default=60, help="minutes of self-play for all games together"
    )
    parser.add_argument(
        "--episodes", type=int, default=100_000, help="episodes for all games together"
    )
    parser.add_argument(
        "--part", choices=("self-play", "parallel_env"), help="run only this part, in this process"
    )
    parser.add_argument("--game", choices=list(registry.ENVIRONMENT_MODULES))
    options = parser.parse_args(args)
    if options.part is None:
        return _all(options.minutes, options.episodes)
    if options.part == "self-play":
        with tempfile.TemporaryDirectory() as scratch:
            result = self_play(options.game, Path(scratch), minutes=options.minutes)
    else:
        result = episodes(options.game, options.episodes)
    print(json.dumps(result), flush=True)
    return 0 if result["flat"] else 1


def _all(minutes: float, number: int) -> int:
    shares = len(registry.ENVIRONMENT_MODULES)
    worst = 0
    for part in ("self-play", "parallel_env"):
        for game in registry.ENVIRONMENT_MODULES:
            amount = ["--minutes", str(minutes / shares), "--episodes", str(number // shares)]
            command = [sys.executable, "-m", __spec__.name, "--part", part, "--game", game]
            worst = max(worst, subprocess.run([*command, *amount], check=False).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
