"""Measure the speed of self-play on a GPU and on two cores: docs/devices.json.

Updates of a game's recipe are timed in agent-steps/s, also with other widths of the network and
other numbers of parallel games; the size of minibatches grows with the number of games. Run
``python -m benchmarks.devices`` on a machine with a GPU. ``docs/update_tables.py`` makes the table
of ``docs/evidence/gpu.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import torch

from agents.ppo.machine import bfloat16_is_fast, device_named, prepare_process
from agents.ppo.ppo import PPO
from agents.recipes.recipe import recipe_for
from agents.training.training_config import Task, default_config, task_of
from benchmarks.speed.figures import machine
from kododo_env.checks.bounds import Processes, check_settings, positive
from kododo_env.commands.cli import run_cli
from kododo_env.system.files import write_text

# Widths of the network, and numbers of parallel games besides the recipe's. Games of KADO have far
# more decisions.
TABLES = {
    ("kododo", 4): ((256, 512, 1024), (4_096, 16_384, 65_536)),
    ("kado", 3): ((256,), (4_096,)),
}


@dataclass(frozen=True)
class DevicesConfig:
    """Measure how fast self-play learns on each device, and write the results."""

    devices: tuple[str, ...] = ("cpu", "cuda")
    """The devices. On the CPU only the recipe's own number of games is measured."""
    threads: Processes = 2
    """CPU threads for acting and learning; with a GPU one thread is used."""
    seconds: Annotated[float, positive(3600)] = 3.0
    """Minimum seconds of each measurement, after an update that warms up."""
    json: Path = Path(__file__).parents[1] / "docs" / "devices.json"
    """The file to write."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for device in self.devices:
            device_named(device)  # raises ValueError if the device does not exist


def measure_devices(config: DevicesConfig) -> None:
    """Measure, write, and print a line for each figure."""
    prepare_process()
    gpu = torch.cuda.get_device_name() if "cuda" in config.devices else ""
    hardware = machine() | {"gpu": gpu, "torch": torch.__version__, "threads": config.threads}
    rows = []
    for row in _rows(config):
        print(json.dumps(row), flush=True)
        rows.append(row)
        write_text(config.json, json.dumps({"machine": hardware, "rows": rows}, indent=1) + "\n")


def _rows(config: DevicesConfig) -> Iterator[dict[str, Any]]:
    for (name, players), (widths, extra_games) in TABLES.items():
        recipe = recipe_for(name, players)
        for device, width in product(config.devices, widths):
            num_games = [recipe.num_envs]
            if device == "cuda":
                num_games += extra_games
            for games in num_games:
                batch = recipe.batch_size * games // recipe.num_envs
                options: dict[str, Any] = {"width": width, "num_envs": games, "batch_size": batch}
                task = task_of(default_config(name, players, **options))
                labels = {"game": name, "players": players, "device": device}
                yield {**labels, "width": width, "games": games, **_speed(config, task, device)}


def _speed(config: DevicesConfig, task: Task, device: str) -> dict[str, Any]:
    """Return agent-steps a second, and the share of the time that each stage takes."""
    recipe = task.recipe
    game = task.batch_game(recipe.num_envs, task.seed)
    threads = config.threads if device == "cpu" else 1
    learner = PPO(game, recipe, task.seed, device, threads, bfloat16=bfloat16_is_fast(device))
    steps = 0
    start = 0.0
    for update in count():
        played = learner.play(game, [None] * task.num_players, update)
        learner.learn(played.decisions, *recipe.self_play_rates(1.0))
        if update == 0:
            learner.stopwatch.seconds.clear()
            start = perf_counter()
            continue
        steps += played.steps
        seconds = perf_counter() - start
        if seconds > config.seconds:
            break
    shares = {
        stage: stage_seconds / seconds for stage, stage_seconds in learner.stopwatch.seconds.items()
    }
    return {"steps_per_second": steps / seconds, "shares": shares}


if __name__ == "__main__":
    run_cli(DevicesConfig, measure_devices)
